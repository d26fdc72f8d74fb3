//! The order of companies in search results: against a plain scan that restates each rule of the contract, and by
//! examples typical of the real registry.

use std::cmp::Reverse;

use lastro_catalog::{Companies, Interpretation, Page, Tickers};
use lastro_model::{Cnpj, Company, CompanyId, Day, FormerName, Stamp, TradedSecurity};
use proptest::prelude::*;

use crate::judged::security;

const ALL: Page = Page { limit: 1000, offset: 0 };

fn company(id: u32, status: &str, name: &str, trading_name: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
        status: status.to_owned(),
        sector: None,
        trading_name: (!trading_name.is_empty()).then(|| trading_name.to_owned()),
        registered_on: None,
    }
}

fn with_forms(
    companies: Vec<Company>,
    securities: Vec<TradedSecurity>,
    former_names: Vec<FormerName>,
) -> Companies {
    let tickers = Tickers::published(Stamp::default(), Day::parse("2026-11-02").unwrap(), securities);
    Companies::with_tickers(companies, &tickers.with_former_names(former_names)).unwrap()
}

fn found(part: &Companies, q: &str) -> Vec<u32> {
    part.search(q, ALL).rows.iter().map(|position| part.company(position).id.0).collect()
}

const STATUSES: [&str; 3] = ["ATIVO", "SUSPENSO(A) - DECISÃO ADM", "CANCELADA"];
/// None is a form or a synonym of another, or a leading word for a kind of company.
const NAMES: [&str; 6] = ["AURORA", "AURORAL", "BOREAL", "ENERGIA", "SUL", "SULINA"];
const SMALL: [&str; 2] = ["DO", "DE"];
const LEGAL: [&str; 4] = ["S.A.", "CIA", "HOLDING", "LTDA"];

fn words(random: &mut fastrand::Rng, most: usize) -> Vec<&'static str> {
    let mut words = Vec::new();
    for place in 0..random.usize(1..=most) {
        if place > 0 && random.u8(..4) == 0 {
            words.push(SMALL[random.usize(..SMALL.len())]);
        }
        words.push(NAMES[random.usize(..NAMES.len()).min(random.usize(..NAMES.len()))]);
    }
    if random.bool() {
        words.insert(random.usize(..=words.len()), LEGAL[random.usize(..LEGAL.len())]);
    }
    words
}

fn folded(word: &str) -> String {
    word.replace('.', "").to_lowercase()
}

/// The words of a text without legal forms; all words if there are no others.
fn name(words: &[&str]) -> Vec<String> {
    words.iter().filter(|word| !LEGAL.contains(word)).map(|word| folded(word)).collect()
}

fn is_small(word: &str) -> bool {
    SMALL.iter().any(|small| folded(small) == word)
}

struct Scanned {
    id: u32,
    standing: usize,
    is_listed: bool,
    /// The name, the trading name and a former name, which may be absent.
    texts: [Vec<&'static str>; 3],
    letters: usize,
}

/// The place of the former name in [`Scanned::texts`].
const FORMER: usize = 2;

impl Scanned {
    fn random(random: &mut fastrand::Rng, id: u32) -> Self {
        let mut text = |most: usize| if random.bool() { words(random, most) } else { Vec::new() };
        let (trading_name, former_name) = (text(2), text(2));
        let mut texts = [words(random, 4), trading_name, former_name];
        // A former name that is still the name tells nothing.
        let letters = texts.each_ref().map(|text| name(text).concat());
        if letters[..FORMER].contains(&letters[FORMER]) {
            texts[FORMER].clear();
        }
        let letters = texts[0].join(" ").len();
        Self { id, standing: random.usize(..3), is_listed: random.bool(), letters, texts }
    }

    fn former_name(&self) -> Option<FormerName> {
        let name = self.texts[FORMER].join(" ");
        let until = Day::parse("2026-01-01").unwrap();
        (!name.is_empty()).then_some(FormerName { company_id: CompanyId(self.id), name, until })
    }

    /// The rank of a company that has all words, the last of which may be incomplete.
    fn rank(&self, asked: &[&str], q: &[String], is_open: bool) -> Option<impl Ord + use<>> {
        let names: Vec<Vec<String>> = self.texts.iter().map(|text| name(text)).collect();
        let equality = match (names.iter().any(|name| name == q), self.standing) {
            (true, 0) => 0,
            (true, _) => 1,
            (false, _) => 2,
        };
        let every: Vec<Vec<String>> =
            self.texts.iter().map(|text| text.iter().map(|word| folded(word)).collect()).collect();
        let (last, others) = q.split_last()?;
        let has = |word: &String| every.iter().flatten().any(|own| own == word);
        let begins =
            |word: &String| is_open && every.iter().flatten().any(|own| own.starts_with(word.as_str()));
        let is_there = others.iter().all(|word| is_small(word) || has(word)) && (has(last) || begins(last));
        if !is_there {
            return None;
        }
        let mut places: Vec<(u8, bool, bool)> = Vec::new();
        let numbered = |texts| (0..).zip(texts);
        for ((number, text), is_name) in
            numbered(&every).map(|text| (text, false)).chain(numbered(&names).map(|text| (text, true)))
        {
            let leading =
                text.iter().take_while(|word| LEGAL.iter().any(|form| folded(form) == **word)).count();
            for start in 0..text.len() {
                let Some(there) = text.get(start..start + q.len()) else { continue };
                let (end, before) = there.split_last()?;
                let whole = end == last;
                if before == others && (whole || (is_open && end.starts_with(last.as_str()))) {
                    let is_beginning = start == 0 || (!is_name && start == leading);
                    places.push((if is_beginning { 0 } else { 1 }, !whole, number == FORMER));
                }
            }
        }
        places.push((2, !has(last), true));
        let forms: Vec<String> =
            asked.iter().filter(|word| LEGAL.contains(word)).map(|word| folded(word)).collect();
        Some((
            equality,
            self.standing,
            Reverse(equality < 2 && forms.iter().all(has)),
            !self.is_listed,
            places.into_iter().min(),
            Reverse(forms.iter().all(has)),
            names[0].iter().map(|word| word.len() + 1).sum::<usize>(),
            self.letters,
            self.texts[0].join(" "),
            self.id,
        ))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn search_order_matches_a_plain_scan(seed: u64) {
        let random = &mut fastrand::Rng::with_seed(seed);
        let scanned: Vec<Scanned> = (1..40).map(|id| Scanned::random(random, id)).collect();
        let company = |one: &Scanned| {
            company(one.id, STATUSES[one.standing], &one.texts[0].join(" "), &one.texts[1].join(" "))
        };
        let listed = scanned.iter().filter(|one| one.is_listed);
        let securities = listed.map(|one| security(&format!("Z9{:02}3", one.id), one.id)).collect();
        let former_names = scanned.iter().filter_map(Scanned::former_name).collect();
        let part = with_forms(scanned.iter().map(company).collect(), securities, former_names);
        for _ in 0..8 {
            let mut asked = words(random, 3);
            if !NAMES.contains(asked.last().unwrap()) {
                asked.push("AUR");
            }
            let q = name(&asked);
            let mut expected: Vec<_> = scanned
                .iter()
                .filter_map(|one| Some((one.rank(&asked, &q, true)?, one.id)))
                .collect();
            expected.sort();
            let text = asked.join(" ").to_lowercase();
            let ids: Vec<u32> = expected.into_iter().map(|(_, id)| id).collect();
            if !ids.is_empty() {
                prop_assert_eq!(found(&part, &text), ids, "{}", text);
            }
        }
    }
}

fn active(names: &[(u32, &str, &str)]) -> Companies {
    let companies = names.iter().map(|(id, name, trading_name)| company(*id, "ATIVO", name, trading_name));
    Companies::build(companies.collect()).unwrap()
}

#[test]
fn legal_forms_and_states_are_optional() {
    let part = Companies::build(vec![
        company(1, "CANCELADA", "CIA AURORA", ""),
        company(2, "ATIVO", "AURORA S.A.", ""),
        company(3, "ATIVO", "BOREAL S.A.", ""),
    ])
    .unwrap();
    for q in [
        "cia aurora",
        "companhia aurora",
        "aurora ltda",
        "aurora em recuperação judicial",
        "aurora holding s/a",
    ] {
        let first = found(&part, q);
        assert_eq!(first.len(), 2, "{q}: {first:?}");
        assert!(
            part.search(q, ALL).interpretation.corrected.is_none()
                && !part.search(q, ALL).interpretation.relaxed,
            "{q}"
        );
    }
    assert_eq!(found(&part, "aurora ltda"), [2, 1]);
    assert_eq!(found(&part, "s.a."), [2, 3], "but where they are all that is asked for");
}

#[test]
fn a_stop_word_at_the_end_counts() {
    let part = active(&[
        (1, "EQUATORIAL S.A.", ""),
        (2, "EQUATORIAL PARÁ DISTRIBUIDORA DE ENERGIA S.A.", ""),
        (3, "CELGA DISTRIBUIÇÃO S.A.", "CELGA D"),
        (4, "CELGA S.A.", ""),
        (5, "C&A MODAS S.A.", ""),
        (6, "CASAS DO SUL S.A.", ""),
        (7, "BANCO DO NORTE S.A.", ""),
        (8, "BANCO DO ESTADO DO PARÁ S.A.", ""),
    ]);
    assert_eq!(found(&part, "equatorial pará")[0], 2);
    assert_eq!(found(&part, "celga d")[0], 3);
    assert_eq!(found(&part, "c&a"), [5], "the prefix belongs to the last word typed");
    assert_eq!(found(&part, "banco do pará")[0], 8);
}

#[test]
fn a_name_comes_before_a_part_of_one() {
    let part = active(&[
        (1, "LUZ PAULISTA - CPLF", ""),
        (2, "COMPANHIA PAULISTA DE FORÇA E LUZ", "CPLF"),
        (3, "CPLF GERAÇÃO", ""),
    ]);
    assert_eq!(found(&part, "cplf"), [2, 1, 3]);
}

#[test]
fn corrections_prefer_active_companies() {
    let part = Companies::build(vec![
        company(1, "CANCELADA", "ALIPAR S.A.", "ALIPAR"),
        company(2, "CANCELADA", "ALIPAR NORTE S.A.", ""),
        company(3, "ATIVO", "AMBIPAR PARTICIPAÇÕES S.A.", ""),
    ])
    .unwrap();
    assert_eq!(part.search("abipar", ALL).interpretation.corrected.as_deref(), Some("ambipar"));
    assert_eq!(found(&part, "abipar"), [3]);
    let relaxed = part.search("abipar vesper", ALL).interpretation;
    assert_eq!((relaxed.corrected.as_deref(), relaxed.relaxed), (Some("ambipar vesper"), true));
}

#[test]
fn unmatched_spellings_are_retried_with_other_spacing() {
    let part = Companies::build(vec![
        company(1, "CANCELADA", "ABIPOR NORTE S.A.", ""),
        company(2, "CANCELADA", "ABIPOR SUL S.A.", ""),
        company(3, "ATIVO", "AMBIPAR S.A.", ""),
        company(4, "ATIVO", "AMBIPARZUL S.A.", ""),
    ])
    .unwrap();
    let reading = part.search("abipar zul", ALL).interpretation;
    assert_eq!((reading.corrected.as_deref(), reading.relaxed), (Some("ambiparzul"), false));
    assert_eq!(found(&part, "abipar zul"), found(&part, "ambiparzul"));
}

#[test]
fn a_legal_form_may_be_incomplete() {
    let part =
        active(&[(1, "AURORA S.A.", ""), (2, "COMPANHIA BOREAL", ""), (3, "AURORA COMPANHEIRA S.A.", "")]);
    for (q, ids) in [
        ("aurora hold", &[1, 3][..]),
        ("aurora ltd", &[1, 3]),
        ("boreal em recup", &[2]),
        ("boreal comp", &[2]),
        // A word that occurs as typed is not corrected.
        ("aurora compan", &[3]),
    ] {
        assert_eq!(found(&part, q), ids, "{q}");
        assert_eq!(part.search(q, ALL).interpretation, Interpretation::default(), "{q}");
    }
    assert!(part.search("aurora co", ALL).interpretation == Interpretation::default());
    assert!(part.search("boreal vesper", ALL).interpretation.relaxed);
}

#[test]
fn other_spacing_counts_if_a_name_matches() {
    let part = Companies::build(vec![
        company(1, "ATIVO", "SENDAS DISTRIBUIDORA S.A.", ""),
        company(2, "CANCELADA", "SENDAS S.A.", ""),
        company(3, "ATIVO", "RODOVIAS DAS COLINAS SEM FIM S.A.", ""),
        company(4, "ATIVO", "NATURAL & CIA S.A.", ""),
        company(5, "CANCELADA", "AURAL S.A.", "NA AURAL"),
        company(6, "ATIVO", "BANCO DO NORTE S.A.", ""),
    ])
    .unwrap();
    for (q, ids, corrected) in [
        ("semdas", &[2, 1][..], "sendas"),
        ("na tural", &[4], "natural"),
        ("bancodonorte", &[6], "banco do norte"),
        ("bancodonor", &[6], "banco do nor"),
    ] {
        assert_eq!(found(&part, q), ids, "{q}");
        assert_eq!(part.search(q, ALL).interpretation.corrected.as_deref(), Some(corrected), "{q}");
    }
    assert_eq!(found(&part, "nodoa"), [0; 0], "small words are no name");
}

#[test]
fn a_cnpj_is_never_split() {
    let part = active(&[(33, "AURORA S.A.", ""), (167, "BOREAL 33 S.A.", "")]);
    for q in ["33.000.167/0001-01 aurora", "cia aurora 33000167000101"] {
        assert_eq!(found(&part, q), [33], "{q}");
        assert!(!part.search(q, ALL).interpretation.relaxed, "{q}");
    }
    for q in ["33.000.167/0001-01 auro", "33.000.167/0001-01 aurora hold", "33.000.167/0001-01 de aurora"] {
        assert_eq!((found(&part, q), part.search(q, ALL).interpretation.relaxed), (vec![33], false), "{q}");
    }
    for q in ["33.000.167/0001-01 hold", "33.000.167/0001-01 de", "33.000.167/0001-01 33.000.167/0001-01"] {
        assert_eq!(
            (found(&part, q), part.search(q, ALL).interpretation.relaxed),
            (vec![33, 167], false),
            "{q}"
        );
    }
    for q in ["33.000.167/0001-01", "33.000.167/0001-01 ltda", "33.000.167/0001-01 vesper"] {
        assert_eq!(found(&part, q), [33, 167], "{q}: both bear it");
        assert_eq!(part.search(q, ALL).interpretation.relaxed, q.ends_with("vesper"), "{q}");
    }
    for q in ["33.000.167/0001-02", "33000167000102"] {
        assert_eq!(found(&part, q), [0; 0], "{q}");
    }
    assert_eq!(found(&part, "33.000.167/0001-02 aurora"), [33]);
    assert!(part.search("33.000.167/0001-02 aurora", ALL).interpretation.relaxed);
}

#[test]
fn a_name_equals_the_query_despite_spacing() {
    let part = active(&[
        (1, "CONCESSÃO METROVIÁRIA S.A.", "METRÔSUL"),
        (2, "OPORTUNIDADE METRÔ SUL BOREAL S.A.", ""),
        (3, "EZ TEC S.A.", ""),
        (4, "EZTECA S.A.", ""),
    ]);
    for (q, ids) in [("metrô sul", &[1, 2][..]), ("metro sul s.a.", &[1, 2]), ("eztec", &[3, 4])] {
        assert_eq!(found(&part, q), ids, "{q}");
        assert_eq!(part.search(q, ALL).interpretation, Interpretation::default(), "{q}: the words are there");
    }
}

#[test]
fn rarest_words_decide_if_no_company_has_all() {
    let part = Companies::build(vec![
        company(1, "ATIVO", "OI BRASIL S.A.", ""),
        company(2, "ATIVO", "SUL BRASIL S.A.", ""),
        company(3, "ATIVO", "CIRELLA BOREAL COMERCIAL EXPORTADORA S.A.", ""),
        company(4, "ATIVO", "BOREAL CIRELLA S.A.", ""),
        company(5, "CANCELADA", "VESPER S.A.", ""),
        Company { sector: Some("Brasil".to_owned()), ..company(6, "ATIVO", "AURORA S.A.", "") },
    ])
    .unwrap();
    for (q, ids) in [
        ("cirella brasil", &[3, 4, 1, 2, 6][..]),
        ("brasil cirella", &[3, 4, 1, 2, 6]),
        // Active ones come first, whatever words they have.
        ("vesper brasil", &[1, 2, 6, 5]),
    ] {
        assert_eq!(found(&part, q), ids, "{q}");
        assert!(part.search(q, ALL).interpretation.relaxed, "{q}");
    }
}

#[test]
fn brazil_is_brasil() {
    let part = Companies::build(vec![
        company(1, "ATIVO", "BANCO DO BRASIL S.A.", ""),
        company(2, "CANCELADA", "BNC BRAZIL S.A.", ""),
    ])
    .unwrap();
    assert_eq!(found(&part, "banco do brazil"), [1]);
    assert_eq!(found(&part, "bnc brasil"), [2]);
    assert_eq!(part.search("banco do brazil", ALL).interpretation, Interpretation::default());
}
