//! Exchange rates derived from two others.

use lastro_calc::{Legs, cross, inverse};
use lastro_model::{FxQuote, Pair};

use crate::{day, number};

fn pair(text: &str) -> Pair {
    Pair::parse(text).unwrap()
}

fn quote(text: &str, buy: &str, sell: &str) -> FxQuote {
    FxQuote { day: day("2024-06-28"), pair: pair(text), buy: number(buy), sell: number(sell) }
}

#[test]
fn a_pair_is_published_or_made_of_legs() {
    assert_eq!(Legs::of(pair("USD/BRL")), None);
    assert_eq!((Legs::of(pair("USD/USD")), Legs::of(pair("BRL/BRL"))), (None, None));
    assert_eq!(Legs::of(pair("BRL/USD")).unwrap().pairs(), [pair("USD/BRL")]);
    assert_eq!(Legs::of(pair("EUR/USD")).unwrap().pairs(), [pair("EUR/BRL"), pair("USD/BRL")]);
}

#[test]
fn cross_rate_divides_buy_by_sell() {
    let (euro, dollar) = (quote("EUR/BRL", "5.9540", "5.9562"), quote("USD/BRL", "5.5583", "5.5589"));
    let made = cross(&euro, &dollar).unwrap();
    assert_eq!((made.pair, made.day), (pair("EUR/USD"), day("2024-06-28")));
    assert_eq!(
        (made.buy.to_string(), made.sell.to_string()),
        ("1.0710752".to_owned(), "1.0715866".to_owned())
    );
    let real = inverse(&dollar).unwrap();
    assert_eq!(real.pair, pair("BRL/USD"));
    assert_eq!(
        (real.buy.to_string(), real.sell.to_string()),
        ("0.17989171".to_owned(), "0.17991112".to_owned())
    );
    assert!(real.buy <= real.sell && made.buy <= made.sell);
}

#[test]
fn legs_of_other_days_or_without_price_are_rejected() {
    let (euro, dollar) = (quote("EUR/BRL", "5.9540", "5.9562"), quote("USD/BRL", "5.5583", "5.5589"));
    assert_eq!(cross(&euro, &FxQuote { day: day("2024-07-01"), ..dollar }), None);
    assert_eq!(cross(&euro, &quote("USD/BRL", "0", "1")), None);
    assert_eq!(inverse(&quote("USD/BRL", "-1", "1")), None);
}

#[test]
fn exactly_half_goes_to_the_even_digit() {
    let yen = quote("JPY/BRL", "1", "1");
    let made = cross(&yen, &quote("XXX/BRL", "8", "80000000")).unwrap();
    assert_eq!(
        (made.buy.to_string(), made.sell.to_string()),
        ("0.000000012500000".to_owned(), "0.12500000".to_owned())
    );
    // 1.00000005 ÷ 1 lies half way between 1.0000000 and 1.0000001.
    let half = cross(&quote("EUR/BRL", "1.00000005", "1.00000015"), &yen).unwrap();
    assert_eq!(
        (half.buy.to_string(), half.sell.to_string()),
        ("1.0000000".to_owned(), "1.0000002".to_owned())
    );
}
