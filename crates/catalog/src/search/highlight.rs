//! Which words of a text a search found it by.

use super::analyzer::{for_each_word_at, is_stop_word, may_go_on, words_of};
use super::inflection::base;
use super::synonyms::{self, is_form};

/// A part of a text, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub length: usize,
}

impl Span {
    /// All of a text.
    pub(crate) fn whole(text: &str) -> Self {
        Self { start: 0, length: text.chars().count() }
    }
}

/// Finds the words of a query in texts, as a search does: in any form, folded, and by what means the same.
pub(crate) struct Highlighter {
    /// Each word and what its forms have in common.
    words: Vec<(String, String)>,
    /// The beginning of a word.
    last: String,
    /// Expressions that mean the same as words of the query.
    expressions: Vec<&'static [String]>,
}

impl Highlighter {
    /// Of the text as it was searched.
    pub(crate) fn of(searched: &str) -> Self {
        let words = words_of(searched);
        let expressions = synonyms::occurrences(&words)
            .iter()
            .flat_map(|found| found.others().collect::<Vec<_>>())
            .map(|other| &synonyms::all()[other].words[..])
            .collect();
        let telling = words.iter().filter(|word| !is_stop_word(word));
        let tells_nothing = telling.clone().count() == 0;
        let is_open = may_go_on(searched);
        let last = words.last().filter(|last| is_open && (tells_nothing || !is_stop_word(last)));
        Self {
            words: telling.map(|word| (word.clone(), base(word))).collect(),
            last: last.cloned().unwrap_or_default(),
            expressions,
        }
    }

    /// The words of a text that match, in their order.
    pub(crate) fn spans(&self, text: &str) -> Vec<Span> {
        let mut words = Vec::new();
        for_each_word_at(text, |bytes, folded| words.push((bytes, folded.to_owned())));
        let mut marked: Vec<bool> = words.iter().map(|(_, word)| self.is_asked_for(word)).collect();
        for expression in &self.expressions {
            for start in 0..words.len() {
                let there = words.get(start..start + expression.len()).unwrap_or_default();
                if !there.is_empty()
                    && there.iter().zip(*expression).all(|((_, one), other)| is_form(one, other))
                {
                    marked[start..start + expression.len()].fill(true);
                }
            }
        }
        let spans = words.into_iter().zip(marked).filter(|(_, marked)| *marked);
        in_characters(text, spans.map(|((bytes, _), _)| bytes))
    }

    fn is_asked_for(&self, word: &str) -> bool {
        let is_last = !self.last.is_empty() && word.starts_with(&self.last);
        let own_base = if is_stop_word(word) { None } else { Some(base(word)) };
        is_last || self.words.iter().any(|(own, base)| own == word || Some(base) == own_base.as_ref())
    }
}

/// Ascending ranges of bytes as spans of characters.
fn in_characters(text: &str, ranges: impl Iterator<Item = std::ops::Range<usize>>) -> Vec<Span> {
    let (mut bytes, mut characters) = (0, 0);
    let mut spans = Vec::new();
    for range in ranges {
        characters += text[bytes..range.start].chars().count();
        let length = text[range.clone()].chars().count();
        spans.push(Span { start: characters, length });
        characters += length;
        bytes = range.end;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(q: &str, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let spans = Highlighter::of(q).spans(text);
        spans.iter().map(|span| letters[span.start..span.start + span.length].iter().collect()).collect()
    }

    #[test]
    fn words_are_marked_in_every_form_and_spelling() {
        assert_eq!(
            marked("acao", "Emissão de Ações, AÇÃO e ac\u{327}a\u{303}o"),
            ["Ações", "AÇÃO", "ac\u{327}a\u{303}o"]
        );
        assert_eq!(marked("final", "ﬁnal ½ final"), ["ﬁnal", "final"]);
        assert_eq!(marked("banco do bra", "Banco do Brasil S.A."), ["Banco", "Brasil"]);
        assert_eq!(marked("sa", "Aurora S. A."), ["S. A"]);
        assert_eq!(marked("9512", "009512"), ["009512"]);
        assert_eq!(marked("lucro", "Prejuízo"), [""; 0]);
        assert_eq!(marked("", "Prejuízo"), [""; 0]);
    }

    #[test]
    fn what_means_the_same_is_marked_too() {
        assert_eq!(marked("AGO", "Ata da Assembleia Geral Ordinária"), ["Assembleia", "Geral", "Ordinária"]);
        assert_eq!(marked("assembleia geral ordinária", "Edital da AGO de 2024"), ["AGO"]);
        assert_eq!(marked("ago", "Assembleia Geral"), [""; 0]);
    }

    proptest! {
        #[test]
        fn spans_lie_in_the_text_and_do_not_overlap(q in ".{0,40}", text in ".{0,80}") {
            let length = text.chars().count();
            let mut end = 0;
            for span in Highlighter::of(&q).spans(&text) {
                prop_assert!(span.start >= end && span.length > 0);
                end = span.start + span.length;
            }
            prop_assert!(end <= length);
        }
    }
}
