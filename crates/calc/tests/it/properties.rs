//! Properties that hold for any rows.

use lastro_calc::{Aggregation, Asked, Period, Units, derive};
use lastro_model::{Day, Decimal, RatePoint, Series};
use proptest::prelude::*;

use crate::{about, aggregated, asked, day};

/// Months with some missing, and values as a publisher gives them.
fn some_months() -> impl Strategy<Value = Vec<RatePoint>> {
    prop::collection::vec((-5_000i64..9_000, prop::bool::weighted(0.97)), 1..200).prop_map(|values| {
        let month = |place: usize| day("1990-01-01").minus_months(-i32::try_from(place).unwrap());
        let row = |(place, (digits, held)): (usize, (i64, bool))| {
            held.then(|| RatePoint { day: month(place), value: Decimal::new(digits, 2) })
        };
        values.into_iter().enumerate().filter_map(row).collect()
    })
}

fn any_rows() -> impl Strategy<Value = Vec<RatePoint>> {
    prop::collection::btree_map(-30_000i32..40_000, (any::<i64>(), 0..29u32), 0..40).prop_map(|rows| {
        let row = |(number, (digits, scale)): (i32, (i64, u32))| RatePoint {
            day: Day::from_number(number).unwrap(),
            value: Decimal::new(digits, scale),
        };
        rows.into_iter().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A product of twelve factors of four decimals, computed with integers only.
    #[test]
    fn twelve_months_are_the_product_of_twelve_factors(rows in some_months()) {
        for derived in derive(about("ipca"), &rows, &asked(Units::Acc12)).unwrap() {
            let end = rows.iter().position(|row| row.day == derived.day).unwrap();
            let year = &rows[end - 11..=end];
            prop_assert_eq!(year[0].day, derived.day.minus_months(11));
            prop_assert_eq!(year[0].day, derived.since);
            prop_assert_eq!(derived.value, product_in_percent(year));
        }
    }

    #[test]
    fn the_chain_of_an_index_is_the_ratio_of_its_ends(rows in some_months(), place: prop::sample::Index) {
        let base = rows.get(place.index(rows.len().max(1))).map(|row| row.day);
        let index = derive(about("ipca"), &rows, &Asked { base, ..asked(Units::Index) }).unwrap();
        for pair in index.windows(2) {
            let month = rows.iter().find(|row| row.day == pair[1].day).unwrap();
            let expected = pair[0].value * (Decimal::ONE + month.value / Decimal::from(100));
            // Both ends are rounded to eight digits.
            prop_assert!((expected - pair[1].value).abs() <= pair[1].value.max(expected) * Decimal::new(2, 7));
        }
        prop_assert!(base.is_none() || index.iter().any(|row| Some(row.day) == base && row.value == Decimal::from(100)));
    }

    #[test]
    fn years_made_of_quarters_are_years_made_of_months(rows in some_months()) {
        let years = derive(about("ipca"), &rows, &aggregated(Units::Lin, Period::Yearly, Aggregation::Chain)).unwrap();
        let to_date = derive(about("ipca"), &rows, &asked(Units::Ytd)).unwrap();
        for year in years {
            let december = to_date.iter().find(|row| row.day == year.day.minus_months(-11)).unwrap();
            prop_assert_eq!(year.value, december.value);
        }
    }

    #[test]
    fn a_period_that_is_shown_is_whole(rows in some_months()) {
        for (period, months) in [(Period::Quarterly, 3), (Period::Yearly, 12)] {
            for aggregation in [Aggregation::Mean, Aggregation::End] {
                for shown in derive(about("ibc-br"), &rows, &aggregated(Units::Lin, period, aggregation)).unwrap() {
                    let end = shown.day.minus_months(-months);
                    let inside = rows.iter().filter(|row| row.day >= shown.day && row.day < end).count();
                    prop_assert_eq!(inside, usize::try_from(months).unwrap());
                }
            }
        }
    }

    #[test]
    fn no_row_is_older_than_what_it_was_computed_from(rows in some_months()) {
        for units in Units::legal(about("ipca")) {
            let derived = derive(about("ipca"), &rows, &asked(units)).unwrap();
            prop_assert!(derived.iter().all(|row| row.since <= row.day));
            prop_assert!(derived.windows(2).all(|pair| pair[0].day < pair[1].day));
        }
    }

    #[test]
    fn no_rows_panic(rows in any_rows(), series in prop::sample::select(Series::ALL.to_vec())) {
        let periods = [None, Some(Period::Monthly), Some(Period::Quarterly), Some(Period::Yearly)];
        for (units, period) in Units::ALL.into_iter().flat_map(|units| periods.map(|period| (units, period))) {
            for aggregation in Aggregation::ALL {
                let asked = Asked { period: period.map(|period| (period, aggregation)), ..asked(units) };
                let _ = derive(series.about(), &rows, &asked);
            }
        }
    }
}

fn product_in_percent(rows: &[RatePoint]) -> Decimal {
    use num_bigint::BigInt;
    let factor = |row: &RatePoint| BigInt::from(10_000 + row.value.mantissa());
    let digits: BigInt = rows.iter().map(factor).product();
    let unit = BigInt::from(10).pow(4 * 12 - 8);
    let (quotient, rest) = (&digits / &unit, &digits % &unit * 2);
    let odd = &quotient % 2 == BigInt::from(1);
    let up = rest > unit || (rest == unit && odd);
    let rounded: i128 = (quotient + i32::from(up)).try_into().unwrap();
    Decimal::from_i128_with_scale(rounded - 100_000_000, 6)
}
