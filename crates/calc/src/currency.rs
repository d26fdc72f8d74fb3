//! The currencies of Brazil since 1942, and how many of the old one became one of the new.

use lastro_model::{Day, Decimal};

/// A currency from its first day on. The cruzeiro novo and the cruzeiro that followed it have one code.
struct Change {
    first_day: (i16, i8, i8),
    code: &'static str,
    /// How many of the currency before one of this was worth.
    worth: i64,
}

const fn change(first_day: (i16, i8, i8), code: &'static str, worth: i64) -> Change {
    Change { first_day, code, worth }
}

/// The oldest first. Réis, before all of them, have no code.
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

/// What an amount passes through between two days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    /// What an amount is divided by.
    pub(crate) divisor: Decimal,
}

/// From the currency of one day to that of another; none if one of them had no currency that has a code.
pub(crate) fn conversion(from: Day, to: Day) -> Option<Conversion> {
    let (first, last) = (in_force(from)?, in_force(to)?);
    let passed = CHANGES.get(first + 1..=last).unwrap_or_default();
    // At most sixteen digits: three noughts four times, and 2,750.
    let divisor = passed.iter().map(|change| Decimal::from(change.worth)).product();
    Some(Conversion { from: CHANGES[first].code, to: CHANGES[last].code, divisor })
}

/// The place of the currency that was in force on a day.
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
