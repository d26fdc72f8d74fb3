//! Builds the part of one series: its points and their revisions.

use std::sync::Arc;

use lastro_catalog::{Part, Revision, Revisions, Timeline};
use lastro_model::{Edition, Point, RatePoint, Source};
use lastro_store::{Loaded, Recorded, Store};

use super::background::Priority;
use super::rows::{collect, stamp_of};

type Built = anyhow::Result<Arc<Part<Timeline<RatePoint>>>>;

pub(super) async fn fresh(store: &dyn Store, source: Source, priority: Priority) -> Built {
    let loaded = store.load(source).await?;
    // Read after the edition is fixed, so that no revision leading to it is missing.
    let recorded = store.revisions(source).await?;
    priority.run(move || built(loaded, recorded)).await?
}

fn built(loaded: Loaded, recorded: Recorded) -> Built {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let data = Timeline::build(collect(loaded.rows)?).with_revisions(revisions(recorded, stamp.edition));
    Ok(Arc::new(Part { stamp, sample, data }))
}

/// The revisions up to this edition. Later ones may have been published since it was read.
fn revisions(recorded: Recorded, edition: Edition) -> Revisions<RatePoint> {
    let told = recorded.rows.into_iter().filter(|row| row.edition <= edition);
    let rows = told.map(|row| Revision {
        changed_unix_ms: row.at.as_millisecond(),
        old: row.old.and_then(rate),
        new: row.new.and_then(rate),
    });
    Revisions::new(recorded.since.map(jiff::Timestamp::as_millisecond), rows.collect())
}

fn rate(point: Point) -> Option<RatePoint> {
    match point {
        Point::Rate(rate) => Some(rate),
        Point::Quote(_) => None,
    }
}
