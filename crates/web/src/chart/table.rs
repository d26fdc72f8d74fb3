//! The table behind a chart: its values as text, with their coordinates for the script that shows the value under the
//! pointer.

use lastro_model::Day;

use super::shape::Frame;
use super::{Dot, Plotted, Precision, tell_place};
use crate::format;
use crate::language::Language;

/// Maximum number of rows. A year of daily values fits; thousands of rows are not read, and each costs bytes and time.
const MOST_ROWS: usize = 600;

/// Interval between the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rhythm {
    Values,
    Weeks,
    Months,
    Years,
}

impl Rhythm {
    const LONGER: [Self; 3] = [Self::Weeks, Self::Months, Self::Years];

    /// Maximum number of days in a period.
    const fn most_days(self) -> usize {
        match self {
            Self::Values => 1,
            Self::Weeks => 7,
            Self::Months => 31,
            Self::Years => 366,
        }
    }

    /// Number of the period that contains a day.
    fn period(self, day: Day) -> i32 {
        match self {
            Self::Values => day.number(),
            // 1970-01-01 was a Thursday.
            Self::Weeks => (day.number() + 3).div_euclid(7),
            Self::Months => {
                let (year, month, _) = day.civil();
                i32::from(year) * 12 + i32::from(month)
            }
            Self::Years => day.year().into(),
        }
    }
}

/// Rows of a table: every value, or the last of each week, month or year if there are too many.
pub(super) fn listed(dots: &[Dot]) -> (Rhythm, Vec<Dot>) {
    if dots.len() <= MOST_ROWS {
        return (Rhythm::Values, dots.to_vec());
    }
    let fits = |rhythm: &Rhythm| spans(*rhythm, dots) <= MOST_ROWS;
    let rhythm = Rhythm::LONGER.into_iter().find(fits).unwrap_or(Rhythm::Years);
    (rhythm, last_of_each(rhythm, dots))
}

/// Number of periods from the first value to the last.
fn spans(rhythm: Rhythm, dots: &[Dot]) -> usize {
    let periods = |dot: Option<&Dot>| dot.map_or(0, |dot| rhythm.period(dot.day));
    usize::try_from(periods(dots.last()) - periods(dots.first())).unwrap_or(0) + 1
}

fn last_of_each(rhythm: Rhythm, dots: &[Dot]) -> Vec<Dot> {
    let (mut kept, mut rest) = (Vec::with_capacity(MOST_ROWS), dots);
    while let Some(first) = rest.first() {
        let period = rhythm.period(first.day);
        // There is one value a day at most.
        let near = &rest[..rest.len().min(rhythm.most_days())];
        let (of_period, after) = rest.split_at(near.partition_point(|dot| rhythm.period(dot.day) <= period));
        kept.extend(of_period.last());
        rest = after;
    }
    kept
}

fn push_place(out: &mut String, place: f64) {
    tell_place(place, Precision::Tenths, |byte| out.push(char::from(byte)));
}

/// The rows as HTML, newest first. They consist of digits and our own words, so nothing needs escaping.
pub(super) fn html(plotted: &Plotted, rows: &[Dot], frame: Frame, middle: f64, language: Language) -> String {
    const ROW: usize = 144;
    let mut out = String::with_capacity(rows.len() * ROW);
    for dot in rows.iter().rev() {
        out.push_str("\n<tr data-x=\"");
        push_place(&mut out, frame.across(dot) + middle);
        out.push_str("\" data-y=\"");
        push_place(&mut out, frame.down(dot.height));
        out.push_str("\"><td><time datetime=\"");
        format::push_machine(&mut out, dot.day, plotted.frequency);
        out.push_str("\">");
        format::push_period(&mut out, dot.day, plotted.frequency, language);
        out.push_str("</time></td><td class=\"number\">");
        format::push_value(&mut out, dot.value, plotted.unit, language);
        out.push_str("</td></tr>");
    }
    out
}

#[cfg(test)]
mod tests {
    use lastro_model::Decimal;
    use proptest::prelude::*;

    use super::*;

    fn days(count: i32) -> Vec<Dot> {
        (0..count).map(|day| Dot::new(Day::from_number(day).unwrap(), Decimal::from(day))).collect()
    }

    #[test]
    fn long_series_have_a_row_a_week_then_a_month_then_a_year() {
        for (count, rhythm, rows) in [
            (600, Rhythm::Values, 600),
            (601, Rhythm::Weeks, 87),
            (4_190, Rhythm::Weeks, 599),
            (10_000, Rhythm::Months, 329),
            (40_000, Rhythm::Years, 110),
        ] {
            let (listed_by, listed) = listed(&days(count));
            assert_eq!((listed_by, listed.len()), (rhythm, rows), "{count}");
        }
        // The last day of a week is Sunday.
        assert_eq!(listed(&days(700)).1[0].day.to_string(), "1970-01-04");
    }

    proptest! {
        #[test]
        fn rows_are_few_and_end_with_the_newest_value(steps in prop::collection::vec(1i32..400, 1..2000)) {
            let dots: Vec<Dot> = steps
                .iter()
                .scan(0, |day, step| {
                    *day += step;
                    Some(Dot::new(Day::from_number(*day).unwrap(), Decimal::ONE))
                })
                .collect();
            let (rhythm, rows) = listed(&dots);
            prop_assert!(rows.len() <= MOST_ROWS || rhythm == Rhythm::Years);
            prop_assert!(rows.windows(2).all(|pair| pair[0].day < pair[1].day));
            prop_assert_eq!(rows.last().unwrap().day, dots.last().unwrap().day);
        }
    }
}
