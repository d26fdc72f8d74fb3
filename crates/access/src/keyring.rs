//! Every key the server knows, by id, ready to be checked without waiting on the store.
//!
//! The server fills the ring from the store at start, follows the store's changes twice a second, and asks the
//! store for a single key only when the ring does not know its id.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_model::{Account, AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, Plan};
use papaya::{HashMap, Operation};

use crate::misses::Misses;
use crate::{ApiKey, Holder, Pepper, terms};

/// A key that was found good, and what it entitles to.
#[derive(Debug, Clone)]
pub struct Holding {
    pub key: KeyId,
    pub account: Arc<Account>,
    pub created_at: jiff::Timestamp,
    /// Set while the key works beside the one it was rotated to.
    pub ends_at: Option<jiff::Timestamp>,
    pub plan: Plan,
    /// Requests a minute: the account's own agreement, or the plan's.
    pub limit: u32,
    pub holder: Arc<Holder>,
}

#[derive(Debug, Clone)]
pub enum Lookup {
    Found(Arc<Holding>),
    /// Wrong secret, revoked or ended: a client is told the same for each of them, and for an unknown key.
    Refused,
    /// Not in the ring; the store may know it.
    Unknown,
}

/// What the ring keeps of one key. Replaced as a whole, never changed.
#[derive(Clone)]
struct Slot {
    holding: Arc<Holding>,
    digest: KeyDigest,
    revoked: bool,
    revision: u64,
}

pub struct KeyRing {
    pepper: Pepper,
    slots: HashMap<KeyId, Slot>,
    holders: HashMap<AccountId, Arc<Holder>>,
    misses: Misses,
    revision: AtomicU64,
}

impl KeyRing {
    pub fn new(pepper: Pepper) -> Self {
        Self {
            pepper,
            slots: HashMap::new(),
            holders: HashMap::new(),
            misses: Misses::new(),
            revision: AtomicU64::new(0),
        }
    }

    pub fn find(&self, key: &ApiKey, unix_ms: i64) -> Lookup {
        let slots = self.slots.pin();
        let Some(slot) = slots.get(&key.id()) else { return Lookup::Unknown };
        let ended = slot.holding.ends_at.is_some_and(|end| end.as_millisecond() <= unix_ms);
        if slot.revoked || ended || !self.pepper.matches(key, &slot.digest) {
            return Lookup::Refused;
        }
        Lookup::Found(Arc::clone(&slot.holding))
    }

    /// Takes in one key, just made or just asked for. A record older than what the ring holds is ignored.
    ///
    /// It does not move [`KeyRing::revision`]: changes of other keys may have happened before this one and not yet
    /// have been read, and a revocation among them must not be skipped.
    pub fn upsert(&self, record: KeyRecord) {
        let revision = record.revision;
        let (id, slot) = (record.id, self.slot(record));
        self.slots.pin().compute(id, |held| match held {
            Some((_, held)) if held.revision > revision => Operation::Abort(()),
            _ => Operation::Insert(slot.clone()),
        });
    }

    /// Takes in the store's next changes, all that follow [`KeyRing::revision`] in ascending order, and moves it.
    pub fn catch_up(&self, changes: impl IntoIterator<Item = KeyChange>) {
        for change in changes {
            let revision = change.revision();
            match change {
                KeyChange::Changed(record) => self.upsert(record),
                KeyChange::Removed { id, .. } => {
                    self.slots.pin().remove(&id);
                }
            }
            self.revision.fetch_max(revision, Ordering::AcqRel);
        }
    }

    /// Up to here every change of the store was taken in.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The store has no such key: for about a second it need not be asked again.
    pub fn remember_miss(&self, id: KeyId, now_ns: u64) {
        self.misses.remember(id, now_ns);
    }

    pub fn is_known_miss(&self, id: KeyId, now_ns: u64) -> bool {
        self.misses.contains(id, now_ns)
    }

    /// For hashing new keys as the ring will check them.
    pub fn pepper(&self) -> &Pepper {
        &self.pepper
    }

    /// How many keys are held, ended ones included.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Gives the memory of idle quotas back. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        for holder in self.holders.pin().values() {
            holder.rest(now_ns);
        }
    }

    fn slot(&self, record: KeyRecord) -> Slot {
        let KeyRecord { id, digest, account, created_at, ends_at, revoked, revision } = record;
        let holding = Holding {
            key: id,
            created_at,
            ends_at,
            plan: account.plan,
            limit: account.rate_limit.unwrap_or(terms(account.plan).requests_per_minute),
            holder: self.holder(account.id),
            account: Arc::new(account),
        };
        Slot { holding: Arc::new(holding), digest, revoked, revision }
    }

    /// The account's one holder: its quota and its counts outlive every change of its keys.
    fn holder(&self, account: AccountId) -> Arc<Holder> {
        let holders = self.holders.pin();
        Arc::clone(holders.get_or_insert_with(account, || Arc::new(Holder::new(account))))
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing")
            .field("keys", &self.len())
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}
