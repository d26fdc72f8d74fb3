//! The calculator: each page shows the response of the API's own handler, so that both give the same result.

use bytes::Bytes;
use http::StatusCode;
use lastro_web::calculator::{
    CheckForm, CheckInputs, CheckOutcome, CheckPage, Kind, Submitted, SubmittedDebt, readings,
};
use lastro_web::{Calculator, Data};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::keeping::{self, drawn_for_one, kept, redirect};
use super::reader;
use crate::error::ApiError;
use crate::http::handler::{Action, Question, ReadHandler};
use crate::http::request::path::PathParams;
use crate::http::request::query::Query;
use crate::http::response::body::Body;
use crate::http::response::reply::Reply;
use crate::http::v1::calculations::{self, Debt, Verdict};

/// The empty form of the calculator.
pub fn calculator(question: &Question<'_>) -> Result<Reply, ApiError> {
    let kind = question.query.get("kind")?.and_then(Kind::parse);
    kept(question, &Calculator { kind: kind.unwrap_or(Kind::Correction) })
}

pub fn correction(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Correction, calculations::correction)
}

pub fn accumulation(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Accumulation, calculations::accumulation)
}

pub fn legal_interest(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::LegalInterest, calculations::legal_interest)
}

/// The form as submitted, with the response of the API's own handler, so that both give the same result.
fn calculated(question: &Question<'_>, kind: Kind, handler: ReadHandler) -> Result<Reply, ApiError> {
    let submitted = Submitted::read(kind, |name| question.query.get(name))?;
    drawn_for_one(question, |data, reader| {
        let answer = calculate(question, handler, submitted.query());
        let (answer, status) = match &answer {
            Ok(body) => (Ok(&body[..]), StatusCode::OK),
            Err(ApiError::BadRequest(message)) => (Err(&**message), StatusCode::BAD_REQUEST),
            Err(error) => return Err(error.clone()),
        };
        Ok((submitted.render(data, reader, answer)?, status))
    })
}

/// Calls the API's handler with these parameters.
fn calculate(question: &Question<'_>, handler: ReadHandler, query: &str) -> Result<Bytes, ApiError> {
    let question = Question { path: PathParams::read("/", "/")?, query: Query::of_page(query)?, ..*question };
    match handler(&question)?.body {
        Body::Whole(bytes) => Ok(bytes),
        _ => Err(ApiError::Internal),
    }
}

pub fn savings(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Savings, calculations::savings)
}

pub fn rent(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Rent, calculations::rent)
}

pub fn minimum_wages(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Wages, calculations::minimum_wages)
}

/// The form of a debt as submitted, with the result.
pub async fn debt(action: Action<'_>) -> Result<Reply, ApiError> {
    let Action { served, site, now, head, query, body, .. } = action;
    let (reader, body) = (reader::of(head, &query), body.whole().await?);
    let form = form(&body)?;
    let submitted = SubmittedDebt::read(|name| form.get(name))?;
    let (catalog, freshness) = (served.catalog.load(), served.freshness.load());
    let answer = Debt::from_json(submitted.body().as_bytes())
        .and_then(|debt| calculations::debt_answer(&debt, &catalog, site));
    let (answer, status) = match &answer {
        Ok(body) => (Ok(&body[..]), StatusCode::OK),
        Err(ApiError::BadRequest(message)) => (Err(&**message), StatusCode::BAD_REQUEST),
        Err(error) => return Err(error.clone()),
    };
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    let text = submitted.render(&data, reader, answer)?;
    Ok(keeping::private(reader, &site.origin(head), &text).private(status))
}

/// The address of the form of a debt, as people remember it.
pub fn debt_form(question: &Question<'_>) -> Result<Reply, ApiError> {
    redirect(question, "/calculator?kind=debt")
}

/// The form for a code, which leads to the page of that code.
pub fn check_form(question: &Question<'_>) -> Result<Reply, ApiError> {
    match question.query.get("code")?.map(str::trim) {
        None | Some("") => kept(question, &CheckForm),
        Some(code) => {
            Reply::redirect(&format!("/calculator/check/{}", utf8_percent_encode(code, NON_ALPHANUMERIC)))
        }
    }
}

/// Whether a code is that of the inputs and the result in the query. The inputs of a debt do not fit there: its page
/// has a form for them.
pub fn check(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (code, query) = (question.path.get("code"), &question.query);
    let result = query.get("result")?.unwrap_or_default().trim().to_owned();
    let (inputs, outcome) = match calculations::kind_of_code(code).and_then(Kind::parse) {
        None => (CheckInputs::None, CheckOutcome::Unknown),
        Some(Kind::Debt) => (CheckInputs::Debt(None), CheckOutcome::Incomplete),
        Some(kind) => {
            let submitted = Submitted::read_document(kind, |name| query.get(name))?;
            let outcome = match &*result {
                "" => CheckOutcome::Incomplete,
                result => outcome(checked(question, code, submitted.query(), result)?),
            };
            (CheckInputs::Calculation(submitted), outcome)
        }
    };
    let page = CheckPage { code: code.to_owned(), result, inputs, outcome, refusal: None };
    drawn_for_one(question, |data, reader| Ok((page.render(data, reader)?, StatusCode::OK)))
}

/// Checks the inputs as programs write them, then as people do: `typed` is the query of the form.
fn checked(question: &Question<'_>, code: &str, typed: &str, result: &str) -> Result<Verdict, ApiError> {
    let (results, typed) = (readings(result), Query::of_page(typed)?);
    let mut verdicts = [&question.query, &typed]
        .into_iter()
        .map(|query| calculations::check(question.site, question.catalog, code, query, &results));
    Ok(verdicts.find(|verdict| *verdict != Verdict::Unknown).unwrap_or(Verdict::Unknown))
}

/// Whether a code is that of a debt: the JSON of the API with `result`, or the fields of the form with it. Inputs that
/// cannot be read never had a code.
pub async fn check_debt(action: Action<'_>) -> Result<Reply, ApiError> {
    let Action { served, site, now, head, query, path, body, .. } = action;
    let (reader, body) = (reader::of(head, &query), body.whole().await?);
    let (catalog, freshness) = (served.catalog.load(), served.freshness.load());
    let code = path.get("code").to_owned();
    let (submitted, result, debt) = match debt_to_check(&body) {
        Ok(read) => read,
        Err(error) => (None, String::new(), Err(error)),
    };
    let (outcome, refusal) = match debt {
        Ok(_) if result.is_empty() => (CheckOutcome::Incomplete, None),
        Ok(debt) => {
            let verdict = calculations::check_debt(site, &catalog, &code, &debt, &readings(&result));
            (outcome(verdict), None)
        }
        Err(ApiError::BadRequest(message)) => (CheckOutcome::Unknown, Some(message.into_owned())),
        Err(error) => return Err(error),
    };
    let page = CheckPage { code, result, inputs: CheckInputs::Debt(submitted), outcome, refusal };
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    Ok(keeping::private(reader, &site.origin(head), &page.render(&data, reader)?).private(StatusCode::OK))
}

/// A debt to be checked: the form if it is one, the result on the document, and the debt.
type DebtToCheck = (Option<SubmittedDebt>, String, Result<Debt, ApiError>);

fn debt_to_check(body: &[u8]) -> Result<DebtToCheck, ApiError> {
    if body.trim_ascii_start().starts_with(b"{") {
        let (debt, result) = Debt::with_result(body)?;
        return Ok((None, result, Ok(debt)));
    }
    let form = form(body)?;
    let submitted = SubmittedDebt::read(|name| form.get(name))?;
    let debt = Debt::from_json(submitted.body().as_bytes());
    Ok((Some(submitted), form.get("result")?.unwrap_or_default().trim().to_owned(), debt))
}

fn outcome(verdict: Verdict) -> CheckOutcome {
    match verdict {
        Verdict::Confirmed => CheckOutcome::Confirmed,
        Verdict::Revised(today) => CheckOutcome::Revised(today.map(|today| today.to_string())),
        Verdict::Unknown => CheckOutcome::Unknown,
    }
}

fn form(body: &[u8]) -> Result<Query<'_>, ApiError> {
    let text =
        std::str::from_utf8(body).map_err(|_| ApiError::BadRequest("the form is not valid UTF-8".into()))?;
    Query::of_page(text)
}
