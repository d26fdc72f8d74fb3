//! Reads whole editions, or the changes since an earlier one. An engine calls all of this in one read transaction.

use std::ops::ControlFlow;

use lastro_model::{Edition, History, Records, Source};
use tokio::sync::mpsc;

pub(crate) use super::edition::CurrentEdition;
pub(crate) use super::filing_log::is_remembered;
use super::table::{self, StoredRow, Table};
use crate::sql::Select;
use crate::transaction::{Query, Reading, Row, Value, checksum, values};
use crate::{Loaded, LoadedRows, Result, StoreError, sql};

const ROWS_PER_BATCH: usize = 5_000;

/// Capacity of the channel: enough that reading and building overlap, few enough that memory stays flat.
const BATCHES_AHEAD: usize = 4;

/// The channel that the rows of an edition are sent to.
pub(crate) type Batches = mpsc::Sender<Result<LoadedRows>>;

/// A selection of a source's rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selection {
    Whole,
    /// Only for filings, and only if [`is_remembered`] returns true.
    ChangedSince(Edition),
}

/// Creates the stream of an edition, and the sender for its rows.
pub(crate) fn under_way(current: CurrentEdition) -> (Loaded, Batches) {
    let (batches, rows) = mpsc::channel(BATCHES_AHEAD);
    let CurrentEdition { edition, published_at, sample } = current;
    (Loaded { edition, published_at, sample, rows }, batches)
}

/// Sends the rows until they end or the receiver is dropped.
pub(crate) fn stream(
    data: &dyn Reading,
    source: Source,
    selection: Selection,
    batches: &Batches,
) -> Result<()> {
    let scope = table::scope(source);
    let (select, values): (_, &[Value<'_>]) = match selection {
        Selection::Whole => (table::whole(source).select, scope.as_slice()),
        Selection::ChangedSince(edition) => (sql::CHANGED_FILINGS, values![edition]),
    };
    let to = Destination { data, source, batches };
    let sent = match Table::of(source) {
        Table::Rates => to.send(select, values, Records::Rates),
        Table::Fx => to.send(select, values, Records::Fx),
        Table::Companies => to.send(select, values, Records::Companies),
        Table::Filings => to.send(select, values, Records::Filings),
        Table::TradedSecurities => to.send(select, values, Records::Tickers),
    }?;
    if let (Selection::Whole, Some(rows)) = (selection, sent) {
        to.check_count(rows)?;
        if let Some(beside) = table::beside(source) {
            to.send(beside.select, &[], Records::FormerNames)?;
        }
    }
    Ok(())
}

/// The source of rows and the channel that they are sent to.
struct Destination<'a> {
    data: &'a dyn Reading,
    source: Source,
    batches: &'a Batches,
}

impl Destination<'_> {
    /// Returns the number of rows, or `None` if the receiver was dropped.
    fn send<R: StoredRow>(
        &self,
        select: Select,
        values: &[Value<'_>],
        wrap: impl Fn(Vec<R>) -> Records,
    ) -> Result<Option<u64>> {
        let has_checksums = self.data.keeps_checksums();
        let query = if has_checksums { select.with_checksum } else { select.rows };
        let (mut batch, mut histories, mut rows, mut is_wanted) = (Vec::new(), Vec::new(), 0, true);
        let send = |batch: &mut Vec<R>, histories: &mut Vec<History>| {
            let (rows, histories) = (wrap(std::mem::take(batch)), std::mem::take(histories));
            self.batches.blocking_send(Ok(LoadedRows { rows, histories })).is_ok()
        };
        self.data.visit(query, values, &mut |row| {
            let read = R::read(row)?;
            if has_checksums {
                self.check(&read, row)?;
            }
            batch.push(read);
            if R::HISTORY.is_some() {
                histories.push(table::history::<R>(row)?);
            }
            rows += 1;
            if batch.len() == ROWS_PER_BATCH {
                is_wanted = send(&mut batch, &mut histories);
            }
            Ok(if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        if !batch.is_empty() {
            is_wanted = send(&mut batch, &mut histories);
        }
        Ok(is_wanted.then_some(rows))
    }

    /// Fails if a row differs from what was written. Rows of earlier versions have no checksum to compare. It costs
    /// half a microsecond a row, a second for two million filings, in parallel with the receiver's work.
    fn check<R: StoredRow>(&self, read: &R, row: &dyn Row) -> Result<()> {
        let mut values = Vec::with_capacity(R::UPSERT.columns.len());
        read.put_values(self.source, &mut values);
        // The key value shared by all rows of the statement is not among its columns; the history is.
        let place = values.len() - table::scope(self.source).iter().len() + R::UPSERT.unchecked;
        match row.optional_number::<u32>(place)? {
            Some(written) if written != checksum(&values) => {
                Err(StoreError::damaged(format!("a row of {} is not as it was written", self.source.name())))
            }
            _ => Ok(()),
        }
    }

    /// Fails if the number of rows differs from the published one: an unreachable page loses its rows.
    fn check_count(&self, rows: u64) -> Result<()> {
        let name = self.source.name();
        match self.data.first(sql::EXTENT_HELD, values![name], |row| row.number::<u64>(0))? {
            Some(published) if published != rows => {
                Err(StoreError::damaged(format!("{name} has {rows} rows, and {published} were published")))
            }
            _ => Ok(()),
        }
    }
}
