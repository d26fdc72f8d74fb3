//! The check of a code: whether this service made the calculation, and whether today's data give the same result.

use lastro_catalog::Catalog;
use lastro_model::Decimal;

use super::correction::{Correction, Rent};
use super::debt::Debt;
use super::inputs::{FromQuery, Inputs, Origin, code, plain_decimal};
use super::interest::{Accumulation, LegalInterest, Savings};
use super::wages::Wages;
use crate::http::request::query::Query;
use crate::http::site::Site;

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This service made the calculation.
    Known {
        /// The inputs that the code proves, as [`Inputs::canonical`] writes them.
        inputs: String,
        /// The result that the code proves.
        result: Decimal,
        /// The result that today's data give, if they give one. Revisions change it.
        today: Option<Decimal>,
    },
    /// This service made the calculation from its built-in sample, which nobody published.
    Sample { inputs: String, result: Decimal },
    /// No code of this service for these inputs and this result.
    Unknown,
}

type Check = fn(&Site, &Catalog, &str, &Query<'_>, &[String]) -> Verdict;

/// A kind of calculation whose codes are checked.
struct CheckedKind {
    letter: char,
    name: &'static str,
    /// `None` if its inputs do not fit into a query.
    check: Option<Check>,
}

const fn by_query<I: FromQuery>() -> CheckedKind {
    CheckedKind { letter: I::LETTER, name: I::KIND, check: Some(of_query::<I>) }
}

const KINDS: [CheckedKind; 7] = [
    by_query::<Correction>(),
    by_query::<Rent>(),
    by_query::<Accumulation>(),
    by_query::<LegalInterest>(),
    by_query::<Savings>(),
    by_query::<Wages>(),
    CheckedKind { letter: Debt::LETTER, name: Debt::KIND, check: None },
];

fn kind(code: &str) -> Option<&'static CheckedKind> {
    let letter = code.trim_start().chars().next()?.to_ascii_uppercase();
    KINDS.iter().find(|kind| kind.letter == letter)
}

/// The kind of calculation that a code names by its first letter: the last segment of its path.
pub fn kind_of_code(code: &str) -> Option<&'static str> {
    kind(code).map(|kind| kind.name)
}

/// Checks a code against the inputs of the query and a result, given as all numbers that it can mean.
pub fn check(site: &Site, catalog: &Catalog, code: &str, query: &Query<'_>, results: &[String]) -> Verdict {
    let check = kind(code).and_then(|kind| kind.check);
    check.map_or(Verdict::Unknown, |check| check(site, catalog, code, query, results))
}

/// Inputs that cannot be read never had a code.
fn of_query<I: FromQuery>(
    site: &Site,
    catalog: &Catalog,
    code: &str,
    query: &Query<'_>,
    results: &[String],
) -> Verdict {
    let inputs = I::read(query);
    inputs.map_or(Verdict::Unknown, |inputs| any_result(&inputs, results, site, catalog, code))
}

/// Checks the code of a debt against its body and a result, given as all numbers that it can mean.
pub fn check_debt(site: &Site, catalog: &Catalog, code: &str, debt: &Debt, results: &[String]) -> Verdict {
    any_result(debt, results, site, catalog, code)
}

/// The verdict for the first of the results that has this code.
fn any_result<I: Inputs>(
    inputs: &I,
    results: &[String],
    site: &Site,
    catalog: &Catalog,
    code: &str,
) -> Verdict {
    let results = results.iter().filter_map(|result| plain_decimal(result));
    let mut verdicts = results.map(|result| verdict(inputs, result, site, catalog, code));
    verdicts.find(|verdict| *verdict != Verdict::Unknown).unwrap_or(Verdict::Unknown)
}

fn verdict<I: Inputs>(inputs: &I, result: Decimal, site: &Site, catalog: &Catalog, typed: &str) -> Verdict {
    let is_of = |origin| site.calculation_codes.is_same(typed, &code(inputs, result, origin, site));
    if is_of(Origin::Sample) {
        return Verdict::Sample { inputs: inputs.canonical(), result };
    }
    if !is_of(Origin::Published) {
        return Verdict::Unknown;
    }
    let today = inputs.calculate(catalog).ok().map(|today| today.result);
    Verdict::Known { inputs: inputs.canonical(), result, today }
}
