//! Amounts that bear interest from day to day: accumulated rates, legal interest, savings.

use lastro_calc::{CalcError, Rate, accumulation, legal_interest, savings, savings_series};
use lastro_catalog::{Catalog, name};
use lastro_model::{Day, Decimal, Series};

use super::inputs::{
    Answer, FromQuery, Inputs, Used, amount, by_day, by_month, days, decimal, object, refused,
};
use crate::error::ApiError;
use crate::http::request::query::Query;

pub(super) struct Accumulation {
    rate: Rate,
    rate_percent: Decimal,
    from: Day,
    to: Day,
    amount: Decimal,
}

impl FromQuery for Accumulation {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        // It is called like its series, whose ids ignore case.
        let rate =
            query.word("rate", &Rate::ALL.map(Rate::id), |text| Rate::parse(&text.to_ascii_lowercase()))?;
        let rate = query.required("rate", rate)?;
        let (from, to) = days(query)?;
        let percent = decimal(query, "rate_percent", &CalcError::RatePercent)?;
        let rate_percent = percent.unwrap_or(Decimal::ONE_HUNDRED);
        Ok(Self { rate, rate_percent, from, to, amount: amount(query)? })
    }
}

impl Inputs for Accumulation {
    const LETTER: char = 'A';
    const KIND: &'static str = "accumulation";

    fn canonical(&self) -> String {
        let Self { rate, rate_percent, from, to, amount } = self;
        let (rate_percent, amount) = (rate_percent.normalize(), amount.normalize());
        format!("rate={} rate_percent={rate_percent} from={from} to={to} amount={amount}", rate.id())
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Self { rate, rate_percent, from, to, amount } = *self;
        let used = Used::of(catalog, rate.series());
        let calculated = accumulation(rate, &used.rows, from, to, rate_percent, amount)
            .map_err(|error| refused(&error))?;
        let inputs = object(calculated.receipt.len())
            .text(name!("rate"), rate.id())
            .number(name!("rate_percent"), rate_percent)
            .token(name!("from"), from)
            .token(name!("to"), to)
            .number(name!("amount"), amount);
        let convention = if rate == Rate::Cdi { "b3" } else { "bcb" };
        Ok(used.answer(inputs, convention, &calculated, by_day))
    }
}

/// The inputs of an amount between two days.
struct Period {
    from: Day,
    to: Day,
    amount: Decimal,
}

impl Period {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        let ((from, to), amount) = (days(query)?, amount(query)?);
        Ok(Self { from, to, amount })
    }

    fn canonical(&self) -> String {
        let Self { from, to, amount } = self;
        format!("from={from} to={to} amount={}", amount.normalize())
    }

    fn write(&self, receipt: usize) -> lastro_catalog::Object<Vec<u8>> {
        object(receipt)
            .token(name!("from"), self.from)
            .token(name!("to"), self.to)
            .number(name!("amount"), self.amount)
    }
}

pub(super) struct LegalInterest(Period);

impl FromQuery for LegalInterest {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        Period::read(query).map(Self)
    }
}

impl Inputs for LegalInterest {
    const LETTER: char = 'L';
    const KIND: &'static str = "legal-interest";

    fn canonical(&self) -> String {
        self.0.canonical()
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Period { from, to, amount } = self.0;
        let used = Used::of(catalog, Series::LegalRate);
        let calculated = legal_interest(&used.rows, from, to, amount).map_err(|error| refused(&error))?;
        Ok(used.answer(self.0.write(calculated.receipt.len()), "law-14905", &calculated, by_month))
    }
}

pub(super) struct Savings(Period);

impl FromQuery for Savings {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        Period::read(query).map(Self)
    }
}

impl Inputs for Savings {
    const LETTER: char = 'S';
    const KIND: &'static str = "savings";

    fn canonical(&self) -> String {
        self.0.canonical()
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Period { from, to, amount } = self.0;
        let used = Used::of(catalog, savings_series(from));
        let calculated = savings(&used.rows, from, to, amount).map_err(|error| refused(&error))?;
        let inputs = self.0.write(calculated.receipt.len());
        Ok(used.answer(inputs, "anniversary", &calculated, |object, step| {
            by_day(object, step).token(name!("credited_on"), step.day.minus_months(-1))
        }))
    }
}
