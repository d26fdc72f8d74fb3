//! What a box may propose while one types: companies, and categories of filings.

use hashbrown::HashSet;
use lastro_model::CompanyId;

use crate::{Catalog, Page};

/// Something that the text typed so far may be the beginning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggestion<'a> {
    Company { id: CompanyId, name: &'a str },
    Category(&'a str),
}

/// So many categories that begin with the text stand before the companies.
const CATEGORIES_FIRST: usize = 3;
/// Companies that are called the same look the same in a box: the first is shown. Few names have as many bearers.
const MOST_TWINS: usize = 3;

impl Catalog {
    /// At most so many suggestions: categories that begin with the text, companies as a search orders them, other
    /// categories that have all words.
    pub fn suggestions(&self, q: &str, limit: usize) -> Vec<Suggestion<'_>> {
        let (mut first, elsewhere) = self.filings.categories_typed(q, &|word| self.companies.knows(word));
        let further = first.split_off(first.len().min(CATEGORIES_FIRST));
        let found = self.search_companies(q, Page { limit: limit * MOST_TWINS, offset: 0 });
        let mut names = HashSet::new();
        // Rows with only some of the words are no continuation of what is typed.
        let rows = found.listing.rows.iter().filter(|_| !found.reading.relaxed);
        let companies = rows.map(|row| self.companies.company(row));
        let companies = companies.filter(|company| names.insert(&company.name)).take(limit);
        let companies = companies.map(|company| Suggestion::Company { id: company.id, name: &company.name });
        let first = first.into_iter().map(Suggestion::Category);
        let further = further.into_iter().chain(elsewhere).map(Suggestion::Category);
        first.chain(companies).chain(further).take(limit).collect()
    }
}
