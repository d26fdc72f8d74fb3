//! Values compared one by one: as published, or aggregated as the mean, sum or last value of a period.

use lastro_model::{About, Day, Decimal, RatePoint};
use num_bigint::BigInt;

use crate::asked::{Asked, Derived, base_place, year_before};
use crate::enclosure::Enclosure;
use crate::fraction::{Fraction, Whole};
use crate::logarithm;
use crate::periods::{Aggregation, Group, Rhythm, groups};
use crate::rounding::{decimal, digits, sum};
use crate::units::Units;

/// An exact value: `total`, divided by `mean_of` if it is a mean.
#[derive(Debug, Clone, Copy)]
struct Level {
    day: Day,
    since: Day,
    total: Decimal,
    mean_of: Option<u32>,
}

impl Level {
    fn fraction<T: Whole>(&self) -> Option<Fraction<T>> {
        Fraction::of(self.total)?.by(self.mean_of.unwrap_or(1))
    }

    fn is_positive(&self) -> bool {
        self.total > Decimal::ZERO
    }
}

pub(crate) fn derive(about: &About, rows: &[RatePoint], asked: &Asked) -> Result<Vec<Derived>, String> {
    let levels = levels(about, rows, asked);
    let days: Vec<Day> = levels.iter().map(|level| level.day).collect();
    let rhythm = Rhythm::of(about, asked.period.map(|(period, _)| period));
    let before = |place: usize| match asked.units {
        Units::Ch1 | Units::Pc1 => year_before(days[place], &days, rhythm.is_daily()),
        _ => place
            .checked_sub(1)
            .filter(|before| rhythm.is_daily() || rhythm.follows(days[*before], days[place])),
    };
    let base = match asked.units {
        Units::Index => base_place(asked, &days)?.map(|place| levels[place]),
        _ => None,
    };
    if base.is_some_and(|base| !base.is_positive()) {
        return Err("`base` must be a row whose value is above zero".to_owned());
    }
    let mut derived = Vec::with_capacity(levels.len());
    for (place, now) in levels.iter().enumerate() {
        let then = match asked.units {
            Units::Lin | Units::Log => Some(*now),
            Units::Index => base,
            _ => before(place).map(|before| levels[before]),
        };
        let Some(then) = then.filter(|then| is_defined(asked.units, now, then)) else { continue };
        let since = now.since.min(then.since);
        let value = value(asked.units, rhythm, now, &then);
        derived.extend(value.map(|value| Derived { day: now.day, value, since }));
    }
    Ok(derived)
}

/// The values before conversion to other units.
fn levels(about: &About, rows: &[RatePoint], asked: &Asked) -> Vec<Level> {
    let Some((period, aggregation)) = asked.period else {
        let published =
            |row: &RatePoint| Level { day: row.day, since: row.day, total: row.value, mean_of: None };
        return rows.iter().map(published).collect();
    };
    let finished = finished(about, rows);
    let groups = groups(Rhythm::of(about, None), finished, period, false);
    groups.iter().filter_map(|group| aggregated(group, finished, aggregation)).collect()
}

/// Drops the newest value of a series that grows by the day: its month may not be over.
fn finished<'a>(about: &About, rows: &'a [RatePoint]) -> &'a [RatePoint] {
    match rows.split_last() {
        Some((_, finished)) if about.grows_by_day() => finished,
        _ => rows,
    }
}

fn aggregated(group: &Group, rows: &[RatePoint], aggregation: Aggregation) -> Option<Level> {
    let rows = rows.get(group.rows.clone())?;
    let total = || sum(rows.iter().map(|row| row.value));
    let (total, mean_of) = match aggregation {
        Aggregation::Mean => (total()?, Some(u32::try_from(rows.len()).ok()?)),
        Aggregation::Sum => (total()?, None),
        // Chains are computed in `chained`.
        Aggregation::End | Aggregation::Chain => (rows.last()?.value, None),
    };
    Some(Level { day: group.day, since: rows.first()?.day, total, mean_of })
}

/// Whether the units are defined for these values: proportions and logarithms need positive values, and annualised
/// growth a value that is not negative.
fn is_defined(units: Units, now: &Level, then: &Level) -> bool {
    match units {
        Units::Pch | Units::Pc1 => then.is_positive(),
        Units::Pca => then.is_positive() && now.total >= Decimal::ZERO,
        Units::Log => now.is_positive(),
        _ => true,
    }
}

fn value(units: Units, rhythm: Rhythm, now: &Level, then: &Level) -> Option<Decimal> {
    match units {
        Units::Chg | Units::Ch1 => difference(now, then),
        Units::Pch | Units::Pc1 => change::<i128>(now, then).or_else(|| change::<BigInt>(now, then)),
        Units::Pca => yearly_change(now, then, rhythm.rows_of_a_year()?),
        Units::Log => logarithm::significant(&now.fraction()?),
        Units::Index => proportion::<i128>(now, then).or_else(|| proportion::<BigInt>(now, then)),
        _ => shown(now),
    }
}

/// The displayed value: means have eight significant digits, others the digits as published.
fn shown(now: &Level) -> Option<Decimal> {
    match now.mean_of {
        None => Some(now.total),
        Some(_) => significant(now.fraction::<i128>()).or_else(|| significant(now.fraction::<BigInt>())),
    }
}

fn significant<T: Whole>(fraction: Option<Fraction<T>>) -> Option<Decimal> {
    fraction?.significant()
}

/// The difference, exact unless one of the two is a mean.
fn difference(now: &Level, then: &Level) -> Option<Decimal> {
    if now.mean_of.is_none() && then.mean_of.is_none() {
        let scale = now.total.scale().max(then.total.scale());
        let difference = digits(now.total, scale)?.checked_sub(digits(then.total, scale)?)?;
        return decimal(difference, i32::try_from(scale).ok()?);
    }
    fn of_means<T: Whole>(now: &Level, then: &Level) -> Option<Decimal> {
        now.fraction::<T>()?.minus(&then.fraction()?)?.significant()
    }
    of_means::<i128>(now, then).or_else(|| of_means::<BigInt>(now, then))
}

fn change<T: Whole>(now: &Level, then: &Level) -> Option<Decimal> {
    now.fraction::<T>()?.over(&then.fraction()?)?.minus_one()?.percent()
}

fn proportion<T: Whole>(now: &Level, base: &Level) -> Option<Decimal> {
    let hundred = Fraction::new(T::from(100), T::one())?;
    now.fraction::<T>()?.over(&base.fraction()?)?.times(&hundred)?.significant()
}

fn yearly_change(now: &Level, then: &Level, times: u32) -> Option<Decimal> {
    let bounds = || {
        let ratio = now.fraction::<i128>()?.over(&then.fraction()?)?;
        let (numerator, denominator) = (u128::try_from(ratio.numerator).ok()?, ratio.denominator);
        Enclosure::quotient(numerator, u128::try_from(denominator).ok()?)?.power(times)?.percent_above_one()
    };
    let exact = || now.fraction::<BigInt>()?.over(&then.fraction()?)?.power(times)?.minus_one()?.percent();
    bounds().or_else(exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn level(total: i64, mean_of: Option<u32>) -> Level {
        let day = Day::parse("2024-01-01").unwrap();
        Level { day, since: day, total: Decimal::new(total, 2), mean_of }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn yearly_change_equals_the_exact_result(now in 90_000..110_000i64, then in 90_000..110_000i64, of in 1..40u32) {
            let (now, then) = (level(now, Some(of)), level(then, Some(of + 1)));
            for times in [1, 4, 12, 252] {
                let ratio = now.fraction::<BigInt>().unwrap().over(&then.fraction().unwrap()).unwrap();
                let exact = ratio.power(times).unwrap().minus_one().unwrap().percent();
                prop_assert_eq!(yearly_change(&now, &then, times), exact);
            }
        }

        #[test]
        fn narrow_integers_agree_with_wide_ones(now: i64, then in 1..i64::MAX) {
            let (now, then) = (level(now, None), level(then, None));
            if let Some(change) = change::<i128>(&now, &then) {
                prop_assert_eq!(Some(change), super::change::<BigInt>(&now, &then));
            }
            if let Some(index) = proportion::<i128>(&now, &then) {
                prop_assert_eq!(Some(index), proportion::<BigInt>(&now, &then));
            }
        }
    }
}
