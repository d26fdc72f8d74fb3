//! What a publication makes of points that are held already, written down in its own transaction.
//!
//! It begins with what stands when a source has been read whole for the first time: that is the state from which all later
//! ones are told, and is not listed row by row. Only then is there anything to write, so that a recording costs what changed
//! and no more. A recording names the edition that it reaches; where another one stands, a program that does not record has
//! published since, and what is known begins with that edition.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use lastro_model::{Day, Edition, FxQuote, Pair, Point, RatePoint, Source};

use super::edition::CurrentEdition;
use super::table::{StoredRow, Table};
use crate::sql::revision as sql;
use crate::transaction::{Query, Reading, Row, Transaction, Value, values};
use crate::{Publication, REVISIONS_TOLD, Recorded, Result, Revision};

/// Writes down what a publication changes.
pub(super) struct Recorder {
    publication: Publication,
    /// Since when the changes of the source are known; nothing where those of this publication need not be.
    since: Option<Timestamp>,
}

impl Recorder {
    /// Where everything `begins` with this publication, what was known of earlier data is of no use any more.
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

    /// Looks at what is held of some points before they are written.
    pub(super) fn look<R: StoredRow>(&self, data: &dyn Reading, rows: &[R]) -> Result<Held> {
        let mut held = Held::default();
        if self.since.is_none() {
            return Ok(held);
        }
        for (pair, (first, last)) in spans(rows.iter().filter_map(StoredRow::point)) {
            held.read(data, self.publication.source, pair, first, last)?;
        }
        Ok(held)
    }

    /// Writes down what became of them.
    pub(super) fn write(&self, data: &dyn Transaction, held: &Held) -> Result<()> {
        if self.since.is_none() {
            return Ok(());
        }
        let Publication { source, at, .. } = self.publication;
        let rows: Vec<Value<'static>> =
            held.revised.iter().flat_map(|revised| revision_values(source, at, revised)).collect();
        data.execute_each(&sql::INSERT_REVISION, &rows)?;
        Ok(())
    }

    /// Gives what was written the number of its edition.
    pub(super) fn finish(self, data: &dyn Transaction, before: Edition, edition: Edition) -> Result<()> {
        let Some(since) = self.since.filter(|_| edition != before) else { return Ok(()) };
        let source = self.publication.source.name();
        data.execute(sql::FORGET_FALSE_REVISIONS, values![source])?;
        data.execute(sql::ISSUE_REVISIONS, values![edition, source])?;
        data.execute(sql::KEEP_RECORDING, values![since, edition, source])?;
        Ok(())
    }
}

/// What is held of the points that are being written, and what became of them.
#[derive(Default)]
pub(super) struct Held {
    points: HashMap<(Option<Pair>, Day), Point>,
    revised: Vec<Revised>,
}

struct Revised {
    old: Option<Point>,
    new: Point,
}

impl Held {
    /// Takes note of a point that was new or different.
    pub(super) fn note(&mut self, row: &impl StoredRow) {
        if let Some(new) = row.point() {
            let old = self.points.insert((new.pair(), new.day()), new);
            self.revised.push(Revised { old, new });
        }
    }

    fn read(
        &mut self,
        data: &dyn Reading,
        source: Source,
        pair: Option<Pair>,
        first: Day,
        last: Day,
    ) -> Result<()> {
        let points: Vec<Point> = match pair {
            None => {
                let values = values![source.name(), first, last];
                data.rows(sql::RATES_BETWEEN, values, |row| RatePoint::read(row).map(Point::from))?
            }
            Some(pair) => {
                let values = values![pair.to_string(), first, last];
                data.rows(sql::QUOTES_BETWEEN, values, |row| FxQuote::read(row).map(Point::from))?
            }
        };
        self.points.extend(points.into_iter().map(|point| ((point.pair(), point.day()), point)));
        Ok(())
    }
}

/// The first and the last day of each pair; a series has none.
fn spans(points: impl Iterator<Item = Point>) -> BTreeMap<Option<Pair>, (Day, Day)> {
    let mut spans = BTreeMap::new();
    for point in points {
        let day = point.day();
        let (first, last) = spans.entry(point.pair()).or_insert((day, day));
        (*first, *last) = ((*first).min(day), (*last).max(day));
    }
    spans
}

fn revision_values(source: Source, at: Timestamp, revised: &Revised) -> [Value<'static>; 8] {
    let Revised { old, new } = revised;
    let pair = new.pair().map(|pair| pair.to_string()).unwrap_or_default();
    let ([old_value, old_sell], [new_value, new_sell]) = (old.map_or([None; 2], amounts), amounts(*new));
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

/// The rate, or what is bid and what is asked.
fn amounts(point: Point) -> [Option<lastro_model::Decimal>; 2] {
    match point {
        Point::Rate(rate) => [Some(rate.value), None],
        Point::Quote(quote) => [Some(quote.buy), Some(quote.sell)],
    }
}

/// Since when all changes that led to what stands are known. When it was published was not always written down.
fn since(data: &dyn Reading, source: Source, current: CurrentEdition) -> Result<Option<Timestamp>> {
    let recording = data
        .first(sql::RECORDING, values![source.name()], |row| Ok((row.time(0)?, Edition(row.number(1)?))))?;
    Ok(match recording {
        Some((since, edition)) if edition == current.edition => Some(since),
        _ => Some(current.published_at).filter(|at| *at > Timestamp::UNIX_EPOCH),
    })
}

/// All that is known, as far as it is told.
pub(super) fn recorded(data: &dyn Reading, source: Source) -> Result<Recorded> {
    let current = CurrentEdition::of(data, source)?;
    if current.sample || current.edition == Edition(0) || !is_recorded(source) {
        return Ok(Recorded::default());
    }
    let mut since = since(data, source, current)?;
    let mut rows = data.rows(sql::REVISIONS, values![source.name(), REVISIONS_TOLD + 1], revision)?;
    if let Some(untold) = rows.get(REVISIONS_TOLD) {
        since = since.max(Some(untold.at));
        rows.truncate(REVISIONS_TOLD);
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
