//! Decodes the windows-1252 text of a field.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use lastro_model::text::has_control;

/// Decodes a field and trims blanks, including non-breaking ones; `None` if it contains a control character.
///
/// Tabs and the like were typed as separators and become spaces. Other control characters do not belong in text, and
/// the characters they replaced are unknown. Text garbled by the publisher itself passes through.
pub(super) fn clean(field: &[u8]) -> Option<String> {
    let text = decode(field);
    if !field.iter().copied().any(is_control) {
        return Some(text.trim().to_owned());
    }
    let spaced = text.replace(|c: char| c.is_control() && c.is_whitespace(), " ");
    (!has_control(&spaced)).then(|| spaced.trim().to_owned())
}

/// Whether a byte decodes to a control character, including the five that windows-1252 leaves undefined.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() || matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D)
}

/// Decodes without byte-order mark detection: `ÿþ` at the start of a field is two letters.
fn decode(field: &[u8]) -> Cow<'_, str> {
    WINDOWS_1252.decode_without_bom_handling(field).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_dashes_and_quotes_are_kept() {
        assert_eq!(clean(b"A\xC7\xC3O \x96 \"B\" n\xBA 1").unwrap(), "AÇÃO – \"B\" nº 1");
        assert_eq!(clean(b"\xFF\xFEabc").unwrap(), "ÿþabc");
    }

    #[test]
    fn control_bytes_are_those_that_decode_to_control_characters() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_control(byte), has_control(&decode(&[byte])), "{byte:#04x}");
        }
    }

    #[test]
    fn blanks_are_trimmed_and_tabs_become_spaces() {
        assert_eq!(clean(b"\xA0 Fato Relevante \xA0").unwrap(), "Fato Relevante");
        assert_eq!(clean(b"two\twords\x0B").unwrap(), "two words");
    }

    #[test]
    fn a_text_with_any_other_control_character_is_none() {
        for byte in (0..=u8::MAX).filter(|byte| is_control(*byte) && !b"\t\n\x0B\x0C\r".contains(byte)) {
            assert_eq!(clean(&[b'A', byte, b'B']), None, "{byte:#04x}");
        }
    }
}
