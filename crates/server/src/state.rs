//! What all requests share: the catalog of the moment, the keys, the limits, the counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;
use arrayvec::ArrayString;
use lastro_access::{
    AddressRings, KeyRing, Lookups, RegistrationLimits, Registrations, TrustedProxies, Usage,
};
use lastro_catalog::Catalog;
use lastro_model::Clock;
use lastro_store::{SourceState, Store};

use crate::http::connections::{Connections, Limits};
use crate::http::response::compression_cache::CompressionCache;
use crate::http::response::export::slots::Exports;
use crate::jobs::flush::UsageFlusher;
use crate::jobs::supervisor::Jobs;
use crate::metrics::Metrics;
use crate::refresh::snapshot_file::SnapshotFile;
use crate::webhooks::connector::Connector;
use crate::webhooks::{self, Webhooks};

/// The name of one request.
pub type RequestId = ArrayString<32>;

/// One running service. Cheap to share: handlers borrow it, jobs hold an `Arc`.
pub struct App {
    pub clock: Arc<dyn Clock>,
    pub store: Arc<dyn Store>,
    /// Swapped whole when a part of it was rebuilt; a request takes one and keeps it to its end.
    pub catalog: Arc<ArcSwap<Catalog>>,
    /// What `/health` tells of each source, as of the last look at the store.
    pub freshness: ArcSwap<Vec<SourceState>>,
    pub keys: KeyRing,
    /// Requests a minute by client address, for those without a key.
    pub callers: AddressRings,
    /// Pages and their files a minute by client address.
    pub pages: AddressRings,
    /// Questions to the store for keys that this process does not know.
    pub lookups: Lookups,
    pub registrations: Registrations,
    pub usage: Arc<Usage>,
    pub usage_flusher: Arc<UsageFlusher>,
    pub metrics: Arc<Metrics>,
    /// How the background jobs fare.
    pub jobs: Arc<Jobs>,
    pub connections: Arc<Connections>,
    /// Compressed bodies of what is asked most.
    pub compression_cache: CompressionCache,
    /// Bulk exports under way.
    pub exports: Arc<Exports>,
    pub webhooks: Arc<Webhooks>,
    pub proxies: TrustedProxies,
    /// Names this process among all that ever wrote usage into the store.
    pub boot: String,
    /// Names the database, so that an `ETag` of another one never matches.
    pub database: String,
    /// Where the built filings are kept between runs.
    pub snapshot_file: Option<SnapshotFile>,
    pub ready: AtomicBool,
    pub draining: AtomicBool,
    request_number: AtomicU64,
}

impl App {
    pub(crate) fn new(parts: Parts) -> anyhow::Result<Self> {
        let Parts { store, clock, boot, .. } = parts;
        let metrics = Arc::new(parts.metrics);
        let catalog = Arc::new(ArcSwap::from_pointee(Catalog::empty()));
        let usage = Arc::new(Usage::new());
        let usage_flusher = UsageFlusher::new(
            Arc::clone(&usage),
            Arc::clone(&store),
            Arc::clone(&clock),
            Arc::clone(&metrics),
            boot.clone(),
        );
        let webhooks = Webhooks {
            connector: Connector::new(parts.webhooks.allow_private, parts.webhooks.deadline)?,
            settings: parts.webhooks,
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            catalog: Arc::clone(&catalog),
            metrics: Arc::clone(&metrics),
            pepper: parts.keys.pepper().clone(),
            boot: boot.clone(),
            tests: Default::default(),
            state: Default::default(),
        };
        Ok(Self {
            connections: Arc::new(Connections::new(parts.connections, Arc::clone(&clock))),
            clock,
            store,
            catalog,
            freshness: ArcSwap::from_pointee(Vec::new()),
            keys: parts.keys,
            callers: AddressRings::new(MINUTE_NS, parts.limiter_capacity),
            pages: AddressRings::new(MINUTE_NS, parts.limiter_capacity),
            lookups: Lookups::new(parts.limiter_capacity),
            registrations: Registrations::new(parts.registrations, parts.limiter_capacity),
            usage,
            usage_flusher: Arc::new(usage_flusher),
            metrics,
            jobs: Arc::default(),
            compression_cache: CompressionCache::default(),
            exports: Arc::default(),
            webhooks: Arc::new(webhooks),
            proxies: parts.proxies,
            boot,
            database: parts.database,
            snapshot_file: parts.snapshot_file,
            ready: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            request_number: AtomicU64::new(0),
        })
    }

    /// A name for the next request, unique over restarts.
    pub fn next_request_id(&self) -> RequestId {
        let number = self.request_number.fetch_add(1, Ordering::Relaxed);
        let mut id = RequestId::new();
        for piece in [&self.boot[..8.min(self.boot.len())], "-", itoa::Buffer::new().format(number)] {
            let fits = id.try_push_str(piece).is_ok();
            debug_assert!(fits, "eight letters, a dash and twenty digits do");
        }
        id
    }

    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire) && !self.draining.load(Ordering::Acquire)
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("boot", &self.boot).finish_non_exhaustive()
    }
}

/// What [`App`] is made of, apart from what it makes itself.
pub(crate) struct Parts {
    pub clock: Arc<dyn Clock>,
    pub store: Arc<dyn Store>,
    pub keys: KeyRing,
    pub proxies: TrustedProxies,
    pub boot: String,
    pub database: String,
    pub snapshot_file: Option<SnapshotFile>,
    pub limiter_capacity: usize,
    pub registrations: RegistrationLimits,
    pub connections: Limits,
    pub metrics: Metrics,
    pub webhooks: webhooks::Settings,
}

const MINUTE_NS: u64 = 60_000_000_000;
