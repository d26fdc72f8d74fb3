//! The page that confirms the code of a calculation, or does not, with a form for the inputs that the code alone does
//! not hold.

use std::borrow::Cow;

use askama::Template;

use super::Submitted;
use super::choices::{Choice, indices};
use super::debt::{DebtForm, SubmittedDebt};
use super::form::Form;
use super::kind::Kind;
use super::proven::{Line, Proven, Standing};
use super::refusal;
use crate::data::Data;
use crate::frame::{Frame, encoded};
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};

/// The outcome of a check.
#[derive(Debug)]
pub enum CheckOutcome {
    /// This service made the calculation.
    Known(Proven),
    Unknown,
    /// The inputs or the result are not given yet.
    Incomplete,
}

/// The inputs that a code is checked against.
#[derive(Debug)]
pub enum CheckInputs {
    /// No calculation has codes like this.
    None,
    Calculation(Submitted),
    /// A debt, as submitted by the form.
    Debt(Option<SubmittedDebt>),
}

/// A code with the inputs and the result that it was checked against.
#[derive(Debug)]
pub struct CheckPage {
    pub code: String,
    /// As given by the reader. The page shows the proven one if the calculation is known.
    pub result: String,
    pub inputs: CheckInputs,
    pub outcome: CheckOutcome,
    /// The API's message about inputs that cannot be read.
    pub refusal: Option<String>,
}

/// The form for a code.
#[derive(Debug)]
pub struct CheckForm;

#[derive(Template)]
#[template(path = "check.html")]
struct CheckHtml {
    frame: Frame,
    code: String,
    /// The code as a part of an address.
    segment: String,
    result: String,
    verdict: &'static str,
    heading: &'static str,
    text: String,
    refusal: Option<String>,
    /// The inputs that the code proves.
    facts: Vec<(&'static str, String)>,
    /// The instalments that the code proves.
    lines: Vec<Line>,
    /// The calculation whose form is shown; empty if there is none.
    kind: &'static str,
    indices: Vec<Choice>,
    form: Form,
    debt: DebtForm,
}

impl Page for CheckForm {
    fn path(&self) -> Cow<'static, str> {
        "/calculator/check".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let frame = Frame::new(data, reader, self.path());
        CheckHtml {
            frame,
            code: String::new(),
            segment: String::new(),
            result: String::new(),
            verdict: "",
            heading: "",
            text: String::new(),
            refusal: None,
            facts: Vec::new(),
            lines: Vec::new(),
            kind: "",
            indices: Vec::new(),
            form: Form::default(),
            debt: DebtForm::default(),
        }
        .render()
    }
}

impl CheckPage {
    pub fn render(self, data: &Data<'_>, reader: Reader) -> Rendered {
        let Self { code, result, inputs, outcome, refusal } = self;
        let language = reader.language;
        let (verdict, heading, text) = said(&outcome, &inputs, language);
        let (result, facts, lines) = match &outcome {
            CheckOutcome::Known(proven) => {
                (proven.shown_result(proven.result, language), proven.facts(language), proven.lines(language))
            }
            CheckOutcome::Unknown | CheckOutcome::Incomplete => (result, Vec::new(), Vec::new()),
        };
        let refusal = refusal.map(|message| match &inputs {
            CheckInputs::Debt(Some(submitted)) => submitted.refusal(&message, language),
            _ => refusal::of_debt(&message, &[], language),
        });
        let (kind, form, debt) = match inputs {
            CheckInputs::None => ("", Form::default(), DebtForm::default()),
            CheckInputs::Calculation(submitted) => (submitted.kind.id(), submitted.form, DebtForm::default()),
            CheckInputs::Debt(submitted) => {
                let debt = submitted.map_or_else(DebtForm::unanswered, |submitted| submitted.form);
                (Kind::Debt.id(), Form::default(), debt)
            }
        };
        let chosen = if kind == Kind::Debt.id() { &debt.index } else { &form.index };
        let (segment, indices) = (encoded(&code), indices(chosen, language));
        // Language links keep the code and lose the inputs.
        let frame = Frame::new(data, reader, format!("/calculator/check/{segment}")).nowhere();
        CheckHtml {
            frame,
            code,
            segment,
            result,
            verdict,
            heading,
            text,
            refusal,
            facts,
            lines,
            kind,
            indices,
            form,
            debt,
        }
        .render()
    }
}

/// The name of the outcome, its heading and its sentence.
fn said(
    outcome: &CheckOutcome,
    inputs: &CheckInputs,
    language: Language,
) -> (&'static str, &'static str, String) {
    let t = &language.texts().check;
    let (verdict, heading, text) = match (outcome, inputs) {
        (CheckOutcome::Known(proven), _) => match proven.standing {
            Standing::Sample => ("sample", t.sample, t.sample_text),
            Standing::Published { today: None } => ("revised", t.revised, t.revised_gone),
            Standing::Published { today: Some(today) } if today == proven.result => {
                ("confirmed", t.confirmed, t.confirmed_text)
            }
            Standing::Published { today: Some(today) } => {
                let text = t.revised_text.replace("{result}", &proven.shown_result(today, language));
                return ("revised", t.revised, text);
            }
        },
        (_, CheckInputs::None) => ("unknown", t.unknown, t.unknown_kind),
        (CheckOutcome::Unknown, _) => ("unknown", t.unknown, t.unknown_text),
        (CheckOutcome::Incomplete, CheckInputs::Debt(_)) => ("incomplete", t.incomplete, t.incomplete_debt),
        (CheckOutcome::Incomplete, _) => ("incomplete", t.incomplete, t.incomplete_text),
    };
    (verdict, heading, text.to_owned())
}
