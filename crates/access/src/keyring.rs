//! The keys used lately, by id, ready to be checked without waiting on the store.
//!
//! A bounded cache: the store is asked for a key that is not here, follows tell of every change of a key twice a second,
//! and the keys that nobody has used for longest make room for others. What a holder still needs in memory, a quota
//! that is drawn on or counts on their way to the store, keeps its keys here.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use lastro_model::{AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, Now, Plan};
use papaya::HashMap;
use parking_lot::Mutex;

use crate::negative_cache::NegativeCache;
use crate::{ApiKey, Holder, Pepper, terms};

/// A key as those are given it who found it good: whose it is, and what it entitles to.
#[derive(Debug)]
pub struct ActiveKey {
    pub id: KeyId,
    pub account: AccountId,
    pub created_at: jiff::Timestamp,
    /// Set while the key works beside the one it was rotated to.
    pub ends_at: Option<jiff::Timestamp>,
    pub plan: Plan,
    /// Requests a minute: the account's own agreement, or the plan's.
    pub limit: u32,
    pub holder: Arc<Holder>,
    /// The second of the growing clock in which the key was last asked for.
    used_at: AtomicU32,
}

#[derive(Debug, Clone)]
pub enum Lookup {
    Found(Arc<ActiveKey>),
    /// Wrong secret, revoked or ended: a client is told the same for each of them, and for an unknown key.
    Refused,
    /// Not in the ring; the store may know it.
    Unknown,
}

/// What the ring keeps of one key. Replaced as a whole, never changed.
struct Slot {
    key: Arc<ActiveKey>,
    digest: KeyDigest,
    revoked: bool,
    revision: u64,
}

pub struct KeyRing {
    pepper: Pepper,
    capacity: usize,
    slots: HashMap<KeyId, Slot>,
    holders: HashMap<AccountId, Arc<Holder>>,
    unknown_ids: NegativeCache,
    revision: AtomicU64,
    /// Held by whoever adds or removes slots and holders: an account never has two holders, and so two quotas.
    changing: Mutex<()>,
    /// The second in which nobody was found who could make room: until it is over, another search would be in vain.
    searched_in_vain: AtomicU32,
}

impl KeyRing {
    /// A ring that starts to lose its oldest keys when it holds more than `capacity`.
    pub fn new(pepper: Pepper, capacity: usize) -> Self {
        Self {
            pepper,
            capacity,
            slots: HashMap::new(),
            holders: HashMap::new(),
            unknown_ids: NegativeCache::new(),
            revision: AtomicU64::new(0),
            changing: Mutex::new(()),
            searched_in_vain: AtomicU32::new(u32::MAX),
        }
    }

    /// The key is hashed before anything is looked up: one that is unknown, revoked, ended or wrong in any place takes the
    /// work of a right one.
    pub fn find(&self, key: &ApiKey, now: Now) -> Lookup {
        let digest = self.pepper.digest(key);
        let slots = self.slots.pin();
        let Some(slot) = slots.get(&key.id()) else { return Lookup::Unknown };
        let ended = slot.key.ends_at.is_some_and(|end| end.as_millisecond() <= now.unix_ms);
        if slot.revoked || ended || slot.digest != digest {
            return Lookup::Refused;
        }
        slot.key.used_at.store(seconds(now.monotonic_ns), Ordering::Relaxed);
        Lookup::Found(Arc::clone(&slot.key))
    }

    /// Takes in what became of a key that this process just changed. A record older than what the ring holds is ignored.
    ///
    /// It does not move [`KeyRing::revision`]: changes of other keys may have happened before this one and not yet
    /// have been read, and a revocation among them must not be skipped. For the same reason a key that is not held
    /// stays out where the ring is past this change: a later one of this key may have passed by.
    pub fn upsert(&self, record: KeyRecord, now_ns: u64) {
        let _changing = self.changing.lock();
        if self.holds(record.id) || record.revision > self.revision() {
            self.put(record, now_ns);
        }
    }

    /// Takes in a key that was asked of the store because of this one, and looks at it before it can make room again.
    ///
    /// `as_of` is the ring's revision before the store was asked. If it has moved since, the record may be an old one:
    /// the key stays unknown, and the store must be asked again.
    pub fn take_in(&self, key: &ApiKey, record: KeyRecord, as_of: u64, now: Now) -> Lookup {
        let _changing = self.changing.lock();
        if self.holds(record.id) || as_of == self.revision() {
            self.put(record, now.monotonic_ns);
        }
        self.find(key, now)
    }

    /// Takes in the store's next changes, all that follow [`KeyRing::revision`] in ascending order, and moves it.
    pub fn catch_up(&self, changes: impl IntoIterator<Item = KeyChange>, now_ns: u64) {
        let _changing = self.changing.lock();
        for change in changes {
            let revision = change.revision();
            match change {
                KeyChange::Changed(record) if self.holds(record.id) => self.put(record, now_ns),
                // Nobody uses it here; who does will have it asked of the store.
                KeyChange::Changed(_) => {}
                KeyChange::Removed { id, .. } => {
                    self.slots.pin().remove(&id);
                }
            }
            self.revision.fetch_max(revision, Ordering::AcqRel);
        }
    }

    /// A ring that knows no key yet has missed none of the changes so far: each will be asked of the store as it is.
    pub fn start_at(&self, revision: u64) {
        self.revision.store(revision, Ordering::Release);
    }

    /// Up to here every change of the store was taken in.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The store has no such key: for about a second it need not be asked again.
    pub fn remember_miss(&self, id: KeyId, now_ns: u64) {
        self.unknown_ids.remember(id, now_ns);
    }

    pub fn is_known_miss(&self, id: KeyId, now_ns: u64) -> bool {
        self.unknown_ids.contains(id, now_ns)
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
        let _changing = self.changing.lock();
        if self.slots.len() > self.capacity {
            self.make_room(now_ns);
        }
        self.drop_holders_without_keys(now_ns);
    }

    fn holds(&self, id: KeyId) -> bool {
        self.slots.pin().contains_key(&id)
    }

    fn put(&self, record: KeyRecord, now_ns: u64) {
        if self.slots.len() >= self.capacity {
            self.make_room(now_ns);
        }
        let slots = self.slots.pin();
        let held = slots.get(&record.id);
        if held.is_some_and(|held| held.revision > record.revision) {
            return;
        }
        let used_at = held.map_or(seconds(now_ns), |held| held.key.used_at.load(Ordering::Relaxed));
        slots.insert(record.id, self.slot(record, used_at));
    }

    /// Drops an eighth of the keys, those first that were not used for longest; none whose holder is busy.
    fn make_room(&self, now_ns: u64) {
        if self.searched_in_vain.load(Ordering::Relaxed) == seconds(now_ns) {
            return;
        }
        let slots = self.slots.pin();
        let idle = slots.iter().filter(|(_, slot)| slot.key.holder.is_idle(now_ns));
        let mut idle: Vec<(u32, KeyId)> =
            idle.map(|(id, slot)| (slot.key.used_at.load(Ordering::Relaxed), *id)).collect();
        let excess = slots.len().saturating_sub(self.capacity - self.capacity / 8);
        if excess < idle.len() {
            idle.select_nth_unstable(excess);
            idle.truncate(excess);
        }
        if idle.is_empty() {
            self.searched_in_vain.store(seconds(now_ns), Ordering::Relaxed);
        }
        for (_, id) in idle {
            slots.remove(&id);
        }
        self.drop_holders_without_keys(now_ns);
    }

    /// Nobody can take one up meanwhile: that is done by who holds `changing`.
    fn drop_holders_without_keys(&self, now_ns: u64) {
        self.holders.pin().retain(|_, holder| Arc::strong_count(holder) > 1 || !holder.is_idle(now_ns));
    }

    fn slot(&self, record: KeyRecord, used_at: u32) -> Slot {
        let KeyRecord { id, digest, account, created_at, ends_at, revoked, revision } = record;
        let key = ActiveKey {
            id,
            account: account.id,
            created_at,
            ends_at,
            plan: account.plan,
            limit: account.rate_limit.unwrap_or(terms(account.plan).requests_per_minute),
            holder: self.holder(account.id),
            used_at: AtomicU32::new(used_at),
        };
        Slot { key: Arc::new(key), digest, revoked, revision }
    }

    /// The account's one holder: its quota and its counts outlive every change of its keys.
    fn holder(&self, account: AccountId) -> Arc<Holder> {
        let holders = self.holders.pin();
        Arc::clone(holders.get_or_insert_with(account, || Arc::new(Holder::new(account))))
    }
}

/// Enough for a process that runs a hundred years.
fn seconds(monotonic_ns: u64) -> u32 {
    (monotonic_ns / 1_000_000_000) as u32
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing")
            .field("keys", &self.len())
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use lastro_model::Account;

    use super::*;
    use crate::pepper::HASHES;

    const NOW: Now = Now { monotonic_ns: 0, unix_ms: 1_790_000_000_000 };

    fn some_key(number: u8) -> ApiKey {
        ApiKey::generate(&mut |bytes| bytes.fill(number))
    }

    /// The same key with another character at a place of its secret, counted from its end.
    fn with_wrong(key: &ApiKey, from_end: usize) -> ApiKey {
        key.with_secret(|secret| {
            let place = secret.len() - 1 - from_end;
            secret[place] = if secret[place] == b'x' { b'y' } else { b'x' };
        })
    }

    fn record_of(ring: &KeyRing, key: &ApiKey) -> KeyRecord {
        let (id, plan) = (AccountId(key.id()), Plan::Free);
        let account =
            Account { id, name: "Ana".into(), email: "ana@example.com".into(), plan, rate_limit: None };
        let (digest, created_at) = (ring.pepper.digest(key), jiff::Timestamp::UNIX_EPOCH);
        KeyRecord { id: key.id(), digest, account, created_at, ends_at: None, revoked: false, revision: 1 }
    }

    #[test]
    fn a_check_takes_the_same_work_whatever_is_wrong() {
        let ring = KeyRing::new(Pepper::from_bytes([7; 32]), 100);
        let [right, revoked, ended, unknown] = [1, 2, 3, 4].map(some_key);
        ring.upsert(record_of(&ring, &right), 0);
        ring.upsert(KeyRecord { revoked: true, ..record_of(&ring, &revoked) }, 0);
        let past = Some(jiff::Timestamp::UNIX_EPOCH);
        ring.upsert(KeyRecord { ends_at: past, ..record_of(&ring, &ended) }, 0);
        for (key, is_known) in [
            (&right, true),
            (&with_wrong(&right, 31), true),
            (&with_wrong(&right, 0), true),
            (&revoked, true),
            (&ended, true),
            (&unknown, false),
        ] {
            HASHES.set(0);
            let found = ring.find(key, NOW);
            assert_eq!(HASHES.get(), 1, "{key:?}");
            assert_eq!(!matches!(found, Lookup::Unknown), is_known);
            assert_eq!(matches!(found, Lookup::Found(_)), key == &right);
        }
    }
}
