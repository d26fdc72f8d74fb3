//! Builds the parts with values by day: one series, or the exchange rates, each with its revisions.

use std::sync::Arc;

use lastro_catalog::{FxBook, Part, Revision, Revisions, Timeline};
use lastro_model::{Edition, FxQuote, Point, RatePoint, Source};
use lastro_store::{Loaded, Recorded, Store};

use super::background::Priority;
use super::rows::{collect, stamp_of};

type Built<T> = anyhow::Result<Arc<Part<T>>>;

pub(super) async fn fresh(
    store: &dyn Store,
    source: Source,
    priority: Priority,
) -> Built<Timeline<RatePoint>> {
    let (loaded, recorded) = read(store, source).await?;
    let build = move || {
        let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
        let (since, rows) = revisions(recorded, stamp.edition, rate);
        let data = Timeline::build(collect(loaded.rows)?).with_revisions(Revisions::new(since, rows));
        Ok(Arc::new(Part { stamp, sample, data }))
    };
    priority.run(build).await?
}

pub(super) async fn fresh_fx(store: &dyn Store, priority: Priority) -> Built<FxBook> {
    let (loaded, recorded) = read(store, Source::Fx).await?;
    let build = move || {
        let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
        let (since, rows) = revisions(recorded, stamp.edition, quote);
        let data = FxBook::build(collect(loaded.rows)?).with_revisions(since, rows);
        Ok(Arc::new(Part { stamp, sample, data }))
    };
    priority.run(build).await?
}

async fn read(store: &dyn Store, source: Source) -> anyhow::Result<(Loaded, Recorded)> {
    let loaded = store.load(source).await?;
    // Read after the edition is fixed, so that no revision leading to it is missing.
    Ok((loaded, store.revisions(source).await?))
}

/// The start of the recording, and the revisions up to this edition. Later ones may have been published since it was
/// read.
fn revisions<P>(
    recorded: Recorded,
    edition: Edition,
    point: fn(Point) -> Option<P>,
) -> (Option<i64>, Vec<Revision<P>>) {
    let known = recorded.rows.into_iter().filter(|row| row.edition <= edition);
    let rows = known.map(|row| Revision {
        changed_unix_ms: row.at.as_millisecond(),
        old: row.old.and_then(point),
        new: row.new.and_then(point),
    });
    (recorded.since.map(jiff::Timestamp::as_millisecond), rows.collect())
}

fn rate(point: Point) -> Option<RatePoint> {
    match point {
        Point::Rate(rate) => Some(rate),
        Point::Quote(_) => None,
    }
}

fn quote(point: Point) -> Option<FxQuote> {
    match point {
        Point::Quote(quote) => Some(quote),
        Point::Rate(_) => None,
    }
}
