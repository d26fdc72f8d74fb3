//! The tables of published rows: the table of each source, and the conversion of its rows.

use lastro_model::{
    Cnpj, Company, CompanyId, Filing, FilingId, FormerName, FxQuote, History, Pair, Point, RatePoint, Source,
    Ticker, TradedSecurity,
};

use super::row_json;
use crate::Result;
use crate::sql::{self, Upsert, Whole};
use crate::transaction::{Row, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// The rates of all series.
    Rates,
    Fx,
    Companies,
    Filings,
    TradedSecurities,
}

impl Table {
    pub(super) fn of(source: Source) -> Self {
        match source {
            Source::Series(_) => Self::Rates,
            Source::Fx => Self::Fx,
            Source::Companies => Self::Companies,
            Source::Filings => Self::Filings,
            Source::Tickers => Self::TradedSecurities,
        }
    }
}

pub(super) fn whole(source: Source) -> Whole {
    match Table::of(source) {
        Table::Rates => sql::RATES,
        Table::Fx => sql::FX_QUOTES,
        Table::Companies => sql::COMPANIES,
        Table::Filings => sql::FILINGS,
        Table::TradedSecurities => sql::TRADED_SECURITIES,
    }
}

/// The statements for rows that a source has beside those of its table. They are published with them, and are not
/// counted in the source's extent: programs of earlier versions do not know them.
pub(super) fn beside(source: Source) -> Option<Whole> {
    (source == Source::Tickers).then_some(sql::FORMER_NAMES)
}

/// The parameter of a source's [`Whole`] statements: the series, if one table holds several.
pub(super) fn scope(source: Source) -> Option<Value<'static>> {
    (Table::of(source) == Table::Rates).then(|| source.name().into())
}

/// A row of one of the tables.
pub(super) trait StoredRow: Sized {
    const UPSERT: Upsert;

    /// The values of [`StoredRow::UPSERT`], without the row's history.
    fn put_values<'a>(&'a self, source: Source, to: &mut Vec<Value<'a>>);

    /// The row's JSON in an announcement.
    fn json(&self) -> Result<String>;

    fn read(row: &dyn Row) -> Result<Self>;

    /// The column of the time at which a stored row was first seen; that of its withdrawal follows.
    const HISTORY: Option<usize> = None;

    /// The row as a point, if its changes are recorded.
    fn point(&self) -> Option<Point> {
        None
    }
}

/// Reads the history of a stored row.
pub(super) fn history<R: StoredRow>(row: &dyn Row) -> Result<History> {
    let Some(column) = R::HISTORY else { return Ok(History::default()) };
    Ok(History { first_seen: row.optional_time(column)?, withdrawn: row.optional_time(column + 1)? })
}

impl StoredRow for RatePoint {
    const UPSERT: Upsert = sql::RATE;

    fn put_values<'a>(&'a self, source: Source, to: &mut Vec<Value<'a>>) {
        to.extend([self.value.into(), source.name().into(), self.day.into()]);
    }

    fn json(&self) -> Result<String> {
        row_json::rate(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self { day: row.day(0)?, value: row.decimal(1)? })
    }

    fn point(&self) -> Option<Point> {
        Some((*self).into())
    }
}

impl StoredRow for FxQuote {
    const UPSERT: Upsert = sql::FX;

    fn put_values<'a>(&'a self, _: Source, to: &mut Vec<Value<'a>>) {
        to.extend([self.buy.into(), self.sell.into(), self.pair.to_string().into(), self.day.into()]);
    }

    fn json(&self) -> Result<String> {
        row_json::quote(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            day: row.day(0)?,
            pair: row.parsed(1, Pair::parse)?,
            buy: row.decimal(2)?,
            sell: row.decimal(3)?,
        })
    }

    fn point(&self) -> Option<Point> {
        Some((*self).into())
    }
}

impl StoredRow for Company {
    const UPSERT: Upsert = sql::COMPANY;
    const HISTORY: Option<usize> = Some(7);

    fn put_values<'a>(&'a self, _: Source, to: &mut Vec<Value<'a>>) {
        to.extend([
            (&self.name).into(),
            self.cnpj.compact().into(),
            (&self.status).into(),
            (&self.sector).into(),
            (&self.trading_name).into(),
            self.registered_on.into(),
            self.id.0.into(),
        ]);
    }

    fn json(&self) -> Result<String> {
        row_json::company(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            id: CompanyId(row.number(0)?),
            name: row.string(1)?,
            cnpj: row.parsed(2, Cnpj::parse)?,
            status: row.string(3)?,
            sector: row.optional_string(4)?,
            trading_name: row.optional_string(5)?,
            registered_on: row.optional_day(6)?,
        })
    }
}

impl StoredRow for Filing {
    const UPSERT: Upsert = sql::FILING;
    const HISTORY: Option<usize> = Some(10);

    fn put_values<'a>(&'a self, _: Source, to: &mut Vec<Value<'a>>) {
        to.extend([
            self.company_id.0.into(),
            (&self.company_name).into(),
            (&self.category).into(),
            (&self.kind).into(),
            self.delivered_on.into(),
            self.reference_day.into(),
            (&self.description).into(),
            self.version.into(),
            (&self.url).into(),
            self.id.into(),
        ]);
    }

    fn json(&self) -> Result<String> {
        row_json::filing(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            id: row.parsed(0, FilingId::parse)?,
            company_id: CompanyId(row.number(1)?),
            company_name: row.string(2)?,
            category: row.string(3)?,
            kind: row.optional_string(4)?,
            delivered_on: row.day(5)?,
            reference_day: row.optional_day(6)?,
            description: row.string(7)?,
            version: row.number(8)?,
            url: row.string(9)?,
        })
    }
}

impl StoredRow for TradedSecurity {
    const UPSERT: Upsert = sql::TRADED_SECURITY;

    fn put_values<'a>(&'a self, _: Source, to: &mut Vec<Value<'a>>) {
        to.extend([
            (&self.kind).into(),
            (&self.class).into(),
            (&self.segment).into(),
            self.trading_from.into(),
            self.trading_to.into(),
            self.reference_day.into(),
            self.version.into(),
            self.ticker.to_string().into(),
            self.company_id.0.into(),
        ]);
    }

    fn json(&self) -> Result<String> {
        row_json::traded_security(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            ticker: row.parsed(0, Ticker::parse)?,
            company_id: CompanyId(row.number(1)?),
            kind: row.string(2)?,
            class: row.optional_string(3)?,
            segment: row.optional_string(4)?,
            trading_from: row.optional_day(5)?,
            trading_to: row.optional_day(6)?,
            reference_day: row.day(7)?,
            version: row.number(8)?,
        })
    }
}

impl StoredRow for FormerName {
    const UPSERT: Upsert = sql::FORMER_NAME;

    fn put_values<'a>(&'a self, _: Source, to: &mut Vec<Value<'a>>) {
        to.extend([self.until.into(), self.company_id.0.into(), (&self.name).into()]);
    }

    fn json(&self) -> Result<String> {
        row_json::former_name(self)
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self { company_id: CompanyId(row.number(0)?), name: row.string(1)?, until: row.day(2)? })
    }
}
