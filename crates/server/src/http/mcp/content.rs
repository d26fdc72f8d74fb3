//! The result of a call: the operation's own answer with its provenance, and the same in a few lines of text.

use std::fmt::Write as _;

use lastro_catalog::{Name, Object, name};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::members::Members;
use super::message::text_of;
use super::provenance::Provenance;

/// Rows that the text shows; all are in the structured content.
const ROWS_IN_TEXT: usize = 20;
/// Letters of one row in the text.
const LONGEST_ROW: usize = 200;

/// Members shown in the last lines of the text.
const SHOWN_LAST: [&str; 4] = ["source", "unit", "editions", "sample"];

/// An answer of the API with what a tool adds to it.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) members: Members<'a>,
    /// The name of the list of rows, and the rows shown.
    pub(super) rows: Option<(String, Vec<&'a RawValue>)>,
    /// The number of rows in all, if the operation itself shows all of them.
    pub(super) receipt_rows: Option<usize>,
    pub(super) provenance: Provenance,
    /// The arguments that give the next rows.
    pub(super) next: Option<Value>,
    /// The address of the operation.
    pub(super) rest: String,
}

impl Content<'_> {
    /// Writes the answer's own members, then ours, unless it already has them.
    pub(super) fn structured(&self) -> Vec<u8> {
        let mut out = vec![b'{'];
        for (name, value) in self.members.iter() {
            match self.rows_called(name) {
                Some(rows) => push(&mut out, name, &format!("[{}]", joined(rows))),
                None => push(&mut out, name, value.get()),
            }
        }
        if let Some((name, rows)) = self.rows.as_ref().filter(|(name, _)| self.members.get(name).is_none()) {
            push(&mut out, name, &format!("[{}]", joined(rows)));
        }
        for (name, value) in self.added() {
            if self.members.get(name).is_none() {
                push(&mut out, name, &value.to_string());
            }
        }
        out.push(b'}');
        out
    }

    fn rows_called(&self, name: &str) -> Option<&[&RawValue]> {
        self.rows.as_ref().filter(|(called, _)| called == name).map(|(_, rows)| rows.as_slice())
    }

    fn added(&self) -> Vec<(&'static str, Value)> {
        let Provenance { source, unit, editions, sample } = &self.provenance;
        let by_name: serde_json::Map<String, Value> =
            editions.iter().map(|(name, edition)| (name.clone(), json!(edition))).collect();
        let mut added = vec![
            ("source", source.json()),
            ("unit", json!(unit)),
            ("edition", json!(editions.iter().map(|(_, edition)| edition).max())),
            ("editions", Value::Object(by_name)),
            ("sample", json!(sample)),
            ("rest", json!(self.rest)),
        ];
        added.extend(self.receipt_rows.map(|rows| ("receipt_rows", json!(rows))));
        added.extend(self.next.clone().map(|next| ("next", next)));
        added
    }

    /// The answer in a few lines, for clients that show text only.
    pub(super) fn text(&self) -> String {
        let own = self.members.iter().filter(|(name, _)| !SHOWN_LAST.contains(name));
        let shown = own
            .filter_map(|(name, value)| Some(format!("{name} {}", plain(value).or_else(|| nested(value))?)));
        let mut text = shown.collect::<Vec<_>>().join("; ");
        let rows = self.rows.as_ref().map_or(&[][..], |(_, rows)| rows);
        for row in rows.iter().take(ROWS_IN_TEXT) {
            let _ = write!(text, "\n- {}", row_text(row));
        }
        if rows.len() > ROWS_IN_TEXT {
            let _ = write!(text, "\n- … {} more rows in the structured content", rows.len() - ROWS_IN_TEXT);
        }
        let Provenance { source, unit, editions, sample } = &self.provenance;
        let _ = write!(text, "\nSource: {source}");
        if let Some(unit) = self.members.text("unit").as_ref().or(unit.as_ref()) {
            let _ = write!(text, "; unit: {unit}");
        }
        let editions: Vec<String> =
            editions.iter().take(4).map(|(name, edition)| format!("{name} {edition}")).collect();
        if !editions.is_empty() {
            let _ = write!(text, "; edition: {}", editions.join(", "));
        }
        if *sample {
            text.push_str(
                "\nMADE-UP SAMPLE DATA: this server has not been synchronised with the publishers yet.",
            );
        }
        if let Some(next) = &self.next {
            let _ = write!(text, "\nMore rows: call again with {next}.");
        }
        let _ = write!(text, "\nThe same by REST: GET {}", self.rest);
        text.trim_start_matches('\n').to_owned()
    }
}

fn push(out: &mut Vec<u8>, name: &str, json: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    out.extend_from_slice(Value::from(name).to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(json.as_bytes());
}

fn joined(rows: &[&RawValue]) -> String {
    rows.iter().map(|row| row.get()).collect::<Vec<_>>().join(",")
}

/// A string or a number or a boolean as text; `None` for anything else.
fn plain(value: &RawValue) -> Option<String> {
    match value.get().as_bytes().first() {
        Some(b'"') => text_of(value).map(std::borrow::Cow::into_owned),
        Some(b'{' | b'[' | b'n') | None => None,
        Some(_) => Some(value.get().to_owned()),
    }
}

/// The values of an object, or the texts of a list.
fn nested(value: &RawValue) -> Option<String> {
    let texts = || serde_json::from_str::<Vec<String>>(value.get()).ok().map(|texts| texts.join(", "));
    match value.get().as_bytes().first() {
        Some(b'{') => Some(row_text(value)),
        _ => texts().filter(|texts| !texts.is_empty()),
    }
}

/// The values of a row on one line.
fn row_text(row: &RawValue) -> String {
    let Ok(members) = serde_json::from_str::<Members<'_>>(row.get()) else { return String::new() };
    let values: Vec<String> = members.iter().filter_map(|(_, value)| plain(value)).collect();
    values.join(" | ").chars().take(LONGEST_ROW).collect()
}

/// One item of text, as the list of contents.
pub(super) fn write_text(object: Object<Vec<u8>>, text: &str) -> Object<Vec<u8>> {
    const CONTENT: Name = name!("content");
    object.array(CONTENT, [text], |text, out| {
        Object::new(out).text(name!("type"), "text").text(name!("text"), text).end();
    })
}
