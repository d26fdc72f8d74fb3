//! Words that are written together or apart: whoever types `smart fit` means `Smartfit`, and `bancodobrasil` is three words.

use hashbrown::HashSet;

use super::analyzer::is_stop_word;
use super::spelling::Spelling;
use super::synonyms;
use super::word_lists::WordLists;

/// So many words may be written as one, and so many ways to divide them are tried.
const MOST_PARTS: usize = 4;
const MOST_DIVISIONS: usize = 3;
/// Shorter parts are found in nearly every word. One of them may be shorter by a letter: Ez Tec, BR Malls.
const SHORTEST_PART: usize = 3;
/// So many neighbours may be one word.
const MOST_JOINED: usize = 3;
/// Fewer letters begin too many words.
const SHORTEST_BEGINNING: usize = 5;
/// In longer queries no neighbours are joined: nobody types them into a box, and each reading costs the more the longer they are.
const LONGEST_QUERY: usize = 8;
/// So many readings of a query are tried.
const MOST_READINGS: usize = 8;

impl WordLists {
    /// A query with neighbours in one, where that is a word that rows have; the last may be a beginning, if it is open.
    pub(super) fn joined(&self, words: &[String], is_open: bool) -> Vec<Spelling> {
        if words.len() > LONGEST_QUERY {
            return Vec::new();
        }
        let places =
            (0..words.len()).flat_map(|start| (2..=MOST_JOINED).map(move |count| start..start + count));
        let joined = places.filter_map(|places| {
            let one = words.get(places.clone())?.concat();
            let is_known = self.is_joined(&one, is_open && places.end == words.len());
            is_known.then(|| [&words[..places.start], &[one], &words[places.end..]].concat())
        });
        joined.take(MOST_READINGS).map(|words| Spelling { words, is_corrected: true }).collect()
    }

    /// Numbers that stand beside each other are none together.
    fn is_joined(&self, one: &str, is_open: bool) -> bool {
        let is_long = one.chars().count() >= SHORTEST_BEGINNING;
        let begins_one = || is_open && is_long && !self.lexicon.starting_with(one).is_empty();
        let is_number = one.bytes().all(|byte| byte.is_ascii_digit());
        !is_number && (!self.lexicon.forms(one).is_empty() || begins_one())
    }

    /// A query with words that nothing has divided into such as rows have.
    pub(super) fn divided(
        &self,
        words: &[String],
        is_open: bool,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Spelling> {
        let mut readings = vec![words.to_vec()];
        for word in self.mistyped(words, is_known) {
            let divisions = self.divisions(word, is_open && words.last() == Some(word));
            let divided = |reading: &Vec<String>, division: &[String]| -> Vec<String> {
                let parts =
                    reading.iter().map(|own| if own == word { division } else { std::slice::from_ref(own) });
                parts.flatten().cloned().collect()
            };
            if !divisions.is_empty() {
                let all =
                    readings.iter().flat_map(|reading| divisions.iter().map(|one| divided(reading, one)));
                readings = all.take(MOST_READINGS).collect();
            }
        }
        readings.retain(|reading| reading.len() > words.len());
        readings.into_iter().map(|words| Spelling { words, is_corrected: true }).collect()
    }

    /// What words one is made of, the fewest first. The last of them may be a beginning, if it is open.
    fn divisions(&self, word: &str, is_open: bool) -> Vec<Vec<String>> {
        // One way to each place of the word is tried: the first to get there has the fewest words.
        let (mut ways, mut reached, mut whole) = (vec![(word, Vec::new())], HashSet::new(), Vec::new());
        for _ in 0..MOST_PARTS {
            let mut longer = Vec::new();
            for (rest, way) in ways {
                if self.is_last_part(rest, &way, is_open) && !way.is_empty() {
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
        whole.truncate(MOST_DIVISIONS);
        whole
    }

    fn is_last_part(&self, text: &str, before: &[&str], is_open: bool) -> bool {
        let is_long = text.chars().count() >= SHORTEST_PART;
        let begins_one = || is_open && is_long && !self.lexicon.starting_with(text).is_empty();
        !is_stop_word(text) && (self.is_part(text, before) || begins_one())
    }

    /// Whether it is a word, and long enough; no two short ones tell anything.
    fn is_part(&self, text: &str, before: &[&str]) -> bool {
        let is_short = |part: &str| part.chars().count() < SHORTEST_PART && !is_stop_word(part);
        let is_enough = text.chars().count() + 1 >= SHORTEST_PART;
        is_enough && self.has(text) && !(is_short(text) && before.iter().any(|part| is_short(part)))
    }

    fn has(&self, word: &str) -> bool {
        self.lexicon.find(word).is_some() || synonyms::have(word)
    }

    /// The words that a text begins with, the longest first. A small word stands between two that are none.
    fn next_parts<'w>(&self, text: &'w str, before: &[&str]) -> Vec<&'w str> {
        let ends = text.char_indices().map(|(end, _)| end).skip(1);
        let begins = |part: &&str| !self.lexicon.starting_with(part).is_empty() || synonyms::begin_with(part);
        let may_be_small = before.last().is_some_and(|before| !is_stop_word(before));
        let is_part = |part: &&str| match is_stop_word(part) {
            true => may_be_small,
            false => self.is_part(part, before),
        };
        let mut parts: Vec<&str> = ends.map(|end| &text[..end]).take_while(begins).filter(is_part).collect();
        parts.reverse();
        parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lexicon::Lexicon;
    use super::*;

    fn lists(words: &[&str]) -> WordLists {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let ends = sorted.iter().scan(0, |end, word| {
            *end += word.len() as u32;
            Some(*end)
        });
        WordLists { lexicon: Lexicon::new(sorted.concat(), ends.collect()), ..WordLists::default() }
    }

    fn texts(spellings: Vec<Spelling>) -> Vec<String> {
        spellings.into_iter().map(|spelling| spelling.words.join(" ")).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_word_is_divided_into_the_fewest_first() {
        let lists = lists(&[
            "a", "banco", "ban", "cod", "da", "do", "dobrasil", "brasil", "bras", "il", "lojas", "no",
            "renner", "xis",
        ]);
        let divided = |text: &str, is_open| texts(lists.divided(&words(text), is_open, &|_| false));
        assert_eq!(
            divided("bancodobrasil", false),
            ["banco dobrasil", "banco do brasil", "banco do bras il"]
        );
        assert_eq!(divided("xis lojasrenner", false), ["xis lojas renner"]);
        assert_eq!(divided("ilrenner", false), ["il renner"], "one short word");
        assert_eq!(divided("rennerdoil", false), ["renner do il"]);
        assert_eq!(divided("lojasren", true), ["lojas ren"]);
        assert_eq!(divided("assembleiageral", false), ["assembleia geral"], "by the table of abbreviations");
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
            assert_eq!(divided(nothing, false), [""; 0], "{nothing}");
        }
        assert_eq!(divided("lojasre", true), [""; 0]);
        assert_eq!(texts(lists.divided(&words("lojasrenner"), false, &|_| true)), [""; 0], "known elsewhere");
    }

    #[test]
    fn neighbours_are_joined_where_they_are_a_word() {
        let lists = lists(&["112024", "jbs", "petrobras", "smartfit"]);
        let joined = |text: &str, is_open| texts(lists.joined(&words(text), is_open));
        assert_eq!(joined("smart fit academia", true), ["smartfit academia"]);
        assert_eq!(joined("j b s", false), ["jbs"]);
        assert_eq!(joined("a petro br", true), ["a petrobr"]);
        for nothing in ["a petro br", "11 2024", "petrobras", "fit smart", "smart fit 3 4 5 6 7 8 9"] {
            assert_eq!(joined(nothing, false), [""; 0], "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn what_is_divided_is_the_same_without_spaces(
            words in prop::collection::btree_set("[abç]{1,4}", 1..12), text in "[abç]{0,14}", is_open: bool,
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for parts in lists(&words).divisions(&text, is_open) {
                prop_assert_eq!(&parts.concat(), &text);
                prop_assert!((2..=MOST_PARTS).contains(&parts.len()));
                let is_known = |part: &String| words.contains(&part.as_str()) || is_stop_word(part);
                prop_assert!(is_open || parts.iter().all(is_known));
                prop_assert!(!is_stop_word(&parts[0]) && !parts.windows(2).any(|two| two.iter().all(|part| is_stop_word(part))));
            }
        }
    }
}
