//! Tickers: the codes under which companies' securities trade, and the details of that trading.

use std::collections::BTreeMap;
use std::fmt;

use crate::{CompanyId, Day, ParseError};

/// A ticker such as `PETR4`: the four characters that the exchange assigned to the company, and a number for the kind
/// of security.
///
/// Ordered by root, then by number: `TAEE3`, `TAEE4`, `TAEE11`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticker {
    root: [u8; 4],
    number: u8,
}

impl Ticker {
    /// Parses a code in either case: four letters or digits, then 3 to 8 (shares), 11 (units) or 31 to 39 (depositary
    /// receipts).
    ///
    /// At least one letter is required: digits alone are a registry code, or no code at all.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError = ParseError("must be a ticker: four letters or digits and 3-8, 11 or 31-39");
        let (root, number) = text.trim().as_bytes().split_first_chunk::<4>().ok_or(FORM)?;
        let is_root = root.iter().all(u8::is_ascii_alphanumeric) && root.iter().any(u8::is_ascii_alphabetic);
        let number = match number {
            [digit @ b'3'..=b'8'] => digit - b'0',
            b"11" => 11,
            [b'3', digit @ b'1'..=b'9'] => 30 + (digit - b'0'),
            _ => return Err(FORM),
        };
        if is_root {
            Ok(Self { root: root.map(|byte| byte.to_ascii_uppercase()), number })
        } else {
            Err(FORM)
        }
    }

    /// The part common to all securities of one company.
    pub fn root(&self) -> &str {
        // `parse` admits only ASCII letters and digits.
        std::str::from_utf8(&self.root).unwrap_or_default()
    }
}

impl fmt::Display for Ticker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.root(), self.number)
    }
}

impl fmt::Debug for Ticker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A security of a company on the exchange, from that company's newest registration form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TradedSecurity {
    pub ticker: Ticker,
    pub company_id: CompanyId,
    /// As published: `Ações Ordinárias`, `Units`.
    pub kind: String,
    /// The class of preferred shares that have classes.
    pub class: Option<String>,
    /// The exchange's listing segment: `Novo Mercado`, `Nível 1`.
    pub segment: Option<String>,
    pub trading_from: Option<Day>,
    /// The last day, if trading has ended or will end.
    pub trading_to: Option<Day>,
    /// Reference day of the form; `version` is that form's version.
    pub reference_day: Day,
    pub version: u16,
}

impl TradedSecurity {
    /// Whether trading ended before this day.
    pub fn has_ended(&self, on: Day) -> bool {
        self.trading_to.is_some_and(|last| last < on)
    }
}

/// The company that each ticker belongs to, sorted by ticker. Only companies that `is_registered` count. A ticker that
/// passed between them belongs to the newest holder: by reference day of its form, then by first day of trading.
pub fn current_holders<'a>(
    securities: impl IntoIterator<Item = &'a TradedSecurity>,
    is_registered: impl Fn(CompanyId) -> bool,
) -> BTreeMap<Ticker, CompanyId> {
    let mut newest: BTreeMap<Ticker, &TradedSecurity> = BTreeMap::new();
    for security in securities.into_iter().filter(|security| is_registered(security.company_id)) {
        let holder = newest.entry(security.ticker).or_insert(security);
        if age(holder) < age(security) {
            *holder = security;
        }
    }
    newest.into_iter().map(|(ticker, security)| (ticker, security.company_id)).collect()
}

fn age(security: &TradedSecurity) -> (Day, Option<Day>, u16, CompanyId) {
    (security.reference_day, security.trading_from, security.version, security.company_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_of_shares_units_and_receipts_are_read_in_either_case() {
        for (text, shown) in [
            ("PETR4", "PETR4"),
            (" petr3 ", "PETR3"),
            ("B3SA3", "B3SA3"),
            ("taee11", "TAEE11"),
            ("XPTO31", "XPTO31"),
            ("XPTO39", "XPTO39"),
            ("ABCD8", "ABCD8"),
        ] {
            assert_eq!(Ticker::parse(text).unwrap().to_string(), shown);
        }
        assert_eq!(Ticker::parse("taee11").unwrap().root(), "TAEE");
    }

    #[test]
    fn invalid_tickers_are_rejected() {
        for bad in [
            "",
            "ADR",
            "4030",
            "000000",
            "40304",
            "PETR",
            "PETR1",
            "PETR2",
            "PETR9",
            "PETR30",
            "PETR40",
            "PETR12",
            "PETR4F",
            "PETR 4",
            "PETR003",
            "PET-4",
            "ÇETR4",
            "PETR3; PETR4",
            "PETR３",
        ] {
            assert!(Ticker::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn tickers_are_ordered_by_number() {
        let mut tickers =
            ["TAEE11", "TAEE4", "TAEE31", "TAEE3", "AAAA8"].map(|text| Ticker::parse(text).unwrap());
        tickers.sort_unstable();
        assert_eq!(format!("{tickers:?}"), "[AAAA8, TAEE3, TAEE4, TAEE11, TAEE31]");
    }

    #[test]
    fn the_last_day_of_trading_is_still_one() {
        let day = |text| Day::parse(text).unwrap();
        let security = TradedSecurity {
            ticker: Ticker::parse("ABCD3").unwrap(),
            company_id: CompanyId(1),
            kind: "Ações Ordinárias".to_owned(),
            class: None,
            segment: None,
            trading_from: None,
            trading_to: Some(day("2026-03-31")),
            reference_day: day("2026-01-01"),
            version: 1,
        };
        assert!(!security.has_ended(day("2026-03-31")) && security.has_ended(day("2026-04-01")));
        assert!(!TradedSecurity { trading_to: None, ..security }.has_ended(day("2099-12-31")));
    }

    proptest! {
        #[test]
        fn parsed_tickers_round_trip(text in prop_oneof![".{0,8}", "[A-Za-z0-9]{4}[0-9]{1,2}"]) {
            if let Ok(ticker) = Ticker::parse(&text) {
                prop_assert_eq!(ticker.to_string(), text.trim().to_ascii_uppercase());
                prop_assert_eq!(Ticker::parse(&ticker.to_string()), Ok(ticker));
            }
        }
    }
}
