//! The name of an instalment as paper shows it, so that a code can be confirmed by typing or copying it from there.

use unicode_normalization::UnicodeNormalization;

/// One form for all labels that look the same in print: composed letters, no characters without width, and one space
/// where there is any space.
pub(super) fn as_printed(label: &str) -> String {
    let visible: String = label.chars().filter(|letter| !is_invisible(*letter)).nfc().collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether nothing is printed for a character, not even a space. Spreadsheets, messengers and files bring such ones
/// along.
fn is_invisible(letter: char) -> bool {
    let is_control = letter.is_control() && !letter.is_whitespace();
    let is_format = matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}');
    is_control || is_format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_look_the_same_are_the_same() {
        for (label, printed) in [
            ("condomi\u{301}nio", "condom\u{ed}nio"),
            ("\u{feff}luz\u{200b} de\u{ad} maio\u{200e}", "luz de maio"),
            ("  luz\u{a0}\u{2009} de\tmaio\r\n", "luz de maio"),
            ("a\u{200d}\u{303}", "\u{e3}"),
            ("luz\u{1}", "luz"),
            ("\u{200b} ", ""),
            ("1/12; R$ 5", "1/12; R$ 5"),
        ] {
            assert_eq!(as_printed(label), printed, "{label:?}");
        }
        assert_ne!(as_printed("luz"), as_printed("Luz"));
    }
}
