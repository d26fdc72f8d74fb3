//! The names of limits: of the classes that fail separately, and of each ring, here and in Redis.

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
    /// The requests of a network, if there are too many addresses to count each.
    Network(ClientAddr),
    /// The requests of all other clients, if there are too many networks.
    Last,
    /// Keys registered from an address.
    RegistrationsOfAddress(ClientAddr),
    /// Keys registered from a network.
    RegistrationsOfNetwork(ClientAddr),
    /// Keys rotated by an account.
    Rotations(AccountId),
}

/// Limits that share a connection and a breaker. A flood from unknown addresses does not affect the limits of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitClass {
    Keys,
    Addresses,
}

impl LimitClass {
    pub const ALL: [Self; 2] = [Self::Keys, Self::Addresses];

    pub fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Addresses => "addresses",
        }
    }
}

impl RingName {
    pub(crate) fn class(self) -> LimitClass {
        match self {
            Self::Account(_) | Self::Rotations(_) => LimitClass::Keys,
            _ => LimitClass::Addresses,
        }
    }

    /// The key in Redis.
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
