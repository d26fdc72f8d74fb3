//! Detects invisible characters, and those that change how text is displayed.

/// Whether a text has a character that moves the cursor, ends a line, hides text or reorders it.
///
/// These are the C0 control characters (including tab and line ends), DEL and C1, line and paragraph separators,
/// zero-width marks and direction changes: Unicode's format and default-ignorable characters. Two are allowed: the
/// soft hyphen, which publishers use, and emoji selectors. No name needs the others, and each can make a log, a
/// terminal or a page show something other than the text.
pub fn has_control(text: &str) -> bool {
    text.chars().any(is_control)
}

const fn is_control(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invisible_characters_are_control_characters() {
        let unseen = [
            '\0',
            '\t',
            '\n',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{80}',
            '\u{9f}',
            '\u{200b}',
            '\u{200e}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{34f}',
            '\u{61c}',
            '\u{180e}',
            '\u{206a}',
            '\u{3164}',
            '\u{fff9}',
            '\u{e0041}',
        ];
        for c in unseen {
            assert!(has_control(&format!("a{c}b")), "{c:?}");
        }
    }

    #[test]
    fn ordinary_text_has_no_control_characters() {
        for text in [
            "",
            "José da Silva",
            "Ação nº 1 – “B”",
            "nbsp\u{a0}here",
            "日本",
            "👩🏽",
            "e\u{301}",
            "so\u{ad}cial",
        ] {
            assert!(!has_control(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_control_character_of_unicode_counts(c: char) {
            prop_assert!(!c.is_control() || has_control(&c.to_string()));
        }
    }
}
