//! Folding: removes case and accents from a text for comparison.
//!
//! Filters compare whole folded labels; the search analyzer folds single words by the same rules.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// A label as filters compare it: folded, trimmed, with single spaces.
pub fn fold_label(label: &str) -> String {
    if is_plain(label) {
        return label.to_ascii_lowercase();
    }
    let mut letters = String::with_capacity(label.len());
    fold_into(label, &mut letters);
    // Spaces are collapsed after folding because some characters fold to a space.
    let mut folded = String::with_capacity(letters.len());
    for word in letters.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Whether a label is ASCII words with single spaces between them, as most are: the rest takes five times as long.
fn is_plain(label: &str) -> bool {
    let mut before = b' ';
    let mut follows = |byte: u8| {
        let before = std::mem::replace(&mut before, byte);
        byte.is_ascii_graphic() || (byte == b' ' && before != b' ')
    };
    label.bytes().all(&mut follows) && follows(b' ')
}

/// Appends the lower-case letters of `text` without their accents.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            // Covers nearly all accents in Portuguese without the Unicode tables.
            'á' | 'à' | 'â' | 'ã' | 'Á' | 'À' | 'Â' | 'Ã' => out.push('a'),
            'é' | 'ê' | 'É' | 'Ê' => out.push('e'),
            'í' | 'Í' => out.push('i'),
            'ó' | 'ô' | 'õ' | 'Ó' | 'Ô' | 'Õ' => out.push('o'),
            'ú' | 'ü' | 'Ú' | 'Ü' => out.push('u'),
            'ç' | 'Ç' => out.push('c'),
            _ => decompose_compatible(c, |part| fold_part(part, out)),
        }
    }
}

fn fold_part(part: char, out: &mut String) {
    for c in part.to_lowercase().filter(|c| !is_combining_mark(*c)) {
        match undecomposed(c) {
            Some(letters) => out.push_str(letters),
            None => out.push(c),
        }
    }
}

/// Letters of European names that Unicode does not decompose.
fn undecomposed(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ı' => "i",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_accents_and_space_make_no_difference() {
        for same in [
            "Ações  e Debêntures",
            " acoes e debentures ",
            "AÇÕES E DEBÊNTURES",
            "Ac\u{327}o\u{303}es e\tdebêntures",
        ] {
            assert_eq!(fold_label(same), "acoes e debentures");
        }
        assert_ne!(fold_label("Ata"), fold_label("Atas"));
        assert_eq!(fold_label("Mærsk İstanbul"), "maersk istanbul");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,30}") {
            let once = fold_label(&text);
            prop_assert_eq!(fold_label(&once), once);
        }
    }
}
