//! The central bank's exchange rates: requests, closings among other bulletins, and errors.

use lastro_model::{Currency, FxQuote};
use lastro_sources::{Fault, Reading, ptax};

use crate::fixture::{answer, bytes, day, kind};

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn read_in(from: &str, to: &str, name: &str) -> Result<Reading<FxQuote>, Fault> {
    ptax::read(currency("USD"), (day(from), day(to)), &answer(200, &bytes(name)))
}

fn read(name: &str) -> Result<Reading<FxQuote>, Fault> {
    read_in("2024-03-01", "2024-03-31", name)
}

fn texts(reading: &Reading<FxQuote>) -> Vec<String> {
    reading.rows.iter().map(|quote| format!("{} {} {}", quote.day, quote.buy, quote.sell)).collect()
}

#[test]
fn request_urls_have_month_first_and_no_plus() {
    let request = ptax::period(ptax::OFFICIAL_BASE, currency("EUR"), day("2026-09-03"), day("2026-09-06"));
    assert_eq!(
        request.url,
        "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/\
         CotacaoMoedaPeriodo(moeda=@m,dataInicial=@i,dataFinalCotacao=@f)\
         ?@m='EUR'&@i='09-03-2026'&@f='09-06-2026'&$format=json&$orderby=dataHoraCotacao%20asc"
    );
    assert!(!request.url.contains(['+', ' ']));
    assert_eq!(request.what, "EUR from 2026-09-03 to 2026-09-06");
    let early = ptax::period("http://127.0.0.1:1", currency("EUR"), day("1980-01-01"), day("1995-01-01"));
    assert!(early.url.contains("@i='07-01-1994'"), "{}", early.url);
    let list = ptax::currencies("http://127.0.0.1:1/");
    assert_eq!(list.url, "http://127.0.0.1:1/olinda/servico/PTAX/versao/v1/odata/Moedas?$format=json");
}

#[test]
fn only_the_closing_of_a_day_is_taken_with_all_its_decimals() {
    let reading = read("ptax/five_bulletins_a_day.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-07 5.02510 5.02570", "2024-03-08 5.12500 5.12560"]);
    assert!(reading.rejects.is_empty());
    assert_eq!(reading.rows[0].pair.to_string(), "USD/BRL");
}

#[test]
fn old_closing_label_counts_and_other_currencies_do_not() {
    let reading = read_in("1994-06-01", "1994-07-31", "ptax/closing_label_of_1994.json").unwrap();
    assert_eq!(texts(&reading), ["1994-07-05 0.9310 0.9330"]);
    assert!(reading.rejects.is_empty());
}

#[test]
fn a_weekend_is_empty_and_a_morning_has_no_closing() {
    assert_eq!(read("ptax/empty.json"), Ok(Reading::default()));
    let reading = read("ptax/no_closing_yet.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-07 5.02510 5.02570"]);
    assert!(reading.rejects.is_empty());
}

#[test]
fn the_yen_keeps_its_five_decimals() {
    let reading = read("ptax/five_decimals_of_the_yen.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-07 0.03368 0.03369", "2024-03-08 0.03370 0.03371"]);
}

#[test]
fn later_of_two_closings_counts() {
    assert_eq!(texts(&read("ptax/two_closings_a_day.json").unwrap()), ["2024-03-07 5.02600 5.02660"]);
}

#[test]
fn implausible_closings_are_rejected() {
    let reading = read("ptax/implausible_rates.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-11 5.02510 5.02570"]);
    let rejects: Vec<_> =
        reading.rejects.iter().map(|reject| (reject.line, reject.reason.as_str())).collect();
    let apart = "cotacaoCompra and cotacaoVenda are too far apart to be of one bulletin";
    assert_eq!(
        rejects,
        [
            (1, "cotacaoCompra is not a positive number"),
            (2, "cotacaoVenda is not a positive number"),
            (3, apart),
            (4, "cotacaoCompra is not a positive number"),
            (5, apart),
            (6, "dataHoraCotacao is not a day and a time, YYYY-MM-DD HH:MM:SS.f"),
            (8, "cotacaoCompra is not a positive number"),
        ]
    );
}

#[test]
fn rows_of_another_endpoint_are_rejected() {
    let reading = read("ptax/rows_without_type.json").unwrap();
    assert!(reading.rows.is_empty());
    assert_eq!(reading.rejects.len(), 1);
}

#[test]
fn unrequested_days_are_not_data() {
    let fault = read_in("2024-07-01", "2024-08-31", "ptax/five_bulletins_a_day.json").unwrap_err();
    assert_eq!(fault, Fault::NotData("answer: has 2024-03-07, a day that was not asked for".to_owned()));
}

#[test]
fn currencies_are_listed_in_order_and_a_bad_symbol_is_rejected() {
    let list = |name| ptax::read_currencies(&answer(200, &bytes(name)));
    assert_eq!(list("ptax/currencies.json").unwrap().rows, ["CHF", "EUR", "JPY"].map(currency));
    let reading = list("ptax/currency_without_symbol.json").unwrap();
    assert_eq!(reading.rows, [currency("EUR")]);
    assert_eq!(reading.rejects.iter().map(|reject| reject.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(kind(&list("ptax/empty.json").unwrap_err()), "not data");
}

#[test]
fn errors_are_told_apart() {
    let fault = |status, name| {
        let body = bytes(name);
        let asked = (day("2024-03-01"), day("2024-03-31"));
        kind(&ptax::read(currency("USD"), asked, &answer(status, &body)).unwrap_err())
    };
    assert_eq!(fault(400, "ptax/error_400.json"), "ours");
    for (status, name) in [
        (200, "ptax/error_400.json"),
        (200, "error_page.html"),
        (502, "error_page.html"),
        (500, "ptax/empty.json"),
        (429, "ptax/empty.json"),
        (200, "sgs/error_200_empty_object.json"),
        (200, "sgs/calendar_days_with_fixed_scale.json"),
        (200, "cvm/cad_empty.csv"),
    ] {
        assert_eq!(fault(status, name), "transient", "{status} {name}");
    }
}
