//! A plain scan as an oracle: it reads each row word by word and states each rule once more in the simplest way.

use std::ops::Range;

use proptest::prelude::*;

use super::made_up::{directory, query, rows};
use super::*;
use crate::text::synonyms;
use crate::{ParsedQuery, base_form, is_stop_word};

/// A word, its base form, and whether it is one of the small words: asked so often that the list is not searched each time.
#[derive(Clone)]
struct Word {
    folded: String,
    base: String,
    is_stop: bool,
}

fn words(text: &str) -> Vec<Word> {
    let word = |folded: String| Word { base: base_form(&folded), is_stop: is_stop_word(&folded), folded };
    words_of(text).into_iter().map(word).collect()
}

impl Word {
    fn is_form_of(&self, other: &Self) -> bool {
        self.folded == other.folded || (!self.is_stop && !other.is_stop && self.base == other.base)
    }
}

/// The base forms that identify a label.
fn label(words: &[Word]) -> Vec<String> {
    words.iter().filter(|word| !word.is_stop).map(|word| word.base.clone()).collect()
}

/// The texts of a row: category, description, company, code. The last ones are not its own.
type Texts = [Vec<Word>; 4];
const CATEGORY: usize = 0;
const COMPANY: usize = 2;
const CODE: usize = 3;

fn texts(row: &Row) -> Texts {
    [words(&row.category), words(&row.prose), words(&row.company), words(&row.code)]
}

/// A text and a place in it.
type At = (usize, usize);

/// The places of adjacent words in a row.
fn places(texts: &Texts, expression: &[Word]) -> Vec<At> {
    let starts = |text: usize| (0..texts[text].len()).map(move |start| (text, start));
    let is_there = |(text, start): &At| {
        let there = texts[*text].get(*start..start + expression.len());
        there.is_some_and(|there| there.iter().zip(expression).all(|(one, other)| one.is_form_of(other)))
    };
    (0..texts.len()).flat_map(starts).filter(is_there).collect()
}

/// The places of an expression. A category with both halves apart has it too.
fn expression_places(texts: &Texts, expression: &[Word]) -> Vec<At> {
    let mut at = places(texts, expression);
    let telling: Vec<usize> = (0..expression.len()).filter(|place| !expression[*place].is_stop).collect();
    for two in telling.windows(2) {
        let in_category = |half: &[Word]| -> Vec<At> {
            places(texts, half).into_iter().filter(|(text, _)| *text == CATEGORY).collect()
        };
        let (one, other) = (in_category(&expression[..=two[0]]), in_category(&expression[two[1]..]));
        if !one.is_empty() && !other.is_empty() {
            at.extend(one.into_iter().chain(other));
        }
    }
    at
}

/// No phrase starts this late.
const NOWHERE: usize = 1_000;

/// An expression that stands for a word of the query, starting `nth` words before it.
struct Same {
    place: usize,
    nth: usize,
    expression: Vec<Word>,
}

/// A query: its words and their synonyms.
struct Asked {
    /// Without those of the ranges.
    words: Vec<Word>,
    ranges: Vec<RowRange>,
    /// The words of the ranges that tell something.
    range_words: Vec<Word>,
    phrases: Vec<Vec<Word>>,
    same: Vec<Same>,
    /// The words of the query that are each label.
    labels: Vec<(Range<usize>, Vec<String>)>,
    names: Vec<NamedWords>,
    is_prefix: bool,
}

/// The phrases in quotes, and the places of all their words.
fn phrases(q: &str) -> (Vec<Vec<Word>>, Vec<usize>) {
    let pieces: Vec<Vec<Word>> = q.split('"').map(words).collect();
    let (mut phrases, mut places, mut place) = (Vec::new(), Vec::new(), 0);
    for (number, piece) in pieces.iter().enumerate() {
        if number % 2 == 1 && number + 1 < pieces.len() && !piece.is_empty() {
            places.extend(place..place + piece.len());
            phrases.push(piece.clone());
        }
        place += piece.len();
    }
    (phrases, places)
}

/// Reads a query, with the ranges that are in it or as plain text.
fn asked(q: &str, directory: &Directory, with_ranges: bool) -> Asked {
    let all = words(q);
    let (phrases, quoted) = phrases(q);
    let mut ranges = if with_ranges { directory.ranges_in(&words_of(q)) } else { Vec::new() };
    ranges.retain(|range| !range.words.clone().any(|place| quoted.contains(&place)));
    let is_of_range = |place: usize| ranges.iter().any(|range| range.words.contains(&place));
    let (of_ranges, kept): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|place| is_of_range(*place));
    if !ranges.is_empty() && kept.iter().all(|place| all[*place].is_stop) {
        return asked(q, directory, false);
    }
    let ends = kept.last() == all.len().checked_sub(1).as_ref() && quoted.last() != kept.last();
    let is_prefix = ends && ParsedQuery::parse(q).is_prefix();
    let some = |places: &[usize]| -> Vec<Word> { places.iter().map(|place| all[*place].clone()).collect() };
    let range_words = some(&of_ranges).into_iter().filter(|word| !word.is_stop).collect();
    let words = some(&kept);
    let folded: Vec<String> = words.iter().map(|word| word.folded.clone()).collect();
    let (mut same, mut labels) = (Vec::new(), Vec::new());
    for found in synonyms::occurrences(&folded) {
        for other in found.others() {
            let expression: Vec<Word> =
                synonyms::all()[other].words.iter().flat_map(|word| self::words(word)).collect();
            if !found.is_partial && found.is_same(other) {
                labels.push((found.words.clone(), label(&expression)));
            }
            let is_in_phrases = found.words.end == words.len() || expression.len() == found.words.len();
            let nth = |nth: usize| if is_in_phrases { nth } else { NOWHERE };
            let at = |(number, place)| Same { place, nth: nth(number), expression: expression.clone() };
            same.extend(found.words.clone().enumerate().map(at));
        }
    }
    for start in (0..words.len()).filter(|start| !words[*start].is_stop) {
        let ends = (start..words.len()).filter(|end| !words[*end].is_stop);
        labels.extend(ends.map(|end| (start..end + 1, label(&words[start..=end]))));
    }
    Asked { names: directory.named_in(&folded), words, ranges, range_words, phrases, same, labels, is_prefix }
}

impl Asked {
    fn has_phrases(&self, texts: &Texts) -> bool {
        self.phrases.iter().all(|phrase| !places(texts, phrase).is_empty())
    }

    /// In a range, with its words, or neither.
    fn fit(&self, number: u32, texts: &Texts) -> u8 {
        match () {
            () if self.ranges.is_empty() => 0,
            () if self.ranges.iter().any(|range| range.rows.contains(&number)) => 0,
            () if self
                .range_words
                .iter()
                .all(|word| !places(texts, std::slice::from_ref(word)).is_empty()) =>
            {
                1
            }
            () => 2,
        }
    }

    /// Whether the last word is part of an owner's name, and no row has it and all the others.
    fn ends_in_missing_name(&self, rows: &[(Row, Texts)]) -> bool {
        let (asked_for, Some(last)) = (self.asked_for(), self.open()) else { return false };
        let is_long = self.words[last].folded.len() >= 4 && asked_for.len() > 1;
        let is_name = |texts: &Texts| self.at(texts, last).iter().any(|(text, _)| *text >= COMPANY);
        let has_all = |texts: &Texts| {
            self.has_phrases(texts) && asked_for.iter().all(|place| !self.at(texts, *place).is_empty())
        };
        is_long
            && rows.iter().any(|(_, texts)| is_name(texts))
            && !rows.iter().any(|(_, texts)| has_all(texts))
    }

    /// The place of the last word, which may go on if it tells something.
    fn open(&self) -> Option<usize> {
        let last = self.words.len() - 1;
        (!self.words[last].is_stop).then_some(last)
    }

    /// Whether a row has a word that begins with the last one.
    fn begins(&self, texts: &Texts, last: usize) -> bool {
        let begun = |word: &Word| word.folded.starts_with(&self.words[last].folded);
        self.is_prefix && texts.iter().flatten().any(begun)
    }

    /// The places of the query that ask for the same word. The last word is asked for by itself.
    fn alike(&self, place: usize) -> Vec<usize> {
        let is_alone = |place: usize| self.words[place].is_stop || Some(place) == self.open();
        let is_alike = |other: &usize| {
            *other == place
                || (!is_alone(*other)
                    && !is_alone(place)
                    && self.words[*other].base == self.words[place].base)
        };
        (0..self.words.len()).filter(is_alike).collect()
    }

    /// The places of a word of the query in a row.
    fn at(&self, texts: &Texts, place: usize) -> Vec<At> {
        let alike = self.alike(place);
        let mut at = places(texts, &self.words[place..=place]);
        for same in self.same.iter().filter(|same| alike.contains(&same.place)) {
            let places = match &same.expression[..] {
                [_] => places(texts, &same.expression),
                _ => expression_places(texts, &same.expression),
            };
            at.extend(places.into_iter().map(|(text, start)| (text, start + same.nth)));
        }
        for NamedWords { words, codes } in &self.names {
            let is_code = codes.iter().any(|code| texts[CODE][0].folded == *code);
            let places = words.clone().filter(|place| is_code && alike.contains(place));
            at.extend(places.map(|place| (CODE, place - words.start)));
        }
        at
    }

    /// The places of the words that are asked for, each once.
    fn asked_for(&self) -> Vec<usize> {
        let first = |place: &usize| !self.words[*place].is_stop && self.alike(*place).first() == Some(place);
        (0..self.words.len()).filter(first).collect()
    }

    /// The longest labels that rows have, and the places of the words beside them.
    fn longest_labels(&self, rows: &[(Row, Texts)]) -> (Vec<Vec<String>>, Vec<usize>) {
        let known: Vec<Vec<String>> = rows.iter().map(|(_, texts)| label(&texts[CATEGORY])).collect();
        let mut borne: Vec<&(Range<usize>, Vec<String>)> =
            self.labels.iter().filter(|(_, label)| known.contains(label)).collect();
        let most = borne.iter().map(|(words, _)| words.len()).max();
        borne.retain(|(words, _)| Some(words.len()) == most);
        let is_one = borne.iter().all(|(words, _)| *words == borne[0].0);
        let beside =
            borne.first().filter(|_| is_one).map(|(words, _)| self.beside(words)).unwrap_or_default();
        (borne.into_iter().map(|(_, label)| label.clone()).collect(), beside)
    }

    /// The places of the words on one side of a label, if two or more of them tell something.
    fn beside(&self, label: &Range<usize>) -> Vec<usize> {
        let side = match (label.start, label.end) {
            (0, end) => end..self.words.len(),
            (start, end) if end == self.words.len() => 0..start,
            _ => return Vec::new(),
        };
        let is_there = |place: &usize| self.alike(*place).iter().any(|other| side.contains(other));
        let telling = self.asked_for().into_iter().filter(is_there).count();
        if telling > 1 { side.collect() } else { Vec::new() }
    }

    /// Whether a row has a word, or one that begins so if it may go on.
    fn has(&self, texts: &Texts, place: usize) -> bool {
        !self.at(texts, place).is_empty() || (Some(place) == self.open() && self.begins(texts, place))
    }

    /// The rows of the word that the fewest have, of several the first.
    fn rows_of_rarest(&self, rows: &[(Row, Texts)]) -> Vec<u32> {
        let having = |place: usize| -> Vec<u32> {
            (0..)
                .zip(rows)
                .filter(|(_, (_, texts))| self.has_phrases(texts) && self.has(texts, place))
                .map(|(number, _)| number)
                .collect()
        };
        let by_word = self.asked_for().into_iter().map(having).filter(|rows| !rows.is_empty());
        by_word.min_by_key(Vec::len).unwrap_or_default()
    }

    /// The number of words of the query in a row, and its tier: exact before longer, label, phrase, own before the
    /// owner's.
    fn judged(
        &self,
        row: &Row,
        texts: &Texts,
        (labels, beside): &(Vec<Vec<String>>, Vec<usize>),
    ) -> (usize, (bool, u8)) {
        let at: Vec<Vec<At>> = (0..self.words.len()).map(|place| self.at(texts, place)).collect();
        let whole = self.open().is_none_or(|last| !at[last].is_empty());
        let has = |place: &&usize| {
            !at[**place].is_empty() || (Some(**place) == self.open() && self.begins(texts, **place))
        };
        let asked_for = self.asked_for();
        let count = asked_for.iter().filter(has).count();
        let known: Vec<usize> =
            (0..self.words.len()).filter(|place| whole || Some(*place) != self.open()).collect();
        let telling: Vec<usize> = known.iter().copied().filter(|place| !self.words[*place].is_stop).collect();
        let has_at = |places: &[usize], text: usize, start: usize| {
            places.iter().all(|place| at[*place].contains(&(text, start + place - places[0])))
                // One word is a phrase wherever it stands.
                || (places.len() == 1 && at[places[0]].iter().any(|(other, _)| *other == text))
        };
        let starts = || (0..texts.len()).flat_map(|text| (0..60).map(move |start| (text, start)));
        let phrase = |own: bool| {
            starts()
                .filter(|(text, _)| (*text < COMPANY) == own)
                .any(|(text, start)| has_at(&known, text, start))
        };
        let has_beside = || !beside.is_empty() && starts().any(|(text, start)| has_at(beside, text, start));
        let own = telling.iter().all(|place| at[*place].iter().any(|(text, _)| *text < COMPANY));
        let tier = match () {
            // Rows that only have a longer word than the one asked for are all alike.
            () if telling.is_empty() => 0,
            () if labels.contains(&label(&words(&row.category))) => u8::from(!(whole && has_beside())),
            () if phrase(true) => 2,
            () if phrase(false) => 3,
            () if own => 4,
            () => 5,
        };
        (count, (!whole, tier))
    }
}

/// The rows with the last word of a query of small words only, in a text of their own before the company's; then those with a
/// word that starts so.
fn scanned_as_it_stands(rows: &[(Row, Texts)], asked: &Asked, last: &Word) -> Vec<u32> {
    let has = |texts: &[Vec<Word>]| texts.iter().flatten().any(|word| word.folded == last.folded);
    let rank = |texts: &Texts| match () {
        () if has(&texts[..COMPANY]) => Some(0),
        () if has(&texts[COMPANY..]) => Some(1),
        () => asked.begins(texts, asked.words.len() - 1).then_some(2),
    };
    let having = (0..).zip(rows).filter(|(_, (_, texts))| asked.has_phrases(texts));
    let mut found: Vec<(u8, u32)> =
        having.filter_map(|(number, (_, texts))| Some((rank(texts)?, number))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

/// The rows found, and whether they have only the most of the words.
fn scanned(rows: &[(Row, Texts)], q: &str, directory: &Directory) -> (Vec<u32>, bool) {
    let found = scanned_as(rows, asked(q, directory, true));
    if found.0.is_empty() { scanned_as(rows, asked(q, directory, false)) } else { found }
}

fn scanned_as(rows: &[(Row, Texts)], mut asked: Asked) -> (Vec<u32>, bool) {
    let Some(last) = asked.words.last() else { return (Vec::new(), false) };
    if asked.words.iter().all(|word| word.is_stop) {
        return (scanned_as_it_stands(rows, &asked, last), false);
    }
    let labels = asked.longest_labels(rows);
    asked.is_prefix &= !asked.ends_in_missing_name(rows);
    let judged = |(row, texts): &(Row, Texts)| match asked.has_phrases(texts) {
        true => asked.judged(row, texts, &labels),
        false => (0, (true, 0)),
    };
    let judged: Vec<(usize, (bool, u8))> = rows.iter().map(judged).collect();
    let most = judged.iter().map(|(has, _)| *has).max().unwrap_or(0);
    let relaxed = most < asked.asked_for().len();
    let having = (0..).zip(&judged).filter(|(_, (has, _))| *has == most && most > 0);
    let rarest = asked.rows_of_rarest(rows);
    let rank = |number: u32, (is_longer, tier): (bool, u8)| {
        let fit = asked.fit(number, &rows[number as usize].1);
        if relaxed { (!rarest.contains(&number), fit, 0) } else { (is_longer, fit, tier) }
    };
    let mut found: Vec<((bool, u8, u8), u32)> =
        having.map(|(number, (_, judged))| (rank(number, *judged), number)).collect();
    found.sort_unstable();
    (found.iter().map(|(_, number)| *number).collect(), relaxed && most > 0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn totals_pages_and_their_order_are_those_of_a_plain_scan(seed: u64) {
        let random = &mut fastrand::Rng::with_seed(seed);
        // The plain scan takes seconds for the largest.
        let count = [30, 300, 300, 2_100][random.usize(..4)];
        let rows = rows(random, count);
        let index = built(&rows);
        let rows: Vec<(Row, Texts)> = rows.into_iter().map(|row| (texts(&row), row)).map(|(texts, row)| (row, texts)).collect();
        let directory = directory(random, count);
        for _ in 0..12 {
            let q = query(random, &rows);
            let reading = index.search_in(&q, Page { limit: 1, offset: 0 }, directory.context()).interpretation;
            let (expected, relaxed) = scanned(&rows, reading.corrected.as_deref().unwrap_or(&q), &directory);
            prop_assert_eq!(reading.relaxed, relaxed, "{}", q);
            let page = Page { limit: random.usize(..40), offset: random.usize(..=expected.len()) };
            // The second time from memory.
            for page in [Page { offset: 0, ..page }, page, Page { offset: 0, ..page }] {
                let listing = index.search_in(&q, page, directory.context());
                prop_assert_eq!(listing.total, expected.len(), "{}", q);
                prop_assert_eq!(&listing.rows[..], &expected[page.of(expected.len())], "{} {:?}", q, page);
            }
        }
    }
}
