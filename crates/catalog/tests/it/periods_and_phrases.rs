//! Searches of filings by period, by phrase in quotes and by company.

use lastro_catalog::{Filings, FilingsBuilder, Interpretation, Page};
use lastro_model::{CompanyId, Day, Filing, FilingId};

const ALL: Page = Page { limit: 100, offset: 0 };

fn filings(rows: &[(&str, &str, &str, &str)]) -> Filings {
    let mut builder = FilingsBuilder::new();
    for (id, (day, company, category, description)) in (1..).zip(rows) {
        builder.push(Filing {
            id: FilingId::Protocol(id),
            company_id: CompanyId(1),
            company_name: (*company).to_owned(),
            category: (*category).to_owned(),
            kind: None,
            delivered_on: Day::parse(day).unwrap(),
            reference_day: None,
            description: (*description).to_owned(),
            version: 1,
            url: String::new(),
        });
    }
    builder.finish().unwrap()
}

fn found(part: &Filings, q: &str) -> (Vec<String>, Interpretation) {
    let found = part.search(q, ALL);
    let ids = found.rows.iter().map(|position| part.filing(position).id.to_string()).collect();
    (ids, found.interpretation)
}

#[test]
fn filings_of_the_period_come_first() {
    let part = filings(&[
        ("2024-04-30", "AURORA S.A.", "Assembleia", "AGO"),
        ("2025-04-29", "AURORA S.A.", "Assembleia", "AGO, ata"),
        ("2025-01-10", "AURORA S.A.", "Assembleia", "Calendário da AGO 2024"),
        ("2024-03-15", "AURORA S.A.", "Aviso aos Acionistas", "Dividendos"),
        ("2024-07-01", "AURORA S.A.", "Aviso aos Acionistas", "Dividendos"),
        ("2023-03-31", "BOREAL S.A.", "Aviso aos Acionistas", "Dividendos de março de 2024"),
        ("2026-02-01", "BOREAL S.A.", "Aviso aos Acionistas", "Dividendos"),
    ]);
    for (q, ids) in [
        ("AGO 2024 aurora", &["1", "3", "2"][..]),
        ("aurora AGO em 2025", &["2", "3", "1"]),
        ("dividendos março 2024", &["4", "6", "7", "5"]),
        ("dividendos de março de 2024", &["4", "6", "7", "5"]),
        ("dividendos jul/2024", &["5", "7", "4", "6"]),
        ("dividendos 07/2024", &["5", "7", "4", "6"]),
        ("dividendos de 15 de março de 2024", &["4", "7", "5", "6"]),
        ("dividendos 2019", &["7", "5", "4", "6"]),
        ("dividendos 2019 boreal", &["7", "6"]),
    ] {
        assert_eq!(
            found(&part, q),
            (ids.iter().map(|id| (*id).to_owned()).collect(), Interpretation::default()),
            "{q}"
        );
    }
    assert_eq!(found(&part, "2024").0, ["3", "6"], "a year alone is a word");
    let (ids, reading) = found(&part, "AGO 2024 aurorra");
    assert_eq!(
        (&ids[..], reading.corrected.as_deref()),
        (&["1", "3", "2"].map(str::to_owned)[..], Some("ago 2024 aurora"))
    );
    let relaxed = found(&part, "AGO vesper 2024");
    assert_eq!((&relaxed.0[0], relaxed.1.relaxed), (&"1".to_owned(), true));
}

#[test]
fn quoted_text_must_be_there_as_a_phrase() {
    let part = filings(&[
        ("2026-01-03", "AURORA S.A.", "Assembleia", "Edital de convocação"),
        ("2026-01-02", "AURORA S.A.", "Assembleia", "Convocação por edital"),
        ("2026-01-01", "BOREAL S.A.", "Comunicado", "Editais de convocações, \"joint venture\""),
    ]);
    for (q, ids) in [
        ("\"edital de convocação\"", &["1", "3"][..]),
        ("\"EDITAL DE CONVOCACAO\" aurora", &["1"]),
        ("aurora \"edital\"", &["1", "2"]),
        ("\"edital convocação\"", &[]),
        ("\"edital de conv\"", &[]),
        ("\"joint venture\" \"editais de\"", &["3"]),
        // Quotes without a partner, and other quotes, are plain text.
        ("\"convocação edital", &["1", "2", "3"]),
        ("'convocação edital'", &["1", "2", "3"]),
        ("“convocação edital”", &["1", "2", "3"]),
        ("\"\" edital", &["1", "2", "3"]),
    ] {
        assert_eq!(
            found(&part, q),
            (ids.iter().map(|id| (*id).to_owned()).collect(), Interpretation::default()),
            "{q}"
        );
    }
    let (ids, reading) = found(&part, "aurorra \"edital de convocação\"");
    assert_eq!(reading.corrected.as_deref(), Some("aurora \"edital de convocacao\""));
    assert_eq!(found(&part, "aurora \"edital de convocacao\"").0, ids);
    let (ids, reading) = found(&part, "vesper \"edital de convocação\"");
    assert_eq!(
        (ids, reading.relaxed),
        (vec!["1".to_owned(), "3".to_owned()], true),
        "also without all words"
    );
    assert_eq!(found(&part, "\"edital de convocasao\"").0, [""; 0], "quoted words are not corrected");
}

#[test]
fn a_company_is_not_the_prefix_of_another() {
    let part = filings(&[
        ("2026-01-04", "MERKURIAL S.A.", "Aviso", "Deliberação de JCP"),
        ("2026-01-03", "BOREAL S.A.", "Aviso", "JCP"),
        ("2026-01-02", "MERKUR UNIDA S.A.", "Comunicado", "Nova sede"),
        ("2026-01-01", "MERKURIAL S.A.", "Comunicado", "Nova sede"),
    ]);
    let (ids, reading) = found(&part, "JCP merkur");
    assert_eq!((&ids[..], reading.relaxed), (&["3", "1", "2"].map(str::to_owned)[..], true));
    assert_eq!(found(&part, "sede merkur").0, ["3", "4"], "longer names come after it");
    assert_eq!(found(&part, "JCP merku").0, ["1"], "no company is called so");
    assert_eq!(found(&part, "merk").0, ["1", "3", "4"]);
}
