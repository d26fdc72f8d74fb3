//! The calculator: each page shows the response of the API's own handler, so that both give the same result.

use bytes::Bytes;
use http::StatusCode;
use lastro_web::calculator::{CheckOutcome, CheckPage, Kind, Submitted, SubmittedDebt};
use lastro_web::{Calculator, Data};

use super::keeping::{self, drawn_for_one, kept};
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

/// Whether a code is that of the inputs and the result in the query.
pub fn check(question: &Question<'_>) -> Result<Reply, ApiError> {
    let code = question.path.get("code");
    let verdict = calculations::check(question.site, question.catalog, code, &question.query);
    let result = question.query.get("result")?.unwrap_or_default().to_owned();
    let page = CheckPage { code: code.to_owned(), result, outcome: outcome(verdict) };
    drawn_for_one(question, |data, reader| Ok((page.render(data, reader)?, StatusCode::OK)))
}

/// Whether a code is that of a debt: the JSON of the API with `result`, or a form with both.
pub async fn check_debt(action: Action<'_>) -> Result<Reply, ApiError> {
    let Action { served, site, now, head, query, path, body, .. } = action;
    let (reader, body) = (reader::of(head, &query), body.whole().await?);
    let (catalog, freshness) = (served.catalog.load(), served.freshness.load());
    let code = path.get("code").to_owned();
    let (debt, result) = if body.trim_ascii_start().starts_with(b"{") {
        Debt::with_result(&body)?
    } else {
        let form = form(&body)?;
        let debt = Debt::from_json(form.get("debt")?.unwrap_or_default().as_bytes())?;
        (debt, form.get("result")?.unwrap_or_default().to_owned())
    };
    let verdict = calculations::check_debt(site, &catalog, &code, &debt, &result);
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    let text = CheckPage { code, result, outcome: outcome(verdict) }.render(&data, reader)?;
    Ok(keeping::private(reader, &site.origin(head), &text).private(StatusCode::OK))
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
