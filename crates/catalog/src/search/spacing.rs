//! Words that are written together or apart: whoever types `smart fit` means `Smartfit`, and `bancodobrasil` is three words.

use hashbrown::HashSet;

use super::analyzer::is_stop_word;
use super::lexicon::Lexicon;

/// So many words may be written as one, and so many ways to divide them are tried.
const MOST_PARTS: usize = 4;
const MOST_DIVISIONS: usize = 3;
/// Shorter parts are found in nearly every word.
const SHORTEST_PART: usize = 3;
/// So many neighbours may be one word, and so many ways to join them are tried.
const MOST_JOINED: usize = 3;
const MOST_READINGS: usize = 8;
/// Fewer letters begin too many words.
const SHORTEST_BEGINNING: usize = 5;

impl Lexicon {
    /// What words one is made of, the fewest first. The last of them may be a beginning, if it is open.
    pub(super) fn divided(&self, word: &str, is_open: bool) -> Vec<Vec<String>> {
        // One way to each place of the word is enough: the first to get there has the fewest words.
        let (mut ways, mut reached, mut whole) = (vec![(word, Vec::new())], HashSet::new(), Vec::new());
        for _ in 0..MOST_PARTS {
            let mut longer = Vec::new();
            for (rest, way) in ways {
                if self.is_last_part(rest, is_open) && !way.is_empty() {
                    whole.push([&way[..], &[rest]].concat().into_iter().map(str::to_owned).collect());
                }
                let parts = self.first_parts(rest).into_iter().map(|part| (&rest[part.len()..], part));
                let parts = parts.filter(|(rest, _)| reached.insert(rest.len()));
                longer.extend(parts.map(|(rest, part)| (rest, [&way[..], &[part]].concat())));
            }
            ways = longer;
        }
        whole.truncate(MOST_DIVISIONS);
        whole
    }

    fn is_last_part(&self, text: &str, is_open: bool) -> bool {
        let begins_one = || is_open && !self.starting_with(text).is_empty();
        self.is_part(text) || (text.chars().count() >= SHORTEST_PART && begins_one())
    }

    fn is_part(&self, text: &str) -> bool {
        let is_long = text.chars().count() >= SHORTEST_PART;
        (is_long || is_stop_word(text)) && self.find(text).is_some()
    }

    /// The words that a text begins with, the longest first.
    fn first_parts<'w>(&self, text: &'w str) -> Vec<&'w str> {
        let ends = text.char_indices().map(|(end, _)| end).skip(1);
        let beginnings = ends.map(|end| &text[..end]).take_while(|part| !self.starting_with(part).is_empty());
        let mut parts: Vec<&str> = beginnings.filter(|part| self.is_part(part)).collect();
        parts.reverse();
        parts
    }

    /// The words with neighbours in one, where that is a word that rows have; the last may be a beginning, if it is open.
    pub(super) fn joined(&self, words: &[String], is_open: bool) -> Vec<Vec<String>> {
        let starts =
            (0..words.len()).flat_map(|start| (2..=MOST_JOINED).map(move |count| start..start + count));
        let joined = starts.filter_map(|places| {
            let one = words.get(places.clone())?.concat();
            let is_known = self.is_joined(&one, is_open && places.end == words.len());
            is_known.then(|| [&words[..places.start], &[one], &words[places.end..]].concat())
        });
        joined.take(MOST_READINGS).collect()
    }

    /// Numbers that stand beside each other are none together.
    fn is_joined(&self, one: &str, is_open: bool) -> bool {
        let begins_one =
            || is_open && one.chars().count() >= SHORTEST_BEGINNING && !self.starting_with(one).is_empty();
        !one.bytes().all(|byte| byte.is_ascii_digit()) && (!self.forms(one).is_empty() || begins_one())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lexicon(words: &[&str]) -> Lexicon {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let ends = sorted.iter().scan(0, |end, word| {
            *end += word.len() as u32;
            Some(*end)
        });
        Lexicon::new(sorted.concat(), ends.collect())
    }

    #[test]
    fn a_word_is_divided_into_the_fewest_first() {
        let lexicon =
            lexicon(&["banco", "ban", "cod", "do", "dobrasil", "brasil", "bras", "il", "lojas", "renner"]);
        let divided = |word: &str, is_open| -> Vec<String> {
            lexicon.divided(word, is_open).iter().map(|words| words.join(" ")).collect()
        };
        assert_eq!(divided("bancodobrasil", false), ["banco dobrasil", "banco do brasil"]);
        assert_eq!(divided("lojasrenner", false), ["lojas renner"]);
        assert_eq!(divided("lojasren", true), ["lojas ren"]);
        for nothing in ["lojasren", "lojas", "brasilil", "xlojas", "", "lojasre"] {
            assert_eq!(divided(nothing, false), [""; 0], "{nothing}");
        }
        assert_eq!(divided("lojasre", true), [""; 0]);
    }

    #[test]
    fn neighbours_are_joined_where_they_are_a_word() {
        let lexicon = lexicon(&["112024", "jbs", "petrobras", "smartfit"]);
        let joined = |text: &str, is_open| -> Vec<String> {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            lexicon.joined(&words, is_open).iter().map(|words| words.join(" ")).collect()
        };
        assert_eq!(joined("smart fit academia", true), ["smartfit academia"]);
        assert_eq!(joined("j b s", false), ["jbs"]);
        assert_eq!(joined("a petro br", true), ["a petrobr"]);
        for nothing in ["a petro br", "11 2024", "petrobras", "fit smart"] {
            assert_eq!(joined(nothing, false), [""; 0], "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn what_is_divided_is_the_same_without_spaces(
            words in prop::collection::btree_set("[abç]{1,4}", 1..12), text in "[abç]{0,14}", is_open: bool,
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for parts in lexicon(&words).divided(&text, is_open) {
                prop_assert_eq!(&parts.concat(), &text);
                prop_assert!((2..=MOST_PARTS).contains(&parts.len()));
                prop_assert!(is_open || parts.iter().all(|part| words.contains(&part.as_str())));
            }
        }
    }
}
