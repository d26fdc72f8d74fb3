//! The clients: their keys, their limits, and the count of their requests.
//!
//! `lastro_access` decides; this is its state in this process, with the store of keys and usage. [`key_turns`] orders
//! lookups of new keys, [`known_feeds`] spares them for feeds, [`usage_flusher`] writes the counts.

pub mod key_turns;
pub mod known_feeds;
pub mod usage_flusher;

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use lastro_access::{AddressRings, KeyRing, Lookups, PageWork, Registrations, Share, TrustedProxies, Usage};
use lastro_quota::Quota;
use lastro_store::Store;

use key_turns::KeyTurns;
use known_feeds::KnownFeeds;
use usage_flusher::UsageFlusher;

pub struct Access {
    pub store: Arc<dyn Store>,
    pub keys: KeyRing,
    /// Requests per minute by client address, for requests without a key.
    pub callers: AddressRings,
    /// Pages and their files per minute by client address.
    pub pages: AddressRings,
    /// Work of rendering pages on demand, by client address.
    pub page_work: Arc<PageWork>,
    /// Limits on store lookups for keys that are not in memory.
    pub lookups: Lookups,
    /// The same for feeds: guesses of one kind leave the other alone.
    pub feed_lookups: Lookups,
    pub known_feeds: KnownFeeds,
    /// Selects which of several concurrent requests with one new key does the lookup.
    pub key_turns: KeyTurns,
    pub registrations: Registrations,
    pub usage: Arc<Usage>,
    pub usage_flusher: Arc<UsageFlusher>,
    /// Replaced when the settings are reloaded.
    pub proxies: ArcSwap<TrustedProxies>,
    /// The number of replicas and the rank of this one.
    pub share: Arc<ArcSwap<Share>>,
    /// Limits counted by all replicas together. Without it, this process counts by itself.
    pub quota: Option<Arc<Quota>>,
}

impl Access {
    /// Removes expired rings and expired entries for unknown keys.
    pub fn sweep(&self, now_ns: u64) {
        self.callers.sweep(now_ns);
        self.pages.sweep(now_ns);
        self.page_work.sweep(now_ns);
        self.lookups.sweep(now_ns);
        self.feed_lookups.sweep(now_ns);
        self.registrations.sweep(now_ns);
        self.keys.sweep(now_ns);
        if let Some(quota) = &self.quota {
            quota.sweep(now_ns);
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("keys", &self.keys.len()).finish_non_exhaustive()
    }
}
