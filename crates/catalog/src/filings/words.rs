//! Whether a single filing holds the words of a query.

use lastro_model::Filing;
use lastro_search::Page;

use super::FilingsBuilder;

/// The last word of a query may be a prefix, so it is followed by this one, which the filing is given as well.
const LAST_WORD: &str = "qzxlastword";

/// Whether a filing holds all words, in any form or by a synonym. Nothing is corrected or left out.
pub fn holds_all_words(filing: &Filing, q: &str) -> bool {
    let mut builder = FilingsBuilder::new();
    builder.push(Filing { description: format!("{} {LAST_WORD}", filing.description), ..filing.clone() });
    let Ok(alone) = builder.finish() else { return false };
    let found = alone.search(&format!("{q} {LAST_WORD}"), Page { limit: 1, offset: 0 });
    found.total > 0 && found.interpretation.corrected.is_none() && !found.interpretation.relaxed
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
        ] {
            assert!(!holds_all_words(&filing, q), "{q}");
        }
    }
}
