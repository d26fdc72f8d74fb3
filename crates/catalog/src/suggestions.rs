//! Suggestions while typing: companies and categories of filings.

use hashbrown::HashSet;
use lastro_model::CompanyId;

use crate::{Catalog, CompanyFilter, Page};

/// A possible completion of the text typed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggestion<'a> {
    Company { id: CompanyId, name: &'a str },
    Category(&'a str),
}

/// Maximum number of categories that begin with the text and are listed before the companies.
const CATEGORIES_FIRST: usize = 3;
/// Companies fetched per suggestion: only the first of each name is shown. Few names have this many holders.
const MOST_TWINS: usize = 3;

impl Catalog {
    /// At most `limit` suggestions: categories that begin with the text, companies in search order, other categories
    /// that have all words.
    pub fn suggestions(&self, q: &str, limit: usize) -> Vec<Suggestion<'_>> {
        let (mut first, elsewhere) = self.filings.categories_typed(q, &|word| self.companies.knows(word));
        let further = first.split_off(first.len().min(CATEGORIES_FIRST));
        let found = self.search_companies(
            q,
            &CompanyFilter::default(),
            Page { limit: limit * MOST_TWINS, offset: 0 },
        );
        let mut names = HashSet::new();
        // Rows with only some of the words do not complete the text.
        let rows = found.listing.rows.iter().filter(|_| !found.interpretation.relaxed);
        let companies = rows.map(|row| self.companies.company(row));
        let companies = companies.filter(|company| names.insert(&company.name)).take(limit);
        let companies = companies.map(|company| Suggestion::Company { id: company.id, name: &company.name });
        let first = first.into_iter().map(Suggestion::Category);
        let further = further.into_iter().chain(elsewhere).map(Suggestion::Category);
        first.chain(companies).chain(further).take(limit).collect()
    }
}
