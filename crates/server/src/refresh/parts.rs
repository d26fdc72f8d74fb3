//! Builds parts of the catalog from the store's rows, apart from the catalog in service.

use std::sync::Arc;

use lastro_catalog::{Catalog, Companies, FxBook, Part, Tickers};
use lastro_model::{Source, brasilia_day};
use lastro_store::{Loaded, Store};

use super::background::Priority;
use super::rows::{collect, collect_with_histories, stamp_of};
use super::snapshot_file::SnapshotFile;
use super::{filings, series};

/// Attempts to load two sources as they stood at one time.
const TRIES: usize = 5;

/// A copy of the catalog with one part updated to the store's edition.
pub async fn with_fresh(
    catalog: &Catalog,
    store: &dyn Store,
    source: Source,
    snapshot_file: Option<&SnapshotFile>,
) -> anyhow::Result<Catalog> {
    // Tickers and companies share one part.
    let part = if source == Source::Tickers { Source::Companies } else { source };
    let priority = Priority::beside(catalog.editions()[part]);
    let mut fresh = catalog.clone();
    match source {
        Source::Series(which) => {
            let part = series::fresh(store, source, priority).await?;
            fresh = priority.run(move || fresh.with_series(which, part)).await?;
        }
        Source::Fx => fresh.fx = built(store, source, fx, priority).await?,
        Source::Companies | Source::Tickers => fresh.companies = fresh_companies(store, priority).await?,
        Source::Filings => {
            fresh.filings = filings::fresh(&catalog.filings, store, snapshot_file, priority).await?;
        }
    }
    Ok(fresh)
}

/// Loads the registry and the tickers as they stood at one time. The registry is loaded last, so it lacks nothing that
/// came before the tickers; tickers that came before the registry are loaded again.
async fn fresh_companies(store: &dyn Store, priority: Priority) -> Built<Companies> {
    for _ in 0..TRIES {
        let (tickers, registry) = (store.load(Source::Tickers).await?, store.load(Source::Companies).await?);
        let current = store.counters().await?.edition(Source::Tickers);
        if current == tickers.edition || current > registry.edition {
            return priority.run(move || companies(registry, tickers)).await?;
        }
    }
    anyhow::bail!("tickers are published faster than they can be loaded")
}

type Built<T> = anyhow::Result<Arc<Part<T>>>;

/// Builds a part that is small enough to be rebuilt from all its rows every time.
async fn built<T: Send + Sync + 'static>(
    store: &dyn Store,
    source: Source,
    build: fn(Loaded) -> Built<T>,
    priority: Priority,
) -> Built<T> {
    let loaded = store.load(source).await?;
    priority.run(move || build(loaded)).await?
}

fn fx(loaded: Loaded) -> Built<FxBook> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    Ok(Arc::new(Part { stamp, sample, data: FxBook::build(collect(loaded.rows)?) }))
}

fn companies(loaded: Loaded, listed: Loaded) -> Built<Companies> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let data = Companies::with_histories(collect_with_histories(loaded.rows)?, &tickers(listed)?)?;
    Ok(Arc::new(Part { stamp, sample, data }))
}

fn tickers(loaded: Loaded) -> anyhow::Result<Tickers> {
    let stamp = stamp_of(&loaded);
    Ok(Tickers::published(stamp, brasilia_day(stamp.published_unix_ms), collect(loaded.rows)?))
}
