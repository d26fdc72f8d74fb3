//! Revisions of points by a publication, recorded in its own transaction.
//!
//! A recording begins when a source has been read completely for the first time: later states are described relative
//! to that one, which is not listed row by row. So a recording costs only what changed. It names the last edition that
//! it covers. If another one is current, a program that does not record has published since, and the recording restarts
//! with that edition.

use jiff::Timestamp;
use lastro_model::{Edition, FxQuote, Pair, Point, RatePoint, Source};

use super::edition::CurrentEdition;
use super::table::{StoredRow, Table};
use crate::sql::revision as sql;
use crate::transaction::{Query, Reading, Row, Transaction, Value, values};
use crate::{MOST_REVISIONS, Publication, Recorded, Result, Revision};

/// Records the changes of a publication.
pub(super) struct Recorder {
    publication: Publication,
    /// The time from which the changes of the source are known; `None` if this publication is not recorded.
    since: Option<Timestamp>,
}

impl Recorder {
    /// Discards the recording of earlier data if the source `begins` with this publication.
    pub(super) fn of(
        data: &dyn Transaction,
        publication: Publication,
        current: CurrentEdition,
        begins: bool,
    ) -> Result<Self> {
        let source = publication.source;
        let since = match Table::of(source) {
            Table::Companies | Table::Filings | Table::TradedSecurities => None,
            Table::Rates | Table::Fx if begins => {
                data.execute(sql::FORGET_REVISIONS, values![source.name()])?;
                data.execute(sql::FORGET_RECORDING, values![source.name()])?;
                None
            }
            Table::Rates | Table::Fx => since(data, source, current)?,
        };
        Ok(Self { publication, since })
    }

    /// The values of a revision, if the row is a point whose changes are recorded.
    pub(super) fn revision<R: StoredRow>(&self, old: Option<&R>, new: &R) -> Option<[Value<'static>; 8]> {
        self.since?;
        let Publication { source, at, .. } = self.publication;
        Some(revision_values(source, at, old.and_then(R::point), new.point()?))
    }

    /// Records revisions.
    pub(super) fn write(&self, data: &dyn Transaction, revisions: &[Value<'_>]) -> Result<()> {
        if revisions.is_empty() {
            return Ok(());
        }
        data.execute_each(&sql::INSERT_REVISION, revisions).map(drop)
    }

    /// Assigns the edition's number to the recorded drafts.
    pub(super) fn finish(self, data: &dyn Transaction, before: Edition, edition: Edition) -> Result<()> {
        let Some(since) = self.since.filter(|_| edition != before) else { return Ok(()) };
        let source = self.publication.source.name();
        data.execute(sql::FORGET_FALSE_REVISIONS, values![source])?;
        data.execute(sql::ISSUE_REVISIONS, values![edition, source])?;
        data.execute(sql::KEEP_RECORDING, values![since, edition, source])?;
        Ok(())
    }
}

fn revision_values(source: Source, at: Timestamp, old: Option<Point>, new: Point) -> [Value<'static>; 8] {
    let pair = new.pair().map(|pair| pair.to_string()).unwrap_or_default();
    let ([old_value, old_sell], [new_value, new_sell]) = (old.map_or([None; 2], amounts), amounts(new));
    [
        old_value.into(),
        old_sell.into(),
        new_value.into(),
        new_sell.into(),
        at.into(),
        source.name().into(),
        new.day().into(),
        pair.into(),
    ]
}

/// The rate, or the buying and selling price.
fn amounts(point: Point) -> [Option<lastro_model::Decimal>; 2] {
    match point {
        Point::Rate(rate) => [Some(rate.value), None],
        Point::Quote(quote) => [Some(quote.buy), Some(quote.sell)],
    }
}

/// The time from which all changes up to the current edition are known. Old editions may lack a publication time.
fn since(data: &dyn Reading, source: Source, current: CurrentEdition) -> Result<Option<Timestamp>> {
    let recording = data
        .first(sql::RECORDING, values![source.name()], |row| Ok((row.time(0)?, Edition(row.number(1)?))))?;
    Ok(match recording {
        Some((since, edition)) if edition == current.edition => Some(since),
        _ => Some(current.published_at).filter(|at| *at > Timestamp::UNIX_EPOCH),
    })
}

/// Continues the recording with an edition that has the same rows.
pub(super) fn carry_over(
    data: &dyn Transaction,
    source: Source,
    current: CurrentEdition,
    edition: Edition,
) -> Result<()> {
    match since(data, source, current)? {
        Some(since) if is_recorded(source) => {
            data.execute(sql::KEEP_RECORDING, values![since, edition, source.name()]).map(drop)
        }
        _ => Ok(()),
    }
}

/// The recorded revisions, at most `MOST_REVISIONS`.
pub(super) fn recorded(data: &dyn Reading, source: Source) -> Result<Recorded> {
    let current = CurrentEdition::of(data, source)?;
    if current.sample || current.edition == Edition(0) || !is_recorded(source) {
        return Ok(Recorded::default());
    }
    let mut since = since(data, source, current)?;
    let mut rows = data.rows(sql::REVISIONS, values![source.name(), MOST_REVISIONS + 1], revision)?;
    if let Some(omitted) = rows.get(MOST_REVISIONS) {
        since = since.max(Some(omitted.at));
        rows.truncate(MOST_REVISIONS);
    }
    Ok(Recorded { since, rows })
}

fn is_recorded(source: Source) -> bool {
    matches!(Table::of(source), Table::Rates | Table::Fx)
}

fn revision(row: &dyn Row) -> Result<Revision> {
    let (old, new) = (point(row, 2)?, point(row, 4)?);
    Ok(Revision { edition: Edition(row.number(6)?), at: row.time(7)?, old, new })
}

/// The point whose amounts are in this column and the next.
fn point(row: &dyn Row, column: usize) -> Result<Option<Point>> {
    if row.text_or_null(column)?.is_none() {
        return Ok(None);
    }
    let (day, value) = (row.day(1)?, row.decimal(column)?);
    if row.text(0)?.is_empty() {
        return Ok(Some(RatePoint { day, value }.into()));
    }
    let (pair, sell) = (row.parsed(0, Pair::parse)?, row.decimal(column + 1)?);
    Ok(Some(FxQuote { day, pair, buy: value, sell }.into()))
}
