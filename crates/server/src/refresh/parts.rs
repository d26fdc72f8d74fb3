//! From the store's rows to a part of the catalog: built aside, then swapped in.

use std::sync::Arc;

use lastro_catalog::{Catalog, Companies, FxBook, Part};
use lastro_model::{BySource, Company, Edition, FxQuote, Records, Source};
use lastro_store::{Loaded, Store};

use super::background::Priority;
use super::rows::{drain, stamp_of};
use super::snapshot_file::SnapshotFile;
use super::{filings, series};

/// The editions that a catalog shows.
pub fn editions(catalog: &Catalog) -> BySource<Edition> {
    BySource::new(|source| match source {
        Source::Series(series) => catalog.series[series].stamp.edition,
        Source::Fx => catalog.fx.stamp.edition,
        Source::Companies => catalog.companies.stamp.edition,
        Source::Filings => catalog.filings.stamp.edition,
    })
}

/// The same catalog with one part brought up to the store's edition.
pub async fn with_fresh(
    catalog: &Catalog,
    store: &dyn Store,
    source: Source,
    snapshot_file: Option<&SnapshotFile>,
) -> anyhow::Result<Catalog> {
    let priority = Priority::beside(editions(catalog)[source]);
    let mut fresh = catalog.clone();
    match source {
        Source::Series(which) => fresh.series[which] = series::fresh(store, source, priority).await?,
        Source::Fx => fresh.fx = built(store, source, fx, priority).await?,
        Source::Companies => fresh.companies = built(store, source, companies, priority).await?,
        Source::Filings => {
            fresh.filings = filings::fresh(&catalog.filings, store, snapshot_file, priority).await?;
        }
    }
    Ok(fresh)
}

type Built<T> = anyhow::Result<Arc<Part<T>>>;

/// A part that is small enough to be built of all its rows every time.
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
    let mut quotes: Vec<FxQuote> = Vec::new();
    drain(loaded.rows, |batch| {
        if let Records::Fx(rows) = batch {
            quotes.extend(rows);
            true
        } else {
            false
        }
    })?;
    Ok(Arc::new(Part { stamp, sample, data: FxBook::build(quotes) }))
}

fn companies(loaded: Loaded) -> Built<Companies> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let mut rows: Vec<Company> = Vec::new();
    drain(loaded.rows, |batch| {
        if let Records::Companies(more) = batch {
            rows.extend(more);
            true
        } else {
            false
        }
    })?;
    Ok(Arc::new(Part { stamp, sample, data: Companies::build(rows)? }))
}
