//! The filings that hold all words of a saved search: the newest ones, and whether a single one does.

use lastro_model::{CompanyId, Filing};
use lastro_search::{Context, LastWord, Names, Page};

use super::periods::Periods;
use super::{FilingFilter, Filings, FilingsBuilder};

impl Filings {
    /// The positions of the newest filings of any of these companies and categories (of all, if there are none) that
    /// hold all words, newest first.
    pub(crate) fn newest(
        &self,
        q: Option<&str>,
        companies: &[CompanyId],
        categories: &[String],
        count: usize,
        names: &dyn Names,
    ) -> Vec<u32> {
        let of = |category| FilingFilter { companies, category, ..FilingFilter::default() };
        let filters: Vec<FilingFilter<'_>> = match categories {
            [] => vec![of(None)],
            several => several.iter().map(|label| of(Some(label.as_str()))).collect(),
        };
        let mut rows = match q {
            None => self.first_of_each(&filters, count),
            Some(q) => {
                let is_limited = !filters.iter().any(FilingFilter::is_empty);
                let chosen = || filters.iter().flat_map(|filter| self.selected(filter).rows());
                let within = is_limited.then(|| self.row_filter(chosen()));
                let context = Context { names, ranges: &self.periods(), within: within.as_ref() };
                self.index.rows_holding(q, LastWord::Prefix, context)
            }
        };
        rows.truncate(count);
        rows
    }

    /// The first positions that match any of the filters, each once and ascending.
    fn first_of_each(&self, filters: &[FilingFilter<'_>], count: usize) -> Vec<u32> {
        let page = Page { limit: count, offset: 0 };
        let each = filters.iter().map(|filter| self.list(filter, page).rows.iter().collect::<Vec<u32>>());
        let mut rows: Vec<u32> = each.flatten().collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Whether a filing holds all words, in any form or by a synonym. A period beside other words is also held by filings
/// that were delivered in it. Nothing is corrected or left out, and the last word is no prefix.
pub fn holds_all_words(filing: &Filing, q: &str) -> bool {
    let mut builder = FilingsBuilder::new();
    builder.push(filing.clone());
    let Ok((alone, index)) = builder.searchable() else { return false };
    let context = Context { ranges: &Periods(&alone), ..Context::default() };
    !index.rows_holding(q, LastWord::Whole, context).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::{CompanyId, Day, FilingId};

    #[test]
    fn all_words_must_be_there_in_some_form() {
        let filing = Filing {
            id: FilingId::Protocol(1),
            company_id: CompanyId(9512),
            company_name: "Petróleo Aurora S.A.".to_owned(),
            category: "Aviso aos Acionistas".to_owned(),
            kind: None,
            delivered_on: Day::from_number(20_000).unwrap(),
            reference_day: None,
            description: "Pagamento de dividendos e juros sobre capital próprio".to_owned(),
            version: 1,
            url: String::new(),
        };
        for q in [
            "dividendos",
            "dividendo aurora",
            "petroleo",
            "jcp",
            "9512",
            "\"juros sobre capital\"",
            "aurora \"pagamento de dividendos\"",
            "\"dividendos",
            "dividendos 2024",
            "dividendos outubro de 2024",
        ] {
            assert!(holds_all_words(&filing, q), "{q}");
        }
        for q in [
            "divid",
            "dividendoss",
            "dividendos fusão",
            "fusão",
            "\"capital sobre juros\"",
            "\"juros capital\"",
            "dividendos 2019",
            "dividendos setembro 2024",
            "2019 dividendos 2024",
            "2024",
            "para",
        ] {
            assert!(!holds_all_words(&filing, q), "{q}");
        }
    }
}
