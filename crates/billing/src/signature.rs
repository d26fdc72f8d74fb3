//! The signature of Stripe's events: HMAC-SHA256 over time and body, with the secret as it is written.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use lastro_model::hex;
use sha2::Sha256;

/// The largest difference between our clock and the time of a signature, in seconds, in both directions.
const TOLERANCE: u64 = 300;

/// The signing secret of the webhook endpoint. `Debug` hides it.
#[derive(Clone)]
pub(crate) struct SigningSecret(Hmac<Sha256>);

impl SigningSecret {
    /// The whole text is the key, with its prefix `whsec_`.
    pub(crate) fn new(text: &str) -> anyhow::Result<Self> {
        Ok(Self(Hmac::new_from_slice(text.as_bytes())?))
    }

    /// Whether the header `Stripe-Signature` has a signature of this body at about this time. One of several is enough:
    /// while a secret is replaced, Stripe signs with both.
    pub(crate) fn verifies(&self, header: &str, body: &[u8], unix_seconds: i64) -> bool {
        let mut times = values(header, "t");
        let (Some(time), None) = (times.next(), times.next()) else { return false };
        let is_recent = time.parse().is_ok_and(|at: i64| at.abs_diff(unix_seconds) <= TOLERANCE);
        let mac = self.0.clone().chain_update(time).chain_update(b".").chain_update(body);
        let is_ours = |signature: &str| {
            hex::decode::<32>(signature).is_some_and(|bytes| mac.clone().verify_slice(&bytes).is_ok())
        };
        is_recent && values(header, "v1").any(is_ours)
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// The values of a name in a header such as `t=1,v1=a,v1=b`.
fn values<'a>(header: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = header.split(',').filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(found, _)| *found == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECRET: &str = "whsec_test_secret";
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;
    const AT: i64 = 1_793_620_800;

    fn sign(secret: &str, at: &str, body: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        let mac = mac.chain_update(at).chain_update(b".").chain_update(body);
        hex::encode(&mac.finalize().into_bytes())
    }

    fn verifies(header: &str) -> bool {
        SigningSecret::new(SECRET).unwrap().verifies(header, BODY, AT)
    }

    /// Computed by Stripe's own library for Python, 16.1.0.
    #[test]
    fn signatures_match_stripes_library() {
        let theirs = "ea3aca4d9976bd824a2f8c2b9ac43fe2e808e99fa798b1dec1c03fc3c0b33a19";
        assert!(verifies(&format!("t={AT},v1={theirs}")));
        assert!(!verifies(&format!("t={},v1={theirs}", AT + 1)));
    }

    #[test]
    fn any_current_signature_is_enough() {
        let (at, stale) = (AT.to_string(), "0".repeat(64));
        let good = sign(SECRET, &at, BODY);
        assert!(verifies(&format!("t={at},v1={good}")));
        assert!(verifies(&format!("t={at},v1={stale},v1={good},v0={stale}")));
        assert!(!verifies(&format!("t={at},v1={stale}")));
        assert!(!verifies(&format!("t={at},v0={good}")), "v0 never counts");
        assert!(!verifies(&format!("t={at},v1={}", sign("whsec_other", &at, BODY))));
        assert!(!verifies(&format!("t={at},v1={}", sign(SECRET, &at, b"{}"))));
        assert!(!verifies(&format!("t={at},t={at},v1={good}")));
        assert!(!verifies(&format!("v1={good}")) && !verifies(&format!("t={at}")) && !verifies(""));
    }

    #[test]
    fn times_beyond_the_tolerance_are_refused_both_ways() {
        for (shift, expected) in [(-301, false), (-300, true), (0, true), (300, true), (301, false)] {
            let at = (AT + shift).to_string();
            assert_eq!(verifies(&format!("t={at},v1={}", sign(SECRET, &at, BODY))), expected, "{shift}");
        }
        let at = i64::MIN.to_string();
        assert!(!verifies(&format!("t={at},v1={}", sign(SECRET, &at, BODY))));
    }

    #[test]
    fn debug_hides_the_signing_secret() {
        assert_eq!(format!("{:?}", SigningSecret::new(SECRET).unwrap()), "SigningSecret(…)");
    }

    proptest! {
        #[test]
        fn no_header_panics(header in "[tv01=,a-f ]{0,90}", body: Vec<u8>) {
            SigningSecret::new(SECRET).unwrap().verifies(&header, &body, AT);
        }
    }
}
