//! Filings merged with any number of changes answer exactly like filings built from all rows at once.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lastro_catalog::{FilingFilter, Filings, FilingsBuilder, Listing, Page, Table};
use lastro_model::{CompanyId, Day, Filing, FilingId, History};
use proptest::prelude::*;

const COMPANIES: [&str; 5] = ["Aurora S.A.", "Banco Aurora S/A", "Açúcar União", "Energia do Sul", ""];
const CATEGORIES: [&str; 8] =
    ["Ata", "ATA ", "Fato Relevante", "Reunião", "reuniao", "Aviso aos Acionistas", "Bench", ""];
const KINDS: [&str; 4] = ["Edital", "Ata", "\"Outros\"", ""];
const WORDS: [&str; 25] = [
    "juros sobre capital próprio",
    "assembleia geral ordinária",
    "ago",
    "ação",
    "ações",
    "acionista",
    "capital",
    "capitais",
    "de",
    "do",
    "doação",
    "dividendo",
    "dividendos",
    "fato",
    "relevante",
    "sal",
    "SA",
    "1",
    "12",
    "123",
    "0012",
    "\"aspas\"",
    "emissão",
    "emissões",
    "raro",
];
const SEARCHES: [&str; 21] = [
    "ago",
    "jcp",
    "assembleia geral ordinaria",
    "ação",
    "acoes",
    "a",
    "ac",
    "d",
    "de",
    "dividendos",
    "capit",
    "fato relevante",
    "ata",
    "reuniao e",
    "aurora sa",
    "1",
    "12",
    "energia sul emissão",
    "raro",
    "bench",
    "banco aurora dividendo 9",
];
const PAGES: [Page; 3] =
    [Page { limit: 1000, offset: 0 }, Page { limit: 7, offset: 0 }, Page { limit: 20, offset: 190 }];

/// Filings that are listed, without a known first day.
fn listed(filings: &[Filing]) -> Vec<(Filing, History)> {
    filings.iter().map(|filing| (filing.clone(), History::default())).collect()
}

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

fn one_of<'a>(random: &mut fastrand::Rng, texts: &[&'a str]) -> &'a str {
    texts[random.usize(..texts.len()).min(random.usize(..texts.len()))]
}

/// Generates a filing. Ids repeat, so many filings replace earlier ones.
fn filing(random: &mut fastrand::Rng, ids: u64) -> Filing {
    let number = random.u64(..ids);
    let company = random.usize(..COMPANIES.len());
    let words: Vec<&str> = (0..random.usize(..9)).map(|_| one_of(random, &WORDS)).collect();
    let version = random.u16(1..4);
    Filing {
        id: if random.u8(..9) == 0 { FilingId::Hash(number) } else { FilingId::Protocol(number) },
        company_id: CompanyId(company as u32 / 2 + 9),
        company_name: COMPANIES[company].to_owned(),
        category: one_of(random, &CATEGORIES).to_owned(),
        kind: random.bool().then(|| one_of(random, &KINDS).to_owned()),
        delivered_on: day(20_000 + random.i32(0..12)),
        reference_day: random.bool().then(|| day(random.i32(-3..3))),
        description: words.join(" "),
        version,
        url: format!(
            "https://a.example/{}?n={number}&v={version}&s={}",
            one_of(random, &KINDS),
            number + 9_000
        ),
    }
}

fn built(rows: &BTreeMap<FilingId, Filing>) -> Filings {
    let mut builder = FilingsBuilder::new();
    rows.values().for_each(|filing| builder.push(filing.clone()));
    builder.finish().unwrap()
}

fn restored(part: &Filings) -> Filings {
    let mut bytes = Vec::new();
    part.save("changes", &mut bytes).unwrap();
    Filings::restore("changes", &bytes[..], bytes.len() as u64).unwrap()
}

/// Compares the results of every query.
fn assert_same(merged: &Filings, whole: &Filings, ids: u64) {
    assert_eq!((merged.len(), merged.newest_day()), (whole.len(), whole.newest_day()));
    assert!(merged.categories().eq(whole.categories()));
    for (position, in_whole) in merged.listed().zip(whole.listed()) {
        assert_eq!(shown(merged, position), shown(whole, in_whole));
        assert_eq!(merged.filing(position), whole.filing(in_whole));
    }
    for id in (0..ids).flat_map(|number| [FilingId::Hash(number), FilingId::Protocol(number)]) {
        let place = |part: &Filings| Some(part.position(id)? - part.listed().start);
        assert_eq!(place(merged), place(whole));
    }
    for filter in filters() {
        for page in PAGES {
            let listed = |part: &Filings| places(part, &part.list(&filter, page));
            assert_eq!(listed(merged), listed(whole), "{filter:?}");
        }
    }
    for q in SEARCHES {
        for page in PAGES {
            let (found, expected) = (merged.search(q, page), whole.search(q, page));
            assert_eq!(found.interpretation, expected.interpretation, "{q}");
            assert_eq!(places(merged, &found), places(whole, &expected), "{q}");
        }
    }
}

/// The total, and the place of each row among all that are listed.
fn places(part: &Filings, listing: &Listing<'_>) -> (usize, Vec<u32>) {
    (listing.total, listing.rows.iter().map(|position| position - part.listed().start).collect())
}

/// A row as JSON and as cells.
fn shown(part: &Filings, position: u32) -> (String, String) {
    let (mut json, mut cells) = (Vec::new(), String::new());
    part.write_json(position, &mut json);
    part.cells(position, &mut |cell| cells.push_str(&format!("{cell:?};")));
    (String::from_utf8(json).unwrap(), cells)
}

fn filters() -> Vec<FilingFilter<'static>> {
    const COMPANIES: [&[CompanyId]; 6] = [
        &[],
        &[CompanyId(9)],
        &[CompanyId(10)],
        &[CompanyId(11)],
        &[CompanyId(12)],
        &[CompanyId(11), CompanyId(9)],
    ];
    let categories = CATEGORIES.iter().copied().map(Some).chain([None, Some("outra")]);
    let days = [(None, None), (Some(20_003), Some(20_007)), (None, Some(20_001)), (Some(20_011), None)];
    let of = |companies, category, (from, to): (Option<i32>, Option<i32>)| FilingFilter {
        companies,
        category,
        from: from.map(day),
        to: to.map(day),
        ..FilingFilter::default()
    };
    let of_companies = move |companies| {
        categories.clone().flat_map(move |category| days.map(|days| of(companies, category, days)))
    };
    COMPANIES.into_iter().flat_map(of_companies).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn repeated_changes_equal_a_full_build(seed: u64) {
        let random = &mut fastrand::Rng::with_seed(seed);
        let ids = [12, 150, 900][random.usize(..3)];
        let mut rows = BTreeMap::new();
        for _ in 0..random.u64(..ids) {
            let filing = filing(random, ids);
            rows.insert(filing.id, filing);
        }
        let mut merged = built(&rows);
        for round in 0..6 {
            let changed: Vec<Filing> = (0..random.usize(..8)).map(|_| filing(random, ids)).collect();
            merged = merged.with_changes(&listed(&changed)).unwrap();
            rows.extend(changed.into_iter().map(|filing| (filing.id, filing)));
            if round % 2 == 1 {
                let whole = built(&rows);
                assert_same(&merged, &whole, ids);
                assert_same(&restored(&merged), &whole, ids);
            }
        }
    }
}

/// A part of several groups of records, and what it should hold.
struct Large {
    part: Filings,
    rows: BTreeMap<FilingId, (Filing, History)>,
}

impl Large {
    const IDS: u64 = 10_200;

    /// Makes 9,600 filings. The ids above are for new ones.
    fn new(random: &mut fastrand::Rng) -> Self {
        let rows: Vec<_> = (0..9_600).map(|number| numbered(random, number)).collect();
        Self::of(rows)
    }

    fn of(rows: Vec<(Filing, History)>) -> Self {
        let rows = rows.into_iter().map(|row| (row.0.id, row)).collect();
        Self { part: whole(&rows), rows }
    }

    fn change(&mut self, changed: Vec<(Filing, History)>) {
        self.part = self.part.with_changes(&changed).unwrap();
        self.rows.extend(changed.into_iter().map(|row| (row.0.id, row)));
        let whole = whole(&self.rows);
        assert_same(&self.part, &whole, Self::IDS);
        assert_same(&restored(&self.part), &whole, Self::IDS);
    }

    /// Some of the rows, changed.
    fn with(
        &self,
        numbers: impl Iterator<Item = u64>,
        change: impl Fn(&mut Filing, &mut History),
    ) -> Vec<(Filing, History)> {
        let row = |number| {
            let (mut filing, mut history) = self.rows[&FilingId::Protocol(number)].clone();
            change(&mut filing, &mut history);
            (filing, history)
        };
        numbers.map(row).collect()
    }
}

/// A filing with this number. Their links follow more patterns than are kept, and some were seen at a known time.
fn numbered(random: &mut fastrand::Rng, number: u64) -> (Filing, History) {
    let mut filing = filing(random, Large::IDS);
    filing.id = FilingId::Protocol(number);
    let seen = |hour: i64| Timestamp::from_second(1_790_000_000 + 3_600 * hour).unwrap();
    let first_seen = random.bool().then(|| seen(random.i64(0..20)));
    (filing, History { first_seen, withdrawn: None })
}

fn whole(rows: &BTreeMap<FilingId, (Filing, History)>) -> Filings {
    let mut builder = FilingsBuilder::new();
    rows.values().cloned().for_each(|(filing, history)| builder.push_with(filing, history));
    builder.finish().unwrap()
}

#[test]
fn changes_of_a_large_part_equal_a_full_build() {
    let random = &mut fastrand::Rng::with_seed(11);
    let mut large = Large::new(random);
    // Late filings: the newest group that is full shifts by some positions.
    let late = |number, day_number| {
        let (filing, history) = numbered(&mut fastrand::Rng::with_seed(number), number);
        (Filing { delivered_on: day(day_number), ..filing }, history)
    };
    large.change(vec![late(9_600, 20_000), late(9_601, 20_000), late(9_602, 20_006)]);
    let gone_at = Timestamp::from_second(2_000_000_000).unwrap();
    let withdrawn = |_: &mut Filing, history: &mut History| history.withdrawn = Some(gone_at);
    let listed = |_: &mut Filing, history: &mut History| history.withdrawn = None;
    large.change(large.with((0..9_600).step_by(1_999), withdrawn));
    large.change(large.with((0..9_600).step_by(1_999).skip(2), listed));
    // More filings than there is room for get all positions renumbered.
    large.change((9_603..10_003).map(|number| late(number, 20_012)).collect());
    // Hardly any left, then none, then some again.
    large.change(large.with(0..9_900, withdrawn));
    large.change(large.with(9_900..10_003, withdrawn));
    assert_eq!(large.part.len(), 0);
    large.change(large.with(9_950..9_999, listed));
}

/// After a merge with more names than were in use before, the next one gives all labels other numbers.
#[test]
fn labels_stay_right_when_all_are_renumbered() {
    let random = &mut fastrand::Rng::with_seed(12);
    let rows = (0..9_600).map(|number| {
        let (filing, history) = numbered(random, number);
        (Filing { url: format!("https://a.example/{number}"), ..filing }, history)
    });
    let mut large = Large::of(rows.collect());
    large.change(large.with(0..1_200, |filing, _| filing.company_name = format!("Aurora {:?}", filing.id)));
    large.change(large.with(4_000..4_010, |filing, _| filing.company_name = "Banco Aurora S/A".to_owned()));
    large.change(large.with(0..1_200, |filing, _| filing.company_name = "Banco Aurora S/A".to_owned()));
    large.change(large.with(4_000..4_010, |filing, _| filing.company_name = "Aurora S.A.".to_owned()));
}

fn plain(number: u64, category: &str, text: &str) -> Filing {
    let mut filing = filing(&mut fastrand::Rng::with_seed(number), 1);
    (filing.id, filing.category) = (FilingId::Protocol(number), category.to_owned());
    (filing.description, filing.kind) = (text.to_owned(), None);
    filing
}

#[test]
fn labels_and_words_without_rows_disappear() {
    let all = Page { limit: 9, offset: 0 };
    let before = Filings::empty()
        .with_changes(&listed(&[plain(1, "Ata", "singular"), plain(2, "Aviso", "outro")]))
        .unwrap();
    let after = before.with_changes(&listed(&[plain(1, "Aviso", "diferente")])).unwrap();
    assert_eq!(before.categories().collect::<Vec<_>>(), ["Ata", "Aviso"]);
    assert_eq!(after.categories().collect::<Vec<_>>(), ["Aviso"]);
    let of_label = FilingFilter { category: Some("ata"), ..FilingFilter::default() };
    assert_eq!((after.list(&of_label, all).total, after.search("singular", all).total), (0, 0));
    assert_eq!((before.list(&of_label, all).total, before.search("singular", all).total), (1, 1));
}

#[test]
fn a_label_is_spelled_as_in_its_newest_filing() {
    let mut older = plain(1, "Reunião", "");
    older.delivered_on = day(10);
    let mut newer = plain(2, "REUNIAO", "");
    newer.delivered_on = day(11);
    let one = Filings::empty().with_changes(&listed(&[older.clone()])).unwrap();
    assert_eq!(one.categories().collect::<Vec<_>>(), ["Reunião"]);
    let both = one.with_changes(&listed(&[newer])).unwrap();
    assert_eq!(both.categories().collect::<Vec<_>>(), ["REUNIAO"]);
    older.delivered_on = day(12);
    assert_eq!(both.with_changes(&listed(&[older])).unwrap().categories().collect::<Vec<_>>(), ["Reunião"]);
}

#[test]
fn unused_texts_do_not_accumulate() {
    let mut part = Filings::empty();
    let saved = |part: &Filings| {
        let mut bytes = Vec::new();
        part.save("size", &mut bytes).unwrap();
        bytes.len()
    };
    let rows: Vec<Filing> = (0..200).map(|number| plain(number, "Ata", &"capital ".repeat(9))).collect();
    part = part.with_changes(&listed(&rows)).unwrap();
    let before = saved(&part);
    for (round, row) in rows.iter().enumerate().take(100) {
        let mut changed = row.clone();
        changed.url = format!("https://a.example/{round}/{}", "x".repeat(round));
        changed.description = "capital ".repeat(9 + round % 2);
        changed.company_name = format!("Aurora {round}");
        part = part.with_changes(&listed(&[changed])).unwrap();
        part = part.with_changes(&listed(std::slice::from_ref(row))).unwrap();
    }
    let templates = 100 * 150;
    assert!(saved(&part) < before + before / 8 + templates, "{before} bytes became {}", saved(&part));
}

#[test]
fn empty_and_identical_changes_have_no_effect() {
    let rows: BTreeMap<FilingId, Filing> =
        (0..30).map(|number| plain(number, "Ata", "capital")).map(|filing| (filing.id, filing)).collect();
    let part = built(&rows);
    assert_same(&part.with_changes(&listed(&[])).unwrap(), &part, 30);
    assert_same(&part.with_changes(&listed(&rows.into_values().collect::<Vec<_>>())).unwrap(), &part, 30);
}
