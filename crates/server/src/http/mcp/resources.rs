//! Resources: the catalogue of series, and the documentation, both in Markdown.

use std::fmt::Write as _;

use lastro_catalog::{Catalog, Object, Timeline, name};
use lastro_model::{About, Day, Edition, PAIRS, Series};
use serde_json::{Value, json};

use super::message::{Params, RpcError, text_of};
use crate::http::v1::series::names_of_pair;

const MARKDOWN: &str = "text/markdown";
const CATALOGUE: &str = "lastro://series";
const DOCS: &str = "lastro://docs/";

/// One page of the documentation.
struct Document {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

macro_rules! document {
    ($name:literal, $title:literal) => {
        Document {
            name: $name,
            title: $title,
            text: include_str!(concat!("../../../../../docs/", $name, ".md")),
        }
    };
}

static DOCUMENTS: [Document; 9] = [
    document!(
        "calculations",
        "Calculations: correction, accumulation, legal interest, debts, savings, rents"
    ),
    document!("data", "The data, field by field"),
    document!("errors", "Errors and what to do about them"),
    document!("export", "Exports"),
    document!("mcp", "The Model Context Protocol"),
    document!("recipes", "Python, DuckDB, Excel, Google Sheets, R"),
    document!("search", "Search"),
    document!("series", "Series: codes, units, their traps"),
    document!("webhooks", "Webhooks"),
];

/// The list of resources, as JSON.
pub(super) fn listed() -> Vec<u8> {
    let catalogue = json!({
        "uri": CATALOGUE,
        "name": "series",
        "title": "Catalogue of series",
        "description": "Every series and pair of currencies with its id, unit, frequency, official code and dates.",
        "mimeType": MARKDOWN,
    });
    let documents = DOCUMENTS.iter().map(|document| {
        json!({
            "uri": format!("{DOCS}{}", document.name),
            "name": format!("{}.md", document.name),
            "title": document.title,
            "mimeType": MARKDOWN,
            "size": document.text.len(),
        })
    });
    Value::from_iter(std::iter::once(catalogue).chain(documents)).to_string().into_bytes()
}

/// The contents of the resource that is asked for, as JSON.
pub(super) fn read(catalog: &Catalog, params: &Params<'_>) -> Result<Vec<u8>, RpcError> {
    let uri =
        params.uri.and_then(text_of).ok_or_else(|| RpcError::invalid_params("`uri` must be a string"))?;
    let text = match uri.strip_prefix(DOCS) {
        None if uri == CATALOGUE => catalogue(catalog).into(),
        None => None,
        Some(name) => {
            DOCUMENTS.iter().find(|document| document.name == name).map(|document| document.text.to_owned())
        }
    };
    let text = text.ok_or_else(|| RpcError::unknown_resource(&uri))?;
    let mut out = vec![b'['];
    Object::new(&mut out)
        .text(name!("uri"), &uri)
        .text(name!("mimeType"), MARKDOWN)
        .text(name!("text"), &text)
        .end();
    out.push(b']');
    Ok(out)
}

fn catalogue(catalog: &Catalog) -> String {
    let mut text = String::from(
        "# Series\n\nSource: Banco Central do Brasil, SGS; pairs of currencies, which have no code: PTAX.\n\n\
         | id | name | nome | unit | frequency | SGS | first | last | edition |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for series in Series::ALL {
        let (about, part) = (series.about(), &catalog.series[series]);
        let (names, code) = ([about.name, about.name_pt], about.code.to_string());
        let days = part.points().iter().map(|point| point.day);
        let (days, edition, sample) = (ends(days), part.stamp.edition, part.sample);
        Row { about, id: about.id, names, code: &code, days, edition, sample }.push(&mut text);
    }
    for pair in catalog.fx.pairs() {
        let ([name, name_pt], id) = (names_of_pair(*pair), pair.id());
        let quotes = catalog.fx.get(*pair).map(Timeline::points).unwrap_or_default();
        let (names, days) = ([&*name, &*name_pt], ends(quotes.iter().map(|quote| quote.day)));
        let (edition, sample) = (catalog.fx.stamp.edition, catalog.fx.sample);
        Row { about: &PAIRS, id: &id, names, code: "", days, edition, sample }.push(&mut text);
    }
    text
}

/// The first and the last of days that begin with the newest.
fn ends(mut days: impl DoubleEndedIterator<Item = Day>) -> [Option<Day>; 2] {
    let newest = days.next();
    [days.next_back().or(newest), newest]
}

/// One line of the catalogue.
struct Row<'a> {
    about: &'a About,
    id: &'a str,
    names: [&'a str; 2],
    /// Empty for pairs of currencies.
    code: &'a str,
    days: [Option<Day>; 2],
    edition: Edition,
    sample: bool,
}

impl Row<'_> {
    fn push(&self, text: &mut String) {
        let Self { about, id, names: [name, name_pt], code, days, edition, sample } = self;
        let [first, last] = days.map(|day| day.map_or_else(String::new, |day| day.to_string()));
        let (unit, frequency) = (about.unit.id(), about.frequency.id());
        let (edition, note) = (edition.0, if *sample { " (made-up sample)" } else { "" });
        // Writing into memory does not fail.
        let _ = writeln!(
            text,
            "| {id} | {name} | {name_pt} | {unit} | {frequency} | {code} | {first} | {last} | {edition}{note} |"
        );
    }
}
