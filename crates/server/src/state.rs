//! The state shared by all requests: the current catalog, the keys, the limits, the counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::Context;
use arc_swap::ArcSwap;
use arrayvec::ArrayString;
use lastro_access::{AddressRings, KeyRing, Lookups, Pepper, Registrations, Share, TrustedProxies, Usage};
use lastro_catalog::Catalog;
use lastro_model::{Clock, SourceState};
use lastro_quota::Quota;
use lastro_store::{DATABASE_ID, Store};

use crate::clock::random_hex;
use crate::config::{Common, Serve};
use crate::http::certificate::Certificate;
use crate::http::connections::Connections;
use crate::http::pages::site::Site;
use crate::http::request::key_turns::KeyTurns;
use crate::http::response::compression_cache::CompressionCache;
use crate::http::response::export::slots::Exports;
use crate::jobs::flush::UsageFlusher;
use crate::jobs::supervisor::Jobs;
use crate::metrics::Metrics;
use crate::pepper;
use crate::refresh::snapshot_file::SnapshotFile;
use crate::replicas::{Identity, Replicas};
use crate::webhooks::Webhooks;
use crate::webhooks::connector::Connector;
use crate::webhooks::running_tests::RunningTests;

/// The inputs of a service: its store and clock, and the settings as given.
#[derive(Debug)]
pub struct Setup {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub common: Common,
    pub settings: Serve,
}

/// The id of one request.
pub type RequestId = ArrayString<32>;

/// One running service. Cheap to share: handlers borrow it, jobs hold an `Arc`.
pub struct App {
    pub clock: Arc<dyn Clock>,
    pub store: Arc<dyn Store>,
    /// Replaced as a whole when a part is rebuilt. A request uses one catalog to its end.
    pub catalog: Arc<ArcSwap<Catalog>>,
    /// The state of each source for `/health`, as last read from the store.
    pub freshness: ArcSwap<Vec<SourceState>>,
    pub keys: KeyRing,
    /// Requests per minute by client address, for requests without a key.
    pub callers: AddressRings,
    /// Pages and their files per minute by client address.
    pub pages: AddressRings,
    /// Limits on store lookups for keys that are not in memory.
    pub lookups: Lookups,
    /// Selects which of several concurrent requests with one new key does the lookup.
    pub key_turns: KeyTurns,
    pub registrations: Registrations,
    pub usage: Arc<Usage>,
    pub usage_flusher: Arc<UsageFlusher>,
    pub metrics: Arc<Metrics>,
    /// The states of the background jobs.
    pub jobs: Arc<Jobs>,
    pub connections: Arc<Connections>,
    /// The TLS certificate; `None` with plain HTTP.
    pub certificate: Option<Arc<Certificate>>,
    /// Compressed bodies of the most frequent responses.
    pub compression_cache: CompressionCache,
    /// Running bulk exports.
    pub exports: Arc<Exports>,
    pub webhooks: Arc<Webhooks>,
    /// Settings for the pages, and the caches of rendered pages.
    pub site: Site,
    pub proxies: TrustedProxies,
    /// Identifies this process among all that ever wrote usage into the store.
    pub boot: String,
    /// The processes that serve the same database.
    pub replicas: Arc<Replicas>,
    /// The number of replicas and the rank of this one.
    pub share: Arc<ArcSwap<Share>>,
    /// Limits counted by all replicas together. Without it, this process counts by itself.
    pub quota: Option<Arc<Quota>>,
    /// Identifies the database, so that an `ETag` of another one never matches.
    pub database: String,
    /// The file that keeps the built filings between runs.
    pub snapshot_file: Option<SnapshotFile>,
    pub ready: AtomicBool,
    pub draining: AtomicBool,
    request_number: AtomicU64,
}

impl App {
    /// Creates the state without keys and data, which are still in the store.
    pub(crate) async fn open(setup: &Setup, metrics: Metrics) -> anyhow::Result<Self> {
        let Setup { store, clock, common, settings } = setup;
        let certificate = Certificate::open(&settings.tls)?.map(Arc::new);
        let pepper = pepper::of(&**store, &pepper::path_of(common)?).await?;
        let database = store.setting(DATABASE_ID).await?.context("the database has no name")?;
        let (boot, capacity) = (random_hex(16), settings.limiter_capacity as usize);
        let (metrics, usage) = (Arc::new(metrics), Arc::new(Usage::new()));
        let catalog = Arc::new(ArcSwap::from_pointee(Catalog::empty()));
        let connections = settings.connections.clone().within_memory(certificate.is_some());
        let replicas = Arc::new(replicas(setup, &catalog, &boot));
        Ok(Self {
            usage_flusher: Arc::new(usage_flusher(setup, &usage, &metrics, &boot)),
            webhooks: Arc::new(webhooks(setup, &catalog, &metrics, &pepper, &replicas)?),
            connections: Arc::new(Connections::new(connections, Arc::clone(clock))),
            site: Site::new(settings.pages.clone(), certificate.is_some(), capacity),
            certificate,
            clock: Arc::clone(clock),
            store: Arc::clone(store),
            catalog,
            freshness: ArcSwap::from_pointee(Vec::new()),
            keys: KeyRing::new(pepper, settings.key_cache as usize),
            callers: AddressRings::new(MINUTE_NS, capacity),
            pages: AddressRings::new(MINUTE_NS, capacity),
            lookups: Lookups::new(capacity),
            key_turns: KeyTurns::default(),
            registrations: Registrations::new((&settings.registrations).into(), capacity),
            usage,
            metrics,
            jobs: Arc::default(),
            compression_cache: CompressionCache::default(),
            exports: Arc::default(),
            proxies: settings.trusted_proxies()?,
            boot,
            quota: quota(setup, &replicas.share)?,
            share: Arc::clone(&replicas.share),
            replicas,
            snapshot_file: snapshot_file(setup, &database),
            database,
            ready: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            request_number: AtomicU64::new(0),
        })
    }

    /// The id for the next request, unique across restarts.
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

const MINUTE_NS: u64 = 60_000_000_000;

fn snapshot_file(setup: &Setup, database: &str) -> Option<SnapshotFile> {
    let directory = setup.settings.index_dir.clone().or_else(|| SnapshotFile::beside(&setup.common.database));
    directory.map(|directory| SnapshotFile::new(directory, database.to_owned()))
}

fn replicas(setup: &Setup, catalog: &Arc<ArcSwap<Catalog>>, boot: &str) -> Replicas {
    let (store, clock) = (Arc::clone(&setup.store), Arc::clone(&setup.clock));
    let identity = Identity { boot: boot.to_owned(), name: setup.settings.replica_name() };
    let (beat_interval, counts_together) =
        (setup.settings.beat_interval, setup.settings.redis.redis.is_some());
    Replicas::new(identity, store, clock, Arc::clone(catalog), beat_interval, counts_together)
}

fn quota(setup: &Setup, share: &Arc<ArcSwap<Share>>) -> anyhow::Result<Option<Arc<Quota>>> {
    let settings = setup.settings.redis.checked()?;
    let quota = |settings| Quota::new(settings, Arc::clone(share), Arc::clone(&setup.clock));
    Ok(settings.map(|settings| Arc::new(quota(settings))))
}

fn usage_flusher(setup: &Setup, usage: &Arc<Usage>, metrics: &Arc<Metrics>, boot: &str) -> UsageFlusher {
    let (store, clock) = (Arc::clone(&setup.store), Arc::clone(&setup.clock));
    UsageFlusher::new(Arc::clone(usage), store, clock, Arc::clone(metrics), boot.to_owned())
}

fn webhooks(
    setup: &Setup,
    catalog: &Arc<ArcSwap<Catalog>>,
    metrics: &Arc<Metrics>,
    pepper: &Pepper,
    replicas: &Arc<Replicas>,
) -> anyhow::Result<Webhooks> {
    let settings = setup.settings.webhooks.clone();
    Ok(Webhooks {
        connector: Connector::new(settings.allow_private(), settings.delivery_timeout)?,
        settings,
        store: Arc::clone(&setup.store),
        clock: Arc::clone(&replicas.clock) as Arc<dyn Clock>,
        catalog: Arc::clone(catalog),
        metrics: Arc::clone(metrics),
        pepper: pepper.clone(),
        boot: replicas.boot().to_owned(),
        replicas: Arc::clone(replicas),
        tests: RunningTests::default(),
        state: ArcSwap::default(),
    })
}
