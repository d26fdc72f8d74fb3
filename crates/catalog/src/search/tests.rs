//! The index beside a plain scan: each row read word by word, each rule written down once more in the simplest way.

use std::cmp::Reverse;

use proptest::prelude::*;

use super::analyzer::{is_stop_word, stem, words_of};
use super::*;

/// Words with several forms, words that start alike, stop words, codes.
const WORDS: [&str; 28] = [
    "ação",
    "ações",
    "Acionista",
    "acionistas",
    "capital",
    "capitais",
    "capitalização",
    "capitalizado",
    "de",
    "do",
    "doação",
    "doações",
    "dividendo",
    "dividendos",
    "fato",
    "fatos",
    "relevante",
    "S.A.",
    "SA",
    "sal",
    "1",
    "12",
    "123",
    "0012",
    "B3",
    "e",
    "emissão",
    "emissões",
];

struct Row {
    titles: [String; 2],
    prose: String,
}

fn text(random: &mut fastrand::Rng, most: usize) -> String {
    let words: Vec<&str> = (0..random.usize(..=most)).map(|_| word(random)).collect();
    words.join(" ")
}

/// The first words are the commonest.
fn word(random: &mut fastrand::Rng) -> &'static str {
    WORDS[random.usize(..WORDS.len()).min(random.usize(..WORDS.len()))]
}

fn rows(random: &mut fastrand::Rng, count: usize) -> Vec<Row> {
    let row = |_| Row { titles: [text(random, 4), text(random, 2)], prose: text(random, 14) };
    (0..count).map(row).collect()
}

fn built(rows: &[Row]) -> TextIndex {
    let mut index = IndexBuilder::default();
    for row in rows {
        let [one, other] = [&row.titles[0], &row.titles[1]].map(|title| index.title(title));
        index.push(&[&one, &other], &row.prose).unwrap();
    }
    index.finish().unwrap()
}

/// A word of a row, and what it would count by itself.
struct Weighed {
    word: String,
    stem: String,
    weight: i32,
}

fn weighed(row: &Row) -> Vec<Weighed> {
    let texts = [(&row.titles[0], 15), (&row.titles[1], 15), (&row.prose, 11)];
    let weigh = |(text, heaviest): (&String, i32)| {
        let words = words_of(text);
        let telling = words.iter().filter(|word| !is_stop_word(word)).count();
        let steps = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32].iter().filter(|most| **most < telling).count() as i32;
        words.into_iter().map(move |word| Weighed { stem: stem(&word), word, weight: heaviest - steps })
    };
    texts.into_iter().flat_map(weigh).collect()
}

/// What having a word is worth, in whatever form.
fn worth(row: &[Weighed], asked: &(String, String)) -> Option<i32> {
    let family = row.iter().filter(|other| !is_stop_word(&other.word) && other.stem == asked.1);
    let weight = family.map(|other| other.weight).max()?;
    Some(weight + if row.iter().any(|other| other.word == asked.0) { 16 } else { 0 })
}

/// Whole words before mere beginnings, then the score. What is asked for comes with its stems.
fn rank(row: &[Weighed], asked: &[(String, String)]) -> Option<(bool, i32)> {
    let (last, others) = asked.split_last()?;
    let mut score = 0;
    let mut stems = Vec::new();
    for word in others.iter().filter(|(word, _)| !is_stop_word(word)) {
        if !stems.contains(&&word.1) {
            score += worth(row, word)?;
            stems.push(&word.1);
        }
    }
    let whole = if is_stop_word(&last.0) { None } else { worth(row, last) };
    match whole {
        Some(worth) => Some((true, score + worth)),
        None => row.iter().any(|other| other.word.starts_with(&last.0)).then_some((false, score)),
    }
}

fn scanned(rows: &[Vec<Weighed>], q: &str) -> Vec<u32> {
    let mut asked: Vec<(String, String)> =
        words_of(q).into_iter().map(|word| (word.clone(), stem(&word))).collect();
    if asked.iter().any(|(word, _)| !is_stop_word(word)) {
        while asked.pop_if(|(word, _)| is_stop_word(word)).is_some() {}
    }
    let ranked = (0..).zip(rows).filter_map(|(number, row)| Some((Reverse(rank(row, &asked)?), number)));
    let mut found: Vec<_> = ranked.collect();
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

fn query(random: &mut fastrand::Rng) -> String {
    let mut q = text(random, 4);
    if random.bool() {
        let end = q.char_indices().map(|(start, _)| start).skip(1).nth(random.usize(..8));
        q.truncate(end.unwrap_or(q.len()));
    }
    q
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn totals_pages_and_their_order_are_those_of_a_plain_scan(seed: u64) {
        let random = &mut fastrand::Rng::with_seed(seed);
        let count = [30, 300, 2_200][random.usize(..3)];
        let rows = rows(random, count);
        let index = built(&rows);
        let weighed: Vec<_> = rows.iter().map(weighed).collect();
        for _ in 0..12 {
            let q = query(random);
            let expected = scanned(&weighed, &q);
            let page = Page { limit: random.usize(..40), offset: random.usize(..=expected.len()) };
            // The second time from memory.
            for page in [Page { offset: 0, ..page }, page, Page { offset: 0, ..page }] {
                let listing = index.search(&q, page);
                prop_assert_eq!(listing.total, expected.len(), "{}", q);
                let shown: Vec<u32> = listing.rows.iter().collect();
                prop_assert_eq!(&shown[..], &expected[page.of(expected.len())], "{} {:?}", q, page);
            }
        }
    }
}

#[test]
fn a_label_that_says_just_this_stands_before_a_longer_one_that_says_it_too() {
    let row = |label: &str, prose: &str| Row {
        titles: [label.to_owned(), "Aurora S.A.".to_owned()],
        prose: prose.to_owned(),
    };
    let index = built(&[
        row("Política de Divulgação de Ato ou Fato Relevante", "Política"),
        row("Comunicado", "Esclarece o fato relevante"),
        row("Fato Relevante", "Aquisição de participação e outros assuntos da companhia"),
    ]);
    let found: Vec<u32> = index.search("fato relevante", Page { limit: 9, offset: 0 }).rows.iter().collect();
    assert_eq!(found, [2, 0, 1]);
    assert_eq!(index.search("aurora SA", Page { limit: 9, offset: 0 }).total, 3);
}

#[test]
fn a_stop_word_at_the_end_takes_nothing_away() {
    let rows = ["Banco Aurora", "Banco do Sul", "Banco Doce", "Bancos", "Doce"];
    let index =
        built(&rows.map(|name| Row { titles: [name.to_owned(), String::new()], prose: String::new() }));
    let found = |q: &str| -> Vec<u32> { index.search(q, Page { limit: 9, offset: 0 }).rows.iter().collect() };
    assert_eq!(found("banco").len(), 4);
    for q in ["banco do", "banco de", "banco d", "banco do d", "banco e do"] {
        assert_eq!(found(q), found("banco"), "{q}");
    }
    assert_eq!(found("banco do s"), [1]);
    assert_eq!(found("banco do doc"), [2]);
    assert_eq!(found("do"), [1, 2, 4], "what is nothing but stop words is asked for as it stands");
}
