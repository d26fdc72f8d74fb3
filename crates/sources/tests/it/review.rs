//! Decisions about single points: which are accepted, and which are left out as errors.

use std::collections::BTreeMap;

use lastro_model::{Currency, Day, Decimal, FxQuote, Kind, Pair, RatePoint};
use lastro_sources::judgement::{Judged, Review, review};
use proptest::prelude::*;

use crate::fixture::{day, number};

/// Consecutive daily points starting here.
pub(crate) fn series(first: &str, values: &[&str]) -> Vec<RatePoint> {
    let point = |(n, value): (i32, &&str)| RatePoint { day: day(first).plus_days(n), value: number(value) };
    (0..).zip(values).map(point).collect()
}

pub(crate) fn held<P: Judged>(points: &[P]) -> BTreeMap<Day, P> {
    points.iter().map(|point| (point.day(), *point)).collect()
}

pub(crate) fn judged<P: Judged>(kind: Kind, before: &[P], read: &[P]) -> Review<P> {
    review(kind, &held(before), read.iter().copied(), |_, _| false)
}

/// Whether `new` is accepted after `before`.
fn may_follow(kind: Kind, before: &str, new: &str) -> bool {
    let (before, new) = (series("2026-11-01", &[before]), series("2026-11-02", &[new]));
    judged(kind, &before, &new).doubted.is_empty()
}

fn reasons<P>(review: &Review<P>) -> Vec<&str> {
    review.doubted.iter().map(|doubted| doubted.reason.as_str()).collect()
}

#[test]
fn committee_steps_pass_and_lost_decimal_points_do_not() {
    for (before, new) in [
        ("15.00", "16.50"),
        ("15.00", "13.50"),
        ("2.00", "2.75"),
        ("2.00", "3.50"),
        ("2.00", "0.50"),
        ("25.00", "45.00"),
        ("45.00", "42.00"),
        ("0.10", "0.00"),
    ] {
        assert!(may_follow(Kind::RatePerYear, before, new), "{new} after {before}");
    }
    for (before, new) in [
        ("15.00", "1500.00"),
        ("15.00", "150.0"),
        ("15.00", "1.5"),
        ("15.00", "0.15"),
        ("15.00", "0"),
        ("15.00", "-15.00"),
        ("15.00", "51.00"),
        ("2.00", "20.0"),
        ("2.00", "0.2"),
        ("2.00", "-2.00"),
        ("1.90", "0.19"),
        ("15.00", "79228162514264337593543950335"),
    ] {
        assert!(!may_follow(Kind::RatePerYear, before, new), "{new} after {before}");
    }
}

#[test]
fn months_are_compared_by_points_and_never_by_factor_or_sign() {
    for (before, new) in [
        ("0.10", "1.62"),
        ("0.67", "-0.68"),
        ("-0.68", "0.67"),
        ("0.01", "0.19"),
        ("0.00", "1.00"),
        ("1.31", "3.02"),
        // Hyperinflation and price freezes.
        ("67.55", "75.73"),
        ("75.73", "82.39"),
        ("82.39", "15.52"),
        ("37.49", "16.78"),
        ("47.43", "6.84"),
        ("6.84", "1.86"),
    ] {
        assert!(may_follow(Kind::RatePerMonth, before, new), "{new} after {before}");
    }
    for (before, new) in
        [("0.10", "45"), ("0.67", "67"), ("0.67", "6.7"), ("0.67", "-6.8"), ("1.62", "16.2"), ("0.10", "-45")]
    {
        assert!(!may_follow(Kind::RatePerMonth, before, new), "{new} after {before}");
    }
}

#[test]
fn prices_are_compared_by_their_factor() {
    for (before, new) in [("1.2114", "1.3193"), ("5.12", "6.10"), ("5.12", "4.10"), ("0.03951", "0.04951")] {
        assert!(may_follow(Kind::Price, before, new), "{new} after {before}");
    }
    for (before, new) in [
        ("5.12", "51.2"),
        ("5.12", "0.512"),
        ("5.12", "512"),
        ("0.03951", "0.3951"),
        ("5.12", "0"),
        ("5.12", "-5.12"),
    ] {
        assert!(!may_follow(Kind::Price, before, new), "{new} after {before}");
    }
}

#[test]
fn a_first_answer_is_not_judged() {
    let all = series("2026-11-01", &["15", "1500", "0.15"]);
    assert_eq!(judged(Kind::RatePerYear, &[], &all).accepted, all);
}

#[test]
fn one_error_keeps_no_other_point_out() {
    let before = series("2026-10-30", &["15.00", "15.00"]);
    let read = series("2026-10-31", &["15.00", "1500.00", "15.00", "15.25"]);
    let review = judged(Kind::RatePerYear, &before, &read);
    assert_eq!(review.accepted, [read[0], read[2], read[3]]);
    assert_eq!(review.doubted[0].point, read[1]);
    assert_eq!(reasons(&review), ["its value is 1500.00 beside 15.00 of 2026-10-31: an implausible step"]);
}

#[test]
fn a_point_inside_the_history_may_be_near_either_side() {
    // The level shifted between the surrounding days.
    let around = [series("2026-11-01", &["10", "10"]), series("2026-11-04", &["40", "40"])].concat();
    for (value, passes) in [("10", true), ("40", true), ("400", false), ("1", false)] {
        let review = judged(Kind::RatePerYear, &around, &series("2026-11-03", &[value]));
        assert_eq!(review.doubted.is_empty(), passes, "{value}");
    }
}

#[test]
fn stored_error_does_not_condemn_good_values() {
    let before = series("2026-11-01", &["15", "1500"]);
    assert!(judged(Kind::RatePerYear, &before, &series("2026-11-03", &["15"])).doubted.is_empty());
}

#[test]
fn a_correction_towards_its_neighbours_goes_in() {
    let before = series("2026-11-01", &["15", "1500", "15"]);
    for corrected in ["15", "15.00", "14.75", "150"] {
        let review = judged(Kind::RatePerYear, &before, &series("2026-11-02", &[corrected]));
        assert!(review.doubted.is_empty(), "{corrected}: {:?}", reasons(&review));
    }
    // Several days at once: none of them supports the others.
    let before = series("2026-11-01", &["15", "1500", "1500", "1500"]);
    let review = judged(Kind::RatePerYear, &before, &series("2026-11-02", &["15", "15", "15"]));
    assert!(review.doubted.is_empty(), "{:?}", reasons(&review));
    let before = series("2026-11-01", &["0.12", "0.90", "0.15"]);
    let review = judged(Kind::RatePerMonth, &before, &series("2026-11-02", &["-0.02"]));
    assert!(review.doubted.is_empty(), "{:?}", reasons(&review));
}

#[test]
fn published_value_may_not_move_away_from_neighbours() {
    let before = series("2026-11-01", &["12.25", "12.25", "12.25"]);
    for plausible in ["12.25", "12.2500", "12.5", "11", "20", "7"] {
        let review = judged(Kind::RatePerYear, &before, &series("2026-11-02", &[plausible]));
        assert!(review.doubted.is_empty(), "{plausible}");
    }
    for implausible in ["1225", "0.1225", "-12.25", "0", "24.51", "6.1"] {
        let review = judged(Kind::RatePerYear, &before, &series("2026-11-02", &[implausible]));
        assert_eq!(review.doubted.len(), 1, "{implausible}");
        assert!(review.accepted.is_empty(), "{implausible}");
    }
    assert_eq!(
        reasons(&judged(Kind::RatePerYear, &before, &series("2026-11-02", &["1225"]))),
        ["its value is 1225 where 12.25 was published: an implausible change"]
    );
    let months = series("2026-11-01", &["0.12", "-0.02", "0.15"]);
    assert_eq!(judged(Kind::RatePerMonth, &months, &series("2026-11-02", &["0.98"])).doubted.len(), 1);
}

#[test]
fn new_level_waits_until_believed_then_supports_itself() {
    let before = series("2026-11-01", &["15", "15"]);
    let read = series("2026-11-03", &["150", "150.5", "151"]);
    assert_eq!(judged(Kind::RatePerYear, &before, &read).doubted.len(), 3);
    let mut asked = 0;
    let believed = review(Kind::RatePerYear, &held(&before), read.iter().copied(), |point, _| {
        asked += 1;
        point.day == day("2026-11-03")
    });
    assert_eq!((believed.accepted, asked), (read, 1));
}

fn quote(on: &str, buy: &str, sell: &str) -> FxQuote {
    let pair = Pair::in_reais(Currency::parse("USD").unwrap());
    FxQuote { day: day(on), pair, buy: number(buy), sell: number(sell) }
}

#[test]
fn both_sides_of_a_quote_are_judged() {
    let before = [quote("2026-11-01", "5.12", "5.13"), quote("2026-11-02", "5.12", "5.13")];
    for (buy, sell, reason) in [
        ("5.2", "5.3", None),
        ("5.12", "51.3", Some("its sell is 51.3 beside 5.13 of 2026-11-02: an implausible step")),
        ("0.512", "5.13", Some("its buy is 0.512 beside 5.12 of 2026-11-02: an implausible step")),
        ("5.13", "5.12", Some("its sell is below its buy")),
    ] {
        let review = judged(Kind::Price, &before, &[quote("2026-11-03", buy, sell)]);
        assert_eq!(reasons(&review).first().copied(), reason, "{buy} {sell}");
        let changed = judged(Kind::Price, &before, &[quote("2026-11-02", buy, sell)]);
        assert_eq!(changed.doubted.is_empty(), reason.is_none(), "{buy} {sell}");
    }
}

/// A history that moves like a real one: each step is a share of the widest one, from -100 to 100.
fn walk(kind: Kind, first: Decimal, steps: &[i64]) -> Vec<RatePoint> {
    let mut value = first;
    let points = (0..).zip(steps).map(|(n, step)| {
        let share = Decimal::new(*step, 2);
        value = match kind {
            // The committee's steps, never below 0.25.
            Kind::RatePerYear => (value + Decimal::new(15, 1) * share).max(Decimal::new(25, 2)),
            Kind::RatePerMonth => Decimal::new(*step * 3, 2),
            _ => value * (Decimal::ONE + Decimal::new(2, 1) * share),
        };
        RatePoint { day: day("2026-01-01").plus_days(n), value }
    });
    points.collect()
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(&[Kind::RatePerYear, Kind::RatePerMonth, Kind::Price][..])
}

/// Typing errors in a number: decimal point lost or moved, sign changed, a digit too many.
fn slips() -> impl Strategy<Value = fn(Decimal) -> Decimal> {
    let ten: fn(Decimal) -> Decimal = |value| value * Decimal::TEN;
    let slips: Vec<fn(Decimal) -> Decimal> = vec![
        ten,
        |value| value / Decimal::TEN,
        |value| value * Decimal::ONE_HUNDRED,
        |value| value / Decimal::ONE_HUNDRED,
        |value| -value,
        |_| Decimal::ZERO,
        |value| value * Decimal::new(4, 0),
    ];
    prop::sample::select(slips)
}

proptest! {
    #[test]
    fn realistic_steps_are_never_doubted(
        kind in kinds(),
        first in 190i64..4_500,
        steps in prop::collection::vec(-100i64..=100, 2..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let points = walk(kind, Decimal::new(first, 2), &steps);
        let cut = 1 + cut.index(points.len() - 1);
        let review = judged(kind, &points[..cut], &points);
        prop_assert_eq!(reasons(&review), Vec::<&str>::new());
        prop_assert_eq!(review.accepted, points);
    }

    #[test]
    fn error_is_doubted_anywhere_and_its_correction_is_not(
        kind in prop::sample::select(&[Kind::RatePerYear, Kind::Price][..]),
        first in 190i64..4_500,
        steps in prop::collection::vec(-3i64..=3, 6..40),
        at in any::<prop::sample::Index>(),
        slip in slips(),
    ) {
        let points: Vec<RatePoint> = walk(kind, Decimal::new(first, 2), &steps);
        prop_assume!(points.iter().all(|point| point.value >= Decimal::new(19, 1)));
        let at = 1 + at.index(points.len() - 1);
        let mut read = points.clone();
        read[at].value = slip(read[at].value);
        // As a new point among other new ones, and in place of a published one.
        for before in [&points[..1], &points[..at], &points[..]] {
            let review = judged(kind, before, &read);
            prop_assert_eq!(review.doubted.len(), 1, "{:?}", reasons(&review));
            prop_assert_eq!(review.doubted[0].point, read[at]);
            prop_assert_eq!(review.accepted.len(), points.len() - 1);
        }
        // The error is already stored.
        prop_assert_eq!(judged(kind, &read, &points).accepted, points);
    }

    #[test]
    fn the_largest_numbers_do_not_panic(kind in kinds(), a: i128, b: i128, c: i128) {
        let point = |on, n: i128| RatePoint { day: day(on), value: Decimal::from_i128_with_scale(n >> 32, (n & 0xF) as u32) };
        let (a, b, c) = (point("2026-11-01", a), point("2026-11-02", b), point("2026-11-02", c));
        let _ = judged(kind, &[a], &[b]);
        let _ = judged(kind, &[a, b], &[c]);
        let extremes = [("2026-11-01", Decimal::MAX), ("2026-11-02", Decimal::MIN)];
        let [high, low] = extremes.map(|(on, value)| RatePoint { day: day(on), value });
        let _ = judged(kind, &[high], &[low, a]);
        let _ = judged(kind, &[high, low], &[c]);
    }
}
