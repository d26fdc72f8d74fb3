//! A small data set, and a service over it without background work.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::bail;
use jiff::Timestamp;
use lastro::http::app::App;
use lastro::listeners::Listeners;
use lastro::sample;
use lastro::service::Service;
use lastro::setup::Setup;
use lastro_access::{Applicant, Grant, IssuedKey};
use lastro_background::clock::fill_random;
use lastro_config::{AdminListen, Common, Serve, Switch};
use lastro_model::{Day, Decimal, ManualClock, Plan, RatePoint, Records, Series};
use lastro_sample::Shape;
use lastro_store::{Condition, Publication, Store};

/// The smallest size of `bench/run`.
const SHAPE: Shape = Shape { companies: 500, filings: 20_000, seed: 1 };
/// More than the benchmark ever sends.
const RATE_LIMIT: u32 = 100_000_000;

const PAUSE: Duration = Duration::from_millis(100);
const MOST_PAUSES: u32 = 3_000;

pub(crate) async fn make(directory: &Path) -> anyhow::Result<()> {
    let store = lastro_store::open(&database(directory)).await?;
    sample::publish(&*store, SHAPE, Timestamp::now(), Arc::new(|_, _| {})).await?;
    lengthen(&*store).await
}

/// Gives two daily series thirty years of values, as official ones have, because charts of such series are measured and
/// none in the sample is as long.
async fn lengthen(store: &dyn Store) -> anyhow::Result<()> {
    let at = Timestamp::now();
    let publication = |series: Series| {
        let condition = Condition::NothingOfficial;
        let publication = Publication { source: series.into(), sample: true, replace: true, at, condition };
        (publication, Records::Rates(thirty_years()))
    };
    store.publish_together([Series::CdiDaily, Series::SelicDaily].map(publication).to_vec()).await?;
    Ok(())
}

/// Values of thirty years, as many as there are business days.
fn thirty_years() -> Vec<RatePoint> {
    const VALUES: i32 = 8_000;
    let first = Day::from(jiff::civil::date(1994, 7, 4));
    let value = |place: i32| Decimal::new(40_000 + i64::from(place) * 7_919 % 15_000, 6);
    (0..VALUES)
        .map(|place| RatePoint { day: first.plus_days(place * 29 / 20), value: value(place) })
        .collect()
}

/// Returns the application and a key with access to everything. The service is stopped again at once: its background
/// jobs would be counted with the requests, and requests are served without them.
pub(crate) async fn open(directory: &Path) -> anyhow::Result<(Arc<App>, String)> {
    let settings = Serve {
        listen: "127.0.0.1:0".parse()?,
        admin_listen: AdminListen(None),
        sync: Switch::Off,
        key_cache: 1_000,
        limiter_capacity: 1_000,
        ..Serve::defaults()?
    };
    let common = Common {
        database: database(directory),
        database_ca: None,
        database_connections: 8,
        pepper_file: Some(directory.join("pepper")),
        ..Common::defaults()?
    };
    let listeners = Listeners::open(&settings).await?;
    let setup = Setup {
        store: lastro_store::open(&common.database).await?,
        // Stands still, so that a used-up quota stays used up on a slow machine.
        clock: Arc::new(ManualClock::starting_at(Timestamp::now().as_millisecond())),
        common,
        settings,
    };
    let service = Service::start(listeners, setup).await?;
    let app = Arc::clone(&service.app);
    let key = add_key(&app).await?;
    service.stop().await?;
    // Stopping has set this, and the responses would close their connections.
    app.operations.draining.store(false, Ordering::Release);
    index_saved(directory).await?;
    Ok((app, key))
}

/// Waits for the index that a start saves: on a busy machine that would be counted with the first questions.
async fn index_saved(directory: &Path) -> anyhow::Result<()> {
    for _ in 0..MOST_PAUSES {
        if directory.join("lastro.db.index/filings").exists() {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("the index was not saved")
}

async fn add_key(app: &App) -> anyhow::Result<String> {
    let issued = IssuedKey::generate(app.access.keys.pepper(), &mut fill_random);
    let applicant = Applicant::new("Bench", "bench@example.com")?;
    let grant = Grant::by_operator(Plan::Platinum, Some(RATE_LIMIT));
    let new = issued.for_new_account(applicant, grant, Timestamp::now());
    app.access.keys.upsert(app.access.store.insert_key(new).await?, 0);
    Ok(issued.key.reveal().to_owned())
}

fn database(directory: &Path) -> String {
    format!("sqlite:{}", directory.join("lastro.db").display())
}
