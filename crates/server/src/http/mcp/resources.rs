//! Resources: the catalogue of series, and the documentation, both in Markdown.

use std::fmt::Write as _;

use lastro_catalog::{Catalog, Object, name};
use lastro_model::Series;
use serde_json::{Value, json};

use super::message::{Params, RpcError, text_of};

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
        "description": "Every series with its id, unit, frequency, official code and dates.",
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
        "# Series\n\nSource: Banco Central do Brasil, SGS.\n\n\
         | id | name | nome | unit | frequency | SGS | first | last | edition |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for series in Series::ALL {
        let (about, part) = (series.about(), &catalog.series[series]);
        let day = |point: Option<&lastro_model::RatePoint>| {
            point.map_or_else(String::new, |point| point.day.to_string())
        };
        // Writing into memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {}{} |",
            about.id,
            about.name,
            about.name_pt,
            about.unit.id(),
            about.frequency.id(),
            about.code,
            day(part.points().last()),
            day(part.points().first()),
            part.stamp.edition.0,
            if part.sample { " (made-up sample)" } else { "" },
        );
    }
    text
}
