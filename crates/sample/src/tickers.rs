//! Tickers of the made-up companies.

use lastro_model::{Company, Day, Standing, Ticker, TradedSecurity};

use super::random::Random;
use super::{NEWEST_DAY, Shape, companies};

/// Roots of three letters and a digit. Roots of real shares have four letters, but for a handful of other forms.
const ROOTS: u64 = 26 * 26 * 26 * 10;
/// Has no common divisor with [`ROOTS`], so that every company gets a different root.
const STRIDE: u64 = 71_993;

const PERCENT_LISTED: u32 = 60;
const PERCENT_WITH_PREFERRED: u32 = 45;
const PERCENT_WITH_UNITS: u32 = 15;

const COMMON: (&str, &str) = ("3", "Ações Ordinárias");
const PREFERRED: (&str, &str) = ("4", "Ações Preferenciais");
const UNITS: (&str, &str) = ("11", "Units");

const SEGMENTS: [&str; 4] = ["Novo Mercado", "Novo Mercado", "Nível 1", "Tradicional"];

/// All tickers, by company. Those of cancelled companies have ended.
pub fn tickers(shape: &Shape) -> Vec<TradedSecurity> {
    let mut random = Random::new(shape.seed, "tickers");
    let companies = companies(shape);
    (0..).zip(&companies).flat_map(|(index, company)| securities(&mut random, company, index)).collect()
}

fn securities(random: &mut Random, company: &Company, index: u64) -> Vec<TradedSecurity> {
    let is_listed = random.chance(PERCENT_LISTED);
    let with_preferred = random.chance(PERCENT_WITH_PREFERRED);
    let with_units = random.chance(PERCENT_WITH_UNITS);
    let segment = random.pick(&SEGMENTS);
    let kinds =
        [(is_listed, COMMON), (is_listed && with_preferred, PREFERRED), (is_listed && with_units, UNITS)];
    let root = root(index);
    kinds
        .into_iter()
        .filter(|(has, _)| *has)
        .filter_map(|(_, (number, kind))| security(company, &format!("{root}{number}"), kind, segment))
        .collect()
}

fn security(company: &Company, ticker: &str, kind: &str, segment: &str) -> Option<TradedSecurity> {
    let newest = Day::from(NEWEST_DAY);
    let ended = Standing::of(&company.status) == Standing::Cancelled;
    Some(TradedSecurity {
        ticker: Ticker::parse(ticker).ok()?,
        company_id: company.id,
        kind: kind.to_owned(),
        class: None,
        segment: Some(segment.to_owned()),
        trading_from: company.registered_on.map(|day| day.plus_days(30)),
        trading_to: ended.then(|| newest.plus_days(-200)),
        reference_day: Day::from_ymd(newest.year(), 1, 1).ok()?,
        version: 1,
    })
}

/// Scatters the roots, so that those of neighbours in the registry do not look sequential.
fn root(index: u64) -> String {
    let number = (index + 1) * STRIDE % ROOTS;
    let letter = |place: u64| char::from(b'A' + (number / place % 26) as u8);
    format!("{}{}{}{}", letter(6_760), letter(260), letter(10), number % 10)
}
