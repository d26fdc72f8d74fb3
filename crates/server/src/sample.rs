//! Writes the made-up data set into the store: the sample of a first start, and the data of `lastro demo`.

use std::sync::Arc;

use jiff::Timestamp;
use lastro_model::{Edition, Records, Source, SourceState};
use lastro_sample::{self as sample, Shape};
use lastro_store::{Condition, Publication, PublicationItem, Published, Store};
use tokio::sync::mpsc;

const BATCH: usize = 5_000;

/// Fills the sources that have never been filled: all on a first start, the rest after an interrupted one. A database
/// with official data gets none, for example one of an earlier version with fewer sources.
///
/// Other processes may be starting on the same database. The second one finds the source filled, perhaps with official
/// data, and leaves it as it is.
pub async fn fill_if_empty(store: &dyn Store, at: Timestamp) -> anyhow::Result<()> {
    let states = store.source_states().await?;
    if states.iter().any(is_official) {
        return Ok(());
    }
    let empty = states.iter().filter(|state| state.edition == Edition(0));
    let publications = empty.map(|state| made_up(state.source, at, Condition::NeverPublished)).collect();
    publish_all(store, publications, Shape::SAMPLE, Arc::new(|_, _| {})).await?;
    Ok(())
}

/// Callback that receives the number of rows of a source passed to the store.
pub type Progress = Arc<dyn Fn(Source, usize) + Send + Sync>;

/// Writes the whole data set. A database that holds official data is left as it is.
pub async fn publish(
    store: &dyn Store,
    shape: Shape,
    at: Timestamp,
    progress: Progress,
) -> anyhow::Result<()> {
    anyhow::ensure!(!store.source_states().await?.iter().any(is_official), HOLDS_OFFICIAL_DATA);
    let publications = Source::ALL.map(|source| made_up(source, at, Condition::NothingOfficial)).to_vec();
    let published = publish_all(store, publications, shape, progress).await?;
    anyhow::ensure!(published.iter().all(|published| !published.skipped), HOLDS_OFFICIAL_DATA);
    Ok(())
}

const HOLDS_OFFICIAL_DATA: &str = "this database holds official data; name an empty one with --database";

fn is_official(state: &SourceState) -> bool {
    state.edition != Edition(0) && !state.sample
}

fn made_up(source: Source, at: Timestamp, condition: Condition) -> Publication {
    Publication { source, sample: true, replace: true, at, condition }
}

/// Publishes the series, which are many and short, in one transaction, then each other source in its own.
async fn publish_all(
    store: &dyn Store,
    publications: Vec<Publication>,
    shape: Shape,
    progress: Progress,
) -> anyhow::Result<Vec<Published>> {
    let (series, others): (Vec<_>, Vec<_>) =
        publications.into_iter().partition(|publication| matches!(publication.source, Source::Series(_)));
    let mut published = publish_series(store, series, shape.seed, Arc::clone(&progress)).await?;
    for publication in others {
        published.push(publish_source(store, publication, shape, Arc::clone(&progress)).await?);
    }
    Ok(published)
}

async fn publish_series(
    store: &dyn Store,
    publications: Vec<Publication>,
    seed: u64,
    progress: Progress,
) -> anyhow::Result<Vec<Published>> {
    let with_rows = move |publication: Publication| {
        let Source::Series(series) = publication.source else { return None };
        let rows = sample::rates(series, seed);
        progress(publication.source, rows.len());
        Some((publication, Records::Rates(rows)))
    };
    let making =
        tokio::task::spawn_blocking(move || publications.into_iter().filter_map(with_rows).collect());
    Ok(store.publish_together(making.await?).await?)
}

async fn publish_source(
    store: &dyn Store,
    publication: Publication,
    shape: Shape,
    progress: Progress,
) -> anyhow::Result<Published> {
    let source = publication.source;
    let (sender, receiver) = mpsc::channel(4);
    let making = tokio::task::spawn_blocking(move || hand_over(source, &shape, &sender, &*progress));
    let written = store.publish(publication, receiver).await;
    making.await?;
    Ok(written?)
}

/// Generates a source's rows and sends them in batches. Stops if the publication has failed, which returns the error.
fn hand_over(
    source: Source,
    shape: &Shape,
    sender: &mpsc::Sender<PublicationItem>,
    progress: &(dyn Fn(Source, usize) + Send + Sync),
) {
    let send = |records: Records| {
        progress(source, records.len());
        sender.blocking_send(PublicationItem::Rows(records)).is_ok()
    };
    let all_taken = match source {
        Source::Series(series) => send(Records::Rates(sample::rates(series, shape.seed))),
        Source::Fx => send(Records::Fx(sample::fx(shape.seed))),
        Source::Companies => send(Records::Companies(sample::companies(shape))),
        Source::Tickers => {
            send(Records::Tickers(sample::tickers(shape)))
                && send(Records::FormerNames(sample::former_names(shape)))
        }
        Source::Filings => {
            let companies = sample::companies(shape);
            let mut filings = sample::filings(shape, &companies).peekable();
            let mut taken = true;
            while taken && filings.peek().is_some() {
                taken = send(Records::Filings(filings.by_ref().take(BATCH).collect()));
            }
            taken
        }
    };
    if all_taken {
        let _ = sender.blocking_send(PublicationItem::Commit);
    }
}
