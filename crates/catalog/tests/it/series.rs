//! Timelines and the exchange book against brute force.

use lastro_catalog::{Catalog, FxBook, Point, Timeline};
use lastro_model::{Currency, Day, Decimal, FxQuote, Pair, RatePoint, Series};
use proptest::prelude::*;

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

fn point(number: i32, mantissa: i64) -> RatePoint {
    RatePoint { day: day(number), value: Decimal::new(mantissa, 2) }
}

/// One point per day, the later of the input; newest first.
fn model(points: &[RatePoint]) -> Vec<RatePoint> {
    let mut kept: Vec<RatePoint> = Vec::new();
    for point in points {
        kept.retain(|other| other.day != point.day);
        kept.push(*point);
    }
    kept.sort_by_key(|point| std::cmp::Reverse(point.day));
    kept
}

proptest! {
    #[test]
    fn ranges_of_days_match_the_model(
        points in prop::collection::vec((100i32..130, -500i64..500), 0..40),
        from in prop::option::of(98i32..132),
        to in prop::option::of(98i32..132),
    ) {
        let points: Vec<RatePoint> = points.into_iter().map(|(number, value)| point(number, value)).collect();
        let timeline = Timeline::build(points.clone());
        let all = model(&points);
        prop_assert_eq!(timeline.points(), &all[..]);
        prop_assert_eq!(timeline.newest(), all.first());
        let (from, to) = (from.map(day), to.map(day));
        let range = timeline.between(from, to);
        let expected: Vec<RatePoint> = all.iter().copied()
            .filter(|point| from.is_none_or(|from| point.day >= from) && to.is_none_or(|to| point.day <= to))
            .collect();
        prop_assert_eq!(&timeline.points()[range.clone()], &expected[..]);
        let json = format!("[{}]", std::str::from_utf8(timeline.json(range)).unwrap());
        let shown: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(shown.len(), expected.len());
        for (shown, point) in shown.iter().zip(&expected) {
            prop_assert_eq!(shown["date"].as_str().unwrap(), point.day.to_string());
            prop_assert_eq!(shown["value"].as_f64().unwrap(), point.value.to_string().parse::<f64>().unwrap());
        }
    }
}

#[test]
fn decimals_are_shown_as_published() {
    let timeline = Timeline::build(vec![point(0, 1500), point(1, -2)]);
    assert_eq!(timeline.newest_json().unwrap(), b"{\"date\":\"1970-01-02\",\"value\":-0.02}");
    assert_eq!(timeline.json(1..2), b"{\"date\":\"1970-01-01\",\"value\":15.00}");
    assert_eq!(timeline.json(1..99), timeline.json(1..2));
    assert_eq!(timeline.json(5..9), b"");
}

#[test]
fn an_empty_series_has_no_newest_point() {
    let catalog = Catalog::empty();
    for series in [Series::Selic, Series::Cdi, Series::Ipca] {
        assert!(catalog.series[series].is_empty() && catalog.series[series].newest_json().is_none());
        assert_eq!(catalog.series[series].between(None, None), 0..0);
    }
    assert!(catalog.fx.pairs().is_empty() && catalog.fx.newest_day().is_none());
}

#[test]
fn the_book_keeps_pairs_separate() {
    let pair = |code| Pair::in_reais(Currency::parse(code).unwrap());
    let quote = |code, number, buy| FxQuote {
        day: day(number),
        pair: pair(code),
        buy: Decimal::new(buy, 4),
        sell: Decimal::new(buy + 6, 4),
    };
    let book = FxBook::build(vec![quote("USD", 1, 50_846), quote("EUR", 3, 60_000), quote("USD", 2, 50_900)]);
    assert_eq!(book.pairs(), [pair("EUR"), pair("USD")]);
    assert_eq!(book.newest_day(), Some(day(3)));
    assert!(book.get(pair("GBP")).is_none());
    let dollars = book.get(pair("USD")).unwrap();
    assert_eq!(dollars.newest().unwrap().day(), day(2));
    assert_eq!(
        dollars.json(1..2),
        b"{\"date\":\"1970-01-02\",\"pair\":\"USD/BRL\",\"buy\":5.0846,\"sell\":5.0852}"
    );
}
