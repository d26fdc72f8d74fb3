//! Builds parts of the catalog from the store's rows, apart from the catalog in service.

use std::sync::Arc;

use lastro_catalog::{Catalog, Companies, Part, Tickers};
use lastro_model::{Records, Source, brasilia_day};
use lastro_store::{Loaded, Store};

use super::background::Priority;
use super::rows::{collect_with_histories, stamp_of};
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
            fresh = priority.run(move || fresh.with_series(vec![(which, part)])).await?;
        }
        Source::Fx => fresh.fx = series::fresh_fx(store, priority).await?,
        Source::Companies | Source::Tickers => fresh.companies = fresh_companies(store, priority).await?,
        Source::Filings => {
            fresh.filings = filings::fresh(&catalog.filings, store, snapshot_file, priority).await?;
        }
    }
    Ok(fresh)
}

/// Loads the registry and the tickers as they stood at one time. The registry is loaded last, so it lacks nothing that
/// came before the tickers; tickers that came before the registry are loaded again.
async fn fresh_companies(store: &dyn Store, priority: Priority) -> anyhow::Result<Arc<Part<Companies>>> {
    for _ in 0..TRIES {
        let (tickers, registry) = (store.load(Source::Tickers).await?, store.load(Source::Companies).await?);
        let current = store.counters().await?.edition(Source::Tickers);
        if current == tickers.edition || current > registry.edition {
            return priority.run(move || companies(registry, tickers)).await?;
        }
    }
    anyhow::bail!("tickers are published faster than they can be loaded")
}

fn companies(loaded: Loaded, listed: Loaded) -> anyhow::Result<Arc<Part<Companies>>> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let data = Companies::with_histories(collect_with_histories(loaded.rows)?, &tickers(listed)?)?;
    Ok(Arc::new(Part { stamp, sample, data }))
}

fn tickers(loaded: Loaded) -> anyhow::Result<Tickers> {
    let (stamp, mut batches) = (stamp_of(&loaded), loaded.rows);
    let (mut securities, mut former_names) = (Vec::new(), Vec::new());
    while let Some(batch) = batches.blocking_recv() {
        match batch?.rows {
            Records::Tickers(rows) => securities.extend(rows),
            Records::FormerNames(rows) => former_names.extend(rows),
            _ => anyhow::bail!("the store gave rows of another source"),
        }
    }
    let tickers = Tickers::published(stamp, brasilia_day(stamp.published_unix_ms), securities);
    Ok(tickers.with_former_names(former_names))
}
