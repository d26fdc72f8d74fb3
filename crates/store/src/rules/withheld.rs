//! Withheld points, which are not yet trusted. They are written in the publication's transaction.

use lastro_model::{FxQuote, Pair, Point, RatePoint, Source, Withheld};

use crate::transaction::{Query, Reading, Row, Transaction, values};
use crate::{Result, sql};

/// Replaces the withheld points of the source.
pub(super) fn replace(data: &dyn Transaction, source: Source, points: &[Withheld]) -> Result<()> {
    data.execute(sql::FORGET_WITHHELD, values![source.name()])?;
    for Withheld { point, first_seen, reason } in points {
        let (value, sell) = match point {
            Point::Rate(rate) => (rate.value, None),
            Point::Quote(quote) => (quote.buy, Some(quote.sell)),
        };
        let pair = point.pair().map(|pair| pair.to_string()).unwrap_or_default();
        let values = values![source.name(), pair, point.day(), value, sell, *first_seen, reason];
        data.execute(sql::INSERT_WITHHELD, values)?;
    }
    Ok(())
}

pub(super) fn newest(data: &dyn Reading, source: Source, limit: usize) -> Result<Vec<Withheld>> {
    data.rows(sql::WITHHELD, values![source.name(), limit], withheld)
}

fn withheld(row: &dyn Row) -> Result<Withheld> {
    Ok(Withheld { point: point(row)?, first_seen: row.time(4)?, reason: row.string(5)? })
}

fn point(row: &dyn Row) -> Result<Point> {
    let (day, value) = (row.day(1)?, row.decimal(2)?);
    if row.text(0)?.is_empty() {
        return Ok(RatePoint { day, value }.into());
    }
    let (pair, sell) = (row.parsed(0, Pair::parse)?, row.decimal(3)?);
    Ok(FxQuote { day, pair, buy: value, sell }.into())
}
