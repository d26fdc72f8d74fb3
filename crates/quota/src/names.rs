//! Whose limit it is: what a ring is called here, and under which key Redis keeps it.

use std::fmt;

use lastro_access::ClientAddr;
use lastro_model::AccountId;

/// A limit that all replicas count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingName {
    /// The requests of an account.
    Account(AccountId),
    /// The requests of an address without a key.
    Address(ClientAddr),
    /// Those of a network, where there are too many addresses to tell apart.
    Network(ClientAddr),
    /// Those of everybody else.
    Last,
    /// Keys registered from an address.
    RegistrationsOfAddress(ClientAddr),
    /// Keys registered from a network.
    RegistrationsOfNetwork(ClientAddr),
    /// Keys rotated by an account.
    Rotations(AccountId),
}

/// Two groups that fail apart: a flood of strangers shall not take the customers' limits along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Keys,
    Addresses,
}

impl Class {
    pub const ALL: [Self; 2] = [Self::Keys, Self::Addresses];

    pub fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Addresses => "addresses",
        }
    }
}

impl RingName {
    pub(crate) fn class(self) -> Class {
        match self {
            Self::Account(_) | Self::Rotations(_) => Class::Keys,
            _ => Class::Addresses,
        }
    }

    /// What it is called in Redis.
    pub(crate) fn key(self, prefix: &str) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "{prefix}:{{{self}}}"))
    }
}

impl fmt::Display for RingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(account) => write!(f, "k:{account}"),
            Self::Address(client) => write!(f, "a:{client}"),
            Self::Network(client) => write!(f, "n:{client}"),
            Self::Last => f.write_str("last"),
            Self::RegistrationsOfAddress(client) => write!(f, "r:{client}"),
            Self::RegistrationsOfNetwork(client) => write!(f, "rn:{client}"),
            Self::Rotations(account) => write!(f, "t:{account}"),
        }
    }
}
