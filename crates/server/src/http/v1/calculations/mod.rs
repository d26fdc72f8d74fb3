//! Calculations, each with its receipt and a code that proves that this service made it.
//!
//! [`inputs`] has the parameters of a kind of calculation and its answer, which the handlers of the API, the pages and the
//! check of a code share.

mod check;
mod correction;
mod debt;
mod debt_body;
mod inputs;
mod interest;
mod label;
mod wages;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;
pub use check::{Verdict, check, check_debt, kind_of_code};
use correction::{Correction, Rent};
pub use debt::{Debt, answer as debt_answer, debt};
use inputs::FromQuery;
pub use inputs::json_decimal;
use interest::{Accumulation, LegalInterest, Savings};
use wages::Wages;

pub fn correction(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<Correction>(question)
}

pub fn rent(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<Rent>(question)
}

pub fn accumulation(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<Accumulation>(question)
}

pub fn legal_interest(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<LegalInterest>(question)
}

pub fn savings(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<Savings>(question)
}

pub fn minimum_wages(question: &Question<'_>) -> Result<Reply, ApiError> {
    reply::<Wages>(question)
}

fn reply<I: FromQuery>(question: &Question<'_>) -> Result<Reply, ApiError> {
    let inputs = I::read(&question.query)?;
    let mut answer = inputs.calculate(question.catalog)?;
    let stamps = std::mem::take(&mut answer.stamps);
    Ok(Reply::data(answer.into_body(&inputs, question.site), stamps))
}
