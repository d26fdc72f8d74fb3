//! Single records as JSON objects, identical to the catalog's: for messages about changes.

use lastro_model::{Company, Filing, History, Ticker};

use crate::Companies;
use crate::companies;
use crate::filings::Midnight;
use crate::json::{Object, with_history};
use crate::name;

/// Writes a company, with the tickers, other names and history that the catalog has of it.
pub fn company_json(company: &Company, served: &Companies) -> Box<[u8]> {
    served.rendered(company)
}

/// Writes a company of the log of changes. Its former names are in the order of [`lastro_model::latest_first`].
pub fn logged_company_json(
    company: &Company,
    history: History,
    tickers: &[Ticker],
    former_names: &[String],
) -> Box<[u8]> {
    companies::rendered_alone(company, history, tickers, former_names)
}

/// Writes a filing exactly like [`Table::write_json`](crate::Table::write_json) in the catalog; a test verifies it.
pub fn filing_json(filing: &Filing, history: History) -> Vec<u8> {
    let object = Object::new(Vec::with_capacity(480))
        .token(name!("id"), filing.id)
        .token(name!("company_id"), filing.company_id)
        .text(name!("company_name"), &filing.company_name)
        .text(name!("category"), &filing.category)
        .token(name!("date"), Midnight(filing.delivered_on))
        .text(name!("description"), &filing.description)
        .optional_text(name!("type"), filing.kind.as_deref())
        .optional_token(name!("reference_date"), filing.reference_day)
        .number(name!("version"), filing.version)
        .text(name!("url"), &filing.url);
    with_history(object, history).end()
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
            for (number, filing) in filings.iter().cloned().enumerate() {
                let time = |add: i64| jiff::Timestamp::from_millisecond(1_800_000_000_000 + add).ok();
                let history = History { first_seen: time(number as i64), withdrawn: None };
                builder.push_with(filing, if number % 2 == 0 { history } else { History::default() });
            }
            let catalog = builder.finish().unwrap();
            for row in catalog.list(&FilingFilter::default(), Page { limit: 10, offset: 0 }).rows.iter() {
                let mut shown = Vec::new();
                crate::Table::write_json(&catalog, row, &mut shown);
                let alone = filing_json(&catalog.filing(row), catalog.history(row));
                prop_assert_eq!(String::from_utf8(alone).unwrap(), String::from_utf8(shown).unwrap());
            }
        }
    }
}
