//! A debt of one or more instalments, as courts' tables compute it: monetary correction, interest, a fine and fees.
//!
//! Every line of money is rounded to the cent once, half up, and totals are sums of rounded lines, so that anyone can
//! recompute the result from the lines shown.

use std::collections::BTreeMap;

use lastro_model::{Day, Decimal, RatePoint, Series, api_words};

use crate::calculation::{CalcError, Step, chained, check_amount, first_month_of_the_real, money, one};
use crate::correction::{is_price_index, months};
use crate::fraction::Fraction;
use crate::legal_interest;
use crate::month::Month;
use crate::product::{Factor, Product};
use crate::rounding::{Rounding, sum};

pub const MOST_INSTALMENTS: usize = 500;
/// Most decimals of a percentage.
const PERCENT_DECIMALS: u32 = 4;
/// Days of a month when only a part of it counts.
const DAYS_OF_A_MONTH: u32 = 30;

api_words! {
    /// The interest on the corrected amount of each instalment.
    InterestRule {
        None = "none",
        /// A rate for each whole month, and a thirtieth of it for each day left.
        Simple = "simple",
        /// Law 14,905 of 2024: simple interest of 1 % a month, and from 2024-08-30 on the legal rate.
        Legal = "legal",
    }
}

api_words! {
    /// The base of the fine.
    FineBase {
        Corrected = "corrected",
        /// The corrected amounts with their interest.
        Total = "total",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interest {
    pub rule: InterestRule,
    /// The rate of [`InterestRule::Simple`].
    pub monthly_percent: Decimal,
    /// Interest counts from this day at the earliest.
    pub from: Option<Day>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebtTerms {
    pub to: Day,
    pub index: Option<Series>,
    pub interest: Interest,
    pub fine_percent: Decimal,
    pub fine_on: FineBase,
    pub fees_percent: Decimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instalment {
    pub day: Day,
    pub amount: Decimal,
}

/// The rows of the index and of the legal rate, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct DebtRows<'a> {
    pub index: &'a [RatePoint],
    pub legal: &'a [RatePoint],
}

/// The calculation for one instalment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebtLine {
    /// With eight decimals.
    pub correction_factor: Decimal,
    pub corrected: Decimal,
    /// With six decimals.
    pub interest_percent: Decimal,
    pub interest: Decimal,
    pub total: Decimal,
    /// The first and the last month of the correction; `None` without one.
    pub months: Option<(Month, Month)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt {
    /// In the order of the instalments.
    pub lines: Vec<DebtLine>,
    pub corrected: Decimal,
    pub interest: Decimal,
    pub subtotal: Decimal,
    pub fine: Decimal,
    pub fees: Decimal,
    pub result: Decimal,
    /// Every month of the index, oldest first.
    pub receipt: Vec<Step>,
    /// Every month of the legal rate, oldest first.
    pub legal_rates: Vec<RatePoint>,
}

/// The reason why a debt is rejected, as a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DebtError {
    #[error("`instalments` must have 1 to {MOST_INSTALMENTS} entries")]
    Count,
    #[error(
        "`instalments[{0}].amount` must be a decimal number above 0 and up to 1000000000000000 with at most 2 decimals"
    )]
    Amount(usize),
    #[error("`instalments[{0}].date` must not be before 1994-07-01, when the real began")]
    TooEarly(usize),
    #[error("`instalments[{0}].date` must not be after `to`")]
    TooLate(usize),
    #[error("`interest.from` must not be before 1994-07-01 or after `to`")]
    InterestFrom,
    #[error(transparent)]
    Calculation(#[from] CalcError),
}

/// Calculates a debt at the day `terms.to`.
pub fn debt(terms: &DebtTerms, instalments: &[Instalment], rows: DebtRows<'_>) -> Result<Debt, DebtError> {
    check(terms, instalments)?;
    let correction = Correction::new(terms, instalments, rows.index)?;
    let mut legal = LegalRates { rows: rows.legal, used: Vec::new(), known: BTreeMap::new() };
    let line = |instalment: &Instalment| line(terms, *instalment, &correction, &mut legal);
    let lines: Vec<DebtLine> = instalments.iter().map(line).collect::<Result<_, _>>()?;
    let total_of = |part: fn(&DebtLine) -> Decimal| sum(lines.iter().map(part)).ok_or(CalcError::TooLarge);
    let (corrected, interest) = (total_of(|line| line.corrected)?, total_of(|line| line.interest)?);
    let subtotal = total_of(|line| line.total)?;
    let fine_base = if terms.fine_on == FineBase::Total { subtotal } else { corrected };
    let fine = money(fine_base, terms.fine_percent, 100)?;
    let with_fine = sum([subtotal, fine].into_iter()).ok_or(CalcError::TooLarge)?;
    let fees = money(with_fine, terms.fees_percent, 100)?;
    let result = sum([with_fine, fees].into_iter()).ok_or(CalcError::TooLarge)?;
    let (receipt, legal_rates) = (correction.receipt, legal.used);
    Ok(Debt { lines, corrected, interest, subtotal, fine, fees, result, receipt, legal_rates })
}

fn check(terms: &DebtTerms, instalments: &[Instalment]) -> Result<(), DebtError> {
    let first = first_month_of_the_real().first_day();
    if terms.to < first {
        return Err(CalcError::ToTooEarly(first).into());
    }
    if terms.interest.from.is_some_and(|from| from < first || from > terms.to) {
        return Err(DebtError::InterestFrom);
    }
    let Interest { monthly_percent, .. } = terms.interest;
    let percents = [
        ("interest.monthly_percent", monthly_percent),
        ("fine_percent", terms.fine_percent),
        ("fees_percent", terms.fees_percent),
    ];
    for (name, percent) in percents {
        let bounds = Decimal::ZERO..=Decimal::ONE_HUNDRED;
        if !bounds.contains(&percent) || percent.scale() > PERCENT_DECIMALS {
            return Err(CalcError::Percent(name).into());
        }
    }
    if !(1..=MOST_INSTALMENTS).contains(&instalments.len()) {
        return Err(DebtError::Count);
    }
    for (place, instalment) in instalments.iter().enumerate() {
        check_amount(instalment.amount).map_err(|_| DebtError::Amount(place))?;
        match instalment.day {
            day if day < first => return Err(DebtError::TooEarly(place)),
            day if day > terms.to => return Err(DebtError::TooLate(place)),
            _ => {}
        }
    }
    Ok(())
}

fn line(
    terms: &DebtTerms,
    instalment: Instalment,
    correction: &Correction,
    legal: &mut LegalRates<'_>,
) -> Result<DebtLine, CalcError> {
    let (correction_factor, months) = correction.of(Month::of(instalment.day));
    let corrected = money(instalment.amount, correction_factor, 1)?;
    let start = terms.interest.from.map_or(instalment.day, |from| from.max(instalment.day));
    let interest_percent = interest_percent(terms, start, legal)?;
    let interest = money(corrected, interest_percent, 100)?;
    let total = sum([corrected, interest].into_iter()).ok_or(CalcError::TooLarge)?;
    Ok(DebtLine { correction_factor, corrected, interest_percent, interest, total, months })
}

/// The interest from `start` (inclusive) to the day of the debt (exclusive), with six decimals.
fn interest_percent(terms: &DebtTerms, start: Day, legal: &mut LegalRates<'_>) -> Result<Decimal, CalcError> {
    let Interest { rule, monthly_percent, .. } = terms.interest;
    let percent = match rule {
        InterestRule::None => return Ok(Decimal::new(0, 6)),
        InterestRule::Simple => simple(monthly_percent, start, terms.to),
        InterestRule::Legal => {
            let change = legal_interest::first_day();
            let before = simple(Decimal::ONE, start, terms.to.min(change));
            let after = legal.percent(start.max(change), terms.to)?;
            before.and_then(|before| before.plus(&after))
        }
    };
    percent.and_then(|percent| percent.rounded(6, Rounding::HalfUp)).ok_or(CalcError::TooLarge)
}

/// The rate for each whole month between two days, and a thirtieth of it for each day left; nothing if `from` is later.
fn simple(monthly_percent: Decimal, from: Day, to: Day) -> Option<Fraction<i128>> {
    let (months, days) = if from < to { months_and_days(from, to) } else { (0, 0) };
    let thirtieths = Decimal::from(months * DAYS_OF_A_MONTH as i32 + days);
    Fraction::of(monthly_percent)?.times(&Fraction::of(thirtieths)?)?.by(DAYS_OF_A_MONTH)
}

/// Whole months by the calendar, and the days left. From the 31st to the last day of a shorter month is a whole month.
fn months_and_days(from: Day, to: Day) -> (i32, i32) {
    let ((year, month, _), (last_year, last_month, _)) = (from.civil(), to.civil());
    let months = i32::from(last_year - year) * 12 + i32::from(last_month - month);
    let months = if from.minus_months(-months) > to { months - 1 } else { months };
    (months, to.number() - from.minus_months(-months).number())
}

/// The correction factor from each month to the one before that of the debt.
struct Correction {
    receipt: Vec<Step>,
    /// From each month of the receipt to its last.
    factors: Vec<Decimal>,
}

impl Correction {
    fn new(terms: &DebtTerms, instalments: &[Instalment], rows: &[RatePoint]) -> Result<Self, CalcError> {
        let none = Self { receipt: Vec::new(), factors: Vec::new() };
        let (first, last) =
            (instalments.iter().map(|instalment| instalment.day).min(), Month::of(terms.to).previous());
        let Some((index, first)) = terms.index.zip(first.map(Month::of)) else { return Ok(none) };
        let about = index.about();
        if !is_price_index(about) {
            return Err(CalcError::NotAPriceIndex(about.id));
        }
        if first > last {
            return Ok(none);
        }
        let rows = months(about, rows, first, last)?;
        let receipt = chained(rows).ok_or(CalcError::TooLarge)?;
        Ok(Self { receipt, factors: to_the_end(rows).ok_or(CalcError::TooLarge)? })
    }

    /// The factor of an instalment of this month, with the first and the last month used.
    fn of(&self, month: Month) -> (Decimal, Option<(Month, Month)>) {
        let place = self.receipt.binary_search_by_key(&month.first_day(), |step| step.day);
        match (place, self.receipt.last()) {
            (Ok(place), Some(last)) => (self.factors[place], Some((month, Month::of(last.day)))),
            _ => (one(), None),
        }
    }
}

/// The factor from each row to the last, with eight decimals.
fn to_the_end(rows: &[RatePoint]) -> Option<Vec<Decimal>> {
    let factors: Vec<Option<Factor>> = rows.iter().map(|row| Factor::of_percent(row.value)).collect();
    let mut product = Product::before(&factors, factors.len());
    let factor = |place| {
        product.extend_back_to(place);
        product.rounded(8, Rounding::HalfUp)
    };
    let mut backwards: Vec<Decimal> = (0..rows.len()).rev().map(factor).collect::<Option<_>>()?;
    backwards.reverse();
    Some(backwards)
}

/// The legal rates, with the longest list of rows used so far: all periods have the same end.
struct LegalRates<'a> {
    rows: &'a [RatePoint],
    used: Vec<RatePoint>,
    /// The percent from each day asked for. All instalments from before the law begin on the same one.
    known: BTreeMap<Day, Fraction<i128>>,
}

impl LegalRates<'_> {
    fn percent(&mut self, from: Day, to: Day) -> Result<Fraction<i128>, CalcError> {
        if let Some(known) = self.known.get(&from) {
            return Ok(known.clone());
        }
        let (percent, used) = legal_interest::percent(self.rows, from, to)?;
        if used.len() > self.used.len() {
            self.used = used;
        }
        self.known.insert(from, percent.clone());
        Ok(percent)
    }
}
