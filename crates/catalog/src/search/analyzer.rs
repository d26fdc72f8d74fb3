//! From text to words, and from words to stems, the Portuguese way.
//!
//! The index holds folded words; stems only say which words are forms of one another. The Snowball stemmer alone
//! keeps `operação` and `operações`, `fiscal` and `fiscais`, `imóvel` and `imóveis` apart, more so once accents are
//! folded; so plurals are undone first. Both sides, index and query, come through here.

use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;

use crate::fold::fold_into;

/// Articles, prepositions, conjunctions: they are in nearly every text and tell nothing apart. Shorter than the usual
/// lists, which take `são` for a form of "to be" and so lose half of São Paulo.
const STOP_WORDS: [&str; 44] = [
    "a", "ao", "aos", "as", "com", "como", "d", "da", "das", "de", "do", "dos", "e", "em", "entre", "essa",
    "esse", "esta", "este", "na", "nas", "no", "nos", "num", "numa", "o", "os", "ou", "para", "pela",
    "pelas", "pelo", "pelos", "por", "que", "se", "seu", "seus", "sua", "suas", "um", "uma", "umas", "uns",
];

/// Longer words are cut here, in the index and in queries alike.
const LONGEST_WORD: usize = 40;

pub(crate) fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(&folded)
}

/// All words, if they are nothing but stop words. Whoever has typed `banco do` so far must find no fewer rows than with
/// `banco`.
pub(super) fn without_trailing_stop_words(words: &[String]) -> &[String] {
    let end = words.iter().rposition(|word| !is_stop_word(word)).map_or(words.len(), |last| last + 1);
    &words[..end]
}

/// Visits the folded words of `text` in their order.
pub(super) fn for_each_word(text: &str, mut visit: impl FnMut(&str)) {
    for_each_word_at(text, |_, folded| visit(folded));
}

/// The same, with the bytes of the text that each word is.
pub(super) fn for_each_word_at(text: &str, mut visit: impl FnMut(Range<usize>, &str)) {
    let mut folded = String::with_capacity(LONGEST_WORD);
    let mut rest = text;
    while let Some((raw, after)) = next_raw_word(rest) {
        folded.clear();
        append_folded(raw, &mut folded);
        rest = after;
        if !folded.is_empty() {
            let end = text.len() - after.len();
            visit(end - raw.len()..end, &folded);
        }
    }
}

/// The folded words of `text` in their order.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

fn next_raw_word(text: &str) -> Option<(&str, &str)> {
    let start = text.find(is_part_of_word)?;
    let text = &text[start..];
    let abbreviated = abbreviation(text).or_else(|| spaced_abbreviation(text));
    let length = abbreviated.or_else(|| text.find(|c| !is_part_of_word(c))).unwrap_or(text.len());
    Some(text.split_at(length))
}

fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || is_combining_mark(c)))
}

/// How long an abbreviation is that starts here: single letters with dots or slashes between them are one word, so
/// that `SA` finds `S.A.` and `S/A`.
fn abbreviation(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let mut length = 1;
    while letter(length - 1) && matches!(bytes.get(length), Some(b'.' | b'/')) && letter(length + 1) {
        length += 2;
    }
    // The last letter must stand alone too: `e/ou` is two words.
    let ends = !text.get(length..)?.starts_with(is_part_of_word);
    (length > 1 && ends).then_some(length)
}

/// The same with a space after each dot: `S. A.`. The last letter has its dot too, or ends the text, or else `classe A. O
/// conselho` would lose two words.
fn spaced_abbreviation(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let lone = |at: usize| {
        bytes.get(at).is_some_and(u8::is_ascii_alphabetic) && matches!(bytes.get(at + 1), None | Some(b'.'))
    };
    let mut length = 1;
    while lone(length - 1) && bytes.get(length + 1) == Some(&b' ') && lone(length + 2) {
        length += 3;
    }
    (length > 1).then_some(length)
}

/// A lone accent folds to nothing at all.
fn append_folded(raw: &str, out: &mut String) {
    let start = out.len();
    fold_into(raw, out);
    let plain = raw.len() <= LONGEST_WORD && raw.bytes().all(|b| b.is_ascii_alphanumeric());
    if !plain {
        // Folding takes some characters apart into several, not all of them letters; abbreviations lose their dots.
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

/// What the forms of a folded word have in common. A code is its own stem.
pub(crate) fn stem(folded: &str) -> String {
    if folded.bytes().any(|b| b.is_ascii_digit()) {
        return folded.to_owned();
    }
    let singular = singular(folded);
    let stem = Stemmer::new(Algorithm::Portuguese).stem(&singular).into_owned();
    if stem.is_empty() { singular } else { stem }
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
pub(crate) fn singular(folded: &str) -> String {
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
        words_of(text).iter().map(|word| stem(word)).collect()
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
    fn abbreviations_are_one_word() {
        assert_eq!(words_of("Aurora S.A. (ex-Bela S/A)"), ["aurora", "sa", "ex", "bela", "sa"]);
        assert_eq!(
            words_of("e/ou n.º 5.1 B.T.Gama a.b"),
            ["e", "ou", "n", "o", "5", "1", "b", "t", "gama", "ab"]
        );
    }

    #[test]
    fn abbreviations_are_one_word_also_with_spaces() {
        for spelling in ["S.A.", "S. A.", "S.A", "S. A", "S/A", "SA", "s. a.", "S. A.)", "S. A.,"] {
            assert_eq!(words_of(&format!("Aurora {spelling}")), ["aurora", "sa"], "{spelling}");
        }
        assert_eq!(words_of("J. P. Aurora S. A. (Bela)"), ["jp", "aurora", "sa", "bela"]);
        assert_eq!(words_of("S.A. E. Bela S. Á."), ["sa", "e", "bela", "s", "a"]);
        assert_eq!(words_of("classe A. O conselho"), ["classe", "a", "o", "conselho"]);
        assert_eq!(words_of("S. Aurora. A. 5. B."), ["s", "aurora", "a", "5", "b"]);
    }

    #[test]
    fn decomposed_accents_do_not_split_a_word() {
        assert_eq!(words_of("ac\u{327}a\u{303}o \u{301} ½"), ["acao", "12"]);
    }

    proptest! {
        #[test]
        fn words_are_letters_and_digits_of_bounded_length(text in ".{0,120}") {
            for word in words_of(&text) {
                prop_assert!(!word.is_empty() && word.chars().count() <= LONGEST_WORD);
                prop_assert!(word.chars().all(char::is_alphanumeric));
                prop_assert!(!stem(&word).is_empty());
            }
        }

        #[test]
        fn the_words_of_words_are_the_same_words(text in ".{0,60}") {
            let words = words_of(&text);
            prop_assert_eq!(words_of(&words.join(" ")), words);
        }
    }
}
