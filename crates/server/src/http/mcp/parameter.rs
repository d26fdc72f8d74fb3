//! The parameters of tools, and their schemas.

use serde_json::{Value, json};

/// Rows in one answer, whatever `limit` says.
pub(super) const MOST_ROWS: usize = 200;

/// An argument, called as the parameter of the operation is.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) description: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    /// A text that may be all digits, and so a number.
    Id,
    Integer,
    Decimal,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
}

impl Kind {
    pub(super) fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Id => json!({ "type": ["string", "integer"] }),
            Self::Integer => json!({ "type": ["integer", "string"] }),
            Self::Decimal => json!({ "type": ["number", "string"] }),
            Self::Word(words) => json!({ "type": "string", "enum": words() }),
        }
    }

    pub(super) fn in_words(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Id => "a text or a whole number".to_owned(),
            Self::Integer => "a whole number".to_owned(),
            Self::Decimal => "a number, or a text of digits with a decimal point".to_owned(),
            Self::Word(words) => format!("one of {}", words().join(", ")),
        }
    }
}

pub(super) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: false, description }
}

pub(super) const fn required(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: true, description }
}
