//! Hexadecimal encoding, the one form of bytes in texts, columns and file names.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Encodes each byte as two lower-case digits.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Decodes exactly `N` bytes from digits of either case.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_are_written_in_lower_case_and_read_in_either() {
        assert_eq!(encode(&[0x00, 0x9f, 0xa0]), "009fa0");
        assert_eq!(decode("009FA0"), Some([0x00, 0x9f, 0xa0]));
    }

    proptest! {
        #[test]
        fn thirty_two_bytes_round_trip(bytes: [u8; 32]) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn decode_never_panics_and_checks_the_length(text in ".{0,70}") {
            prop_assert!(decode::<32>(&text).is_none() || text.len() == 64);
        }
    }
}
