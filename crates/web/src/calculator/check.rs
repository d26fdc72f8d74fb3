//! The page that confirms the code of a calculation, or does not.

use askama::Template;

use crate::data::Data;
use crate::format;
use crate::frame::Frame;
use crate::page::{Reader, Rendered};

/// The outcome of a check.
#[derive(Debug)]
pub enum CheckOutcome {
    Confirmed,
    /// The result that today's data give, if they give one.
    Revised(Option<String>),
    Unknown,
}

/// A code with the result that it was checked against.
#[derive(Debug)]
pub struct CheckPage {
    pub code: String,
    /// As given by the reader.
    pub result: String,
    pub outcome: CheckOutcome,
}

#[derive(Template)]
#[template(path = "check.html")]
struct CheckHtml {
    frame: Frame,
    code: String,
    result: String,
    verdict: &'static str,
    heading: &'static str,
    text: String,
}

impl CheckPage {
    pub fn render(self, data: &Data<'_>, reader: Reader) -> Rendered {
        let language = reader.language;
        let t = &language.texts().check;
        let (verdict, heading, text) = match self.outcome {
            CheckOutcome::Confirmed => ("confirmed", t.confirmed, t.confirmed_text.to_owned()),
            CheckOutcome::Revised(Some(today)) => {
                ("revised", t.revised, t.revised_text.replace("{result}", &format::number(today, language)))
            }
            CheckOutcome::Revised(None) => ("revised", t.revised, t.revised_gone.to_owned()),
            CheckOutcome::Unknown => ("unknown", t.unknown, t.unknown_text.to_owned()),
        };
        // The address holds the inputs, which language links would lose.
        let frame = Frame::new(data, reader, "/calculator").nowhere();
        CheckHtml { frame, code: self.code, result: self.result, verdict, heading, text }.render()
    }
}
