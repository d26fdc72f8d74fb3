//! Puts the made-up data set into the store: the sample of a first start, and what `lastro demo` asks for.

use std::sync::Arc;

use jiff::Timestamp;
use lastro_model::{Edition, Records, Source};
use lastro_sample::{self as sample, Shape};
use lastro_store::{Condition, Publication, Published, SourceState, Store, Write};
use tokio::sync::mpsc;

const BATCH: usize = 5_000;

/// Fills the sources that have never been filled: all on a first start, the rest after one that was cut short. Nothing made up
/// goes into a database that holds official data, such as one of an earlier version that knew fewer sources.
///
/// Other processes may be starting on the same database: whoever comes second finds the source filled, perhaps with official
/// data, and leaves it as it is.
pub async fn fill_if_empty(store: &dyn Store, at: Timestamp) -> anyhow::Result<()> {
    let states = store.source_states().await?;
    if states.iter().any(is_official) {
        return Ok(());
    }
    for state in states.iter().filter(|state| state.edition == Edition(0)) {
        let sample = made_up(state.source, at, Condition::NeverPublished);
        publish_source(store, sample, Shape::SAMPLE, Arc::new(|_, _| {})).await?;
    }
    Ok(())
}

/// Hears how many rows of a source were handed over.
pub type Progress = Arc<dyn Fn(Source, usize) + Send + Sync>;

/// Writes the whole set, one source after the other. A database that holds official data is left as it is.
pub async fn publish(
    store: &dyn Store,
    shape: Shape,
    at: Timestamp,
    progress: Progress,
) -> anyhow::Result<()> {
    anyhow::ensure!(!store.source_states().await?.iter().any(is_official), HOLDS_OFFICIAL_DATA);
    for source in Source::ALL {
        let publication = made_up(source, at, Condition::NothingOfficial);
        let published = publish_source(store, publication, shape, Arc::clone(&progress)).await?;
        anyhow::ensure!(!published.skipped, HOLDS_OFFICIAL_DATA);
    }
    Ok(())
}

const HOLDS_OFFICIAL_DATA: &str = "this database holds official data; name an empty one with --database";

fn is_official(state: &SourceState) -> bool {
    state.edition != Edition(0) && !state.sample
}

fn made_up(source: Source, at: Timestamp, condition: Condition) -> Publication {
    Publication { source, sample: true, replace: true, at, condition }
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

/// Makes a source's rows and hands them over in batches. Stops when nobody takes them: the publication then tells why.
fn hand_over(
    source: Source,
    shape: &Shape,
    sender: &mpsc::Sender<Write>,
    progress: &(dyn Fn(Source, usize) + Send + Sync),
) {
    let send = |records: Records| {
        progress(source, records.len());
        sender.blocking_send(Write::Rows(records)).is_ok()
    };
    let all_taken = match source {
        Source::Series(series) => send(Records::Rates(sample::rates(series, shape.seed))),
        Source::Fx => send(Records::Fx(sample::fx(shape.seed))),
        Source::Companies => send(Records::Companies(sample::companies(shape))),
        Source::Tickers => send(Records::Tickers(sample::tickers(shape))),
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
        let _ = sender.blocking_send(Write::Commit);
    }
}
