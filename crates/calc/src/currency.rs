//! Currencies of Brazil since 1942, and the conversion rates between them.

use lastro_model::{Day, Decimal};

/// A currency and its first day. The cruzeiro novo and the cruzeiro that followed it share one code.
struct Change {
    first_day: (i16, i8, i8),
    code: &'static str,
    /// Units of the previous currency per unit of this one.
    worth: i64,
}

const fn change(first_day: (i16, i8, i8), code: &'static str, worth: i64) -> Change {
    Change { first_day, code, worth }
}

/// Oldest first. Réis, before all of these, have no code.
const CHANGES: [Change; 8] = [
    change((1942, 11, 1), "BRZ", 1_000),
    change((1967, 2, 13), "BRB", 1_000),
    change((1970, 5, 15), "BRB", 1),
    change((1986, 2, 28), "BRC", 1_000),
    change((1989, 1, 16), "BRN", 1_000),
    change((1990, 3, 16), "BRE", 1),
    change((1993, 8, 1), "BRR", 1_000),
    change((1994, 7, 1), "BRL", 2_750),
];

/// The currency change between two days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    /// The amount is divided by this.
    pub(crate) divisor: Decimal,
}

/// The conversion from the currency of one day to that of another; `None` if either had no currency with a code.
pub(crate) fn conversion(from: Day, to: Day) -> Option<Conversion> {
    let (first, last) = (in_force(from)?, in_force(to)?);
    let passed = CHANGES.get(first + 1..=last).unwrap_or_default();
    // At most sixteen digits: three zeros four times, and 2,750.
    let divisor = passed.iter().map(|change| Decimal::from(change.worth)).product();
    Some(Conversion { from: CHANGES[first].code, to: CHANGES[last].code, divisor })
}

/// The index of the currency in force on a day.
fn in_force(day: Day) -> Option<usize> {
    CHANGES.iter().rposition(|change| change.first_day <= day.civil())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: &str, to: &str) -> Option<(&'static str, &'static str, String)> {
        let conversion = conversion(Day::parse(from).unwrap(), Day::parse(to).unwrap())?;
        Some((conversion.from, conversion.to, conversion.divisor.to_string()))
    }

    #[test]
    fn a_currency_is_in_force_from_its_first_day_on() {
        assert_eq!(between("1986-02-27", "1986-02-28"), Some(("BRB", "BRC", "1000".to_owned())));
        assert_eq!(between("1989-01-01", "1989-05-31"), Some(("BRC", "BRN", "1000".to_owned())));
        assert_eq!(between("1994-06-30", "1994-07-01"), Some(("BRR", "BRL", "2750".to_owned())));
        assert_eq!(between("1990-03-15", "1990-03-16"), Some(("BRN", "BRE", "1".to_owned())));
        assert_eq!(between("1967-02-13", "1986-02-27"), Some(("BRB", "BRB", "1".to_owned())));
        assert_eq!(between("1994-07-01", "2026-01-31"), Some(("BRL", "BRL", "1".to_owned())));
    }

    #[test]
    fn eighty_years_divide_by_sixteen_digits() {
        let divisor = "2750000000000000".to_owned();
        assert_eq!(between("1942-11-01", "2026-10-31"), Some(("BRZ", "BRL", divisor)));
        assert_eq!(between("1942-10-31", "2026-10-31"), None);
    }
}
