//! Single records as JSON objects, identical to the catalog's: for messages about changes.

use lastro_model::{Company, Filing};

use crate::Companies;
use crate::filings::Midnight;
use crate::json::Object;
use crate::name;

/// Writes a company, with the tickers and other names that the catalog has of it.
pub fn company_json(company: &Company, served: &Companies) -> Box<[u8]> {
    served.rendered(company)
}

/// Writes a filing exactly like [`Table::write_json`](crate::Table::write_json) in the catalog; a test verifies it.
pub fn filing_json(filing: &Filing) -> Vec<u8> {
    Object::new(Vec::with_capacity(480))
        .token(name!("id"), filing.id)
        .token(name!("company_id"), filing.company_id)
        .text(name!("company_name"), &filing.company_name)
        .text(name!("category"), &filing.category)
        .token(name!("date"), Midnight(filing.delivered_on))
        .text(name!("description"), &filing.description)
        .optional_text(name!("type"), filing.kind.as_deref())
        .optional_token(name!("reference_date"), filing.reference_day)
        .number(name!("version"), filing.version)
        .text(name!("url"), &filing.url)
        .end()
}

#[cfg(test)]
mod tests {
    use lastro_model::{CompanyId, Day, FilingId};
    use proptest::prelude::*;

    use super::*;
    use crate::{FilingFilter, FilingsBuilder, Page};

    fn any_filing() -> impl Strategy<Value = Filing> {
        let texts = (".{0,30}", ".{0,30}", proptest::option::of(".{0,20}"), ".{0,60}");
        let numbers = (any::<u64>(), any::<bool>(), 0u32..1_000_000, any::<u16>());
        let days = (0i32..30_000, proptest::option::of(0i32..30_000));
        let url = prop_oneof![
            ".{0,60}",
            "https://www\\.rad\\.cvm\\.gov\\.br/ENET/frmDownloadDocumento\\.aspx\\?Tela=ext&numProtocolo=[0-9]{1,7}",
        ];
        (texts, numbers, days, url).prop_map(
            |(texts, (id, hashed, company, version), (day, reference), url)| {
                let (company_name, category, kind, description) = texts;
                Filing {
                    id: if hashed { FilingId::Hash(id) } else { FilingId::Protocol(id) },
                    company_id: CompanyId(company),
                    company_name,
                    category,
                    kind,
                    delivered_on: Day::from_number(day).unwrap(),
                    reference_day: reference.and_then(Day::from_number),
                    description,
                    version,
                    url,
                }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn filing_json_equals_the_catalogs(filings in prop::collection::vec(any_filing(), 1..8)) {
            let mut builder = FilingsBuilder::new();
            filings.iter().cloned().for_each(|filing| builder.push(filing));
            let catalog = builder.finish().unwrap();
            for row in catalog.list(&FilingFilter::default(), Page { limit: 10, offset: 0 }).rows.iter() {
                let mut shown = Vec::new();
                crate::Table::write_json(&catalog, row, &mut shown);
                let alone = filing_json(&catalog.filing(row));
                prop_assert_eq!(String::from_utf8(alone).unwrap(), String::from_utf8(shown).unwrap());
            }
        }
    }
}
