//! Points that are not believed yet, in SQLite. They are written by a publication, in its transaction.

use lastro_model::{FxQuote, Pair, Point, RatePoint, Source, Withheld};
use rusqlite::{Connection, Row, Transaction, params};

use super::column::{self, stored_count};
use crate::{Result, sql};

/// Forgets what was withheld of the source, and remembers these points.
pub(super) fn replace(transaction: &Transaction<'_>, source: Source, points: &[Withheld]) -> Result<()> {
    transaction.execute(sql::FORGET_WITHHELD, [source.name()])?;
    let mut statement = transaction.prepare_cached(sql::INSERT_WITHHELD)?;
    for Withheld { point, first_seen, reason } in points {
        let (value, sell) = match point {
            Point::Rate(rate) => (rate.value.to_string(), None),
            Point::Quote(quote) => (quote.buy.to_string(), Some(quote.sell.to_string())),
        };
        let pair = point.pair().map(|pair| pair.to_string()).unwrap_or_default();
        let (day, first_seen) = (point.day().number(), first_seen.as_millisecond());
        statement.execute(params![source.name(), pair, day, value, sell, first_seen, reason])?;
    }
    Ok(())
}

pub(super) fn newest(connection: &Connection, source: Source, limit: usize) -> Result<Vec<Withheld>> {
    let bounds = params![source.name(), stored_count(limit as u64)];
    connection.prepare_cached(sql::WITHHELD)?.query_and_then(bounds, withheld)?.collect()
}

fn withheld(row: &Row<'_>) -> Result<Withheld> {
    Ok(Withheld { point: point(row)?, first_seen: column::time(row, 4)?, reason: column::string(row, 5)? })
}

fn point(row: &Row<'_>) -> Result<Point> {
    let (day, value) = (column::day(row, 1)?, column::decimal(row, 2)?);
    if column::text(row, 0)?.is_empty() {
        return Ok(RatePoint { day, value }.into());
    }
    let (pair, sell) = (column::parsed(row, 0, Pair::parse)?, column::decimal(row, 3)?);
    Ok(FxQuote { day, pair, buy: value, sell }.into())
}
