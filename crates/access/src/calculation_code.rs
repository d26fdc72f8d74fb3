//! Codes that prove that this service made a calculation: a MAC over its inputs and its result. Nothing is stored.

use crate::Pepper;

/// Digits and letters that nobody mistakes for each other: no I, L, O and U (Crockford's alphabet).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Characters after the letter of the kind: a hundred bits, five in each.
const LENGTH: usize = 20;

/// Issues and compares codes, with the service's secret.
#[derive(Debug, Clone)]
pub struct CalculationCodes {
    pepper: Pepper,
}

impl CalculationCodes {
    pub fn new(pepper: Pepper) -> Self {
        Self { pepper }
    }

    /// The code of a calculation of this kind, given its inputs and result in canonical form.
    pub fn code(&self, kind: char, calculation: &str) -> String {
        let mac = self.pepper.calculation_mac(kind, calculation);
        let character = |place: usize| {
            let (byte, bit) = (place * 5 / 8, place * 5 % 8);
            let bits = u16::from_be_bytes([mac[byte], mac[byte + 1]]);
            char::from(ALPHABET[usize::from(bits >> (11 - bit)) % ALPHABET.len()])
        };
        std::iter::once(kind).chain((0..LENGTH).map(character)).collect()
    }

    /// Whether a code as typed by a person is this one: in any case, with spaces or hyphens.
    pub fn is_same(&self, typed: &str, code: &str) -> bool {
        let plain = typed.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_ascii_uppercase());
        let typed: String = plain.take(code.len() + 1).collect();
        // Compared by their MACs, so that the time tells nothing about the code.
        self.pepper.calculation_mac(' ', &typed) == self.pepper.calculation_mac(' ', code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(byte: u8) -> CalculationCodes {
        CalculationCodes::new(Pepper::from_bytes([byte; 32]))
    }

    #[test]
    fn a_code_depends_on_secret_kind_and_calculation() {
        let code = codes(1).code('C', "index=ipca");
        assert!(code.len() == 21 && code.starts_with('C'));
        assert!(code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
        assert_eq!(code, codes(1).code('C', "index=ipca"));
        for other in [
            codes(2).code('C', "index=ipca"),
            codes(1).code('R', "index=ipca"),
            codes(1).code('C', "index=inpc"),
        ] {
            assert_ne!(code[1..], other[1..]);
        }
    }

    #[test]
    fn a_code_may_be_typed_in_any_case_and_in_groups() {
        let codes = codes(1);
        let code = codes.code('D', "x");
        let grouped = format!("{}-{} {}", &code[..7], code[7..14].to_lowercase(), &code[14..]);
        assert!(codes.is_same(&grouped, &code) && codes.is_same(&code, &code));
        assert!(!codes.is_same(&format!("{code}0"), &code) && !codes.is_same("", &code));
    }
}
