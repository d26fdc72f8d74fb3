//! Splits text into folded words. Index and queries use the same rules.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::fold::fold_into;

/// Articles, prepositions and conjunctions: nearly every text has them. Shorter than the usual lists, which treat `são`
/// as a form of "to be" and so lose half of São Paulo.
const STOP_WORDS: [&str; 44] = [
    "a", "ao", "aos", "as", "com", "como", "d", "da", "das", "de", "do", "dos", "e", "em", "entre", "essa",
    "esse", "esta", "este", "na", "nas", "no", "nos", "num", "numa", "o", "os", "ou", "para", "pela",
    "pelas", "pelo", "pelos", "por", "que", "se", "seu", "seus", "sua", "suas", "um", "uma", "umas", "uns",
];

/// Longer words are truncated, in the index and in queries.
const LONGEST_WORD: usize = 40;

/// Since 2026 the first twelve characters may be letters.
const CNPJ_SHAPE: &str = "AA.AAA.AAA/AAAA-00";
/// Numbers of this length or more are not registry codes.
const CNPJ_LENGTH: usize = 14;

pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(&folded)
}

/// Visits the folded words of `text` in their order.
pub(crate) fn for_each_word(text: &str, mut visit: impl FnMut(&str)) {
    for_each_word_at(text, |_, folded| visit(folded));
}

/// Visits the folded words with their byte ranges in `text`.
pub(crate) fn for_each_word_at(text: &str, mut visit: impl FnMut(Range<usize>, &str)) {
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
pub fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

/// The last word of `text` as typed; empty without one.
pub(crate) fn last_raw_word(text: &str) -> &str {
    let (mut rest, mut last) = (text, "");
    while let Some((raw, after)) = next_raw_word(rest) {
        (rest, last) = (after, raw);
    }
    last
}

fn next_raw_word(text: &str) -> Option<(&str, &str)> {
    let start = text.find(is_part_of_word)?;
    let text = &text[start..];
    let known = abbreviation(text)
        .or_else(|| spaced_abbreviation(text))
        .or_else(|| cnpj(text))
        .or_else(|| elision(text));
    let length = known.or_else(|| text.find(|c| !is_part_of_word(c))).unwrap_or(text.len());
    Some(text.split_at(length))
}

fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (!c.is_ascii() && (c.is_alphanumeric() || is_combining_mark(c) || is_invisible(c)))
}

/// Characters that only mark where a word may be broken: the soft hyphen, spaces without width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// The length of an abbreviation at the start of `text`. Single letters with dots, slashes or `&` between them are one
/// word, so that `SA` finds `S.A.` and `S/A`; so are a word and one letter after a slash, as in `AGO/E`.
fn abbreviation(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let first = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let mut length = first;
    while length > 0 && letter(length + 1) {
        match bytes.get(length) {
            Some(b'/') => length += 2,
            Some(b'.' | b'&') if first == 1 => length += 2,
            _ => break,
        }
    }
    // The last letter must be alone: `e/ou` is two words.
    let ends = !text.get(length..)?.starts_with(is_part_of_word);
    (length > first && ends).then_some(length)
}

/// The length of an abbreviation with a space after each dot: `S. A.`. The last letter must have a dot or end the text,
/// otherwise `classe A. O conselho` would lose two words.
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

/// Characters typed as an apostrophe.
const APOSTROPHES: [char; 7] = ['\'', '`', '\u{b4}', '\u{2018}', '\u{2019}', '\u{2032}', '\u{ff07}'];

/// The length of a word that begins with one letter and an apostrophe, as in `D'Or`. Most people omit the apostrophe.
fn elision(text: &str) -> Option<usize> {
    let sign = text.chars().nth(1)?;
    let (start, letter) = text.char_indices().nth(2)?;
    let is_elided = APOSTROPHES.contains(&sign) && is_part_of_word(letter);
    let end = || text[start..].find(|c| !is_part_of_word(c)).map_or(text.len(), |length| start + length);
    is_elided.then(end)
}

/// The length of a CNPJ with punctuation. It is one word, as it is without punctuation.
fn cnpj(text: &str) -> Option<usize> {
    let written = text.get(..CNPJ_SHAPE.len())?;
    let is_like = |(c, shape): (u8, u8)| match shape {
        b'0' => c.is_ascii_digit(),
        b'A' => c.is_ascii_alphanumeric(),
        sign => c == sign,
    };
    let ends = !text[written.len()..].starts_with(is_part_of_word);
    (ends && written.bytes().zip(CNPJ_SHAPE.bytes()).all(is_like)).then_some(written.len())
}

/// Appends the folded word. A lone accent folds to nothing.
fn append_folded(raw: &str, out: &mut String) {
    let start = out.len();
    fold_into(raw, out);
    let plain = raw.len() <= LONGEST_WORD && raw.bytes().all(|b| b.is_ascii_alphanumeric());
    if !plain {
        // Folding splits some characters into several, not all of them letters; abbreviations lose their dots.
        let folded = out.split_off(start);
        out.extend(folded.chars().filter(|c| c.is_alphanumeric()).take(LONGEST_WORD));
    }
    let zeros = leading_zeros(&out[start..]);
    out.drain(start..start + zeros);
}

/// The number of leading zeros to drop from a number: some files pad registry codes, others do not.
fn leading_zeros(word: &str) -> usize {
    if word.len() >= CNPJ_LENGTH || !word.bytes().all(|b| b.is_ascii_digit()) {
        return 0;
    }
    let zeros = word.bytes().take_while(|b| *b == b'0').count();
    zeros.min(word.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn letters_joined_by_signs_are_one_word() {
        assert_eq!(words_of("AGO/E M&A C&A Modas"), ["agoe", "ma", "ca", "modas"]);
        assert_eq!(
            words_of("AGO/AGE e/ou R$ analistas/agentes"),
            ["ago", "age", "e", "ou", "r", "analistas", "agentes"]
        );
        assert_eq!((last_raw_word("c&a mod"), last_raw_word("Aurora S.A.")), ("mod", "S.A"));
        assert_eq!(words_of("petro\u{ad}bras pe\u{200b}tro"), ["petrobras", "petro"]);
    }

    #[test]
    fn a_letter_before_an_apostrophe_belongs_to_the_word() {
        assert_eq!(words_of("Rede D'Or, Pau D’Arco 'd'agua'"), ["rede", "dor", "pau", "darco", "dagua"]);
        assert_eq!(
            words_of("d' or 'fato' rock'n'roll d''or"),
            ["d", "or", "fato", "rock", "nroll", "d", "or"]
        );
    }

    #[test]
    fn a_cnpj_is_one_word_with_or_without_its_punctuation() {
        for text in ["00.000.000/0001-91", "00000000000191", "(00.000.000/0001-91)"] {
            assert_eq!(words_of(text), ["00000000000191"], "{text}");
        }
        assert_eq!(words_of("12.abc.345/01DE-35"), ["12abc34501de35"]);
        assert_eq!(
            words_of("33.000.167/0001-019 33.000.167"),
            ["33", "0", "167", "1", "19", "33", "0", "167"]
        );
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
            }
        }

        #[test]
        fn words_of_words_are_the_same(text in ".{0,60}") {
            let words = words_of(&text);
            prop_assert_eq!(words_of(&words.join(" ")), words);
        }
    }
}
