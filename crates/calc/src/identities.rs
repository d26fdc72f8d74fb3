//! Identities that must hold between series if their labels are right, recomputed over the stored rows.
//!
//! Old rates were published with other roundings. They are compared too, but only rows from a given year on decide
//! whether an identity holds.

use std::collections::HashMap;

use lastro_model::{BySeries, Day, Decimal, RatePoint, Series, calendar};
use num_bigint::BigInt;

use crate::annual_rate;
use crate::asked::Asked;
use crate::correction::{ANNOUNCED, WITH_ALL_DECIMALS};
use crate::fraction::Fraction;
use crate::periods::{Group, Period, Rhythm, groups};
use crate::product::{Factor, Product, exact_product};
use crate::rounding::{Rounding, decimal, digits};
use crate::transform::derive;
use crate::units::Units;

/// The result of checking an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    /// The series involved.
    pub series: &'static [Series],
    /// Number of rows compared.
    pub rows: usize,
    /// The day and size of the largest difference between published and computed value.
    pub worst: Option<(Day, Decimal)>,
    /// The largest difference allowed.
    pub tolerance: Decimal,
    pub holds: bool,
}

type Held<'a> = BySeries<&'a [RatePoint]>;
/// Published value minus computed value, by day.
type Residuals = Vec<(Day, Decimal)>;

struct Identity {
    name: &'static str,
    series: &'static [Series],
    /// Digits, and the number of decimals among them.
    tolerance: (i64, u32),
    /// The first year whose rows decide.
    since: i16,
    residuals: fn(&Held<'_>) -> Residuals,
}

const IDENTITIES: [Identity; 9] = [
    Identity {
        name: "selic-over-is-selic-daily-annualised",
        series: &[Series::SelicOver, Series::SelicDaily],
        tolerance: (0, 0),
        since: 2012,
        residuals: |held| {
            compared(held[Series::SelicOver], by_value(held[Series::SelicDaily], annual_rate::per_year))
        },
    },
    Identity {
        name: "selic-daily-is-selic-over-per-day",
        series: &[Series::SelicDaily, Series::SelicOver],
        tolerance: (0, 0),
        since: 2012,
        residuals: |held| {
            compared(held[Series::SelicDaily], by_value(held[Series::SelicOver], percent_per_day))
        },
    },
    Identity {
        name: "cdi-daily-is-cdi-per-day",
        series: &[Series::CdiDaily, Series::Cdi],
        tolerance: (0, 0),
        since: 2012,
        residuals: |held| compared(held[Series::CdiDaily], by_value(held[Series::Cdi], percent_per_day)),
    },
    Identity {
        name: "selic-month-is-its-days-chained",
        series: &[Series::SelicMonth, Series::SelicDaily],
        tolerance: (5, 3),
        since: 2012,
        residuals: |held| compared(held[Series::SelicMonth], months_of_days(held)),
    },
    Identity {
        name: "ipca-12m-is-twelve-months-chained",
        series: &[Series::Ipca12m, Series::Ipca],
        tolerance: (1, 2),
        since: 2018,
        residuals: |held| compared(held[Series::Ipca12m], twelve_months(held[Series::Ipca])),
    },
    Identity {
        name: "announced-market-prices-are-the-exact-ones-rounded",
        series: &[ANNOUNCED, WITH_ALL_DECIMALS],
        tolerance: (1, 2),
        since: 2012,
        residuals: |held| compared(held[ANNOUNCED], held[WITH_ALL_DECIMALS].iter().copied()),
    },
    Identity {
        name: "selic-daily-has-every-business-day",
        series: &[Series::SelicDaily],
        tolerance: (0, 0),
        since: *calendar::YEARS.start(),
        residuals: |held| row_counts(held[Series::SelicDaily]),
    },
    Identity {
        name: "legal-rate-is-selic-above-ipca-15",
        series: &[Series::LegalRate, Series::SelicDaily, Series::Ipca15],
        tolerance: (1, 6),
        since: 2012,
        residuals: |held| compared(held[Series::LegalRate], legal_rates(held)),
    },
    Identity {
        name: "old-savings-are-the-reference-rate-and-half-a-percent",
        series: &[Series::SavingsOldDaily, Series::TrDaily],
        tolerance: (1, 4),
        since: 2012,
        residuals: |held| {
            compared(held[Series::SavingsOldDaily], by_value(held[Series::TrDaily], old_savings))
        },
    },
];

/// Checks all identities; the result lists each one under every series involved. Rows are oldest first.
pub fn checks(held: &BySeries<&[RatePoint]>) -> BySeries<Vec<Check>> {
    let checks: Vec<Check> = IDENTITIES.iter().map(|identity| identity.check(held)).collect();
    let of = |series| checks.iter().filter(|check| check.series.contains(&series)).copied().collect();
    BySeries::new(of)
}

/// Checks the identities involving one series, for when only that series has changed.
pub fn checks_of(series: Series, held: &BySeries<&[RatePoint]>) -> Vec<Check> {
    let with = IDENTITIES.iter().filter(|identity| identity.series.contains(&series));
    with.map(|identity| identity.check(held)).collect()
}

impl Identity {
    fn check(&self, held: &Held<'_>) -> Check {
        let residuals = (self.residuals)(held);
        let (digits, scale) = self.tolerance;
        let tolerance = Decimal::new(digits, scale);
        let broken =
            |(day, residual): &(Day, Decimal)| day.year() >= self.since && residual.abs() > tolerance;
        Check {
            name: self.name,
            series: self.series,
            rows: residuals.len(),
            worst: worst(&residuals),
            tolerance,
            holds: !residuals.iter().any(broken),
        }
    }
}

/// The largest residual; of equal ones the newest.
fn worst(residuals: &[(Day, Decimal)]) -> Option<(Day, Decimal)> {
    residuals.iter().copied().max_by_key(|(_, residual)| residual.abs())
}

/// Published rows minus computed ones, on days that have both. Both are oldest first.
fn compared(published: &[RatePoint], computed: impl IntoIterator<Item = RatePoint>) -> Residuals {
    let mut published = published.iter().peekable();
    let mut residuals = Vec::new();
    for row in computed {
        while published.next_if(|other| other.day < row.day).is_some() {}
        if let Some(other) = published.next_if(|other| other.day == row.day) {
            residuals.extend(difference(other.value, row.value).map(|residual| (row.day, residual)));
        }
    }
    residuals
}

fn difference(published: Decimal, computed: Decimal) -> Option<Decimal> {
    let scale = published.scale().max(computed.scale());
    let digits = digits(published, scale)?.checked_sub(digits(computed, scale)?)?;
    decimal(digits, i32::try_from(scale).ok()?)
}

/// Each row with the value computed from it. Rates recur, so each distinct one is computed only once.
fn by_value(rows: &[RatePoint], compute: fn(Decimal) -> Option<Decimal>) -> Vec<RatePoint> {
    let mut known: HashMap<Decimal, Option<Decimal>> = HashMap::new();
    let computed = |row: &RatePoint| {
        let value = *known.entry(row.value).or_insert_with(|| compute(row.value));
        value.map(|value| RatePoint { day: row.day, value })
    };
    rows.iter().filter_map(computed).collect()
}

fn percent_per_day(percent_per_year: Decimal) -> Option<Decimal> {
    decimal(annual_rate::per_day(percent_per_year)?, 6)
}

/// The return of savings by the rule until 2012: half a percent a month on top of the reference rate.
fn old_savings(reference_percent: Decimal) -> Option<Decimal> {
    let half_a_percent = Factor { digits: 1_005, scale: 3 };
    exact_product([Factor::of_percent(reference_percent)?, half_a_percent])?
        .minus_one()?
        .rounded(6, Rounding::HalfUp)
        .and_then(|share| decimal(digits(share, 6)?, 4))
}

/// The complete months of daily rates, with their factors.
struct DailyMonths {
    factors: Vec<Option<Factor>>,
    months: Vec<Group>,
}

impl DailyMonths {
    fn new(rows: &[RatePoint]) -> Self {
        let factors = rows.iter().map(|row| Factor::of_percent(row.value)).collect();
        Self { factors, months: groups(Rhythm::BusinessDays, rows, Period::Monthly, true) }
    }

    fn products(&self) -> impl Iterator<Item = (Day, Product<'_>)> {
        self.months.iter().map(|month| {
            let mut product = Product::before(&self.factors, month.rows.start);
            product.extend_to(month.rows.end);
            (month.day, product)
        })
    }
}

fn months_of_days(held: &Held<'_>) -> Vec<RatePoint> {
    let row = |(day, product): (Day, Product<'_>)| Some(RatePoint { day, value: product.percent()? });
    DailyMonths::new(held[Series::SelicDaily]).products().filter_map(row).collect()
}

fn twelve_months(rows: &[RatePoint]) -> Vec<RatePoint> {
    let asked = Asked { units: Units::Acc12, period: None, base: None, start: None };
    let derived = derive(Series::Ipca.about(), rows, &asked).unwrap_or_default();
    derived.into_iter().map(|row| RatePoint { day: row.day, value: row.value }).collect()
}

/// Number of rows minus number of business days of each year that is completely covered.
fn row_counts(rows: &[RatePoint]) -> Residuals {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let residual = |year: i16| {
        let (start, end) = (Day::from_ymd(year, 1, 1).ok()?, Day::from_ymd(year, 12, 31).ok()?);
        let open = calendar::shift(start, 0)?;
        let close = calendar::shift(end, -i32::from(!calendar::is_business_day(end)?))?;
        let place = |day: Day| rows.partition_point(|row| row.day < day);
        let held = place(end.plus_days(1)) - place(start);
        let wanted = calendar::business_days_between(open, close)? + 1;
        let residual = i64::try_from(held).ok()? - wanted;
        (first.day <= open && last.day >= close).then(|| (start, Decimal::from(residual)))
    };
    calendar::YEARS.filter_map(residual).collect()
}

/// The legal rate of each month by the formula of the monetary council (Resolution CMN 5,171 of 2024): the excess of
/// the previous month's Selic rate over its IPCA-15, never below zero.
fn legal_rates(held: &Held<'_>) -> Vec<RatePoint> {
    let prices = held[Series::Ipca15];
    let rate = |(day, product): (Day, Product<'_>)| {
        let place = prices.binary_search_by_key(&day, |row| row.day).ok()?;
        let inflation = Factor::of_percent(prices[place].value)?;
        let inflation = exact_product([inflation])?;
        let interest = Fraction::<BigInt>::of(product.rounded(8, Rounding::HalfUp)?)?;
        let real = interest.over(&inflation)?.minus_one()?.percent()?;
        Some(RatePoint { day: day.minus_months(-1), value: real.max(Decimal::ZERO) })
    };
    DailyMonths::new(held[Series::SelicDaily]).products().filter_map(rate).collect()
}
