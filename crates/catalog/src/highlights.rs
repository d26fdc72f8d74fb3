//! Highlighted hits: `matches` after the other members of a row.

use lastro_model::Cnpj;
use lastro_search::{Highlighter, Interpretation, Names, Span, words_of};

use crate::json::{Name, Object, Plain};
use crate::table::Table;

/// The texts to highlight in the hits of one search.
pub struct Highlights {
    highlighter: Highlighter,
    /// The digits of a text that may be a CNPJ or a prefix of one.
    cnpj: Option<String>,
    /// The registry codes of the companies that the query names.
    codes: Vec<String>,
}

impl Highlights {
    pub(crate) fn of(q: &str, interpretation: &Interpretation, names: &dyn Names) -> Self {
        // A CNPJ alone may have any punctuation, which would split it into several words.
        let alone = Cnpj::parse(q).ok().map(|cnpj| cnpj.compact().to_string());
        let searched = alone.as_deref().or(interpretation.corrected.as_deref()).unwrap_or(q);
        let words = words_of(searched);
        let whole = words.iter().find_map(|word| Cnpj::parse(word).ok());
        let digits: String = q.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_beginning = digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_digit());
        Self {
            highlighter: Highlighter::of(searched),
            cnpj: whole.map(|cnpj| cnpj.compact().to_string()).or(is_beginning.then_some(digits)),
            codes: names.named_in(&words).into_iter().flat_map(|name| name.codes).collect(),
        }
    }

    /// The matching words in a text.
    pub(crate) fn in_text(&self, text: &str) -> Vec<Span> {
        self.highlighter.spans(text)
    }

    /// The matching words in category and type.
    pub(crate) fn in_labels(&self, labels: [&str; 2]) -> [Vec<Span>; 2] {
        self.highlighter.spans_of_labels(labels)
    }

    /// The whole CNPJ if the query is a prefix of it, with any punctuation.
    pub(crate) fn in_cnpj(&self, cnpj: &Cnpj) -> Vec<Span> {
        let is_found = self.cnpj.as_deref().is_some_and(|digits| cnpj.compact().starts_with(digits));
        if is_found { vec![Span::whole(&cnpj.to_string())] } else { Vec::new() }
    }

    /// The whole code if the query names the company, since filings do not contain all of its names.
    pub(crate) fn in_code(&self, code: &str) -> Vec<Span> {
        if self.codes.iter().any(|named| named == code) {
            vec![Span::whole(code)]
        } else {
            self.in_text(code)
        }
    }
}

/// A table with searchable texts.
pub trait Searchable: Table {
    /// The highlights in each searched member of a row, as shown.
    fn marked(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Span>)>;

    /// The highlights in each searched list of texts, one array for each text.
    fn marked_lists(&self, _position: u32, _highlights: &Highlights) -> Vec<(Name, Vec<Vec<Span>>)> {
        Vec::new()
    }

    /// Appends the row as one JSON object with `matches`: the spans of the matches in each member that has any.
    fn write_highlighted(&self, position: u32, highlights: &Highlights, out: &mut Vec<u8>) {
        self.write_json(position, out);
        // Removes the closing brace to add one more member.
        out.pop();
        out.extend_from_slice(b",\"matches\":");
        let mut object = Object::new(&mut *out);
        for (name, spans) in
            self.marked(position, highlights).into_iter().filter(|(_, spans)| !spans.is_empty())
        {
            object = object.array(name, spans, write_span);
        }
        let has_any = |(_, texts): &(Name, Vec<Vec<Span>>)| texts.iter().any(|spans| !spans.is_empty());
        for (name, texts) in self.marked_lists(position, highlights).into_iter().filter(has_any) {
            object = object.array(name, texts, write_spans);
        }
        object.end();
        out.push(b'}');
    }
}

fn write_spans(spans: Vec<Span>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, span) in spans.into_iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_span(span, out);
    }
    out.push(b']');
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
