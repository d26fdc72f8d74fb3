//! Search results in a response.

use lastro_catalog::{Catalog, Found, Interpretation, Name, Object, Searchable, name};

use crate::error::ApiError;
use crate::http::handler::Question;

/// Writes search results, with highlights if requested.
#[derive(Debug)]
pub struct Hits<'a> {
    catalog: &'a Catalog,
    q: &'a str,
    highlighted: bool,
}

impl<'a> Hits<'a> {
    pub fn named(question: &'a Question<'_>) -> Result<Self, ApiError> {
        let highlighted = question.query.flag("highlight")?;
        Ok(Self { catalog: question.catalog, q: question.query.search()?, highlighted })
    }

    /// Writes the rows, highlighted if requested.
    pub fn array(
        &self,
        object: Object<Vec<u8>>,
        name: Name,
        table: &impl Searchable,
        found: &Found<'_>,
    ) -> Object<Vec<u8>> {
        if !self.highlighted {
            return object.array(name, found.rows.iter(), |row, out| table.write_json(row, out));
        }
        let highlights = self.catalog.highlights(self.q, &found.interpretation);
        object.array(name, found.rows.iter(), |row, out| table.write_highlighted(row, &highlights, out))
    }

    /// Writes `data` and `total`, and whether the query was corrected or relaxed.
    pub fn listed(&self, capacity: usize, table: &impl Searchable, found: &Found<'_>) -> Object<Vec<u8>> {
        let object = self.array(Object::new(Vec::with_capacity(capacity)), name!("data"), table, found);
        let Interpretation { corrected, relaxed } = &found.interpretation;
        let object = object.number(name!("total"), found.total);
        let object = match corrected {
            Some(text) => object.text(name!("corrected"), text),
            None => object,
        };
        if *relaxed { object.boolean(name!("relaxed"), true) } else { object }
    }
}

/// Writes `corrected` and `relaxed` for both arrays: each an object with a member for each array concerned.
pub fn interpretations(
    object: Object<Vec<u8>>,
    companies: &Interpretation,
    filings: &Interpretation,
) -> Object<Vec<u8>> {
    let both = [(name!("companies"), companies), (name!("filings"), filings)];
    let corrected = both.iter().filter_map(|(name, one)| Some((*name, one.corrected.as_deref()?)));
    let relaxed: Vec<Name> = both.iter().filter(|(_, one)| one.relaxed).map(|(name, _)| *name).collect();
    let corrected: Vec<(Name, &str)> = corrected.collect();
    let object = if corrected.is_empty() {
        object
    } else {
        let write = |out: &mut Vec<u8>| {
            corrected.iter().fold(Object::new(out), |object, (name, text)| object.text(*name, text)).end();
        };
        object.written(name!("corrected"), write)
    };
    if relaxed.is_empty() {
        return object;
    }
    object.written(name!("relaxed"), |out| {
        relaxed.iter().fold(Object::new(out), |object, name| object.boolean(*name, true)).end();
    })
}
