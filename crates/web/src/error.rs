//! Errors as pages, for clients that accept HTML.

use askama::Template;

use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Reader, Rendered};

/// The page of an error. It has no address of its own, and is not cached.
#[derive(Debug)]
pub struct ErrorPage {
    pub failure: Failure,
    pub status: u16,
    /// Message specific to this error, in English and for English pages. Empty for most, whose kind says everything.
    pub detail: String,
}

/// The kinds of errors that have a text of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    BadRequest,
    Unauthorized,
    UpgradeRequired,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    PayloadTooLarge,
    RateLimited { retry_after_seconds: u64 },
    Internal,
    Unavailable,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorHtml {
    frame: Frame,
    status: u16,
    title: &'static str,
    sentence: String,
    detail: String,
}

impl ErrorPage {
    pub fn render(self, data: &Data<'_>, reader: Reader) -> Rendered {
        let (title, sentence) = self.failure.described(reader.language);
        // The failed address is not linked to.
        let frame = Frame::new(data, reader.without_choice(), "/").nowhere();
        // The detail is a message of the API, which has English ones only.
        let detail = if reader.language == Language::English { self.detail } else { String::new() };
        ErrorHtml { frame, status: self.status, title, sentence, detail }.render()
    }
}

impl Failure {
    /// Title and sentence of the page.
    fn described(self, language: Language) -> (&'static str, String) {
        let t = &language.texts().error;
        let (title, sentence) = match self {
            Self::BadRequest => (t.bad_request, t.bad_request_text),
            Self::Unauthorized => (t.unauthorized, t.unauthorized_text),
            Self::UpgradeRequired => (t.upgrade, t.upgrade_text),
            Self::Forbidden => (t.forbidden, t.forbidden_text),
            Self::NotFound => (t.not_found, t.not_found_text),
            Self::MethodNotAllowed => (t.method, t.method_text),
            Self::PayloadTooLarge => (t.too_large, t.too_large_text),
            Self::RateLimited { retry_after_seconds } => {
                return (t.limited, t.limited_text.replace("{seconds}", &retry_after_seconds.to_string()));
            }
            Self::Internal => (t.internal, t.internal_text),
            Self::Unavailable => (t.unavailable, t.unavailable_text),
        };
        (title, sentence.to_owned())
    }
}
