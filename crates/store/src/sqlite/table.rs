//! The tables of published rows: which one a source lives in, and how its rows go in and come out.

use lastro_model::{
    Cnpj, Company, CompanyId, Day, Filing, FilingId, FxQuote, Pair, RatePoint, Records, Source,
};
use rusqlite::{CachedStatement, Row, Rows, ToSql, Transaction, params};

use super::announce::News;
use super::change_log::MOST_CHANGES;
use super::column;
use crate::sql::{self, Upsert, Whole};
use crate::{Result, StoreError, row_json};

pub(super) fn whole(source: Source) -> Whole {
    match source {
        Source::Series(_) => sql::RATES,
        Source::Fx => sql::FX_QUOTES,
        Source::Companies => sql::COMPANIES,
        Source::Filings => sql::FILINGS,
    }
}

/// The parameter of a source's [`Whole`] statements: the series, where one table holds several.
pub(super) fn scope(source: Source) -> Option<&'static str> {
    matches!(source, Source::Series(_)).then(|| source.name())
}

/// What became of the rows of a publication so far.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) added: u64,
    pub(super) changed: u64,
    /// The filings among them; nothing if they are too many to write down.
    pub(super) filings: Option<Vec<FilingId>>,
    /// The latest day that a filing was written with, changed or not, and which one.
    pub(super) newest_filing: Option<(Day, FilingId)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { added: 0, changed: 0, filings: Some(Vec::new()), newest_filing: None }
    }
}

impl Tally {
    pub(super) fn is_empty(&self) -> bool {
        self.added == 0 && self.changed == 0
    }

    pub(super) fn write(
        &mut self,
        to: &Transaction<'_>,
        source: Source,
        records: &Records,
        news: &mut News<'_>,
    ) -> Result<()> {
        match (source, records) {
            (Source::Series(_), Records::Rates(rows)) => self.rates(to, source.name(), rows, news),
            (Source::Fx, Records::Fx(rows)) => self.fx(to, rows, news),
            (Source::Companies, Records::Companies(rows)) => self.companies(to, rows, news),
            (Source::Filings, Records::Filings(rows)) => self.filings(to, rows, news),
            _ => Err(StoreError::Misplaced { source_name: source.name() }),
        }
    }

    fn rates(
        &mut self,
        to: &Transaction<'_>,
        series: &str,
        rows: &[RatePoint],
        news: &mut News<'_>,
    ) -> Result<()> {
        let mut table = Table::of(to, sql::RATE)?;
        for row in rows {
            let put = self.put(&mut table, params![row.value.to_string(), series, row.day.number()])?;
            news.note(put, || row_json::rate(row))?;
        }
        Ok(())
    }

    fn fx(&mut self, to: &Transaction<'_>, rows: &[FxQuote], news: &mut News<'_>) -> Result<()> {
        let mut table = Table::of(to, sql::FX)?;
        for row in rows {
            let (buy, sell, pair) = (row.buy.to_string(), row.sell.to_string(), row.pair.to_string());
            let put = self.put(&mut table, params![buy, sell, pair, row.day.number()])?;
            news.note(put, || row_json::quote(row))?;
        }
        Ok(())
    }

    fn companies(&mut self, to: &Transaction<'_>, rows: &[Company], news: &mut News<'_>) -> Result<()> {
        let mut table = Table::of(to, sql::COMPANY)?;
        for row in rows {
            let values = params![
                row.name,
                row.cnpj.compact(),
                row.status,
                row.sector,
                row.trading_name,
                row.registered_on.map(Day::number),
                row.id.0
            ];
            let put = self.put(&mut table, values)?;
            news.note(put, || row_json::company(row))?;
        }
        Ok(())
    }

    fn filings(&mut self, to: &Transaction<'_>, rows: &[Filing], news: &mut News<'_>) -> Result<()> {
        let mut table = Table::of(to, sql::FILING)?;
        for row in rows {
            let values = params![
                row.company_id.0,
                row.company_name,
                row.category,
                row.kind,
                row.delivered_on.number(),
                row.reference_day.map(Day::number),
                row.description,
                row.version,
                row.url,
                row.id.to_string()
            ];
            let put = self.put(&mut table, values)?;
            news.note(put, || row_json::filing(row))?;
            self.note_filing(put, row.id);
            self.newest_filing = self.newest_filing.max(Some((row.delivered_on, row.id)));
        }
        Ok(())
    }

    fn note_filing(&mut self, put: Put, id: FilingId) {
        let changed = put != Put::Known;
        if let Some(filings) = self.filings.as_mut().filter(|_| changed) {
            filings.push(id);
        }
        self.filings.take_if(|filings| filings.len() > MOST_CHANGES);
    }

    /// The second statement runs only for a row that exists: the first filling of a table pays for one alone.
    fn put(&mut self, table: &mut Table<'_>, values: &[&dyn ToSql]) -> Result<Put> {
        if table.insert.execute(values)? > 0 {
            self.added += 1;
            Ok(Put::Added)
        } else if table.update.execute(values)? > 0 {
            self.changed += 1;
            Ok(Put::Changed)
        } else {
            Ok(Put::Known)
        }
    }
}

/// What became of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    Added,
    Changed,
    /// It was there as it is.
    Known,
}

/// The two statements of an upsert, ready for a batch of rows.
struct Table<'t> {
    insert: CachedStatement<'t>,
    update: CachedStatement<'t>,
}

impl<'t> Table<'t> {
    fn of(transaction: &'t Transaction<'_>, upsert: Upsert) -> Result<Self> {
        Ok(Self {
            insert: transaction.prepare_cached(upsert.insert)?,
            update: transaction.prepare_cached(upsert.update)?,
        })
    }
}

/// Hands the rows of a source on in batches of `size` until `accept` says that it wants no more.
pub(super) fn read_batches(
    source: Source,
    rows: Rows<'_>,
    size: usize,
    accept: impl FnMut(Records) -> bool,
) -> Result<()> {
    match source {
        Source::Series(_) => batches(rows, size, rate, Records::Rates, accept),
        Source::Fx => batches(rows, size, quote, Records::Fx, accept),
        Source::Companies => batches(rows, size, company, Records::Companies, accept),
        Source::Filings => batches(rows, size, filing, Records::Filings, accept),
    }
}

fn batches<T>(
    mut rows: Rows<'_>,
    size: usize,
    read: impl Fn(&Row<'_>) -> Result<T>,
    wrap: impl Fn(Vec<T>) -> Records,
    mut accept: impl FnMut(Records) -> bool,
) -> Result<()> {
    let mut batch = Vec::new();
    while let Some(row) = rows.next()? {
        batch.push(read(row)?);
        if batch.len() == size && !accept(wrap(std::mem::take(&mut batch))) {
            return Ok(());
        }
    }
    if !batch.is_empty() {
        accept(wrap(batch));
    }
    Ok(())
}

fn rate(row: &Row<'_>) -> Result<RatePoint> {
    Ok(RatePoint { day: column::day(row, 0)?, value: column::decimal(row, 1)? })
}

fn quote(row: &Row<'_>) -> Result<FxQuote> {
    Ok(FxQuote {
        day: column::day(row, 0)?,
        pair: column::parsed(row, 1, Pair::parse)?,
        buy: column::decimal(row, 2)?,
        sell: column::decimal(row, 3)?,
    })
}

fn company(row: &Row<'_>) -> Result<Company> {
    Ok(Company {
        id: CompanyId(column::number(row, 0)?),
        name: column::string(row, 1)?,
        cnpj: column::parsed(row, 2, Cnpj::parse)?,
        status: column::string(row, 3)?,
        sector: column::optional_string(row, 4)?,
        trading_name: column::optional_string(row, 5)?,
        registered_on: column::optional_day(row, 6)?,
    })
}

fn filing(row: &Row<'_>) -> Result<Filing> {
    Ok(Filing {
        id: column::parsed(row, 0, FilingId::parse)?,
        company_id: CompanyId(column::number(row, 1)?),
        company_name: column::string(row, 2)?,
        category: column::string(row, 3)?,
        kind: column::optional_string(row, 4)?,
        delivered_on: column::day(row, 5)?,
        reference_day: column::optional_day(row, 6)?,
        description: column::string(row, 7)?,
        version: column::number(row, 8)?,
        url: column::string(row, 9)?,
    })
}
