//! Amounts in minimum wages, and the reverse.

use lastro_calc::{CalcError, Month, WageQuestion, minimum_wages};
use lastro_catalog::{Catalog, name};
use lastro_model::Series;

use super::inputs::{Answer, FromQuery, Inputs, Used, decimal, month, object, refused, write_editions};
use crate::error::ApiError;
use crate::http::request::query::Query;

pub(super) struct Wages {
    month: Month,
    question: WageQuestion,
}

impl FromQuery for Wages {
    fn read(query: &Query<'_>) -> Result<Self, ApiError> {
        let month = month(query, "month")?;
        let amount = decimal(query, "amount", &CalcError::Amount)?;
        let question = match (amount, decimal(query, "wages", &CalcError::Wages)?) {
            (Some(amount), None) => WageQuestion::Amount(amount),
            (None, Some(wages)) => WageQuestion::Wages(wages),
            _ => {
                return Err(ApiError::BadRequest(
                    "either `amount` or `wages` is required, and not both".into(),
                ));
            }
        };
        Ok(Self { month, question })
    }
}

impl Inputs for Wages {
    const LETTER: char = 'W';
    const KIND: &'static str = "minimum-wages";

    fn canonical(&self) -> String {
        let Self { month, question } = self;
        match question {
            WageQuestion::Amount(amount) => format!("month={month} amount={}", amount.normalize()),
            WageQuestion::Wages(wages) => format!("month={month} wages={}", wages.normalize()),
        }
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let Self { month, question } = *self;
        let used = Used::of(catalog, Series::MinimumWage);
        let calculated = minimum_wages(&used.rows, month, question).map_err(|error| refused(&error))?;
        let result = match question {
            WageQuestion::Amount(_) => calculated.wages,
            WageQuestion::Wages(_) => calculated.amount,
        };
        let object = object(1)
            .text(name!("month"), &month.to_string())
            .number(name!("amount"), calculated.amount)
            .number(name!("wages"), calculated.wages)
            .number(name!("wage"), calculated.wage)
            .number(name!("result"), result)
            .text(name!("convention"), "minimum-wage-of-the-month")
            .text(name!("series"), used.id())
            .written(name!("editions"), |out| write_editions(&[&used], out));
        Ok(Answer::new(object, result, &[&used]))
    }
}
