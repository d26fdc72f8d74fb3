//! The form of a debt, and its result as a page. Instalments are pasted as lines of text.

use askama::Template;
use lastro_catalog::Catalog;
use serde::Serialize;

use super::choices::{Choice, Tab, indices, tabs};
use super::debt_document::{self, Outcome};
use super::debt_lines::{self, BadLine, Instalment};
use super::kind::Kind;
use super::refusal;
use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Reader, Rendered};
use crate::typed;

/// Values of the form, as typed.
#[derive(Debug, Default)]
pub(super) struct DebtForm {
    pub(super) to: String,
    pub(super) index: String,
    pub(super) rule: String,
    pub(super) monthly_percent: String,
    pub(super) interest_from: String,
    pub(super) fine_percent: String,
    pub(super) fine_on: String,
    pub(super) fees_percent: String,
    pub(super) instalments: String,
}

/// A submitted form.
#[derive(Debug)]
pub struct SubmittedDebt {
    pub(super) form: DebtForm,
    /// The body of the same calculation in the API.
    body: Result<String, BadLine>,
    /// The number of the line of each instalment.
    lines: Vec<usize>,
}

#[derive(Template)]
#[template(path = "debt.html")]
pub(super) struct DebtHtml {
    frame: Frame,
    about: &'static str,
    tabs: Vec<Tab>,
    indices: Vec<Choice>,
    debt: DebtForm,
    error: Option<String>,
    result: Option<Outcome>,
}

impl DebtForm {
    pub(super) fn blank(catalog: &Catalog) -> Self {
        let newest = catalog.series[lastro_model::Series::Ipca].points().first();
        let to = newest.map(|point| point.day.minus_months(-1).to_string());
        Self {
            to: to.unwrap_or_default(),
            index: "ipca".into(),
            rule: "legal".into(),
            fine_on: "corrected".into(),
            ..Self::default()
        }
    }

    /// The form of a debt to be copied from a document.
    pub(super) fn unanswered() -> Self {
        Self { rule: "legal".into(), ..Self::default() }
    }
}

impl SubmittedDebt {
    /// Reads the form, given the values of its fields.
    pub fn read<'a, E>(
        language: Language,
        value: impl Fn(&str) -> Result<Option<&'a str>, E>,
    ) -> Result<Self, E> {
        let field = |name| Ok::<_, E>(typed::shown(value(name)?.unwrap_or_default()));
        let form = DebtForm {
            to: field("to")?,
            index: field("index")?,
            rule: field("rule")?,
            monthly_percent: field("monthly_percent")?,
            interest_from: field("interest_from")?,
            fine_percent: field("fine_percent")?,
            fine_on: field("fine_on")?,
            fees_percent: field("fees_percent")?,
            instalments: value("instalments")?.unwrap_or_default().to_owned(),
        };
        let (lines, body) = match debt_lines::read(&form.instalments, language) {
            Ok(read) => {
                let (lines, instalments) = read.into_iter().unzip();
                (lines, Ok(form.body(instalments)))
            }
            Err(bad) => (Vec::new(), Err(bad)),
        };
        Ok(Self { form, body, lines })
    }

    /// The body of the same calculation in the API; an empty one if a line cannot be read.
    pub fn body(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    /// The form with the API's response as the result, or with its error message.
    pub fn render(self, data: &Data<'_>, reader: Reader, answer: Result<&[u8], &str>) -> Rendered {
        let outcome = match answer {
            Ok(answer) => {
                Ok(debt_document::read(answer, data, reader.language).map_err(askama::Error::custom)?)
            }
            Err(message) => Err(self.refusal(message, reader.language)),
        };
        let mut page = page(self.form, Frame::new(data, reader, Kind::Debt.path()));
        match outcome {
            Ok(outcome) => page.result = Some(outcome),
            Err(error) => page.error = Some(error),
        }
        page.render()
    }

    /// The reason why the debt cannot be calculated, given the API's error message.
    pub(super) fn refusal(&self, message: &str, language: Language) -> String {
        match self.body {
            Err(bad) => refusal::of_line(bad, language),
            Ok(_) => refusal::of_debt(message, &self.lines, language),
        }
    }
}

/// The page with a form.
pub(super) fn page(form: DebtForm, frame: Frame) -> DebtHtml {
    let language = frame.language;
    DebtHtml {
        frame,
        about: Kind::Debt.about(language),
        tabs: tabs(Kind::Debt, language),
        indices: indices(&form.index, language),
        debt: form,
        error: None,
        result: None,
    }
}

#[derive(Serialize)]
struct Body<'a> {
    to: &'a str,
    index: Option<&'a str>,
    interest: Interest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fine_percent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fine_on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fees_percent: Option<String>,
    instalments: Vec<Instalment>,
}

#[derive(Serialize)]
struct Interest<'a> {
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    monthly_percent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
}

impl DebtForm {
    fn body(&self, instalments: Vec<Instalment>) -> String {
        let given = |text: &str| (!text.is_empty()).then(|| typed::percentage(text));
        let body = Body {
            to: &self.to,
            index: Some(&*self.index).filter(|index| !index.is_empty()),
            interest: Interest {
                rule: &self.rule,
                monthly_percent: given(&self.monthly_percent),
                from: Some(&*self.interest_from).filter(|from| !from.is_empty()),
            },
            fine_percent: given(&self.fine_percent),
            fine_on: Some(&*self.fine_on).filter(|base| !base.is_empty()),
            fees_percent: given(&self.fees_percent),
            instalments,
        };
        // Texts and lists always have a JSON form.
        serde_json::to_string(&body).unwrap_or_default()
    }
}
