//! Hits with what a search found them by: `matches` behind the members of a row.

use lastro_model::Cnpj;

use crate::json::{Name, Object, Plain};
use crate::search::{Highlighter, Names, Reading, Span, analyzed};
use crate::table::Table;

/// What to mark in the hits of one search.
pub struct Highlights {
    highlighter: Highlighter,
    /// The digits of a text that may be a CNPJ or the beginning of one.
    cnpj: Option<String>,
    /// The codes of the companies that words name.
    codes: Vec<String>,
}

impl Highlights {
    pub(crate) fn of(q: &str, reading: &Reading, names: &dyn Names) -> Self {
        // Alone a CNPJ may have any punctuation, which would make several words of it.
        let alone = Cnpj::parse(q).ok().map(|cnpj| cnpj.compact().to_string());
        let searched = alone.as_deref().or(reading.corrected.as_deref()).unwrap_or(q);
        let words = analyzed(searched);
        let whole = words.iter().find_map(|word| Cnpj::parse(word).ok());
        let digits: String = q.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_beginning = digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_digit());
        Self {
            highlighter: Highlighter::of(searched),
            cnpj: whole.map(|cnpj| cnpj.compact().to_string()).or(is_beginning.then_some(digits)),
            codes: names.named_in(&words).into_iter().flat_map(|name| name.codes).collect(),
        }
    }

    /// The words of a text.
    pub(crate) fn in_text(&self, text: &str) -> Vec<Span> {
        self.highlighter.spans(text)
    }

    /// The words of category and type.
    pub(crate) fn in_labels(&self, labels: [&str; 2]) -> [Vec<Span>; 2] {
        self.highlighter.spans_of_labels(labels)
    }

    /// A CNPJ is found by its beginning, whatever the punctuation; it is marked as a whole.
    pub(crate) fn in_cnpj(&self, cnpj: &Cnpj) -> Vec<Span> {
        let is_found = self.cnpj.as_deref().is_some_and(|digits| cnpj.compact().starts_with(digits));
        if is_found { vec![Span::whole(&cnpj.to_string())] } else { Vec::new() }
    }

    /// The code of a company, which is marked for what names the company: filings do not bear all that it is called.
    pub(crate) fn in_code(&self, code: &str) -> Vec<Span> {
        if self.codes.iter().any(|named| named == code) {
            vec![Span::whole(code)]
        } else {
            self.in_text(code)
        }
    }
}

/// Rows whose texts are searched.
pub trait Searchable: Table {
    /// What is marked in each member of a row that a search looks at, as it is shown.
    fn marked(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Span>)>;

    /// The row as one JSON object with `matches`: of each member with a match, where the matches are in it.
    fn write_highlighted(&self, position: u32, highlights: &Highlights, out: &mut Vec<u8>) {
        self.write_json(position, out);
        // Without the brace that ends the object: there is one more member.
        out.pop();
        out.extend_from_slice(b",\"matches\":");
        let mut object = Object::new(&mut *out);
        for (name, spans) in
            self.marked(position, highlights).into_iter().filter(|(_, spans)| !spans.is_empty())
        {
            object = object.array(name, spans, write_span);
        }
        object.end();
        out.push(b'}');
    }
}

fn write_span(span: Span, out: &mut Vec<u8>) {
    out.push(b'[');
    span.start.write_into(out);
    out.push(b',');
    span.length.write_into(out);
    out.push(b']');
}

impl std::fmt::Debug for Highlights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlights").finish_non_exhaustive()
    }
}
