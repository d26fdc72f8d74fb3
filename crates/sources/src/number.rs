//! Decimal numbers exactly as published.

use rust_decimal::Decimal;

/// Parses `-12.340` and keeps its three decimals. A comma, an exponent, a `+` sign, a blank or a digit too many is
/// rejected: better a reject than a value that was never published.
pub(crate) fn exact(text: &str) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits(whole) && digits(fraction) { Decimal::from_str_exact(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_plain_decimals_are_numbers() {
        for good in ["15.00", "-0.02", "0.055131", "5.12530", "0", "2814.0000"] {
            assert_eq!(exact(good).unwrap().to_string(), good);
        }
        for bad in ["", "-", ".5", "5.", "1,5", "1e3", "+1", " 1", "1_000", "NaN", "1.2.3", "--1", "１"] {
            assert_eq!(exact(bad), None, "{bad}");
        }
        assert_eq!(exact("0.00000000000000000000000000001"), None, "more decimals than can be kept exactly");
        assert_eq!(exact("99999999999999999999999999999999"), None);
    }

    proptest! {
        #[test]
        fn a_number_keeps_its_text(units in -9_999_999_999i64..9_999_999_999, scale in 0u32..10) {
            let text = Decimal::new(units, scale).to_string();
            prop_assert_eq!(exact(&text).unwrap().to_string(), text);
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = exact(&text);
        }
    }
}
