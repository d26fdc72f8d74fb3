//! Made-up values of the series, oldest first. They are related as the real ones are: a month of the Selic is the
//! product of its days, twelve months of prices are a chain of twelve, credit is the sum of firms' and households'.

use lastro_model::{About, Day, Decimal, Frequency, Kind, RatePoint, Series, Topic};

use super::calendar::{business_days_of_last_years, days_of_last_years, newest_day};
use super::random::Random;
use super::{fx, interest, levels};

pub(super) const YEARS: i32 = 3;
const MONTHS: i32 = 60;

/// The values of a series, computed from other series if it depends on them, or else drawn by its kind.
pub fn rates(series: Series, seed: u64) -> Vec<RatePoint> {
    match series {
        Series::Selic => interest::targets(seed),
        Series::Cdi | Series::SelicOver => interest::by_year(seed),
        Series::CdiDaily | Series::SelicDaily => interest::by_day(seed),
        Series::CdiMonth | Series::SelicMonth => interest::by_month(seed, &months(series)),
        Series::LegalRate => interest::legal(seed, &months(series), &rates(Series::Ipca15, seed)),
        Series::Savings => interest::savings(&rates(Series::Tr, seed)),
        Series::SavingsDaily | Series::SavingsOldDaily => interest::savings(&rates(Series::TrDaily, seed)),
        Series::Ipca12m => chained(&rates(Series::Ipca, seed)),
        Series::IpcaE => rates(Series::Ipca15, seed),
        Series::Igpm => rounded(&rates(Series::IgpmExact, seed)),
        Series::Gdp12m => added_up(&rates(Series::GdpMonth, seed)),
        Series::Credit => sum(&rates(Series::CreditFirms, seed), &rates(Series::CreditHouseholds, seed)),
        Series::UsdMonthAverage => fx::means_of_months(seed, &months(series)),
        Series::UsdMonthEnd => fx::ends_of_months(seed, &months(series)),
        Series::MinimumWage => levels::wages(seed, &months(series)),
        _ => by_kind(series, seed),
    }
}

fn by_kind(series: Series, seed: u64) -> Vec<RatePoint> {
    let About { id, kind, topic, decimals, .. } = series.about();
    let mut random = Random::new(seed, id);
    let day_with = |day: Day, units: i64| RatePoint { day, value: Decimal::new(units, *decimals) };
    match (kind, topic) {
        (Kind::RatePerMonth, Topic::InterestRates) => {
            days(series).map(|day| day_with(day, random.between(500..=2_000).into())).collect()
        }
        (Kind::RatePerMonth | Kind::SimpleRatePerMonth, _) => {
            days(series).map(|day| day_with(day, inflation(&mut random, day, *decimals))).collect()
        }
        _ => levels::walk(series, &mut random)
            .zip(days(series))
            .map(|(value, day)| day_with(day, value))
            .collect(),
    }
}

/// The days with a value of a series, up to those published on the newest day.
fn days(series: Series) -> Box<dyn Iterator<Item = Day>> {
    match series.about().frequency {
        Frequency::CalendarDays => Box::new(days_of_last_years(YEARS)),
        Frequency::BusinessDays => Box::new(business_days_of_last_years(YEARS)),
        Frequency::Months => Box::new(months(series).into_iter()),
        Frequency::Years => Box::new(months(series).into_iter().filter(|month| month.month() == 1)),
    }
}

/// The last months published on the newest day, from the beginning of the series at the earliest.
fn months(series: Series) -> Vec<Day> {
    let published = newest_day().plus_days(-series.about().lag_days);
    let newest = published.plus_days(1 - i32::from(published.day_of_month()));
    let months = (0..MONTHS).rev().map(|months| newest.minus_months(months));
    months.filter(|month| *month >= series.first_day()).collect()
}

/// Draws a month's inflation. Prices rise most at the turn of the year, and sometimes fall in winter. A series with
/// more than the two decimals drawn gets made-up digits there, which do not change the two.
fn inflation(random: &mut Random, month: Day, decimals: u32) -> i64 {
    let hundredths = match month.month() {
        12 | 1..=3 => random.between(30..=95),
        6..=8 if random.chance(30) => random.between(-45..=-2),
        _ => random.between(8..=62),
    };
    let unit = 10i64.saturating_pow(decimals.saturating_sub(2));
    let most = i32::try_from((unit - 1) / 2).unwrap_or(0);
    let finer = if most == 0 { 0 } else { random.between(-most..=most) };
    i64::from(hundredths).saturating_mul(unit).saturating_add(finer.into())
}

/// Twelve months compounded, for each month with eleven before it.
fn chained(months: &[RatePoint]) -> Vec<RatePoint> {
    over_12_months(months, |year| {
        let factor: Decimal =
            year.iter().map(|point| Decimal::ONE + point.value / Decimal::ONE_HUNDRED).product();
        with_decimals((factor - Decimal::ONE) * Decimal::ONE_HUNDRED, 2)
    })
}

fn added_up(months: &[RatePoint]) -> Vec<RatePoint> {
    over_12_months(months, |year| year.iter().map(|point| point.value).sum())
}

fn over_12_months(months: &[RatePoint], value: impl Fn(&[RatePoint]) -> Decimal) -> Vec<RatePoint> {
    let years = months.windows(12);
    years.filter_map(|year| Some(RatePoint { day: year.last()?.day, value: value(year) })).collect()
}

fn rounded(exact: &[RatePoint]) -> Vec<RatePoint> {
    exact.iter().map(|point| RatePoint { value: with_decimals(point.value, 2), ..*point }).collect()
}

fn sum(a: &[RatePoint], b: &[RatePoint]) -> Vec<RatePoint> {
    a.iter().zip(b).map(|(a, b)| RatePoint { day: a.day, value: a.value + b.value }).collect()
}

/// Rounds to exactly this number of decimals.
pub(super) fn with_decimals(value: Decimal, decimals: u32) -> Decimal {
    let mut value = value.round_dp(decimals);
    value.rescale(decimals);
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::is_business_day;
    use std::collections::BTreeMap;

    fn by_day(series: Series) -> BTreeMap<Day, Decimal> {
        rates(series, 1).into_iter().map(|point| (point.day, point.value)).collect()
    }

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    fn hundredths(value: i64) -> Decimal {
        Decimal::new(value, 2)
    }

    fn factor(value: Decimal) -> Decimal {
        Decimal::ONE + value / Decimal::ONE_HUNDRED
    }

    #[test]
    fn every_series_has_values_with_its_decimals_in_order_of_days() {
        for series in Series::ALL {
            let About { decimals, frequency, .. } = series.about();
            let points = rates(series, 7);
            assert!(points.len() >= if *frequency == Frequency::Years { 5 } else { 26 }, "{series:?}");
            assert!(points.iter().all(|point| point.value.scale() == *decimals), "{series:?}");
            assert!(points.windows(2).all(|pair| pair[0].day < pair[1].day), "{series:?}");
            assert!(points.iter().all(|point| point.day >= series.first_day()), "{series:?}");
            assert!(points[points.len() - 1].day <= newest_day(), "{series:?}");
        }
    }

    #[test]
    fn months_have_no_gaps_and_end_where_their_publisher_would() {
        for series in Series::ALL.into_iter().filter(|series| series.about().frequency == Frequency::Months) {
            let points = rates(series, 1);
            assert!(points.iter().all(|point| point.day.day_of_month() == 1), "{series:?}");
            let next = |pair: &[RatePoint]| pair[0].day == pair[1].day.minus_months(1);
            assert!(points.windows(2).all(next), "{series:?}");
            let due = points[points.len() - 1].day.minus_months(-1).plus_days(series.about().lag_days);
            assert!(due > newest_day(), "{series:?}");
        }
        assert_eq!(rates(Series::Ipca, 1).len(), 60);
        assert_eq!(rates(Series::Ipca, 1).last().unwrap().day, day("2026-09-01"));
    }

    #[test]
    fn target_covers_calendar_days_and_market_business_days() {
        let targets = rates(Series::Selic, 1);
        assert_eq!(targets.len(), 1097);
        assert_eq!(targets.last().unwrap().day, newest_day());
        assert!(targets.windows(2).all(|pair| pair[1].day == pair[0].day.plus_days(1)));
        for series in [Series::Cdi, Series::SelicOver, Series::CdiDaily, Series::SelicDaily, Series::Reserves]
        {
            let days = by_day(series);
            assert!(days.keys().all(|day| is_business_day(*day)), "{series:?}");
            for (year, count) in [(2024, 253), (2025, 252)] {
                assert_eq!(days.keys().filter(|day| day.year() == year).count(), count, "{series:?}");
            }
        }
    }

    #[test]
    fn a_year_of_days_compounds_to_the_rate_of_a_year() {
        for (of_day, of_year) in [(Series::SelicDaily, Series::SelicOver), (Series::CdiDaily, Series::Cdi)] {
            let years = by_day(of_year);
            for (day, value) in by_day(of_day) {
                let year = (0..252).fold(Decimal::ONE, |product, _| product * factor(value));
                let rate = ((year - Decimal::ONE) * Decimal::ONE_HUNDRED).round_dp(2);
                assert_eq!(rate, years[&day], "{of_day:?} {day}");
            }
        }
        let targets = by_day(Series::Selic);
        assert!(by_day(Series::Cdi).iter().all(|(day, rate)| targets[day] - rate == hundredths(10)));
    }

    #[test]
    fn a_month_is_the_product_of_its_days() {
        let days = rates(Series::SelicDaily, 1);
        let whole = |month: &Day| *month > days[0].day;
        let months = by_day(Series::SelicMonth);
        assert!(months.keys().filter(|month| whole(month)).count() >= 36);
        for (month, value) in months.iter().filter(|(month, _)| whole(month)) {
            let next = month.minus_months(-1);
            let of_month = days.iter().filter(|point| (*month..next).contains(&point.day));
            let product: Decimal = of_month.map(|point| factor(point.value)).product();
            let residual = (product - Decimal::ONE) * Decimal::ONE_HUNDRED - value;
            assert!(residual.abs() <= Decimal::new(5, 3), "{month}: {residual}");
        }
    }

    #[test]
    fn legal_interest_is_last_months_without_inflation() {
        let (days, prices) = (rates(Series::SelicDaily, 1), by_day(Series::Ipca15));
        let legal = rates(Series::LegalRate, 1);
        assert_eq!((legal[0].day, legal.len()), (day("2024-08-01"), 27));
        for point in legal {
            let before = point.day.minus_months(1);
            let of_month = days.iter().filter(|other| (before..point.day).contains(&other.day));
            let product: Decimal = of_month.map(|other| factor(other.value)).product();
            let real = product.round_dp(8) / factor(prices[&before]);
            let rate = ((real - Decimal::ONE) * Decimal::ONE_HUNDRED).max(Decimal::ZERO);
            assert_eq!(rate.round_dp(6), point.value, "{}", point.day);
        }
    }

    #[test]
    fn prices_over_a_year_are_a_chain_of_twelve_months() {
        let months = rates(Series::Ipca, 1);
        let years = by_day(Series::Ipca12m);
        assert_eq!(years.len(), 49);
        for year in months.windows(12) {
            let chain: Decimal = year.iter().map(|point| factor(point.value)).product();
            let residual = (chain - Decimal::ONE) * Decimal::ONE_HUNDRED - years[&year[11].day];
            assert!(residual.abs() <= Decimal::new(5, 3), "{}: {residual}", year[11].day);
        }
        let falls = months.iter().filter(|point| point.value.is_sign_negative()).count();
        assert!((1..=15).contains(&falls), "{falls}");
    }

    #[test]
    fn announced_value_is_the_exact_value_rounded() {
        let exact = by_day(Series::IgpmExact);
        for (day, value) in by_day(Series::Igpm) {
            assert_eq!(exact[&day].round_dp(2), value);
        }
        assert!(exact.values().any(|value| value.round_dp(2) != *value));
    }

    #[test]
    fn parts_add_up() {
        let (firms, households) = (by_day(Series::CreditFirms), by_day(Series::CreditHouseholds));
        assert!(by_day(Series::Credit).iter().all(|(day, all)| firms[day] + households[day] == *all));
        let years = by_day(Series::Gdp12m);
        for year in rates(Series::GdpMonth, 1).windows(12) {
            assert_eq!(year.iter().map(|point| point.value).sum::<Decimal>(), years[&year[11].day]);
        }
    }

    #[test]
    fn a_wage_stays_for_a_year_and_rises_by_some_percent() {
        for pair in rates(Series::MinimumWage, 1).windows(2) {
            let rise = pair[1].value / pair[0].value;
            match pair[1].day.month() {
                1 => assert!(rise > hundredths(104) && rise < hundredths(110), "{rise}"),
                _ => assert_eq!(rise, Decimal::ONE),
            }
        }
    }

    #[test]
    fn the_dollar_of_a_month_is_that_of_its_days() {
        let sells: Vec<_> =
            crate::fx(1).into_iter().filter(|quote| quote.pair.base.as_str() == "USD").collect();
        let means = by_day(Series::UsdMonthAverage);
        for (month, end) in by_day(Series::UsdMonthEnd) {
            let next = month.minus_months(-1);
            let of_month: Vec<Decimal> = sells
                .iter()
                .filter(|quote| (month..next).contains(&quote.day))
                .map(|quote| quote.sell)
                .collect();
            assert_eq!(of_month.last().unwrap().round_dp(4), end);
            let most = of_month.iter().max().unwrap().round_dp(4);
            assert!(means[&month] <= most && means[&month] >= of_month.iter().min().unwrap().round_dp(4));
        }
    }

    #[test]
    fn levels_stay_plausible_whatever_the_seed() {
        for seed in 0..12 {
            for series in Series::ALL {
                let About { kind, unit, .. } = series.about();
                let points = rates(series, seed);
                let all = |is_fine: fn(Decimal) -> bool| points.iter().all(|point| is_fine(point.value));
                let fine = match kind {
                    Kind::Index | Kind::Stock | Kind::Price => all(|value| value > Decimal::ONE),
                    Kind::Share => all(|value| value > Decimal::from(-5) && value < Decimal::ONE_HUNDRED),
                    Kind::RatePerYear => all(|value| value > Decimal::TWO && value < Decimal::from(60)),
                    Kind::RatePerDay => all(|value| value > Decimal::new(2, 2) && value < Decimal::new(7, 2)),
                    Kind::RatePerMonth | Kind::SimpleRatePerMonth => {
                        all(|value| value > Decimal::NEGATIVE_ONE && value < Decimal::TWO)
                    }
                    Kind::Change12Months => all(|value| value > Decimal::ZERO && value < Decimal::TEN),
                    Kind::Flow => true,
                };
                assert!(fine, "{series:?} in {unit:?}, seed {seed}");
            }
        }
    }
}
