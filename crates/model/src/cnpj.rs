//! CNPJ: a company's number in the national tax registry.

use std::fmt;

use crate::ParseError;

/// A CNPJ: fourteen characters, shown as `12.345.678/0001-95`. Since 2026 the first twelve may be letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cnpj([u8; 14]);

impl Cnpj {
    /// Parses the number with or without punctuation, letters in either case.
    ///
    /// Check digits are not verified: the regulator's files are authoritative for what they contain.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError = ParseError("must be a CNPJ: 14 characters, with or without punctuation");
        let mut characters = [0u8; 14];
        let mut length = 0;
        for byte in text.trim().bytes() {
            match byte {
                b'.' | b'/' | b'-' => continue,
                b'0'..=b'9' => {}
                b'A'..=b'Z' | b'a'..=b'z' if length < 12 => {}
                _ => return Err(FORM),
            }
            *characters.get_mut(length).ok_or(FORM)? = byte.to_ascii_uppercase();
            length += 1;
        }
        if length == 14 { Ok(Self(characters)) } else { Err(FORM) }
    }

    /// Builds the number of a fictitious company: twelve characters followed by their two check digits.
    pub fn with_check_digits(base: [u8; 12]) -> Self {
        let mut characters = [b'0'; 14];
        characters[..12].copy_from_slice(&base);
        characters[12] = check_digit(&characters[..12]);
        characters[13] = check_digit(&characters[..13]);
        Self(characters)
    }

    pub fn has_valid_check_digits(&self) -> bool {
        self.0[12] == check_digit(&self.0[..12]) && self.0[13] == check_digit(&self.0[..13])
    }

    /// The fourteen characters without punctuation.
    pub fn compact(&self) -> &str {
        // `parse` admits only ASCII letters and digits.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Computes a check digit: modulo 11 with weights 2 to 9 from the right; a letter counts as its ASCII code less 48.
fn check_digit(characters: &[u8]) -> u8 {
    let sum: u32 =
        characters.iter().rev().zip((2..=9).cycle()).map(|(c, weight)| u32::from(c - b'0') * weight).sum();
    match sum % 11 {
        0 | 1 => b'0',
        rest => b'0' + (11 - rest) as u8,
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.compact();
        write!(f, "{}.{}.{}/{}-{}", &c[..2], &c[2..5], &c[5..8], &c[8..12], &c[12..])
    }
}

impl fmt::Debug for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn punctuation_and_case_do_not_matter() {
        let shown = Cnpj::parse("00.000.000/0001-91").unwrap();
        assert_eq!(shown, Cnpj::parse(" 00000000000191 ").unwrap());
        assert_eq!(shown.to_string(), "00.000.000/0001-91");
        assert!(shown.has_valid_check_digits());
        // The Receita Federal's own example of the alphanumeric form.
        let letters = Cnpj::parse("12.abc.345/01de-35").unwrap();
        assert_eq!(letters.to_string(), "12.ABC.345/01DE-35");
        assert!(letters.has_valid_check_digits());
    }

    #[test]
    fn other_forms_are_refused() {
        for bad in ["", "123", "000000000001911", "0000000000019A", "00.000.000/0001_91", "ção"] {
            assert!(Cnpj::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn made_up_numbers_are_valid(base in prop::array::uniform12(b'0'..=b'9')) {
            let cnpj = Cnpj::with_check_digits(base);
            prop_assert!(cnpj.has_valid_check_digits());
            prop_assert_eq!(Cnpj::parse(&cnpj.to_string()).unwrap(), cnpj);
        }

        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let _ = Cnpj::parse(&text);
        }
    }
}
