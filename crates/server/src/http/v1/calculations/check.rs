//! The check of a code: whether this service made the calculation, and whether today's data give the same result.

use lastro_calc::CalcError;
use lastro_catalog::Catalog;
use lastro_model::Decimal;

use super::correction::{Correction, Rent};
use super::debt::Debt;
use super::inputs::{FromQuery, Inputs, code, decimal, plain_decimal};
use super::interest::{Accumulation, LegalInterest, Savings};
use super::wages::Wages;
use crate::http::request::query::Query;
use crate::http::site::Site;

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// This service made the calculation, and today's data give the same result.
    Confirmed,
    /// This service made it, but later revisions give another result, or none.
    Revised(Option<Decimal>),
    /// No code of this service for these inputs and this result.
    Unknown,
}

type Check = fn(&Site, &Catalog, &str, &Query<'_>) -> Verdict;

/// Checks a code against the inputs and the `result` of the query.
pub fn check(site: &Site, catalog: &Catalog, code: &str, query: &Query<'_>) -> Verdict {
    let check: Check = match code.chars().next().map(|letter| letter.to_ascii_uppercase()) {
        Some(Correction::LETTER) => of_query::<Correction>,
        Some(Rent::LETTER) => of_query::<Rent>,
        Some(Accumulation::LETTER) => of_query::<Accumulation>,
        Some(LegalInterest::LETTER) => of_query::<LegalInterest>,
        Some(Savings::LETTER) => of_query::<Savings>,
        Some(Wages::LETTER) => of_query::<Wages>,
        _ => return Verdict::Unknown,
    };
    check(site, catalog, code, query)
}

/// Inputs that cannot be read never had a code.
fn of_query<I: FromQuery>(site: &Site, catalog: &Catalog, code: &str, query: &Query<'_>) -> Verdict {
    let read = || Some((I::read(query).ok()?, decimal(query, "result", &CalcError::Amount).ok()??));
    read().map_or(Verdict::Unknown, |(inputs, result)| verdict(&inputs, result, site, catalog, code))
}

/// Checks the code of a debt against its body and the result.
pub fn check_debt(site: &Site, catalog: &Catalog, code: &str, debt: &Debt, result: &str) -> Verdict {
    let result = plain_decimal(result);
    result.map_or(Verdict::Unknown, |result| verdict(debt, result, site, catalog, code))
}

fn verdict<I: Inputs>(inputs: &I, result: Decimal, site: &Site, catalog: &Catalog, typed: &str) -> Verdict {
    if !site.calculation_codes.is_same(typed, &code(inputs, result, site)) {
        return Verdict::Unknown;
    }
    match inputs.calculate(catalog) {
        Ok(today) if today.result == result => Verdict::Confirmed,
        Ok(today) => Verdict::Revised(Some(today.result)),
        Err(_) => Verdict::Revised(None),
    }
}
