//! Which words of a text a search found it by.

use std::collections::BTreeSet;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::analyzer::{LastWord, for_each_word_at, is_stop_word, words_of};
use super::inflection::base;
use super::synonyms;

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
    /// What the forms of each word have in common.
    words: HashSet<String>,
    /// The beginning of a word.
    last: String,
    /// All letters: the words may stand together or apart.
    letters: String,
    /// Expressions that mean the same as words of the query.
    expressions: Expressions,
    /// The ways to divide these in two.
    halves: Vec<[Expression; 2]>,
}

/// What the forms of each of its words have in common.
type Expression = Vec<String>;

/// By the first of them.
type Expressions = HashMap<String, Vec<Expression>>;

impl Highlighter {
    /// Of the text as it was searched.
    pub(crate) fn of(searched: &str) -> Self {
        let words = words_of(searched);
        let numbers = synonyms::occurrences(&words).into_iter().flat_map(|found| found.others());
        // A word that stands many times brings the same ones each time.
        let same: BTreeSet<usize> = numbers.collect();
        let (mut expressions, mut halves) = (Expressions::new(), Vec::new());
        for words in same.iter().map(|number| &synonyms::all()[*number].words) {
            let forms = forms(words);
            halves.extend(synonyms::halves(words).into_iter().map(|halves| halves.map(self::forms)));
            expressions.entry(forms.first().cloned().unwrap_or_default()).or_default().push(forms);
        }
        let telling = words.iter().filter(|word| !is_stop_word(word));
        let tells_nothing = telling.clone().count() == 0;
        let is_open = LastWord::of(searched).may_go_on();
        let last = words.last().filter(|last| is_open && (tells_nothing || !is_stop_word(last)));
        Self {
            words: telling.map(|word| form(word)).collect(),
            last: last.cloned().unwrap_or_default(),
            letters: words.concat(),
            expressions,
            halves,
        }
    }

    /// The words of a text that match, in their order.
    pub(crate) fn spans(&self, text: &str) -> Vec<Span> {
        self.marked(text).spans()
    }

    /// The same of category and type, which may have an expression between them.
    pub(crate) fn spans_of_labels(&self, labels: [&str; 2]) -> [Vec<Span>; 2] {
        let mut labels = labels.map(|label| self.marked(label));
        for halves in &self.halves {
            if halves.iter().all(|half| labels.iter().any(|label| label.has(half))) {
                labels.iter_mut().for_each(|label| halves.iter().for_each(|half| label.mark(half)));
            }
        }
        labels.map(MarkedText::spans)
    }

    fn marked<'t>(&self, text: &'t str) -> MarkedText<'t> {
        let mut marked = MarkedText::of(text, |word| self.is_asked_for(word));
        marked.mark_any(&self.expressions);
        marked.mark_letters(&self.letters);
        marked
    }

    fn is_asked_for(&self, word: &TextWord) -> bool {
        let is_last = !self.last.is_empty() && word.folded.starts_with(&self.last);
        is_last || self.words.contains(&word.form)
    }
}

/// What all forms of a word have in common: only itself, of a small one.
fn form(word: &str) -> String {
    if is_stop_word(word) { format!("{SMALL}{word}") } else { base(word) }
}

/// No word begins so.
const SMALL: char = '=';

fn forms(words: &[String]) -> Expression {
    words.iter().map(|word| form(word)).collect()
}

struct TextWord {
    bytes: Range<usize>,
    folded: String,
    form: String,
}

/// The words of a text, and which of them match.
struct MarkedText<'t> {
    text: &'t str,
    words: Vec<TextWord>,
    marked: Vec<bool>,
}

impl<'t> MarkedText<'t> {
    fn of(text: &'t str, is_asked_for: impl Fn(&TextWord) -> bool) -> Self {
        let mut words = Vec::new();
        for_each_word_at(text, |bytes, folded| {
            words.push(TextWord { bytes, folded: folded.to_owned(), form: form(folded) });
        });
        let marked = words.iter().map(is_asked_for).collect();
        Self { text, words, marked }
    }

    fn has(&self, expression: &Expression) -> bool {
        (0..self.words.len()).any(|start| self.has_at(start, expression))
    }

    fn has_at(&self, start: usize, expression: &Expression) -> bool {
        let there = self.words.get(start..start + expression.len()).unwrap_or_default();
        !there.is_empty() && there.iter().zip(expression).all(|(one, other)| one.form == *other)
    }

    fn mark(&mut self, expression: &Expression) {
        for start in 0..self.words.len() {
            self.mark_at(start, expression);
        }
    }

    fn mark_any(&mut self, expressions: &Expressions) {
        for start in 0..self.words.len() {
            for expression in expressions.get(&self.words[start].form).into_iter().flatten() {
                self.mark_at(start, expression);
            }
        }
    }

    fn mark_at(&mut self, start: usize, expression: &Expression) {
        if self.has_at(start, expression) {
            self.marked[start..start + expression.len()].fill(true);
        }
    }

    /// Marks words that have just these letters together.
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

/// Ascending ranges of bytes as spans of characters.
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
