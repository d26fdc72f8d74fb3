//! The files of `fixtures/`, and helpers for comparisons.

use std::path::Path;

use lastro_model::{Day, Decimal};
use lastro_sources::{Answer, Fault};

pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn answer(status: u16, body: &[u8]) -> Answer<'_> {
    let html = body.starts_with(b"<");
    let content_type = Some(if html { "text/html" } else { "application/json; charset=utf-8" });
    Answer { file: "answer", status, content_type, body }
}

pub(crate) fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

pub(crate) fn number(text: &str) -> Decimal {
    Decimal::from_str_exact(text).unwrap()
}

/// The name of a fault's kind, so that a wrong kind shows its sentence.
pub(crate) fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Transient(_) => "transient",
        Fault::Internal(_) => "ours",
        Fault::NotData(_) => "not data",
    }
}
