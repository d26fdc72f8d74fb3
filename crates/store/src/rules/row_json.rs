//! Rows in announcements: each a JSON array of values, in the order of the table's columns.

use lastro_model::{
    Cnpj, Company, CompanyId, Day, Decimal, Filing, FilingId, FormerName, FxQuote, Pair, RatePoint, Records,
    Source, Ticker, TradedSecurity,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::table::Table;
use crate::{Result, StoreError};

pub(super) fn rate(row: &RatePoint) -> Result<String> {
    text(&(row.day.number(), row.value.to_string()))
}

pub(super) fn quote(row: &FxQuote) -> Result<String> {
    text(&(row.day.number(), row.pair.to_string(), row.buy.to_string(), row.sell.to_string()))
}

pub(super) fn company(row: &Company) -> Result<String> {
    text(&(
        row.id.0,
        &row.name,
        row.cnpj.to_string(),
        &row.status,
        &row.sector,
        &row.trading_name,
        row.registered_on.map(Day::number),
    ))
}

pub(super) fn filing(row: &Filing) -> Result<String> {
    text(&(
        row.id.to_string(),
        row.company_id.0,
        &row.company_name,
        &row.category,
        &row.kind,
        row.delivered_on.number(),
        row.reference_day.map(Day::number),
        &row.description,
        row.version,
        &row.url,
    ))
}

pub(super) fn traded_security(row: &TradedSecurity) -> Result<String> {
    text(&(
        row.ticker.to_string(),
        row.company_id.0,
        &row.kind,
        &row.class,
        &row.segment,
        row.trading_from.map(Day::number),
        row.trading_to.map(Day::number),
        row.reference_day.number(),
        row.version,
    ))
}

pub(super) fn former_name(row: &FormerName) -> Result<String> {
    text(&(row.company_id.0, &row.name, row.until.number()))
}

pub(super) fn texts(texts: &[String]) -> Result<String> {
    text(&texts)
}

fn text(row: &impl Serialize) -> Result<String> {
    serde_json::to_string(row)
        .map_err(|_| StoreError::Backend("a row could not be written down for an announcement".to_owned()))
}

/// Reads a list of rows written by the functions above.
pub(super) fn read(source: Source, list: &str) -> Result<Records> {
    match Table::of(source) {
        Table::Rates => rows(list, read_rate).map(Records::Rates),
        Table::Fx => rows(list, read_quote).map(Records::Fx),
        Table::Companies => rows(list, read_company).map(Records::Companies),
        Table::Filings => rows(list, read_filing).map(Records::Filings),
        Table::TradedSecurities => rows(list, read_traded_security).map(Records::Tickers),
    }
}

fn rows<T: DeserializeOwned, R>(list: &str, read: impl Fn(T) -> Option<R>) -> Result<Vec<R>> {
    let damaged = || StoreError::damaged("an announcement cannot be read");
    let values: Vec<T> = serde_json::from_str(list).map_err(|_| damaged())?;
    values.into_iter().map(read).collect::<Option<_>>().ok_or_else(damaged)
}

fn decimal(text: &str) -> Option<Decimal> {
    text.parse().ok()
}

fn read_rate((day, value): (i32, String)) -> Option<RatePoint> {
    Some(RatePoint { day: Day::from_number(day)?, value: decimal(&value)? })
}

fn read_quote((day, pair, buy, sell): (i32, String, String, String)) -> Option<FxQuote> {
    Some(FxQuote {
        day: Day::from_number(day)?,
        pair: Pair::parse(&pair).ok()?,
        buy: decimal(&buy)?,
        sell: decimal(&sell)?,
    })
}

type CompanyRow = (u32, String, String, String, Option<String>, Option<String>, Option<i32>);

fn read_company(
    (id, name, cnpj, status, sector, trading_name, registered_on): CompanyRow,
) -> Option<Company> {
    Some(Company {
        id: CompanyId(id),
        name,
        cnpj: Cnpj::parse(&cnpj).ok()?,
        status,
        sector,
        trading_name,
        registered_on: optional_day(registered_on)?,
    })
}

type FilingRow = (String, u32, String, String, Option<String>, i32, Option<i32>, String, u16, String);

fn read_filing(row: FilingRow) -> Option<Filing> {
    let (id, company, company_name, category, kind, delivered, reference, description, version, url) = row;
    Some(Filing {
        id: FilingId::parse(&id).ok()?,
        company_id: CompanyId(company),
        company_name,
        category,
        kind,
        delivered_on: Day::from_number(delivered)?,
        reference_day: optional_day(reference)?,
        description,
        version,
        url,
    })
}

type TradedSecurityRow =
    (String, u32, String, Option<String>, Option<String>, Option<i32>, Option<i32>, i32, u16);

fn read_traded_security(row: TradedSecurityRow) -> Option<TradedSecurity> {
    let (ticker, company, kind, class, segment, trading_from, trading_to, reference, version) = row;
    Some(TradedSecurity {
        ticker: Ticker::parse(&ticker).ok()?,
        company_id: CompanyId(company),
        kind,
        class,
        segment,
        trading_from: optional_day(trading_from)?,
        trading_to: optional_day(trading_to)?,
        reference_day: Day::from_number(reference)?,
        version,
    })
}

/// The outer option is `None` if the day is invalid.
fn optional_day(number: Option<i32>) -> Option<Option<Day>> {
    match number {
        None => Some(None),
        Some(number) => Day::from_number(number).map(Some),
    }
}
