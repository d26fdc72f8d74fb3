//! Real changes of each kind of series pass, and typical errors are doubted.

use lastro_model::{Day, Kind, RatePoint};

use crate::fixture::{day, number};
use crate::review::judged;

/// Consecutive monthly points starting here.
fn months(first: &str, values: &[&str]) -> Vec<RatePoint> {
    let month = |n: i32| day(first).minus_months(-n);
    (0..).zip(values).map(|(n, value)| RatePoint { day: month(n), value: number(value) }).collect()
}

/// Whether the last of these months is accepted after the others.
fn may_come(kind: Kind, values: &[&str]) -> bool {
    let points = months("2025-01-01", values);
    judged(kind, &points[..points.len() - 1], &points).doubted.is_empty()
}

fn assert_passes(kind: Kind, cases: &[&[&str]]) {
    for values in cases {
        assert!(may_come(kind, values), "{kind:?}: {values:?}");
    }
}

fn assert_doubted(kind: Kind, cases: &[&[&str]]) {
    for values in cases {
        assert!(!may_come(kind, values), "{kind:?}: {values:?}");
    }
}

#[test]
fn daily_rates_move_like_yearly_ones() {
    assert_passes(
        Kind::RatePerDay,
        &[
            &["0.050788", "0.055131"],
            &["0.008442", "0.007469"],
            // From 2.00 % a year to 3.50 and to 0.50.
            &["0.007469", "0.013653"],
            &["0.007469", "0.001979"],
            // Before 1994 a day had 2 or 3 %.
            &["1.800000", "2.900000"],
            &["2.900000", "1.100000"],
        ],
    );
    assert_doubted(
        Kind::RatePerDay,
        &[
            &["0.050788", "0.507880"],
            &["0.050788", "0.005079"],
            &["0.050788", "50.788"],
            &["0.050788", "12.65"],
            &["0.050788", "0"],
            &["0.050788", "-0.050788"],
        ],
    );
}

#[test]
fn rates_of_new_loans_pass() {
    assert_passes(
        Kind::RatePerYear,
        &[
            &["29.12", "31.40"],
            &["31.40", "28.02"],
            &["49.90", "52.70"],
            &["7.97", "8.65"],
            &["4.50", "5.95"],
        ],
    );
    assert_doubted(Kind::RatePerYear, &[&["29.12", "2912"], &["29.12", "2.912"], &["52.70", "0.5270"]]);
}

#[test]
fn groups_of_prices_swing_with_the_seasons() {
    // School fees in February, compared with those of the year before.
    let february = [
        "0.17", "5.61", "0.15", "0.06", "0.04", "0.09", "0.06", "0.61", "0.12", "0.18", "0.02", "0.19",
        "0.36",
    ];
    let with = |last: &'static str| [&february[..], &[last]].concat();
    assert!(may_come(Kind::RatePerMonth, &with("6.28")));
    assert!(!may_come(Kind::RatePerMonth, &with("62.8")));
    assert_passes(
        Kind::RatePerMonth,
        &[
            // Energy with a discount, and without it.
            &["0.08", "-0.56", "-3.08"],
            &["-0.56", "-3.08", "4.44"],
            &["0.09", "0.15", "-2.49"],
            &["0.67", "-4.51"],
            &["0.30", "0.45", "3.10"],
            // An exact value has ten decimals.
            &["0.4121836023", "-0.3412110923"],
        ],
    );
    assert_doubted(Kind::RatePerMonth, &[&["0.35", "0.41", "35"], &["0.4121836023", "4121836023"]]);
}

#[test]
fn twelve_months_change_slowly() {
    assert_passes(
        Kind::Change12Months,
        &[&["8.45", "10.93"], &["10.93", "12.53"], &["2.13", "3.14"], &["11.89", "10.07"], &["4.83", "4.56"]],
    );
    assert_doubted(
        Kind::Change12Months,
        &[&["4.83", "48.3"], &["4.83", "0.483"], &["4.83", "483"], &["4.83", "-4.83"]],
    );
}

#[test]
fn indices_and_stocks_move_by_small_factors() {
    for kind in [Kind::Index, Kind::Stock] {
        assert_passes(
            kind,
            &[
                &["108.4", "109.1"],
                // The pandemic of 2020, and a December.
                &["101.2", "81.3"],
                &["81.3", "95.0"],
                &["412563118", "466127009"],
                &["356012", "341988"],
            ],
        );
        assert_doubted(
            kind,
            &[
                &["108.4", "1084"],
                &["108.4", "10.84"],
                &["108.4", "0"],
                &["356012", "-356012"],
                &["5.1", "9.9"],
            ],
        );
    }
}

#[test]
fn flows_change_their_sign_and_size() {
    assert_passes(
        Kind::Flow,
        &[
            &["-2500.1", "-8655.0"],
            &["-310.0", "-2790.4", "3410.2"],
            &["2607.1", "-4058.7"],
            &["6804.3", "9120.0", "120.5"],
            &["941200.7", "1002411.9"],
        ],
    );
    assert_doubted(
        Kind::Flow,
        &[&["941200.7", "10024119"], &["-2500.1", "-3100.9", "-865500"], &["6804.3", "9120.0", "912000"]],
    );
    assert!(may_come(Kind::Flow, &["0.0", "0.9"]), "nothing is divided by");
}

#[test]
fn shares_move_by_points() {
    assert_passes(
        Kind::Share,
        &[
            // The share of items that rose.
            &["68.17", "47.48"],
            &["45.20", "66.30"],
            &["6.2", "6.8"],
            &["12.4", "14.9"],
            &["76.10", "79.30"],
            // A deficit came in 2020; a result may be near zero.
            &["1.02", "3.80", "6.44"],
            &["-0.45", "0.98"],
            &["0.10", "-0.32"],
            &["3.21", "3.35"],
            &["8.00", "6.00"],
        ],
    );
    assert_doubted(
        Kind::Share,
        &[
            &["62.1", "6.21"],
            &["6.2", "62"],
            &["79.30", "7930"],
            &["-2.30", "23.0"],
            &["3.21", "32.1"],
            &["79.30", "-79.30"],
        ],
    );
}

#[test]
fn wages_rise_in_january() {
    assert_passes(Kind::Price, &[&["1412.00", "1518.00"], &["70.00", "100.00"], &["5.1234", "5.9871"]]);
    assert_doubted(Kind::Price, &[&["1412.00", "3530.00"], &["1412.00", "141.20"], &["5.1234", "51.234"]]);
}

/// Multiplies every value, like a change of base year.
fn moved(points: &[RatePoint], factor: &str) -> Vec<RatePoint> {
    points.iter().map(|point| RatePoint { value: point.value * number(factor), ..*point }).collect()
}

#[test]
fn an_index_goes_to_another_base_as_a_whole() {
    let before = months("2020-01-01", &["140.1", "139.2", "132.0", "120.5", "122.9", "131.0", "135.8"]);
    for factor in ["0.71", "0.33", "3.4"] {
        let after = moved(&before, factor);
        assert_eq!(judged(Kind::Index, &before, &after).accepted, after, "{factor}");
    }
    // A single value does not.
    let mut slip = before.clone();
    slip[3].value *= number("10");
    assert_eq!(judged(Kind::Index, &before, &slip).doubted[0].point, slip[3]);
    let mut among_others = moved(&before, "0.71");
    among_others[3].value *= number("10");
    let review = judged(Kind::Index, &before, &among_others);
    assert_eq!(review.doubted.iter().map(|doubted| doubted.point).collect::<Vec<_>>(), [among_others[3]]);
}

#[test]
fn revised_levels_pass_and_another_unit_is_doubted() {
    let before = months("2025-01-01", &["6101122", "6151870", "6203311"]);
    let revised = moved(&before, "1.023");
    assert_eq!(judged(Kind::Stock, &before, &revised).accepted, revised);
    let thousands = moved(&before, "1000");
    assert_eq!(judged(Kind::Stock, &before, &thousands).doubted.len(), 3);
    let shares = months("2025-01-01", &["75.2", "75.9", "76.1"]);
    let after: Vec<RatePoint> =
        shares.iter().map(|point| RatePoint { value: point.value - number("4.2"), ..*point }).collect();
    assert_eq!(judged(Kind::Share, &shares, &after).accepted, after);
}

#[test]
fn seasons_compare_the_same_month() {
    let lone: Vec<RatePoint> = months("2024-02-01", &["5.61"]);
    let other: Vec<RatePoint> = months("2025-01-01", &["0.20", "6.10"]);
    let february = |first: &[RatePoint]| {
        let held = [first, &other[..1]].concat();
        judged(Kind::RatePerMonth, &held, &other[1..]).doubted.is_empty()
    };
    assert!(february(&lone));
    let march = |point: &RatePoint| RatePoint { day: Day::parse("2023-03-01").unwrap(), ..*point };
    let far: Vec<RatePoint> = lone.iter().map(march).chain(months("2024-12-01", &["0.20"])).collect();
    assert!(!february(&far));
}
