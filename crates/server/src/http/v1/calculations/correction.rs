//! Amounts corrected by a price index, and the yearly adjustment of a rent.

use lastro_calc::{Month, NegativeIndex, calculated_with, correction, rent};
use lastro_catalog::{Catalog, name};
use lastro_model::{Decimal, Series};

use super::inputs::{Answer, FromQuery, Inputs, Used, amount, by_month, index, month, object, refused};
use crate::error::ApiError;
use crate::http::request::query::Query;

pub(super) struct Correction {
    index: Series,
    from: Month,
    to: Month,
    amount: Decimal,
}

impl FromQuery for Correction {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        let index = index(query)?;
        Ok(Self { index, from: month(query, "from")?, to: month(query, "to")?, amount: amount(query)? })
    }
}

impl Inputs for Correction {
    const LETTER: char = 'C';
    const KIND: &'static str = "correction";

    fn canonical(&self) -> String {
        let Self { index, from, to, amount } = self;
        format!("index={} from={from} to={to} amount={}", index.about().id, amount.normalize())
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Self { index, from, to, amount } = *self;
        let used = Used::of(catalog, calculated_with(index));
        let calculated =
            correction(index.about(), &used.rows, from, to, amount).map_err(|error| refused(&error))?;
        let inputs = object(calculated.receipt.len())
            .text(name!("index"), index.about().id)
            .text(name!("from"), &from.to_string())
            .text(name!("to"), &to.to_string())
            .number(name!("amount"), amount);
        Ok(used.answer(inputs, "bcb", &calculated, by_month))
    }
}

pub(super) struct Rent {
    index: Series,
    month: Month,
    amount: Decimal,
    negative: NegativeIndex,
}

impl FromQuery for Rent {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        let (index, month, amount) = (index(query)?, month(query, "month")?, amount(query)?);
        let negative =
            query.word("negative", &NegativeIndex::ALL.map(NegativeIndex::id), NegativeIndex::parse)?;
        Ok(Self { index, month, amount, negative: negative.unwrap_or(NegativeIndex::Apply) })
    }
}

impl Inputs for Rent {
    const LETTER: char = 'R';
    const KIND: &'static str = "rent";

    fn canonical(&self) -> String {
        let Self { index, month, amount, negative } = self;
        let (index, amount) = (index.about().id, amount.normalize());
        format!("index={index} month={month} amount={amount} negative={}", negative.id())
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Self { index, month, amount, negative } = *self;
        let used = Used::of(catalog, calculated_with(index));
        let calculated =
            rent(index.about(), &used.rows, month, amount, negative).map_err(|error| refused(&error))?;
        let inputs = object(calculated.receipt.len())
            .text(name!("index"), index.about().id)
            .text(name!("month"), &month.to_string())
            .number(name!("amount"), amount)
            .text(name!("negative"), negative.id());
        Ok(used.answer(inputs, "twelve-months-before", &calculated, by_month))
    }
}
