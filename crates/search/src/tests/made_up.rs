//! Random rows, names and queries of few words, so that they have words in common.

use super::*;
use crate::is_stop_word;

/// Words with several forms, words that start alike, stop words, codes, expressions that mean the same.
const WORDS: [&str; 42] = [
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
    "AGO",
    "assembleia",
    "geral",
    "ordinária",
    "assembleia geral ordinária",
    "edital de convocação",
    "AGO/E",
    "M&A",
    "reunião",
    "conselho de administração",
    "RCA",
    "2023",
    "2024",
    "maio 2024",
];

fn text(random: &mut fastrand::Rng, most: usize) -> String {
    let words: Vec<&str> = (0..random.usize(..=most)).map(|_| word(random)).collect();
    words.join(" ")
}

/// The first words are the most frequent.
fn word(random: &mut fastrand::Rng) -> &'static str {
    WORDS[random.usize(..WORDS.len()).min(random.usize(..WORDS.len()))]
}

/// With few categories, a query often has one of them beside other words.
const LABELS: [&str; 3] = ["fato relevante", "Assembleia", "RCA"];

/// Some also occur as numbers in texts.
const CODES: [&str; 5] = ["12", "123", "7001", "7002", "0012"];

/// Names of one or several words, frequent or not; and ranges of an index with this many rows.
pub(super) fn directory(random: &mut fastrand::Rng, count: usize) -> Directory {
    let [first, second] = [0; 2].map(|_| random.u32(..=count as u32));
    let ranges = [("maio 2024", first..first + 20), ("2024", first..count as u32), ("2023", second..first)];
    let name = |random: &mut fastrand::Rng| {
        let mut words = words_of(&text(random, 4));
        words.truncate(LONGEST_NAME);
        let codes = CODES.iter().filter(|_| random.u8(..3) == 0).map(|code| (*code).to_owned());
        (words, codes.collect())
    };
    let names = (0..random.usize(..4)).map(|_| name(random));
    Directory::new(names.filter(|(words, _)| words.iter().any(|word| !is_stop_word(word))).collect())
        .with_ranges(&ranges)
}

pub(super) fn rows(random: &mut fastrand::Rng, count: usize) -> Vec<Row> {
    let few_labels = random.bool();
    let row = |_| {
        let category =
            if few_labels { LABELS[random.usize(..LABELS.len())].to_owned() } else { text(random, 2) };
        let code = CODES[random.usize(..CODES.len())].to_owned();
        Row { category, company: text(random, 4), prose: text(random, 14), code }
    };
    (0..count).map(row).collect()
}

/// Few words, many words, words of one row so that it has all of them, or a label beside others; the last word whole or
/// not, and one perhaps mistyped.
pub(super) fn query<T>(random: &mut fastrand::Rng, rows: &[(Row, T)]) -> String {
    let mut q = match random.u8(..6) {
        0 => text(random, 10),
        1 => some_words_of(random, rows),
        2 => beside_label(random),
        _ => text(random, 4),
    };
    if q.len() > 40 && random.bool() {
        q.pop();
    } else if random.bool() {
        let end = q.char_indices().map(|(start, _)| start).skip(1).nth(random.usize(..8));
        q.truncate(end.unwrap_or(q.len()));
    }
    if random.u8(..5) == 0 {
        q = quoted(random, &q);
    }
    if random.u8(..4) == 0 { mistyped(random, &q) } else { q }
}

/// Puts some neighbouring words into quotes, perhaps without the second one.
fn quoted(random: &mut fastrand::Rng, q: &str) -> String {
    let mut words: Vec<String> = q.split(' ').map(str::to_owned).collect();
    let start = random.usize(..words.len());
    let end = (start + random.usize(..3)).min(words.len() - 1);
    words[start].insert(0, '"');
    if random.u8(..4) > 0 {
        words[end].push('"');
    }
    words.join(" ")
}

/// Drops a letter of a long word, if there is one.
fn mistyped(random: &mut fastrand::Rng, q: &str) -> String {
    let mut words: Vec<String> = q.split(' ').map(str::to_owned).collect();
    let is_long = |place: &usize| words[*place].chars().count() > 4 && !words[*place].contains('"');
    let long: Vec<usize> = (0..words.len()).filter(is_long).collect();
    if let Some(place) = random.choice(&long) {
        let at = random.usize(1..words[*place].chars().count());
        let letters = words[*place].chars().enumerate().filter(|(number, _)| *number != at);
        words[*place] = letters.map(|(_, letter)| letter).collect();
    }
    words.join(" ")
}

fn beside_label(random: &mut fastrand::Rng) -> String {
    let label = LABELS[random.usize(..LABELS.len())];
    let words = text(random, 3);
    if random.bool() { format!("{label} {words}") } else { format!("{words} {label}") }
}

fn some_words_of<T>(random: &mut fastrand::Rng, rows: &[(Row, T)]) -> String {
    let (row, _) = &rows[random.usize(..rows.len())];
    let mut words: Vec<&str> = row.company.split(' ').chain(row.prose.split(' ')).collect();
    random.shuffle(&mut words);
    words.truncate(random.usize(5..12));
    words.join(" ")
}
