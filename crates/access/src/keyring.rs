//! The recently used keys, by id, checked without waiting for the store.
//!
//! A bounded cache: a missing key is read from the store, changes of keys are read from it twice a second, and the
//! least recently used keys are evicted. A key stays while its holder has a partly used quota or counts that no batch
//! has taken.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hashbrown::DefaultHashBuilder;
use lastro_model::{AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, Now, ParseError, Plan};
use papaya::HashMap;
use parking_lot::Mutex;

use crate::last_key::LastKey;
use crate::negative_cache::NegativeCache;
use crate::{ApiKey, Holder, Pepper, terms};

/// A valid key, with its account and its limits.
#[derive(Debug)]
pub struct ActiveKey {
    pub id: KeyId,
    pub account: AccountId,
    pub created_at: jiff::Timestamp,
    /// Set after a rotation, while the old key still works beside the new one.
    pub ends_at: Option<jiff::Timestamp>,
    pub plan: Plan,
    /// Requests a minute: the account's own limit, or the plan's.
    pub limit: u32,
    pub holder: Arc<Holder>,
    /// The second of the monotonic clock in which the key was last used.
    used_at: AtomicU32,
}

#[derive(Debug, Clone)]
pub enum Lookup {
    Found(Arc<ActiveKey>),
    /// Wrong secret, revoked or ended. The client gets the same response for each of them and for an unknown key.
    Refused,
    /// Not in the key ring, but maybe in the store.
    Unknown,
}

/// The ring's entry for one key. Replaced as a whole, never changed.
struct Slot {
    key: Arc<ActiveKey>,
    digest: KeyDigest,
    revoked: bool,
    revision: u64,
}

pub struct KeyRing {
    pepper: Pepper,
    capacity: usize,
    /// Uses a fast hash with a random seed. Strangers choose the ids that are looked up, but not those that are kept.
    slots: HashMap<KeyId, Slot, DefaultHashBuilder>,
    holders: HashMap<AccountId, Arc<Holder>>,
    unknown_ids: NegativeCache,
    revision: AtomicU64,
    /// Held while slots or holders are added or removed, so that an account never has two holders and two quotas.
    changing: Mutex<()>,
    /// The second in which a search found no key to evict. Another search in the same second is skipped.
    nothing_idle_at: AtomicU32,
}

impl KeyRing {
    /// Creates a ring that evicts the least recently used keys when it holds more than `capacity`.
    pub fn new(pepper: Pepper, capacity: usize) -> Self {
        Self {
            pepper,
            capacity,
            slots: HashMap::with_hasher(DefaultHashBuilder::default()),
            holders: HashMap::new(),
            unknown_ids: NegativeCache::new(),
            revision: AtomicU64::new(0),
            changing: Mutex::new(()),
            nothing_idle_at: AtomicU32::new(u32::MAX),
        }
    }

    /// Checks a key. It is hashed before the lookup, so that an unknown, revoked, ended or wrong key takes as much work
    /// as a valid one.
    pub fn find(&self, key: &ApiKey, now: Now) -> Lookup {
        self.find_digest(key.id(), self.pepper.digest(key), now)
    }

    /// Parses and checks a key. One that equals `last` is neither parsed nor hashed again, because both depend on its
    /// text alone. Its entry in the key ring is read each time, so that a revocation or another plan is in force at once.
    pub fn find_text(&self, text: &str, last: &LastKey, now: Now) -> Result<Lookup, ParseError> {
        if let Some((id, digest)) = last.digest_of(text) {
            return Ok(self.find_digest(id, digest, now));
        }
        let key = ApiKey::parse(text)?;
        let digest = self.pepper.digest(&key);
        let found = self.find_digest(key.id(), digest, now);
        if matches!(found, Lookup::Found(_)) {
            last.remember(key, digest);
        }
        Ok(found)
    }

    fn find_digest(&self, id: KeyId, digest: KeyDigest, now: Now) -> Lookup {
        let slots = self.slots.pin();
        let Some(slot) = slots.get(&id) else { return Lookup::Unknown };
        let ended = slot.key.ends_at.is_some_and(|end| end.as_millisecond() <= now.unix_ms);
        if slot.revoked || ended || slot.digest != digest {
            return Lookup::Refused;
        }
        slot.key.used_at.store(seconds(now.monotonic_ns), Ordering::Relaxed);
        Lookup::Found(Arc::clone(&slot.key))
    }

    /// The key with this id as it is now, if it still works. Counts as a use, so that it stays in the key ring.
    pub fn current(&self, id: KeyId, now: Now) -> Option<Arc<ActiveKey>> {
        let slots = self.slots.pin();
        let slot = slots.get(&id)?;
        let ended = slot.key.ends_at.is_some_and(|end| end.as_millisecond() <= now.unix_ms);
        slot.key.used_at.store(seconds(now.monotonic_ns), Ordering::Relaxed);
        (!slot.revoked && !ended).then(|| Arc::clone(&slot.key))
    }

    /// Applies a change that this process just made to a key. A record older than the key ring's is ignored.
    ///
    /// [`KeyRing::revision`] stays: earlier changes of other keys may not have been read yet, and a revocation among
    /// them must not be skipped. If the key ring is already past this change, a key that it does not hold is not added,
    /// because the key ring may have skipped a later change of the same key.
    pub fn upsert(&self, record: KeyRecord, now_ns: u64) {
        let _changing = self.changing.lock();
        if self.holds(record.id) || record.revision > self.revision() {
            self.put(record, now_ns);
        }
    }

    /// Adds a record read from the store for `key`, and checks the key before it can be evicted again.
    ///
    /// `as_of` is the key ring's revision before the store was read. If it has moved since, the record may be outdated:
    /// the key stays unknown, and the store must be read again.
    pub fn take_in(&self, key: &ApiKey, record: KeyRecord, as_of: u64, now: Now) -> Lookup {
        let _changing = self.changing.lock();
        if self.holds(record.id) || as_of == self.revision() {
            self.put(record, now.monotonic_ns);
        }
        self.find(key, now)
    }

    /// Applies the store's next changes, all that follow [`KeyRing::revision`] in ascending order, and advances it.
    pub fn catch_up(&self, changes: impl IntoIterator<Item = KeyChange>, now_ns: u64) {
        let _changing = self.changing.lock();
        for change in changes {
            let revision = change.revision();
            match change {
                KeyChange::Changed(record) if self.holds(record.id) => self.put(record, now_ns),
                // Not in use here. The next request with this key reads it from the store.
                KeyChange::Changed(_) => {}
                KeyChange::Removed { id, .. } => {
                    self.slots.pin().remove(&id);
                }
            }
            self.revision.fetch_max(revision, Ordering::AcqRel);
        }
    }

    /// Sets the revision of an empty ring. It needs no earlier change, because it will read each key from the store.
    pub fn start_at(&self, revision: u64) {
        self.revision.store(revision, Ordering::Release);
    }

    /// The revision up to which every change of the store has been applied.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Remembers for about a second that the store has no such key.
    pub fn remember_miss(&self, id: KeyId, now_ns: u64) {
        self.unknown_ids.remember(id, now_ns);
    }

    pub fn is_known_miss(&self, id: KeyId, now_ns: u64) -> bool {
        self.unknown_ids.contains(id, now_ns)
    }

    /// The pepper for hashing new keys.
    pub fn pepper(&self) -> &Pepper {
        &self.pepper
    }

    /// The number of keys held, including ended ones.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Frees the memory of idle quotas and evicts surplus keys. To be called every few seconds.
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

    /// Evicts the least recently used eighth of the keys, but none whose holder is busy.
    fn make_room(&self, now_ns: u64) {
        if self.nothing_idle_at.load(Ordering::Relaxed) == seconds(now_ns) {
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
            self.nothing_idle_at.store(seconds(now_ns), Ordering::Relaxed);
        }
        for (_, id) in idle {
            slots.remove(&id);
        }
        self.drop_holders_without_keys(now_ns);
    }

    /// Requires the lock `changing`, so that no other thread takes a holder meanwhile.
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

    /// The account's only holder. Its quota and its counts outlive every change of the account's keys.
    fn holder(&self, account: AccountId) -> Arc<Holder> {
        let holders = self.holders.pin();
        Arc::clone(holders.get_or_insert_with(account, || Arc::new(Holder::new(account))))
    }
}

/// Seconds of the monotonic clock; 32 bits are enough for a hundred years.
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

    /// The same key with one changed character of its secret, at an index counted from the end.
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

    #[test]
    fn a_repeated_key_is_hashed_once_but_looked_up_each_time() {
        let (ring, last) = (KeyRing::new(Pepper::from_bytes([7; 32]), 100), LastKey::default());
        let [key, other] = [1, 2].map(some_key);
        for key in [&key, &other] {
            ring.upsert(record_of(&ring, key), 0);
        }
        let hashes = |key: &ApiKey, is_found: bool| {
            HASHES.set(0);
            let found = ring.find_text(key.reveal(), &last, NOW).unwrap();
            assert_eq!(matches!(found, Lookup::Found(_)), is_found, "{key:?}");
            HASHES.get()
        };
        assert_eq!([hashes(&key, true), hashes(&key, true)], [1, 0]);
        assert_eq!(hashes(&with_wrong(&key, 0), false), 1, "a wrong key is not the last one, nor becomes it");
        assert_eq!([hashes(&key, true), hashes(&other, true), hashes(&key, true)], [0, 1, 1]);
        let changed = |plan, revoked, revision| {
            let record = record_of(&ring, &key);
            KeyRecord { account: Account { plan, ..record.account }, revoked, revision, ..record }
        };
        ring.upsert(changed(Plan::Gold, false, 2), 0);
        let found = ring.find_text(key.reveal(), &last, NOW).unwrap();
        assert!(matches!(found, Lookup::Found(key) if key.plan == Plan::Gold));
        ring.upsert(changed(Plan::Gold, true, 3), 0);
        assert_eq!(hashes(&key, false), 0);
    }
}
