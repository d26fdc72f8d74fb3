//! Filings: documents that companies deliver to the regulator.

use std::fmt;

use crate::{CompanyId, Day, History, ParseError, brasilia_day};

/// A filing's id: the regulator's protocol number or, if a row has none, `h-` and a hash of the row.
///
/// Ids are totally ordered. Protocol numbers grow with time, so among filings of one day the greater id is newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilingId {
    Hash(u64),
    Protocol(u64),
}

impl FilingId {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError =
            ParseError("must be a filing identifier: digits, or h- and 16 hexadecimal digits");
        if let Some(hash) = text.strip_prefix("h-") {
            let canonical = hash.len() == 16 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            return if canonical {
                u64::from_str_radix(hash, 16).map(Self::Hash).map_err(|_| FORM)
            } else {
                Err(FORM)
            };
        }
        // Each filing has one spelling: "007" is not accepted for "7".
        let canonical = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        if canonical { text.parse().map(Self::Protocol).map_err(|_| FORM) } else { Err(FORM) }
    }
}

impl fmt::Display for FilingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(number) => write!(f, "{number}"),
            Self::Hash(hash) => write!(f, "h-{hash:016x}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    pub id: FilingId,
    pub company_id: CompanyId,
    /// The name on the filing; the registry may have a newer one.
    pub company_name: String,
    pub category: String,
    pub kind: Option<String>,
    /// The day of delivery. The regulator publishes no time of day.
    pub delivered_on: Day,
    pub reference_day: Option<Day>,
    pub description: String,
    pub version: u16,
    /// The document on the regulator's site.
    pub url: String,
}

impl Filing {
    /// Whether the filing left service because its day of delivery had not come, and not because its publisher no longer
    /// lists it: it is marked before that day. Such a row is not shown at all.
    pub fn is_held_back(&self, history: History) -> bool {
        history.withdrawn.is_some_and(|at| brasilia_day(at.as_millisecond()) < self.delivered_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_filing_has_one_spelling() {
        assert_eq!(FilingId::parse("1476522"), Ok(FilingId::Protocol(1_476_522)));
        assert_eq!(FilingId::parse("h-00000000000000ff"), Ok(FilingId::Hash(255)));
        for bad in
            ["", "007", "-1", "h-ff", "h-00000000000000FF", "1e3", "99999999999999999999", "h-é0000000000000"]
        {
            assert!(FilingId::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn ids_round_trip(number: u64, hashed: bool) {
            let id = if hashed { FilingId::Hash(number) } else { FilingId::Protocol(number) };
            prop_assert_eq!(FilingId::parse(&id.to_string()).unwrap(), id);
        }

        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let _ = FilingId::parse(&text);
        }
    }
}
