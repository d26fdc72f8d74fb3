//! Builds the parts of a service from its settings.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;
use arc_swap::ArcSwap;
use lastro_access::{
    AddressRings, CalculationCodes, KeyRing, Lookups, PageWork, Pepper, Registrations, Usage,
};
use lastro_background::access::Access;
use lastro_background::access::key_turns::KeyTurns;
use lastro_background::access::known_feeds::KnownFeeds;
use lastro_background::access::usage_flusher::UsageFlusher;
use lastro_background::changes::Changes;
use lastro_background::clock::random_hex;
use lastro_background::metrics::Metrics;
use lastro_background::operations::Operations;
use lastro_background::refresh::follow::Follower;
use lastro_background::refresh::snapshot_file::SnapshotFile;
use lastro_background::replicas::{Identity, Replicas};
use lastro_background::served::Served;
use lastro_background::webhooks::Webhooks;
use lastro_background::webhooks::connector::Connector;
use lastro_background::webhooks::test_slots::TestSlots;
use lastro_background::write_state::WriteState;
use lastro_config::{Common, Serve};
use lastro_model::Clock;
use lastro_quota::Quota;
use lastro_store::{DATABASE_ID, Store};

use crate::http::app::App;
use crate::http::certificate::Certificate;
use crate::http::connections::Connections;
use crate::http::response::compression_cache::CompressionCache;
use crate::http::response::export::files::ExportFiles;
use crate::http::site::Site;
use crate::pepper;
use lastro_billing::{Billing, Surroundings};

/// The setting with the name of the log of changes, which is part of every cursor.
const CHANGES_ID: &str = "changes_id";

const MINUTE_NS: u64 = 60_000_000_000;

/// The inputs of a service: its store and clock, and the settings as given.
#[derive(Debug)]
pub struct Setup {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub common: Common,
    pub settings: Serve,
}

impl Setup {
    /// Builds the service without keys and data, which are still in the store, and the follower that loads them.
    pub(crate) async fn open(
        &self,
        metrics: Metrics,
        certificate: Option<Arc<Certificate>>,
    ) -> anyhow::Result<(App, Follower)> {
        let Self { store, common, settings, .. } = self;
        let pepper = pepper::of(&**store, &pepper::path_of(common)?).await?;
        let database = store.setting(DATABASE_ID).await?.context("the database has no name")?;
        let (metrics, served) = (Arc::new(metrics), Arc::<Served>::default());
        let writes = Arc::new(WriteState::new(Arc::clone(&self.clock)));
        let replicas = Arc::new(self.replicas(&served, &writes));
        // A machine whose clock is off still shows clients the same time as the other replicas.
        let clock = Arc::clone(&replicas.clock) as Arc<dyn Clock>;
        let webhooks = Arc::new(self.webhooks(&served, &metrics, &pepper, &replicas)?);
        let log = log_name(&**store, &database).await?;
        let changes = Arc::new(Changes::new(Arc::clone(store), Arc::clone(&clock), &log));
        let codes = CalculationCodes::new(pepper.clone());
        let access = Arc::new(self.access(pepper, &metrics, &replicas, &writes)?);
        let billing = self.billing(&access, &replicas)?.map(Arc::new);
        let follower = Follower {
            served: Arc::clone(&served),
            access: Arc::clone(&access),
            clock: Arc::clone(&clock),
            metrics: Arc::clone(&metrics),
            changes: Arc::clone(&changes),
            unlogged: tokio::sync::Notify::new(),
            snapshot_file: self.snapshot_file(&database, &metrics),
        };
        let is_secure = certificate.is_some();
        let limits = settings.connections.clone().within_memory(is_secure);
        let app = App {
            clock: Arc::clone(&clock),
            served,
            operations: Operations::new(metrics, replicas, writes, clock.now()),
            webhooks,
            changes,
            billing,
            site: Site::new(settings.pages.clone(), is_secure, Arc::clone(&access.page_work), codes),
            access,
            connections: Arc::new(Connections::new(limits, clock)),
            certificate,
            compression_cache: CompressionCache::default(),
            exports: Arc::default(),
            export_files: self.export_files(),
            database,
            request_number: AtomicU64::new(0),
        };
        Ok((app, follower))
    }

    fn access(
        &self,
        pepper: Pepper,
        metrics: &Arc<Metrics>,
        replicas: &Replicas,
        writes: &Arc<WriteState>,
    ) -> anyhow::Result<Access> {
        let Self { store, settings, .. } = self;
        let clock = Arc::clone(&replicas.clock) as Arc<dyn Clock>;
        let (capacity, usage) = (settings.limiter_capacity as usize, Arc::new(Usage::new()));
        let usage_flusher = UsageFlusher::new(
            Arc::clone(&usage),
            Arc::clone(store),
            Arc::clone(&clock),
            Arc::clone(metrics),
            Arc::clone(writes),
            replicas.boot().to_owned(),
        );
        let share = Arc::clone(&replicas.share);
        let quota = settings.redis.checked()?;
        let quota = quota.map(|settings| Quota::new(settings, Arc::clone(&share), clock));
        Ok(Access {
            store: Arc::clone(store),
            keys: KeyRing::new(pepper, settings.key_cache as usize),
            callers: AddressRings::new(MINUTE_NS, capacity),
            pages: AddressRings::new(MINUTE_NS, capacity),
            page_work: Arc::new(PageWork::new(capacity)),
            lookups: Lookups::new(capacity),
            feed_lookups: Lookups::new(capacity),
            known_feeds: KnownFeeds::default(),
            key_turns: KeyTurns::default(),
            registrations: Registrations::new((&settings.registrations).into(), capacity),
            usage,
            usage_flusher: Arc::new(usage_flusher),
            proxies: ArcSwap::from_pointee(settings.trusted_proxies()?),
            share,
            quota: quota.map(Arc::new),
        })
    }

    fn replicas(&self, served: &Arc<Served>, writes: &Arc<WriteState>) -> Replicas {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let (served, writes) = (Arc::clone(served), Arc::clone(writes));
        let name = self.settings.replica_name();
        let identity = Identity { boot: random_hex(16), name, version: crate::BUILD };
        let (beat_interval, counts_together) =
            (self.settings.beat_interval, self.settings.redis.redis.is_some());
        Replicas::new(identity, store, clock, served, writes, beat_interval, counts_together)
    }

    fn webhooks(
        &self,
        served: &Arc<Served>,
        metrics: &Arc<Metrics>,
        pepper: &Pepper,
        replicas: &Arc<Replicas>,
    ) -> anyhow::Result<Webhooks> {
        let settings = self.settings.webhooks.clone();
        Ok(Webhooks {
            connector: Connector::new(settings.allow_private(), settings.delivery_timeout)?,
            settings,
            store: Arc::clone(&self.store),
            clock: Arc::clone(&replicas.clock) as Arc<dyn Clock>,
            served: Arc::clone(served),
            metrics: Arc::clone(metrics),
            pepper: pepper.clone(),
            boot: replicas.boot().to_owned(),
            replicas: Arc::clone(replicas),
            tests: TestSlots::default(),
            state: ArcSwap::default(),
        })
    }

    fn export_files(&self) -> Arc<ExportFiles> {
        Arc::new(ExportFiles::new(self.index_directory().unwrap_or_else(std::env::temp_dir)))
    }

    fn index_directory(&self) -> Option<PathBuf> {
        self.settings.index_dir.clone().or_else(|| SnapshotFile::beside(&self.common.database))
    }

    fn billing(&self, access: &Arc<Access>, replicas: &Replicas) -> anyhow::Result<Option<Billing>> {
        let (settings, public_url) = (&self.settings.billing, self.settings.pages.public_url.as_ref());
        let secrets = settings.secrets(public_url.is_some())?;
        let Some((secrets, public_url)) = secrets.zip(public_url) else { return Ok(None) };
        let surroundings = Surroundings {
            access: Arc::clone(access),
            clock: Arc::clone(&replicas.clock) as Arc<dyn Clock>,
            boot: replicas.boot().to_owned(),
        };
        Billing::new(settings, &secrets, public_url.as_str(), surroundings).map(Some)
    }

    fn snapshot_file(&self, database: &str, metrics: &Arc<Metrics>) -> Option<SnapshotFile> {
        let (clock, metrics) = (Arc::clone(&self.clock), Arc::clone(metrics));
        self.index_directory()
            .map(|directory| SnapshotFile::new(directory, database.to_owned(), clock, metrics))
    }
}

/// The name of the log of changes: that of the database at first, which a migration to another database takes along. A
/// database that cannot be written is given it at a later start.
async fn log_name(store: &dyn Store, database: &str) -> lastro_store::Result<String> {
    match store.setting_or(CHANGES_ID, database).await {
        Err(error) if error.is_database_failure() => {
            Ok(store.setting(CHANGES_ID).await?.unwrap_or_else(|| database.to_owned()))
        }
        name => name,
    }
}
