//! The index beside a plain scan: each row read word by word, each rule written down once more in the simplest way.

use proptest::prelude::*;

use super::analyzer::{is_stop_word, stem, words_of};
use super::synonyms;
use super::*;

/// Words with several forms, words that start alike, stop words, codes, expressions that mean the same.
const WORDS: [&str; 34] = [
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
];

struct Row {
    category: String,
    company: String,
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
    let row = |_| Row { category: text(random, 2), company: text(random, 4), prose: text(random, 14) };
    (0..count).map(row).collect()
}

fn built(rows: &[Row]) -> TextIndex {
    let mut index = IndexBuilder::default();
    for row in rows {
        let (category, company) = (index.label(&row.category), index.title(&row.company));
        index.push(&[(Field::Category, &category), (Field::Company, &company)], &row.prose).unwrap();
    }
    index.finish().unwrap()
}

/// A word with its stem.
#[derive(Clone)]
struct Word {
    folded: String,
    stem: String,
}

fn words(text: &str) -> Vec<Word> {
    words_of(text).into_iter().map(|folded| Word { stem: stem(&folded), folded }).collect()
}

impl Word {
    fn is_small(&self) -> bool {
        is_stop_word(&self.folded)
    }

    fn is_form_of(&self, other: &Self) -> bool {
        self.folded == other.folded || (!self.is_small() && !other.is_small() && self.stem == other.stem)
    }
}

/// The texts of a row: category, description, company. The last one is not its own.
type Texts = [Vec<Word>; 3];
const COMPANY: usize = 2;

fn texts(row: &Row) -> Texts {
    [words(&row.category), words(&row.prose), words(&row.company)]
}

/// In which text, and at which place.
type At = (usize, usize);

/// The places at which a row has an expression.
fn places(texts: &Texts, expression: &[Word]) -> Vec<At> {
    let starts = |text: usize| (0..texts[text].len()).map(move |start| (text, start));
    let is_there = |(text, start): &At| {
        let there = texts[*text].get(*start..start + expression.len());
        there.is_some_and(|there| there.iter().zip(expression).all(|(one, other)| one.is_form_of(other)))
    };
    (0..texts.len()).flat_map(starts).filter(is_there).collect()
}

/// A query: its words, and what else stands for each of them, by so many words before.
struct Asked {
    words: Vec<Word>,
    same: Vec<(usize, usize, Vec<Word>)>,
}

fn asked(q: &str) -> Asked {
    let mut words = words(q);
    if words.iter().any(|word| !word.is_small()) {
        while words.pop_if(|word| word.is_small()).is_some() {}
    }
    let folded: Vec<String> = words.iter().map(|word| word.folded.clone()).collect();
    let mut same = Vec::new();
    for found in synonyms::occurrences(&folded) {
        for other in found.others() {
            let expression: Vec<Word> = words_of_expression(other);
            same.extend(found.words.clone().enumerate().map(|(nth, place)| (place, nth, expression.clone())));
        }
    }
    Asked { words, same }
}

fn words_of_expression(number: usize) -> Vec<Word> {
    synonyms::all()[number].words.iter().flat_map(|word| words(word)).collect()
}

impl Asked {
    /// The places of the query that ask for the same word. The last word is asked for by itself.
    fn alike(&self, place: usize) -> Vec<usize> {
        let last = self.words.len() - 1;
        let is_alike = |other: &usize| {
            *other == place
                || (*other != last && place != last && self.words[*other].stem == self.words[place].stem)
        };
        (0..self.words.len()).filter(is_alike).collect()
    }

    /// Where a row has a word of the query.
    fn at(&self, texts: &Texts, place: usize) -> Vec<At> {
        let mut at = places(texts, &self.words[place..=place]);
        if self.words[place].is_small() && place + 1 == self.words.len() {
            at.clear();
        }
        for (of, nth, expression) in &self.same {
            if self.alike(place).contains(of) {
                at.extend(places(texts, expression).into_iter().map(|(text, start)| (text, start + nth)));
            }
        }
        at
    }

    /// How many words of the query a row has, and how well it matches: whole before begun, label, phrase, own before the
    /// company's.
    fn judged(&self, row: &Row, texts: &Texts) -> (usize, (bool, u8)) {
        let at: Vec<Vec<At>> = (0..self.words.len()).map(|place| self.at(texts, place)).collect();
        let last = self.words.len() - 1;
        let begun = || texts.iter().flatten().any(|word| word.folded.starts_with(&self.words[last].folded));
        let whole = !at[last].is_empty();
        let telling: Vec<usize> = (0..last).filter(|place| !self.words[*place].is_small()).collect();
        let mut counted: Vec<usize> = telling.clone();
        counted.retain(|place| self.alike(*place).first() == Some(place) && !at[*place].is_empty());
        let has = counted.len() + usize::from(whole || begun());
        let mut known: Vec<usize> = (0..last).collect();
        known.extend(whole.then_some(last));
        let phrase = |own: bool| {
            let starts = (0..texts.len()).flat_map(|text| (0..40).map(move |start| (text, start)));
            starts
                .filter(|(text, _)| (*text != COMPANY) == own)
                .any(|(text, start)| known.iter().all(|place| at[*place].contains(&(text, start + place))))
        };
        let own = known.iter().filter(|place| telling.contains(place) || **place == last);
        let own = own.clone().all(|place| at[*place].iter().any(|(text, _)| *text != COMPANY));
        let stems = |words: &[Word]| -> Vec<String> {
            words.iter().filter(|word| !word.is_small()).map(|word| word.stem.clone()).collect()
        };
        let label = stems(&words(&row.category));
        let tier = match () {
            // Rows that only have a longer word than the one asked for are all alike.
            () if !whole && self.count() == 1 => 0,
            () if !label.is_empty() && label == stems(&self.words) => 0,
            () if phrase(true) => 1,
            () if phrase(false) => 2,
            () if own => 3,
            () => 4,
        };
        (has, (!whole, tier))
    }

    fn count(&self) -> usize {
        let last = self.words.len() - 1;
        let first =
            |place: &usize| !self.words[*place].is_small() && self.alike(*place).first() == Some(place);
        (0..last).filter(first).count() + 1
    }
}

/// The rows found, and whether they have only the most of the words.
fn scanned(rows: &[(Row, Texts)], q: &str) -> (Vec<u32>, bool) {
    let asked = asked(q);
    if asked.words.is_empty() {
        return (Vec::new(), false);
    }
    let judged: Vec<(usize, (bool, u8))> = rows.iter().map(|(row, texts)| asked.judged(row, texts)).collect();
    let most = judged.iter().map(|(has, _)| *has).max().unwrap_or(0);
    let relaxed = most < asked.count();
    let having = (0..).zip(&judged).filter(|(_, (has, _))| *has == most && most > 0);
    let mut found: Vec<((bool, u8), u32)> =
        having.map(|(number, (_, rank))| (if relaxed { (false, 0) } else { *rank }, number)).collect();
    found.sort_unstable();
    (found.iter().map(|(_, number)| *number).collect(), relaxed && most > 0)
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
        let count = [30, 300, 2_100][random.usize(..3)];
        let rows = rows(random, count);
        let index = built(&rows);
        let rows: Vec<(Row, Texts)> = rows.into_iter().map(|row| (texts(&row), row)).map(|(texts, row)| (row, texts)).collect();
        for _ in 0..12 {
            let q = query(random);
            let reading = index.search(&q, Page { limit: 1, offset: 0 }).reading;
            let (expected, relaxed) = scanned(&rows, reading.corrected.as_deref().unwrap_or(&q));
            prop_assert_eq!(reading.relaxed, relaxed, "{}", q);
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

fn row(category: &str, company: &str, prose: &str) -> Row {
    Row { category: category.to_owned(), company: company.to_owned(), prose: prose.to_owned() }
}

fn found(index: &TextIndex, q: &str) -> Vec<u32> {
    index.search(q, Page { limit: 99, offset: 0 }).rows.iter().collect()
}

#[test]
fn a_label_that_says_just_this_stands_before_texts_that_say_it_too() {
    let index = built(&[
        row("Comunicado", "Fato Relevante S.A.", "Esclarecimentos"),
        row("Política de Divulgação de Ato ou Fato Relevante", "Aurora S.A.", "Política"),
        row("Comunicado", "Aurora S.A.", "Relevante é o fato"),
        row("Comunicado", "Aurora S.A.", "Esclarece o fato relevante"),
        row("Fato Relevante", "Aurora S.A.", "Aquisição de participação e outros assuntos da companhia"),
    ]);
    assert_eq!(found(&index, "fato relevante"), [4, 1, 3, 0, 2]);
    assert_eq!(found(&index, "aurora SA").len(), 4);
}

#[test]
fn small_words_count_in_phrases() {
    let index = built(&[
        row("", "", "Banco Sul Brasil"),
        row("", "", "Banco no Brasil"),
        row("", "", "Banco do Brasil"),
    ]);
    assert_eq!(found(&index, "banco do brasil"), [2, 0, 1]);
    assert_eq!(found(&index, "banco no brasil"), [1, 0, 2]);
}

#[test]
fn expressions_find_what_they_stand_for_and_the_reverse() {
    let index = built(&[
        row("", "", "Ata da AGO de 2024"),
        row("", "", "Ata da Assembleia Geral Ordinária de 2024"),
        row("", "", "Assembleia Geral Extraordinária, ações ordinárias"),
        row("", "", "Assembleia Geral Extraordinária"),
        row("", "", "Programa de recompra"),
        row("", "", "Aquisição de ações próprias"),
    ]);
    assert_eq!(found(&index, "AGO"), [0, 1]);
    assert_eq!(found(&index, "assembleia geral ordinária"), [0, 1, 2]);
    assert_eq!(found(&index, "assembleias gerais ordinárias 2024"), [0, 1]);
    assert_eq!(found(&index, "AGE"), [2, 3]);
    assert_eq!(found(&index, "recompra"), [4, 5]);
    assert_eq!(found(&index, "aquisição de ações próprias"), [4, 5]);
}

#[test]
fn mistyped_words_stand_for_the_nearest_and_words_that_rows_have_never_do() {
    let index = built(&[
        row("", "", "Petrobras e dividendos"),
        row("", "", "Petrobras"),
        row("", "", "Petrobas"),
        row("", "", "Reunião 2024"),
    ]);
    let corrected = |q: &str| index.search(q, Page { limit: 9, offset: 0 }).reading.corrected;
    assert_eq!(corrected("petrobrsa").as_deref(), Some("petrobras"));
    assert_eq!(found(&index, "petrobrsa"), [0, 1]);
    assert_eq!(corrected("dividendso petrobras").as_deref(), Some("dividendos petrobras"));
    assert_eq!(corrected("reunaio").as_deref(), Some("reuniao"));
    assert_eq!(corrected("divdend").as_deref(), Some("dividend"), "the last word may be a beginning");
    for q in ["petrobas", "petrobras", "divi", "reunioes", "2042", "xyz", "qwertyuiop", "petr0bras", "dos"] {
        assert_eq!(corrected(q), None, "{q}");
    }
}

#[test]
fn where_nothing_has_all_words_rows_with_the_most_are_found() {
    let index = built(&[
        row("", "", "lucro"),
        row("", "", "lucro venda"),
        row("", "", "venda compra"),
        row("", "", "ata"),
    ]);
    let search = |q: &str| index.search(q, Page { limit: 9, offset: 0 });
    for (q, rows) in
        [("lucro venda compra", vec![1, 2]), ("ata zebra", vec![3]), ("lucro ata", vec![0, 1, 3])]
    {
        let found = search(q);
        assert_eq!(
            (found.rows.iter().collect::<Vec<_>>(), found.total, found.reading.relaxed),
            (rows.clone(), rows.len(), true),
            "{q}"
        );
    }
    assert!(!search("lucro venda").reading.relaxed && !search("zebra girafa").reading.relaxed);
    assert_eq!(search("zebra girafa").total, 0);
}

#[test]
fn a_stop_word_at_the_end_takes_nothing_away() {
    let rows = ["Banco Aurora", "Banco do Sul", "Banco Doce", "Bancos", "Doce"];
    let index = built(&rows.map(|name| row("", name, "")));
    let found = |q: &str| found(&index, q);
    assert_eq!(found("banco").len(), 4);
    for q in ["banco do", "banco de", "banco d", "banco do d", "banco e do"] {
        assert_eq!(found(q), found("banco"), "{q}");
    }
    assert_eq!(found("banco do s"), [1]);
    assert_eq!(found("banco do doc"), [2]);
    assert_eq!(found("do"), [1, 2, 4], "what is nothing but stop words is asked for as it stands");
}
