//! From text to words, and from words to stems, the Portuguese way.
//!
//! The index holds folded words; stems only say which words are forms of one another. The Snowball stemmer alone
//! keeps `operação` and `operações`, `fiscal` and `fiscais`, `imóvel` and `imóveis` apart, more so once accents are
//! folded; so plurals are undone first. Both sides, index and question, come through here.

use tantivy::tokenizer::{Language, RawTokenizer, Stemmer, TextAnalyzer};
use unicode_normalization::char::is_combining_mark;

use crate::fold::fold_into;

/// Articles, prepositions, conjunctions: they are in nearly every text and tell nothing apart. Shorter than the usual
/// lists, which take `são` for a form of "to be" and so lose half of São Paulo.
const STOP_WORDS: [&str; 44] = [
    "a", "ao", "aos", "as", "com", "como", "d", "da", "das", "de", "do", "dos", "e", "em", "entre", "essa",
    "esse", "esta", "este", "na", "nas", "no", "nos", "num", "numa", "o", "os", "ou", "para", "pela",
    "pelas", "pelo", "pelos", "por", "que", "se", "seu", "seus", "sua", "suas", "um", "uma", "umas", "uns",
];

/// Longer words are cut here, in the index and in questions alike.
const LONGEST_WORD: usize = 40;

pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(&folded)
}

/// Appends the folded words of `text`, each followed by a space.
pub fn append_words(text: &str, out: &mut String) {
    for raw in raw_words(text) {
        let start = out.len();
        append_folded(raw, out);
        if out.len() > start {
            out.push(' ');
        }
    }
}

/// The folded words of `text` in their order.
pub fn words_of(text: &str) -> Vec<String> {
    let mut words = String::new();
    append_words(text, &mut words);
    words.split_terminator(' ').map(str::to_owned).collect()
}

fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c))))
        .filter(|word| !word.is_empty())
}

/// A lone accent folds to nothing at all.
fn append_folded(raw: &str, out: &mut String) {
    let start = out.len();
    fold_into(raw, out);
    let plain = raw.is_ascii() && raw.len() <= LONGEST_WORD;
    if !plain {
        // Folding takes some characters apart into several, not all of them letters.
        let folded = out.split_off(start);
        out.extend(folded.chars().filter(|c| c.is_alphanumeric()).take(LONGEST_WORD));
    }
    let zeros = leading_zeros(&out[start..]);
    out.drain(start..start + zeros);
}

/// Of a number, how many zeros say nothing: some files pad registry codes with them, others do not.
fn leading_zeros(word: &str) -> usize {
    if !word.bytes().all(|b| b.is_ascii_digit()) {
        return 0;
    }
    let zeros = word.bytes().take_while(|b| *b == b'0').count();
    zeros.min(word.len().saturating_sub(1))
}

/// Finds what the forms of a word have in common.
pub struct Stems {
    stemmer: TextAnalyzer,
}

impl Stems {
    pub fn new() -> Self {
        let stemmer =
            TextAnalyzer::builder(RawTokenizer::default()).filter(Stemmer::new(Language::Portuguese)).build();
        Self { stemmer }
    }

    /// The stem of a folded word. A code is its own.
    pub fn stem(&mut self, folded: &str) -> String {
        if folded.bytes().any(|b| b.is_ascii_digit()) {
            return folded.to_owned();
        }
        let singular = singular(folded);
        let stem = self.stemmer.token_stream(&singular).next().map(|token| token.text.clone());
        stem.filter(|stem| !stem.is_empty()).unwrap_or(singular)
    }
}

/// Endings of the plural, and the singular's, that the stemmer does not bring together.
const PLURALS: [(&str, &str); 9] = [
    ("oes", "ao"),
    ("aes", "ao"),
    ("ais", "al"),
    ("eis", "el"),
    ("ois", "ol"),
    ("uis", "ul"),
    ("ns", "m"),
    // Or else `dividendo` loses the ending of a gerund and `dividendos` does not.
    ("os", "o"),
    ("as", "a"),
];

/// The singular of a folded word. At least two letters stay before the ending: `ações` is changed, `mais` is not.
fn singular(folded: &str) -> String {
    for (plural, ending) in PLURALS {
        if let Some(start) = folded.strip_suffix(plural)
            && start.len() >= 2
        {
            return [start, ending].concat();
        }
    }
    folded.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(text: &str) -> Vec<String> {
        let mut stems = Stems::new();
        words_of(text).iter().map(|word| stems.stem(word)).collect()
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for family in [
            "operação operações operacao operacoes OPERAÇÕES",
            "nacional nacionais",
            "imóvel imóveis imovel imoveis",
            "fiscal fiscais",
            "trabalhador trabalhadores",
            "emprego empregos",
            "país países",
            "ação ações acao acoes",
            "debênture debêntures debenture",
            "reunião reuniões",
            "balanço balanços",
            "item itens",
            "jovem jovens",
            "real reais",
            "demonstração demonstrações",
            "acionista acionistas",
            "dividendo dividendos",
            "relevante relevantes",
            "juro juros",
            "assembleia assembleias",
            "contábil contabil",
        ] {
            let stems = stems(family);
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{family}: {stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for (one, other) in [("ação", "acordo"), ("fiscal", "fisco"), ("mais", "mal"), ("capital", "capitão")]
        {
            assert_ne!(stems(one), stems(other), "{one} {other}");
        }
    }

    #[test]
    fn stop_words_are_folded_and_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| words_of(word) == [*word]));
        assert!(is_stop_word("da") && !is_stop_word("sao"));
    }

    #[test]
    fn numbers_lose_leading_zeros_only() {
        assert_eq!(words_of("009512 000 B3SA3 007a"), ["9512", "0", "b3sa3", "007a"]);
    }

    #[test]
    fn decomposed_accents_do_not_split_a_word() {
        assert_eq!(words_of("ac\u{327}a\u{303}o \u{301} ½"), ["acao", "12"]);
    }

    proptest! {
        #[test]
        fn words_are_letters_and_digits_of_bounded_length(text in ".{0,120}") {
            let mut stems = Stems::new();
            for word in words_of(&text) {
                prop_assert!(!word.is_empty() && word.chars().count() <= LONGEST_WORD);
                prop_assert!(word.chars().all(char::is_alphanumeric));
                prop_assert!(!stems.stem(&word).is_empty());
            }
        }

        #[test]
        fn the_words_of_words_are_the_same_words(text in ".{0,60}") {
            let words = words_of(&text);
            prop_assert_eq!(words_of(&words.join(" ")), words);
        }
    }
}
