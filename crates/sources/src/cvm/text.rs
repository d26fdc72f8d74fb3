//! Text of a field: windows-1252 bytes to what people read.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// Decodes a field, drops control characters and trims blanks, the non-breaking one included.
///
/// Tabs and the like become spaces, so that words stay apart. What the publisher garbled itself passes through.
pub(super) fn clean(field: &[u8]) -> String {
    let text = decode(field);
    if !field.iter().copied().any(is_control) {
        return text.trim().to_owned();
    }
    let printable: String = text
        .chars()
        .filter_map(|c| if c.is_control() { c.is_whitespace().then_some(' ') } else { Some(c) })
        .collect();
    printable.trim().to_owned()
}

/// The text of a field that may be blank.
pub(super) fn filled(field: &[u8]) -> Option<String> {
    Some(clean(field)).filter(|text| !text.is_empty())
}

/// Bytes that decode to control characters, the five that windows-1252 does not define among them.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() || matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D)
}

/// Never looks for a byte-order mark: `ÿþ` at the start of a field is two letters.
fn decode(field: &[u8]) -> Cow<'_, str> {
    WINDOWS_1252.decode_without_bom_handling(field).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_dashes_and_quotes_are_kept() {
        assert_eq!(clean(b"A\xC7\xC3O \x96 \"B\" n\xBA 1"), "AÇÃO – \"B\" nº 1");
        assert_eq!(clean(b"\xFF\xFEabc"), "ÿþabc");
    }

    #[test]
    fn control_bytes_are_those_that_decode_to_control_characters() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_control(byte), decode(&[byte]).contains(char::is_control), "{byte:#04x}");
        }
    }

    #[test]
    fn blanks_and_control_bytes_go() {
        assert_eq!(clean(b"\xA0 Fato Relevante \xA0"), "Fato Relevante");
        assert_eq!(clean(b"ETX\x03 here"), "ETX here");
        assert_eq!(clean(b"two\twords\x0B"), "two words");
        assert_eq!(filled(b" \xA0\x03"), None);
    }
}
