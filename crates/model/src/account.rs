//! Keys, their accounts, and usage counts.

use std::fmt;

use subtle::{Choice, ConstantTimeEq};

use crate::{Day, ParseError};

/// The four access plans, cheapest first. The `access` crate has the table of what each one offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    Free,
    Bronze,
    Gold,
    Platinum,
}

impl Plan {
    pub const ALL: [Self; 4] = [Self::Free, Self::Bronze, Self::Gold, Self::Platinum];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Bronze => "bronze",
            Self::Gold => "gold",
            Self::Platinum => "platinum",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "Free",
            Self::Bronze => "Bronze",
            Self::Gold => "Gold",
            Self::Platinum => "Platinum",
        }
    }

    /// The plans that have a price.
    pub fn paid() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|plan| *plan != Self::Free)
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|plan| plan.id() == text)
            .ok_or(ParseError("must be one of free, bronze, gold, platinum"))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The public part of a key: eight base-62 characters, safe to show and to log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 8]);

impl KeyId {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError = ParseError("must be a key id: eight letters and digits");
        let characters: [u8; 8] = text.as_bytes().try_into().map_err(|_| FORM)?;
        if characters.iter().all(u8::is_ascii_alphanumeric) { Ok(Self(characters)) } else { Err(FORM) }
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The holder's id: the id of the first key in a line of rotations. All keys of the line share one limit and one
/// ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub KeyId);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The keyed hash of a whole key; nothing else of its secret is stored.
#[derive(Clone, Copy, Eq)]
pub struct KeyDigest(pub [u8; 32]);

/// Compares in constant time, and is the only way to compare digests.
impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        let words = self.0.as_chunks::<8>().0.iter().zip(other.0.as_chunks::<8>().0);
        let same = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a).ct_eq(&u64::from_ne_bytes(*b));
        words.map(same).fold(Choice::from(1), |all, one| all & one).into()
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest(…)")
    }
}

/// A holder of keys, with its plan and limits.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub email: String,
    pub plan: Plan,
    /// Requests per minute agreed for this account instead of the plan's.
    pub rate_limit: Option<u32>,
}

impl fmt::Debug for Account {
    /// Omits name and email, because this text may end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("id", &self.id).field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// A key as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    pub id: KeyId,
    pub digest: KeyDigest,
    pub account: Account,
    pub created_at: jiff::Timestamp,
    /// The key is rejected from this moment on: its revocation, or the end of the grace period after a rotation.
    pub ends_at: Option<jiff::Timestamp>,
    /// The key is rejected for good, regardless of `ends_at`.
    pub revoked: bool,
    /// Grows with every change to any key, so that a reader can query only what is new.
    pub revision: u64,
}

/// The first key of an account, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub id: KeyId,
    pub digest: KeyDigest,
    pub account: Account,
    pub created_at: jiff::Timestamp,
    /// Requested by its holder rather than created by the operator.
    pub self_registered: bool,
}

/// A change to a key, for readers that follow the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    Changed(KeyRecord),
    /// Deleted together with its account.
    Removed {
        id: KeyId,
        revision: u64,
    },
}

impl KeyChange {
    pub fn id(&self) -> KeyId {
        match self {
            Self::Changed(record) => record.id,
            Self::Removed { id, .. } => *id,
        }
    }

    pub fn revision(&self) -> u64 {
        match self {
            Self::Changed(record) => record.revision,
            Self::Removed { revision, .. } => *revision,
        }
    }
}

/// The outcome of a request, as usage reports show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Ok,
    ClientError,
    ServerError,
    RateLimited,
    UpgradeRequired,
}

impl Outcome {
    pub const ALL: [Self; 5] =
        [Self::Ok, Self::ClientError, Self::ServerError, Self::RateLimited, Self::UpgradeRequired];

    /// The word kept in the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ClientError => "client_error",
            Self::ServerError => "server_error",
            Self::RateLimited => "rate_limited",
            Self::UpgradeRequired => "upgrade_required",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == text).ok_or(ParseError("must be an outcome"))
    }
}

/// The number of requests of an account to an endpoint on a day with one outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageCount {
    pub account: AccountId,
    pub day: Day,
    pub endpoint: String,
    pub outcome: Outcome,
    pub requests: u64,
}
