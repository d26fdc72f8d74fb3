//! PTAX, the reference exchange rates of the Banco Central do Brasil, from its OData service Olinda.
//!
//! `CotacaoMoedaPeriodo` lists bulletins: `cotacaoCompra` (buy) and `cotacaoVenda` (sell) in reais per unit, as JSON
//! numbers with up to five decimals; `dataHoraCotacao`, Brasília time with one to six digits after the second;
//! `tipoBoletim`. A normal day has five: `Abertura`, three `Intermediário` and `Fechamento`, the official rate.
//! `Moedas` lists the currencies (`simbolo`).
//!
//! Known faults, all seen in real responses:
//! - The first row of a day is the opening. Only the closing counts, and its label was `Fechamento PTAX` in old years.
//! - Until about 13:10 today has no closing; that is no error.
//! - A weekend, a holiday and an unknown currency give the same empty list with status 200.
//! - `CotacaoMoedaPeriodoFechamento` drops the first day of its window: it is not used.
//! - Days in the query are MM-DD-YYYY; a space must be `%20`, because a `+` is read as an operator.
//! - Outages are 5xx or HTML pages, for hours.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::civil::Time;
use lastro_model::{Currency, Day, FxQuote, Pair};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::request::{Request, calendar_years};
use crate::{Answer, Fault, Reading, number};

pub const OFFICIAL_BASE: &str = "https://olinda.bcb.gov.br";

const SERVICE: &str = "/olinda/servico/PTAX/versao/v1/odata";

/// The first day of the real. Earlier rates are in other currencies and are left out.
pub fn first_day() -> Day {
    Day::from(jiff::civil::date(1994, 7, 1))
}

/// The request for the list of currencies.
pub fn currencies(base: &str) -> Request {
    Request::new(base, &format!("{SERVICE}/Moedas?$format=json"), "list of currencies".to_owned())
}

/// Splits these days into requests of a calendar year each: about 1,250 bulletins a currency.
pub fn windows(from: Day, to: Day) -> Vec<(Day, Day)> {
    calendar_years(from.max(first_day()), to)
}

/// The request for all bulletins of these days, both included, oldest first.
pub fn period(base: &str, currency: Currency, from: Day, to: Day) -> Request {
    let from = from.max(first_day());
    let path = format!(
        "{SERVICE}/CotacaoMoedaPeriodo(moeda=@m,dataInicial=@i,dataFinalCotacao=@f)\
         ?@m='{currency}'&@i='{}'&@f='{}'&$format=json&$orderby=dataHoraCotacao%20asc",
        month_first(from),
        month_first(to)
    );
    Request::new(base, &path, format!("{currency} from {from} to {to}"))
}

fn month_first(day: Day) -> String {
    format!("{:02}-{:02}-{:04}", day.month(), day.day_of_month(), day.year())
}

/// Parses a response to [`currencies`]. An empty list is an error.
pub fn read_currencies(answer: &Answer<'_>) -> Result<Reading<Currency>, Fault> {
    #[derive(Deserialize)]
    struct PublishedCurrency<'a> {
        #[serde(borrow)]
        simbolo: Cow<'a, str>,
    }
    let mut reading = Reading::default();
    for (place, item) in (1..).zip(items(answer)?) {
        let symbol = serde_json::from_str::<PublishedCurrency<'_>>(item.get()).ok();
        match symbol.and_then(|item| Currency::parse(&item.simbolo).ok()) {
            Some(currency) => reading.rows.push(currency),
            None => {
                reading.reject(
                    answer.file,
                    place,
                    "simbolo is not a currency of three letters".to_owned(),
                )?;
            }
        }
    }
    if reading.rows.is_empty() {
        return Err(Fault::NotData(format!("{}: the list of currencies has none", answer.file)));
    }
    reading.rows.sort_unstable();
    reading.rows.dedup();
    Ok(reading)
}

/// Parses a response to [`period`] for the days `asked`: the closing of each day that has one, in order of days.
pub fn read(currency: Currency, asked: (Day, Day), answer: &Answer<'_>) -> Result<Reading<FxQuote>, Fault> {
    let mut reading = Reading::default();
    let mut closings: BTreeMap<Day, (Time, FxQuote)> = BTreeMap::new();
    for (place, item) in (1..).zip(items(answer)?) {
        match closing(currency, item) {
            Ok(Some((time, quote))) => {
                refuse_outside(answer.file, asked, quote.day)?;
                let last = closings.entry(quote.day).or_insert((time, quote));
                if time >= last.0 {
                    *last = (time, quote);
                }
            }
            Ok(None) => {}
            Err(reason) => reading.reject(answer.file, place, reason.to_owned())?,
        }
    }
    reading.rows = closings.into_values().map(|(_, quote)| quote).collect();
    Ok(reading)
}

fn refuse_outside(file: &str, (from, to): (Day, Day), day: Day) -> Result<(), Fault> {
    if day < from || day > to {
        return Err(Fault::NotData(format!("{file}: has {day}, a day that was not asked for")));
    }
    Ok(())
}

#[derive(Deserialize)]
struct Listing<'a> {
    #[serde(borrow)]
    value: Vec<&'a RawValue>,
}

fn items<'a>(answer: &Answer<'a>) -> Result<Vec<&'a RawValue>, Fault> {
    if answer.status == 400 {
        return Err(Fault::Internal(format!(
            "{}: the publisher refuses the question (status 400)",
            answer.file
        )));
    }
    if answer.status != 200 {
        return Err(Fault::Transient(answer.in_place_of_data()));
    }
    serde_json::from_slice::<Listing<'a>>(answer.body)
        .map(|listing| listing.value)
        .map_err(|_| Fault::Transient(answer.in_place_of_data()))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bulletin<'a> {
    #[serde(borrow)]
    cotacao_compra: &'a RawValue,
    #[serde(borrow)]
    cotacao_venda: &'a RawValue,
    #[serde(borrow)]
    data_hora_cotacao: Cow<'a, str>,
    #[serde(borrow)]
    tipo_boletim: Cow<'a, str>,
}

/// The quote of a closing in reais, with its time; `None` for other bulletins and other currencies of the country.
fn closing(currency: Currency, item: &RawValue) -> Result<Option<(Time, FxQuote)>, &'static str> {
    let bulletin: Bulletin<'_> =
        serde_json::from_str(item.get()).map_err(|_| "not a bulletin with its four members")?;
    if !bulletin.tipo_boletim.trim_start().starts_with("Fechamento") {
        return Ok(None);
    }
    let (day, time) = moment(&bulletin.data_hora_cotacao)
        .ok_or("dataHoraCotacao is not a day and a time, YYYY-MM-DD HH:MM:SS.f")?;
    if day < first_day() {
        return Ok(None);
    }
    let buy = rate(bulletin.cotacao_compra).ok_or("cotacaoCompra is not a positive number")?;
    let sell = rate(bulletin.cotacao_venda).ok_or("cotacaoVenda is not a positive number")?;
    if sell < buy / Decimal::TWO || buy < sell / Decimal::TWO {
        return Err("cotacaoCompra and cotacaoVenda are too far apart to be of one bulletin");
    }
    Ok(Some((time, FxQuote { day, pair: Pair::in_reais(currency), buy, sell })))
}

fn moment(text: &str) -> Option<(Day, Time)> {
    let (day, time) = text.split_once(' ')?;
    let digits_and_marks = time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let time = time.parse().ok().filter(|_| digits_and_marks && time.len() >= 8)?;
    Some((Day::parse(day).ok()?, time))
}

/// Parses the number as written: a float would lose its last digits and trailing zeros.
fn rate(value: &RawValue) -> Option<Decimal> {
    number::exact(value.get()).filter(|rate| *rate > Decimal::ZERO)
}
