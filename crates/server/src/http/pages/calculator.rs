//! The calculator: each page shows the response of the API's own handler, so that both give the same result.

use bytes::Bytes;
use http::StatusCode;
use lastro_web::calculator::{
    CheckForm, CheckInputs, CheckOutcome, CheckPage, Kind, Proven, ProvenInputs, Standing, Submitted,
    SubmittedDebt, readings,
};
use lastro_web::{Calculator, Data, Language};
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
    let language = question.reader().language;
    let submitted = Submitted::read(kind, language, |name| question.query.get(name))?;
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
    let submitted = SubmittedDebt::read(reader.language, |name| form.get(name))?;
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

/// The form for a code, which leads to the page of that code and keeps all other parameters.
pub fn check_form(question: &Question<'_>) -> Result<Reply, ApiError> {
    match question.query.get("code")?.map(str::trim) {
        None | Some("") => kept(question, &CheckForm),
        Some(code) => {
            let others = question.head.query().split('&').filter(|pair| !pair.starts_with("code="));
            let (code, others) = (utf8_percent_encode(code, NON_ALPHANUMERIC), others.collect::<Vec<_>>());
            let joint = if others.is_empty() { "" } else { "?" };
            Reply::redirect(&format!("/calculator/check/{code}{joint}{}", others.join("&")))
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
            let language = question.reader().language;
            let submitted = Submitted::read_document(kind, language, |name| query.get(name))?;
            let outcome = match &*result {
                "" => CheckOutcome::Incomplete,
                result => {
                    checked(question, code, kind, result)?.map_or(CheckOutcome::Unknown, CheckOutcome::Known)
                }
            };
            (CheckInputs::Calculation(submitted), outcome)
        }
    };
    let page = CheckPage { code: code.to_owned(), result, inputs, outcome, refusal: None };
    drawn_for_one(question, |data, reader| Ok((page.render(data, reader)?, StatusCode::OK)))
}

/// Checks the inputs as programs write them, then as people do. Documents are in either language, whichever the reader
/// chose.
fn checked(
    question: &Question<'_>,
    code: &str,
    kind: Kind,
    result: &str,
) -> Result<Option<Proven>, ApiError> {
    let results = readings(result);
    let known = |query: &Query<'_>| {
        let verdict = calculations::check(question.site, question.catalog, code, query, &results);
        proven(verdict, |inputs| ProvenInputs::Parameters(kind, inputs))
    };
    let mut found = known(&question.query);
    for language in Language::ALL {
        if found.is_none() {
            let typed = Submitted::read(kind, language, |name| question.query.get(name))?;
            found = known(&Query::of_page(typed.query())?);
        }
    }
    Ok(found)
}

/// Whether a code is that of a debt: the JSON of the API with `result`, or the fields of the form with it. Inputs that
/// cannot be read never had a code.
pub async fn check_debt(action: Action<'_>) -> Result<Reply, ApiError> {
    let Action { served, site, now, head, query, path, body, .. } = action;
    let (reader, body) = (reader::of(head, &query), body.whole().await?);
    let (catalog, freshness) = (served.catalog.load(), served.freshness.load());
    let code = path.get("code").to_owned();
    let DebtToCheck { submitted, result, debts } = debt_to_check(&body, reader.language)
        .unwrap_or_else(|error| DebtToCheck { debts: vec![Err(error)], ..DebtToCheck::default() });
    let refusal = match debts.first() {
        Some(Err(ApiError::BadRequest(message))) => Some(message.clone().into_owned()),
        Some(Err(error)) => return Err(error.clone()),
        _ => None,
    };
    let known = debts.into_iter().flatten().find_map(|debt| {
        let verdict = calculations::check_debt(site, &catalog, &code, &debt, &readings(&result));
        let (terms, instalments) = debt.into_parts();
        proven(verdict, |_| ProvenInputs::Debt(terms, instalments))
    });
    let (outcome, refusal) = match (known, refusal) {
        (Some(known), _) => (CheckOutcome::Known(known), None),
        (None, None) if result.is_empty() => (CheckOutcome::Incomplete, None),
        (None, refusal) => (CheckOutcome::Unknown, refusal),
    };
    let page = CheckPage { code, result, inputs: CheckInputs::Debt(submitted), outcome, refusal };
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    Ok(keeping::private(reader, &site.origin(head), &page.render(&data, reader)?).private(StatusCode::OK))
}

/// A debt to be checked.
#[derive(Default)]
struct DebtToCheck {
    /// The form, if it is one.
    submitted: Option<SubmittedDebt>,
    /// The result on the document.
    result: String,
    /// The debts that the inputs can mean. The first is that of the reader's language.
    debts: Vec<Result<Debt, ApiError>>,
}

fn debt_to_check(body: &[u8], language: Language) -> Result<DebtToCheck, ApiError> {
    if body.trim_ascii_start().starts_with(b"{") {
        let (debt, result) = Debt::with_result(body)?;
        return Ok(DebtToCheck { submitted: None, result, debts: vec![Ok(debt)] });
    }
    let form = form(body)?;
    let result = form.get("result")?.unwrap_or_default().trim().to_owned();
    let submitted = SubmittedDebt::read(language, |name| form.get(name))?;
    let mut debts = vec![Debt::from_json(submitted.body().as_bytes())];
    for other in Language::ALL.into_iter().filter(|other| *other != language) {
        let other = SubmittedDebt::read(other, |name| form.get(name))?;
        debts.push(Debt::from_json(other.body().as_bytes()));
    }
    Ok(DebtToCheck { submitted: Some(submitted), result, debts })
}

fn proven(verdict: Verdict, inputs: impl FnOnce(String) -> ProvenInputs) -> Option<Proven> {
    match verdict {
        Verdict::Known { inputs: canonical, result, today } => {
            Some(Proven { inputs: inputs(canonical), result, standing: Standing::Published { today } })
        }
        Verdict::Sample { inputs: canonical, result } => {
            Some(Proven { inputs: inputs(canonical), result, standing: Standing::Sample })
        }
        Verdict::Unknown => None,
    }
}

fn form(body: &[u8]) -> Result<Query<'_>, ApiError> {
    let text =
        std::str::from_utf8(body).map_err(|_| ApiError::BadRequest("the form is not valid UTF-8".into()))?;
    Query::of_page(text)
}
