//! Words written together or apart: `smart fit` means `Smartfit`, and `bancodobrasil` is three words.

use hashbrown::HashSet;

use super::corrections::Targets;
use crate::index::Index;
use crate::text::{is_stop_word, synonyms};

/// Maximum number of parts of a split word.
const MOST_PARTS: usize = 4;
/// Maximum number of ways to split one word.
const MOST_SPLITS: usize = 3;
/// Shorter parts are found in nearly every word. One part may be shorter by a letter: Ez Tec, BR Malls.
const SHORTEST_PART: usize = 3;
/// Maximum number of neighbouring words joined.
const MOST_JOINED: usize = 3;
/// Shorter prefixes start too many words.
const SHORTEST_PREFIX: usize = 5;
/// Words of longer queries are not joined: nobody types such queries, and each reading of them costs more.
const LONGEST_QUERY: usize = 8;
/// Maximum number of readings of a query.
const MOST_READINGS: usize = 8;

/// Joins and splits words into words of an index.
pub(super) struct Spacing<'a> {
    pub index: &'a Index,
    /// The words that a split may lead to, like any correction.
    pub targets: &'a Targets,
}

impl Spacing<'_> {
    /// The query with neighbouring words joined, if rows have the result; the last may be a prefix.
    pub(super) fn joined(&self, words: &[String], is_prefix: bool) -> Vec<Vec<String>> {
        if words.len() > LONGEST_QUERY {
            return Vec::new();
        }
        let places =
            (0..words.len()).flat_map(|start| (2..=MOST_JOINED).map(move |count| start..start + count));
        let joined = places.filter_map(|places| {
            let one = words.get(places.clone())?.concat();
            let is_known = self.is_joined(&one, is_prefix && places.end == words.len());
            is_known.then(|| [&words[..places.start], &[one], &words[places.end..]].concat())
        });
        joined.take(MOST_READINGS).collect()
    }

    /// Adjacent numbers are never one number.
    fn is_joined(&self, one: &str, is_prefix: bool) -> bool {
        let is_long = one.chars().count() >= SHORTEST_PREFIX;
        let starts_word = || is_prefix && is_long && !self.index.lexicon.starting_with(one).is_empty();
        let is_number = one.bytes().all(|byte| byte.is_ascii_digit());
        !is_number && (!self.index.lexicon.forms(one).is_empty() || starts_word())
    }

    /// The query with its unknown words split into words that rows have; the last may be a prefix.
    pub(super) fn split(&self, words: &[String], unknown: &[&String], is_prefix: bool) -> Vec<Vec<String>> {
        let mut readings = vec![words.to_vec()];
        for word in unknown.iter().copied() {
            let splits = self.splits(word, is_prefix && words.last() == Some(word));
            let replaced = |reading: &Vec<String>, split: &[String]| -> Vec<String> {
                let parts =
                    reading.iter().map(|own| if own == word { split } else { std::slice::from_ref(own) });
                parts.flatten().cloned().collect()
            };
            if !splits.is_empty() {
                let all = readings.iter().flat_map(|reading| splits.iter().map(|one| replaced(reading, one)));
                readings = all.take(MOST_READINGS).collect();
            }
        }
        readings.retain(|reading| reading.len() > words.len());
        readings
    }

    /// The ways to split a word, those with the fewest parts first. The last part may be a prefix.
    fn splits(&self, word: &str, is_prefix: bool) -> Vec<Vec<String>> {
        // Only the first way to each place in the word goes on: it has the fewest parts.
        let (mut ways, mut reached, mut whole) = (vec![(word, Vec::new())], HashSet::new(), Vec::new());
        for _ in 0..MOST_PARTS {
            let mut longer = Vec::new();
            for (rest, way) in ways {
                if self.is_last_part(rest, &way, is_prefix) && !way.is_empty() {
                    whole.push([&way[..], &[rest]].concat().into_iter().map(str::to_owned).collect());
                }
                let parts = self.next_parts(rest, &way).into_iter();
                let parts = parts
                    .map(|part| (&rest[part.len()..], part))
                    .filter(|(rest, _)| reached.insert(rest.len()));
                longer.extend(parts.map(|(rest, part)| (rest, [&way[..], &[part]].concat())));
            }
            ways = longer;
        }
        whole.truncate(MOST_SPLITS);
        whole
    }

    fn is_last_part(&self, text: &str, before: &[&str], is_prefix: bool) -> bool {
        let is_long = text.chars().count() >= SHORTEST_PART;
        let starts_word = || {
            is_prefix && is_long && self.index.lexicon.starting_with(text).any(|word| self.targets.has(word))
        };
        !is_stop_word(text) && (self.is_part(text, before) || starts_word())
    }

    /// Whether it is a known word and long enough. Only one part may be short.
    fn is_part(&self, text: &str, before: &[&str]) -> bool {
        let is_short = |part: &str| part.chars().count() < SHORTEST_PART && !is_stop_word(part);
        let is_enough = text.chars().count() + 1 >= SHORTEST_PART;
        is_enough && self.has(text) && !(is_short(text) && before.iter().any(|part| is_short(part)))
    }

    fn has(&self, word: &str) -> bool {
        self.index.lexicon.find(word).is_some_and(|word| self.targets.has(word)) || synonyms::has_word(word)
    }

    /// The words that a text starts with, the longest first. A stop word may only stand between two other words.
    fn next_parts<'w>(&self, text: &'w str, before: &[&str]) -> Vec<&'w str> {
        let ends = text.char_indices().map(|(end, _)| end).skip(1);
        let starts_word =
            |part: &&str| !self.index.lexicon.starting_with(part).is_empty() || synonyms::has_prefix(part);
        let may_be_stop_word = before.last().is_some_and(|before| !is_stop_word(before));
        let is_part = |part: &&str| match is_stop_word(part) {
            true => may_be_stop_word,
            false => self.is_part(part, before),
        };
        let mut parts: Vec<&str> =
            ends.map(|end| &text[..end]).take_while(starts_word).filter(is_part).collect();
        parts.reverse();
        parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::{Field, IndexBuilder};

    fn index(words: &[&str]) -> Index {
        let mut index = IndexBuilder::default();
        for word in words {
            let title = index.title(word);
            index.push(&[(Field::Label, &title)], "").unwrap();
        }
        index.finish().unwrap()
    }

    fn texts(readings: Vec<Vec<String>>) -> Vec<String> {
        readings.into_iter().map(|words| words.join(" ")).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn splits_with_the_fewest_parts_come_first() {
        let index = index(&[
            "a", "banco", "ban", "cod", "da", "do", "dobrasil", "brasil", "bras", "il", "lojas", "no",
            "renner", "xis",
        ]);
        let spacing = Spacing { index: &index, targets: &Targets::default() };
        let split = |text: &str, is_prefix| {
            let words = words(text);
            let unknown: Vec<&String> = words.iter().filter(|word| !index.knows(word)).collect();
            texts(spacing.split(&words, &unknown, is_prefix))
        };
        assert_eq!(split("bancodobrasil", false), ["banco dobrasil", "banco do brasil", "banco do bras il"]);
        assert_eq!(split("xis lojasrenner", false), ["xis lojas renner"]);
        assert_eq!(split("ilrenner", false), ["il renner"], "one short word");
        assert_eq!(split("rennerdoil", false), ["renner do il"]);
        assert_eq!(split("lojasren", true), ["lojas ren"]);
        assert_eq!(split("assembleiageral", false), ["assembleia geral"], "words of the synonyms");
        for nothing in [
            "lojasren",
            "lojas",
            "ilxisil",
            "wlojas",
            "lojasre",
            "nodoa",
            "lojasdo",
            "dolojas",
            "lojasdodabanco",
        ] {
            assert_eq!(split(nothing, false), [""; 0], "{nothing}");
        }
        assert_eq!(split("lojasre", true), [""; 0]);
    }

    #[test]
    fn words_are_split_only_into_words_of_targets() {
        let words = ["merca", "sul", "tubos", "mercado"];
        let index = index(&words);
        let split = |text: &str, is_prefix, others: &[&str]| {
            let is_target = |row: u32| !others.contains(&words[row as usize]);
            let targets = Targets::of_rows(&index, &is_target);
            let word = text.to_owned();
            let spacing = Spacing { index: &index, targets: &targets };
            texts(spacing.split(std::slice::from_ref(&word), &[&word], is_prefix))
        };
        assert_eq!(split("sulamerca", false, &[]), ["sul a merca"]);
        assert_eq!(split("sulamerca", false, &["merca"]), [""; 0]);
        assert_eq!(split("sulamerca", true, &["merca"]), ["sul a merca"], "mercado");
        assert_eq!(split("sulamerca", true, &["merca", "mercado"]), [""; 0]);
        assert_eq!(split("tubossul", false, &["tubos"]), [""; 0]);
    }

    #[test]
    fn neighbours_are_joined_into_known_words() {
        let index = index(&["112024", "jbs", "petrobras", "smartfit"]);
        let spacing = Spacing { index: &index, targets: &Targets::default() };
        let joined = |text: &str, is_prefix| texts(spacing.joined(&words(text), is_prefix));
        assert_eq!(joined("smart fit academia", true), ["smartfit academia"]);
        assert_eq!(joined("j b s", false), ["jbs"]);
        assert_eq!(joined("a petro br", true), ["a petrobr"]);
        for nothing in ["a petro br", "11 2024", "petrobras", "fit smart", "smart fit 3 4 5 6 7 8 9"] {
            assert_eq!(joined(nothing, false), [""; 0], "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn split_words_are_the_same_without_spaces(
            words in prop::collection::btree_set("[abc]{1,4}", 1..12), text in "[abc]{0,14}", is_prefix: bool,
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let index = index(&words);
            let spacing = Spacing { index: &index, targets: &Targets::default() };
            for parts in spacing.splits(&text, is_prefix) {
                prop_assert_eq!(&parts.concat(), &text);
                prop_assert!((2..=MOST_PARTS).contains(&parts.len()));
                let is_known =
                    |part: &String| words.contains(&part.as_str()) || is_stop_word(part) || synonyms::has_word(part);
                prop_assert!(is_prefix || parts.iter().all(is_known));
                prop_assert!(!is_stop_word(&parts[0]) && !parts.windows(2).any(|two| two.iter().all(|part| is_stop_word(part))));
            }
        }
    }
}
