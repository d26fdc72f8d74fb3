//! From the store's rows to a part of the catalog: built aside, then swapped in.

use std::sync::Arc;

use anyhow::Context;
use lastro_catalog::{Catalog, Companies, Filings, FilingsBuilder, FxBook, Part, Timeline};
use lastro_model::{Company, Edition, FxQuote, RatePoint, Records, Source};
use lastro_store::{Counters, Loaded, SourceState, Store, StoreError};

use super::lowly;
use super::shelf::Shelf;

/// The editions that a catalog shows.
pub fn editions(catalog: &Catalog) -> Counters {
    let mut counters = Counters::default();
    for source in Source::ALL {
        counters.editions[source as usize] = match source {
            Source::Selic => catalog.selic.edition,
            Source::Cdi => catalog.cdi.edition,
            Source::Ipca => catalog.ipca.edition,
            Source::Fx => catalog.fx.edition,
            Source::Companies => catalog.companies.edition,
            Source::Filings => catalog.filings.edition,
        };
    }
    counters
}

/// The same catalog with one part read anew; filings from the shelf, if they are there.
pub async fn with_fresh(
    catalog: &Catalog,
    store: &dyn Store,
    source: Source,
    shelf: Option<&Shelf>,
) -> anyhow::Result<Catalog> {
    match shelf {
        Some(shelf) if source == Source::Filings => with_fresh_filings(catalog, store, shelf).await,
        _ => with_built(catalog, store, source).await,
    }
}

async fn with_fresh_filings(catalog: &Catalog, store: &dyn Store, shelf: &Shelf) -> anyhow::Result<Catalog> {
    // Only a start can find them there: what is already served was put there by this process.
    if catalog.filings.edition == Edition::default()
        && let Some(state) = filings_state(store).await?
    {
        let shelf = shelf.clone();
        let found = read_if_sound(move || Some((shelf.find(&state)?, state))).await;
        if let Some((data, state)) = found {
            let filings = Arc::new(Part { edition: state.edition, sample: state.sample, data });
            return Ok(Catalog { filings, ..catalog.clone() });
        }
    }
    let fresh = with_built(catalog, store, Source::Filings).await?;
    let built = Arc::clone(&fresh.filings);
    // Should the store have moved on meanwhile, these are of no state that anybody will ask for.
    if let Some(state) = filings_state(store).await?.filter(|state| state.edition == built.edition) {
        let shelf = shelf.clone();
        lowly::spawn(move || shelf.keep(&state, &built))?;
    }
    Ok(fresh)
}

/// What `read` finds. Should it stop halfway, it found nothing: a file that is never the truth must not end a start.
async fn read_if_sound<T: Send + 'static>(read: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        tracing::error!(
            "the kept index of the filings is not used and will be built anew: its reader stopped"
        );
        None
    })
}

async fn filings_state(store: &dyn Store) -> anyhow::Result<Option<SourceState>> {
    let states = store.source_states().await?;
    Ok(states.into_iter().find(|state| state.source == Source::Filings))
}

async fn with_built(catalog: &Catalog, store: &dyn Store, source: Source) -> anyhow::Result<Catalog> {
    let loaded = store.load(source).await?;
    let mut fresh = catalog.clone();
    let build = move || -> anyhow::Result<Catalog> {
        match source {
            Source::Selic => fresh.selic = rates(loaded)?,
            Source::Cdi => fresh.cdi = rates(loaded)?,
            Source::Ipca => fresh.ipca = rates(loaded)?,
            Source::Fx => fresh.fx = fx(loaded)?,
            Source::Companies => fresh.companies = companies(loaded)?,
            Source::Filings => fresh.filings = filings(loaded)?,
        }
        Ok(fresh)
    };
    if editions(catalog).edition(source) == Edition::default() {
        // Nobody is served yet, somebody may be waiting.
        return tokio::task::spawn_blocking(build).await.context("the catalog builder stopped")?;
    }
    lowly::run(build).await?
}

/// Hands every batch to `take`; a batch of another kind means that the store is broken.
fn drain(
    mut rows: tokio::sync::mpsc::Receiver<Result<Records, StoreError>>,
    mut take: impl FnMut(Records) -> bool,
) -> anyhow::Result<()> {
    while let Some(batch) = rows.blocking_recv() {
        anyhow::ensure!(take(batch?), "the store gave rows of another source");
    }
    Ok(())
}

fn rates(loaded: Loaded) -> anyhow::Result<Arc<Part<Timeline<RatePoint>>>> {
    let (edition, sample) = (loaded.edition, loaded.sample);
    let mut points: Vec<RatePoint> = Vec::new();
    drain(loaded.rows, |batch| {
        if let Records::Rates(rows) = batch {
            points.extend(rows);
            true
        } else {
            false
        }
    })?;
    Ok(Arc::new(Part { edition, sample, data: Timeline::build(points) }))
}

fn fx(loaded: Loaded) -> anyhow::Result<Arc<Part<FxBook>>> {
    let (edition, sample) = (loaded.edition, loaded.sample);
    let mut quotes: Vec<FxQuote> = Vec::new();
    drain(loaded.rows, |batch| {
        if let Records::Fx(rows) = batch {
            quotes.extend(rows);
            true
        } else {
            false
        }
    })?;
    Ok(Arc::new(Part { edition, sample, data: FxBook::build(quotes) }))
}

fn companies(loaded: Loaded) -> anyhow::Result<Arc<Part<Companies>>> {
    let (edition, sample) = (loaded.edition, loaded.sample);
    let mut rows: Vec<Company> = Vec::new();
    drain(loaded.rows, |batch| {
        if let Records::Companies(more) = batch {
            rows.extend(more);
            true
        } else {
            false
        }
    })?;
    Ok(Arc::new(Part { edition, sample, data: Companies::build(rows)? }))
}

/// Filings go into their columns as they come: two million of them never stand in memory as records.
fn filings(loaded: Loaded) -> anyhow::Result<Arc<Part<Filings>>> {
    let (edition, sample) = (loaded.edition, loaded.sample);
    let mut builder = FilingsBuilder::new();
    drain(loaded.rows, |batch| {
        let Records::Filings(rows) = batch else { return false };
        rows.into_iter().for_each(|filing| builder.push(filing));
        true
    })?;
    Ok(Arc::new(Part { edition, sample, data: builder.finish()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_that_stops_halfway_has_found_nothing() {
        assert_eq!(read_if_sound(|| Some(7)).await, Some(7));
        assert_eq!(read_if_sound(|| -> Option<u8> { panic!("on purpose") }).await, None);
    }
}
