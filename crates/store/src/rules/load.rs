//! Reads whole editions, and what changed since an earlier one. An engine calls all of this in one reading.

use std::ops::ControlFlow;

use lastro_model::{Edition, Records, Source};
use tokio::sync::mpsc;

pub(crate) use super::change_log::is_remembered;
pub(crate) use super::edition::CurrentEdition;
use super::table::{self, StoredRow, Table};
use crate::transaction::{Reading, Value, values};
use crate::{Loaded, Result, sql};

const ROWS_PER_BATCH: usize = 5_000;

/// Enough that reading and building overlap, few enough that memory stays flat.
const BATCHES_AHEAD: usize = 4;

/// Where the rows of an edition are sent to.
pub(crate) type Batches = mpsc::Sender<Result<Records>>;

/// Which rows of a source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selection {
    Whole,
    /// Of filings alone, and where [`is_remembered`] says so.
    ChangedSince(Edition),
}

/// An edition on its way, and where its rows are to be sent.
pub(crate) fn under_way(current: CurrentEdition) -> (Loaded, Batches) {
    let (batches, rows) = mpsc::channel(BATCHES_AHEAD);
    let CurrentEdition { edition, published_at, sample } = current;
    (Loaded { edition, published_at, sample, rows }, batches)
}

/// Sends the rows, until they end or nobody listens any more.
pub(crate) fn stream(
    data: &dyn Reading,
    source: Source,
    selection: Selection,
    batches: &Batches,
) -> Result<()> {
    let scope = table::scope(source);
    let (query, values): (_, &[Value<'_>]) = match selection {
        Selection::Whole => (table::whole(source).select, scope.as_slice()),
        Selection::ChangedSince(edition) => (sql::CHANGED_FILINGS, values![edition]),
    };
    match Table::of(source) {
        Table::Rates => in_batches(data, query, values, Records::Rates, batches),
        Table::Fx => in_batches(data, query, values, Records::Fx, batches),
        Table::Companies => in_batches(data, query, values, Records::Companies, batches),
        Table::Filings => in_batches(data, query, values, Records::Filings, batches),
        Table::TradedSecurities => in_batches(data, query, values, Records::Tickers, batches),
    }
}

fn in_batches<R: StoredRow>(
    data: &dyn Reading,
    query: &'static str,
    values: &[Value<'_>],
    wrap: impl Fn(Vec<R>) -> Records,
    batches: &Batches,
) -> Result<()> {
    let mut batch = Vec::new();
    data.visit(query, values, &mut |row| {
        batch.push(R::read(row)?);
        if batch.len() < ROWS_PER_BATCH {
            return Ok(ControlFlow::Continue(()));
        }
        let full = wrap(std::mem::take(&mut batch));
        let is_wanted = batches.blocking_send(Ok(full)).is_ok();
        Ok(if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    if !batch.is_empty() {
        // If nobody listens any more, nobody misses the rest.
        let _ = batches.blocking_send(Ok(wrap(batch)));
    }
    Ok(())
}
