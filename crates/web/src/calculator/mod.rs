//! The calculator: forms, and their results as a page. A result is the API's own response to the same parameters, so
//! that both show the same digits.

mod check;
mod choices;
mod debt;
mod debt_document;
mod debt_lines;
mod document;
mod form;
mod kind;
mod outcome;
mod proven;
mod refusal;
mod wages;

use std::borrow::Cow;

use askama::Template;
use lastro_catalog::Catalog;
use lastro_model::Series;
use outcome::Outcome;

use crate::data::Data;
use crate::format;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};
pub use crate::typed::readings;
pub use check::{CheckForm, CheckInputs, CheckOutcome, CheckPage};
use choices::{Choice, Tab, indices, tabs};
use debt::DebtForm;
pub use debt::SubmittedDebt;
use form::Form;
pub use kind::Kind;
pub use proven::{Proven, ProvenInputs, Standing};

/// The empty form of a calculation.
#[derive(Debug)]
pub struct Calculator {
    pub kind: Kind,
}

/// A submitted form.
#[derive(Debug)]
pub struct Submitted {
    kind: Kind,
    form: Form,
    query: String,
}

#[derive(Template)]
#[template(path = "calculator.html")]
struct CalculatorHtml {
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

impl Page for Calculator {
    fn path(&self) -> Cow<'static, str> {
        self.kind.path().into()
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        data.state([data.catalog.series[Form::default().series(self.kind)].stamp])
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let frame = Frame::new(data, reader, self.path());
        if self.kind == Kind::Debt {
            return debt::page(DebtForm::blank(data.catalog), frame).render();
        }
        let form = Form::blank(data.catalog, self.kind, reader.language);
        calculator(data.catalog, self.kind, form, frame).render()
    }
}

impl Submitted {
    /// Reads the form, given the values of its parameters.
    pub fn read<'a, E>(
        kind: Kind,
        language: Language,
        value: impl Fn(&str) -> Result<Option<&'a str>, E>,
    ) -> Result<Self, E> {
        let form = Form::read(kind, value)?;
        Ok(Self { kind, query: form.query(kind, language), form })
    }

    /// The form to be copied from a document: without the defaults of fields that are not given.
    pub fn read_document<'a, E>(
        kind: Kind,
        language: Language,
        value: impl Fn(&str) -> Result<Option<&'a str>, E>,
    ) -> Result<Self, E> {
        let is_amount_given = value("amount")?.is_some();
        let mut submitted = Self::read(kind, language, value)?;
        if !is_amount_given {
            submitted.form.amount.clear();
        }
        Ok(submitted)
    }

    /// Query string of the same calculation in the API.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The form with the API's response as the result, or with its error message.
    pub fn render(self, data: &Data<'_>, reader: Reader, answer: Result<&[u8], &str>) -> Rendered {
        let Self { kind, form, query } = self;
        let frame = Frame::new(data, reader, format!("/calculator/{}?{query}", kind.id()));
        let mut page = calculator(data.catalog, kind, form, frame);
        match answer {
            Ok(body) => {
                let outcome = outcome::read(body, kind, &query, data, reader.language);
                page.result = Some(outcome.map_err(askama::Error::custom)?);
            }
            Err(message) => page.error = Some(refusal::translated(message, reader.language)),
        }
        page.render()
    }
}

fn calculator(catalog: &Catalog, kind: Kind, form: Form, frame: Frame) -> CalculatorHtml {
    let language = frame.language;
    CalculatorHtml {
        frame,
        kind: kind.id(),
        about: kind.about(language),
        tabs: tabs(kind, language),
        indices: indices(&form.index, language),
        held: held(catalog, form.series(kind), language),
        form,
        error: None,
        result: None,
    }
}

fn held(catalog: &Catalog, series: Series, language: Language) -> String {
    let (points, frequency) = (catalog.series[series].points(), series.about().frequency);
    let (Some(last), Some(first)) = (points.first(), points.last()) else { return String::new() };
    let t = &language.texts().calculator;
    t.held
        .replace("{first}", &format::period(first.day, frequency, language))
        .replace("{last}", &format::period(last.day, frequency, language))
}
