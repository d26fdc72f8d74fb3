//! Highlighting: the words of a text that match a query.

use std::collections::BTreeSet;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::parsed::ParsedQuery;
use crate::text::words::for_each_word_at;
use crate::text::{base_form, is_stop_word, synonyms};

/// A part of a text, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub length: usize,
}

impl Span {
    /// The whole text.
    pub fn whole(text: &str) -> Self {
        Self { start: 0, length: text.chars().count() }
    }
}

/// Finds the words of a query in texts as a search does: folded, in any form, and by synonyms.
#[derive(Debug)]
pub struct Highlighter {
    /// The keys of the words.
    words: HashSet<String>,
    /// The last word, if it may be a prefix; otherwise empty.
    last: String,
    /// All letters of the query, for texts with other spacing.
    letters: String,
    /// Synonyms of words of the query.
    expressions: Expressions,
    /// The ways to split these in two.
    halves: Vec<[Expression; 2]>,
}

/// The keys of an expression's words.
type Expression = Vec<String>;

/// Expressions by their first key.
type Expressions = HashMap<String, Vec<Expression>>;

impl Highlighter {
    /// Takes the text as it was searched, after corrections.
    pub fn of(searched: &str) -> Self {
        let query = ParsedQuery::parse_quoted(searched);
        let words = &query.words;
        let numbers = synonyms::occurrences(words).into_iter().flat_map(|found| found.others());
        // A repeated word has the same synonyms each time.
        let same: BTreeSet<usize> = numbers.collect();
        let (mut expressions, mut halves) = (Expressions::new(), Vec::new());
        for words in same.iter().map(|number| &synonyms::all()[*number].words) {
            let keys = keys(words);
            halves.extend(synonyms::halves(words).into_iter().map(|halves| halves.map(self::keys)));
            expressions.entry(keys.first().cloned().unwrap_or_default()).or_default().push(keys);
        }
        let content = words.iter().filter(|word| !is_stop_word(word));
        let only_stop_words = content.clone().count() == 0;
        let last = words.last().filter(|last| query.is_prefix() && (only_stop_words || !is_stop_word(last)));
        Self {
            words: content.map(|word| key(word)).collect(),
            last: last.cloned().unwrap_or_default(),
            letters: words.concat(),
            expressions,
            halves,
        }
    }

    /// The matching words of a text, in their order.
    pub fn spans(&self, text: &str) -> Vec<Span> {
        self.marked(text).spans()
    }

    /// The matching words of two labels, which may have the halves of an expression.
    pub fn spans_of_labels(&self, labels: [&str; 2]) -> [Vec<Span>; 2] {
        let mut labels = labels.map(|label| self.marked(label));
        for halves in &self.halves {
            if halves.iter().all(|half| labels.iter().any(|label| label.has(half))) {
                labels.iter_mut().for_each(|label| halves.iter().for_each(|half| label.mark(half)));
            }
        }
        labels.map(MarkedText::spans)
    }

    fn marked<'t>(&self, text: &'t str) -> MarkedText<'t> {
        let mut marked = MarkedText::of(text, |word| self.matches(word));
        marked.mark_any(&self.expressions);
        marked.mark_letters(&self.letters);
        marked
    }

    fn matches(&self, word: &TextWord) -> bool {
        let is_last = !self.last.is_empty() && word.folded.starts_with(&self.last);
        is_last || self.words.contains(&word.key)
    }
}

/// The key shared by all forms of a word. A stop word has no other forms.
fn key(word: &str) -> String {
    // No word starts with this sign.
    if is_stop_word(word) { format!("={word}") } else { base_form(word) }
}

fn keys(words: &[String]) -> Expression {
    words.iter().map(|word| key(word)).collect()
}

struct TextWord {
    bytes: Range<usize>,
    folded: String,
    key: String,
}

/// The words of a text, and whether each matches.
struct MarkedText<'t> {
    text: &'t str,
    words: Vec<TextWord>,
    marked: Vec<bool>,
}

impl<'t> MarkedText<'t> {
    fn of(text: &'t str, matches: impl Fn(&TextWord) -> bool) -> Self {
        let mut words = Vec::new();
        for_each_word_at(text, |bytes, folded| {
            words.push(TextWord { bytes, folded: folded.to_owned(), key: key(folded) });
        });
        let marked = words.iter().map(matches).collect();
        Self { text, words, marked }
    }

    fn has(&self, expression: &Expression) -> bool {
        (0..self.words.len()).any(|start| self.has_at(start, expression))
    }

    fn has_at(&self, start: usize, expression: &Expression) -> bool {
        let there = self.words.get(start..start + expression.len()).unwrap_or_default();
        !there.is_empty() && there.iter().zip(expression).all(|(one, other)| one.key == *other)
    }

    fn mark(&mut self, expression: &Expression) {
        for start in 0..self.words.len() {
            self.mark_at(start, expression);
        }
    }

    fn mark_any(&mut self, expressions: &Expressions) {
        for start in 0..self.words.len() {
            for expression in expressions.get(&self.words[start].key).into_iter().flatten() {
                self.mark_at(start, expression);
            }
        }
    }

    fn mark_at(&mut self, start: usize, expression: &Expression) {
        if self.has_at(start, expression) {
            self.marked[start..start + expression.len()].fill(true);
        }
    }

    /// Marks consecutive words that together have exactly these letters.
    fn mark_letters(&mut self, letters: &str) {
        for start in 0..self.words.len() {
            let mut rest = letters;
            let is_next = |word: &&TextWord| match rest.strip_prefix(&*word.folded) {
                Some(after) if !rest.is_empty() => {
                    rest = after;
                    true
                }
                _ => false,
            };
            let count = self.words[start..].iter().take_while(is_next).count();
            if rest.is_empty() {
                self.marked[start..start + count].fill(true);
            }
        }
    }

    fn spans(self) -> Vec<Span> {
        let marked = self.words.into_iter().zip(self.marked).filter(|(_, marked)| *marked);
        in_characters(self.text, marked.map(|(word, _)| word.bytes))
    }
}

/// Converts ascending byte ranges to character spans.
fn in_characters(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Span> {
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
        texts(text, &Highlighter::of(q).spans(text))
    }

    fn texts(text: &str, spans: &[Span]) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
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

    #[test]
    fn an_expression_may_be_divided_between_category_and_type() {
        let labels = ["Reunião da Administração", "Conselho de Administração"];
        let words = |q: &str, labels: [&str; 2]| {
            let spans = Highlighter::of(q).spans_of_labels(labels);
            [0, 1].map(|label| texts(labels[label], &spans[label]))
        };
        assert_eq!(words("RCA", labels), [vec!["Reunião"], vec!["Conselho", "de", "Administração"]]);
        assert_eq!(words("RCA", ["Reunião da Diretoria", "Ata"]), [vec![""; 0], vec![]]);
        assert_eq!(words("conselho", labels), [vec![], vec!["Conselho"]]);
    }

    #[test]
    fn words_that_stand_together_or_apart_are_marked() {
        assert_eq!(marked("metrô rio", "Concessão METRÔRIO"), ["METRÔRIO"]);
        assert_eq!(marked("metrorio", "O Metrô Rio S.A."), ["Metrô", "Rio"]);
        assert_eq!(marked("com ind", "Banco Comind"), ["Comind"]);
        assert_eq!(marked("smart fit", "Smart e Fit Smartfits"), ["Smart", "Fit"]);
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
