//! A small data set, and a service over it that nothing else keeps busy.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use lastro::clock::fill_random;
use lastro::ingest::made_up;
use lastro::service::{Options, Service};
use lastro::state::App;
use lastro_access::{ApiKey, TrustedProxies};
use lastro_model::{Account, AccountId, ManualClock, Plan};
use lastro_sample::Shape;
use lastro_store::NewKey;

/// The smallest of the sizes that `bench/run` compares.
const SHAPE: Shape = Shape { companies: 500, filings: 20_000, seed: 1 };
/// More than will ever be asked.
const RATE_LIMIT: u32 = 100_000_000;

pub(crate) async fn make(directory: &Path) -> anyhow::Result<()> {
    let store = lastro_store::open(&database(directory)).await?;
    made_up::publish(&*store, SHAPE, Timestamp::now(), Arc::new(|_, _| {})).await
}

/// What answers, and a key that nothing is closed to. The service is stopped again at once: its background jobs would be
/// counted with the requests, and the rest of it answers without them.
pub(crate) async fn open(directory: &Path) -> anyhow::Result<(Arc<App>, String)> {
    let options = Options {
        store: lastro_store::open(&database(directory)).await?,
        look: lastro::jobs::follow::LOOK,
        // It stands still: however slow the machine, a quota that is used up stays so.
        clock: Arc::new(ManualClock::starting_at(Timestamp::now().as_millisecond())),
        index_dir: None,
        webhooks: lastro::webhooks::Settings::default(),
        pepper_file: directory.join("pepper"),
        listen: "127.0.0.1:0".parse()?,
        admin_listen: None,
        trusted_proxies: TrustedProxies::parse("").map_err(anyhow::Error::msg)?,
        registrations: lastro_access::RegistrationLimits::default(),
        key_cache: 1_000,
        limiter_capacity: 1_000,
        connections: lastro::http::connections::Limits::default(),
        synchronisation: None,
    };
    let service = Service::start(options).await?;
    let app = Arc::clone(&service.app);
    let key = add_key(&app).await?;
    service.stop().await?;
    Ok((app, key))
}

async fn add_key(app: &App) -> anyhow::Result<String> {
    let key = ApiKey::generate(&mut fill_random);
    let account = Account {
        id: AccountId(key.id()),
        name: "Bench".to_owned(),
        email: "bench@example.com".to_owned(),
        plan: Plan::Platinum,
        rate_limit: Some(RATE_LIMIT),
    };
    let digest = app.keys.pepper().digest(&key);
    let new = NewKey { id: key.id(), digest, account, created_at: Timestamp::now(), self_registered: false };
    app.keys.upsert(app.store.insert_key(new).await?, 0);
    Ok(key.reveal().to_owned())
}

fn database(directory: &Path) -> String {
    format!("sqlite:{}", directory.join("lastro.db").display())
}
