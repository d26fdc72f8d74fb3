//! What a box may propose while one types: companies, and categories of filings.

use lastro_model::CompanyId;

use crate::search::{analyzed, is_form, is_stop_word};
use crate::{Catalog, Page};

/// Something that the text typed so far may be the beginning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggestion<'a> {
    Company { id: CompanyId, name: &'a str },
    Category(&'a str),
}

/// So many categories that begin with the text stand before the companies.
const CATEGORIES_FIRST: usize = 3;

impl Catalog {
    /// At most so many suggestions: categories that begin with the text, companies as a search orders them, other
    /// categories that have all words.
    pub fn suggestions(&self, q: &str, limit: usize) -> Vec<Suggestion<'_>> {
        let mut first = self.categories(q, Place::Beginning);
        let mut later = first.split_off(first.len().min(CATEGORIES_FIRST));
        later.extend(self.categories(q, Place::Anywhere));
        let found = self.search_companies(q, Page { limit, offset: 0 });
        // Rows with only some of the words are no continuation of what is typed.
        let companies = found.listing.rows.iter().filter(|_| !found.reading.relaxed).map(|row| {
            let company = self.companies.company(row);
            Suggestion::Company { id: company.id, name: &company.name }
        });
        first.into_iter().chain(companies).chain(later).take(limit).collect()
    }

    /// The categories that have all words in this place, mistyped ones being mended.
    fn categories(&self, q: &str, place: Place) -> Vec<Suggestion<'_>> {
        let spelt = self.filings.spelt(q, &|word| self.companies.knows(word));
        let categories = self.filings.categories().filter(|label| place_in(&spelt, label) == Some(place));
        categories.map(Suggestion::Category).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Beginning,
    Anywhere,
}

/// Where a label has all words, the last one as a beginning.
fn place_in(words: &[String], label: &str) -> Option<Place> {
    let (last, others) = words.split_last()?;
    let there = analyzed(label);
    let begins = |at: &[String]| {
        let (end, before) = at.split_last()?;
        let same = before.iter().zip(others).all(|(one, other)| is_form(one, other));
        (same && (end.starts_with(last) || is_form(end, last))).then_some(Place::Beginning)
    };
    let has_all = || {
        let telling = others.iter().filter(|word| !is_stop_word(word));
        let has = |word: &String| there.iter().any(|other| is_form(word, other));
        let all = telling.clone().all(has) && (has(last) || there.iter().any(|word| word.starts_with(last)));
        all.then_some(Place::Anywhere)
    };
    there.get(..words.len()).and_then(begins).or_else(has_all)
}
