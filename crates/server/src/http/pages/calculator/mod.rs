//! The calculator: forms, and their results as a page. A calculation calls the API's own handler, so that both give
//! the same result, and counts as one request.

mod outcome;
mod refusal;

use askama::Template;
use lastro_calc::is_price_index;
use lastro_model::Series;
use outcome::Outcome;

use super::frame::{Frame, Reader, draw, encoded};
use super::keeping::{drawn_for_one, kept};
use super::language::Language;
use super::{format, state, typed, words};
use crate::error::ApiError;
use crate::http::handler::{Question, ReadHandler};
use crate::http::request::path::PathParams;
use crate::http::request::query::Query;
use crate::http::response::body::Body;
use crate::http::response::reply::Reply;
use crate::http::v1::calculations;

#[derive(Template)]
#[template(path = "calculator.html")]
struct Calculator {
    frame: Frame,
    kind: &'static str,
    about: &'static str,
    tabs: Vec<Tab>,
    indices: Vec<Choice>,
    form: Form,
    /// Period covered by the data.
    held: String,
    error: Option<String>,
    result: Option<Outcome>,
}

struct Tab {
    href: String,
    name: &'static str,
    current: bool,
}

struct Choice {
    id: &'static str,
    name: String,
    selected: bool,
}

/// Values of the form: typed by the reader, or the defaults.
#[derive(Debug, Default)]
struct Form {
    index: String,
    rate: String,
    rate_percent: String,
    from: String,
    to: String,
    amount: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Correction,
    Accumulation,
    LegalInterest,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Correction, Self::Accumulation, Self::LegalInterest];

    /// The last segment of its path, here and in the API.
    const fn id(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Accumulation => "accumulation",
            Self::LegalInterest => "legal-interest",
        }
    }

    /// The path of its empty form.
    fn path(self) -> String {
        match self {
            Self::Correction => "/calculator".to_owned(),
            _ => format!("/calculator?kind={}", self.id()),
        }
    }

    const fn name(self, language: Language) -> &'static str {
        let t = &language.texts().calculator;
        match self {
            Self::Correction => t.correction,
            Self::Accumulation => t.accumulation,
            Self::LegalInterest => t.legal_interest,
        }
    }

    const fn about(self, language: Language) -> &'static str {
        let t = &language.texts().calculator;
        match self {
            Self::Correction => t.about_correction,
            Self::Accumulation => t.about_accumulation,
            Self::LegalInterest => t.about_legal_interest,
        }
    }

    fn handler(self) -> ReadHandler {
        match self {
            Self::Correction => calculations::correction,
            Self::Accumulation => calculations::accumulation,
            Self::LegalInterest => calculations::legal_interest,
        }
    }

    /// Parameters of the calculation.
    const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Correction => &["index", "from", "to", "amount"],
            Self::Accumulation => &["rate", "rate_percent", "from", "to", "amount"],
            Self::LegalInterest => &["from", "to", "amount"],
        }
    }
}

/// The empty form.
pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asked = question.query.get("kind")?.unwrap_or("");
    let kind = Kind::ALL.into_iter().find(|kind| kind.id() == asked).unwrap_or(Kind::Correction);
    let part = &question.catalog.series[series_of(kind, &Form::default())];
    kept(question, &kind.path(), state::of([part.stamp], question), |language| {
        let form = Form::blank(question, kind, language);
        draw(&calculator(question, kind, form, kind.path(), language))
    })
}

pub fn correction(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Correction)
}

pub fn accumulation(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::Accumulation)
}

pub fn legal_interest(question: &Question<'_>) -> Result<Reply, ApiError> {
    calculated(question, Kind::LegalInterest)
}

/// The form as submitted, with the result or the error.
fn calculated(question: &Question<'_>, kind: Kind) -> Result<Reply, ApiError> {
    let form = Form::sent(question)?;
    drawn_for_one(question, &Reader::of(question), |language| {
        let asked = form.query(kind);
        let path = format!("/calculator/{}?{asked}", kind.id());
        let answer = ask(question, kind, &asked);
        let mut page = calculator(question, kind, form, path, language);
        let status = match answer {
            Ok(body) => {
                page.result = Some(outcome::read(&body, kind, &asked, language)?);
                http::StatusCode::OK
            }
            Err(error @ ApiError::BadRequest(_)) => {
                page.error = Some(refusal::told(&error.message(), language));
                error.code().1
            }
            Err(error) => return Err(error),
        };
        Ok((draw(&page)?, status))
    })
}

/// Calls the API's handler with the same parameters.
fn ask(question: &Question<'_>, kind: Kind, asked: &str) -> Result<bytes::Bytes, ApiError> {
    let question = Question {
        catalog: question.catalog,
        freshness: question.freshness,
        jobs: question.jobs,
        plan: question.plan,
        now: question.now,
        client: question.client,
        path: PathParams::read("/", "/")?,
        query: Query::new(asked)?,
        accept: question.accept,
        head: question.head,
        site: question.site,
    };
    match kind.handler()(&question)?.body {
        Body::Whole(bytes) => Ok(bytes),
        _ => Err(ApiError::Internal),
    }
}

fn calculator(
    question: &Question<'_>,
    kind: Kind,
    form: Form,
    path: String,
    language: Language,
) -> Calculator {
    let tab = |other: Kind| Tab { href: other.path(), name: other.name(language), current: other == kind };
    Calculator {
        frame: Frame::new(question, language, path),
        kind: kind.id(),
        about: kind.about(language),
        tabs: Kind::ALL.into_iter().map(tab).collect(),
        indices: indices(&form.index, language),
        held: held(question, kind, &form, language),
        form,
        error: None,
        result: None,
    }
}

fn indices(selected: &str, language: Language) -> Vec<Choice> {
    let indices = Series::ALL.into_iter().map(Series::about).filter(|about| is_price_index(about));
    let choice = |about: &'static lastro_model::About| Choice {
        id: about.id,
        name: match language {
            Language::English => words::name(about, language).to_owned(),
            Language::Portuguese => format!("{}: {}", about.label, about.name_pt),
        },
        selected: about.id == selected,
    };
    indices.map(choice).collect()
}

/// The series that a form is calculated with.
fn series_of(kind: Kind, form: &Form) -> Series {
    match kind {
        Kind::Correction => Series::parse(&form.index).unwrap_or(Series::Ipca),
        Kind::Accumulation if form.rate == "selic" => Series::SelicDaily,
        Kind::Accumulation => Series::CdiDaily,
        Kind::LegalInterest => Series::LegalRate,
    }
}

fn held(question: &Question<'_>, kind: Kind, form: &Form, language: Language) -> String {
    let series = series_of(kind, form);
    let (points, frequency) = (question.catalog.series[series].points(), series.about().frequency);
    let (Some(last), Some(first)) = (points.first(), points.last()) else { return String::new() };
    let t = &language.texts().calculator;
    t.held
        .replace("{first}", &format::period(first.day, frequency, language))
        .replace("{last}", &format::period(last.day, frequency, language))
}

impl Form {
    /// Defaults of an empty form: a period that can be calculated.
    fn blank(question: &Question<'_>, kind: Kind, language: Language) -> Self {
        let mut form =
            Self { index: "ipca".into(), rate: "cdi".into(), rate_percent: "100".into(), ..Self::default() };
        form.amount = format::number("1000.00", language);
        let series = series_of(kind, &form);
        let (points, frequency) = (question.catalog.series[series].points(), series.about().frequency);
        let (Some(last), Some(first)) = (points.first(), points.last()) else { return form };
        let machine = |day| match kind {
            Kind::Correction => format::machine(day, frequency),
            _ => day.to_string(),
        };
        let year_ago = last.day.minus_months(12).max(first.day);
        let earliest = if kind == Kind::Correction { first.day } else { year_ago };
        form.from =
            machine(earliest).max(if kind == Kind::Correction { "2015-01".into() } else { String::new() });
        form.to = machine(last.day);
        form
    }

    fn sent(question: &Question<'_>) -> Result<Self, ApiError> {
        let field = |name| {
            // A missing parameter has the API's default; an empty one has none.
            let otherwise = match name {
                "amount" => "1",
                "rate_percent" => "100",
                _ => "",
            };
            Ok::<_, ApiError>(typed::shown(question.query.get(name)?.unwrap_or(otherwise)))
        };
        Ok(Self {
            index: field("index")?,
            rate: field("rate")?,
            rate_percent: field("rate_percent")?,
            from: field("from")?,
            to: field("to")?,
            amount: field("amount")?,
        })
    }

    fn value(&self, parameter: &str) -> String {
        match parameter {
            "index" => self.index.clone(),
            "rate" => self.rate.clone(),
            "rate_percent" => typed::percentage(&self.rate_percent),
            "from" => self.from.clone(),
            "to" => self.to.clone(),
            _ => typed::amount(&self.amount),
        }
    }

    /// Query string for the API.
    fn query(&self, kind: Kind) -> String {
        let plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let pair = |name: &&str| {
            let value = self.value(name);
            if plain(&value) { format!("{name}={value}") } else { format!("{name}={}", encoded(&value)) }
        };
        kind.parameters().iter().map(pair).collect::<Vec<_>>().join("&")
    }
}
