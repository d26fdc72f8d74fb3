//! Signatures in the Standard Webhooks format: HMAC-SHA256 over id, time and body, one for each valid secret.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use lastro_model::MessageId;
use sha2::Sha256;

/// A webhook's secret: 32 bytes that look random to everybody else. `Debug` hides them.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The text form, shown to the owner once.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }

    fn sign(&self, content: &[u8]) -> String {
        // HMAC pads a short key with zeros to a block. Padding here avoids a fallible key length.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(content);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The value of `webhook-signature`: one signature for each secret, separated by spaces.
pub fn header(secrets: &[Secret], id: &MessageId, unix_seconds: i64, body: &str) -> String {
    let content = format!("{id}.{unix_seconds}.{body}");
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(content.as_bytes())).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use standardwebhooks::Webhook;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn signatures_match_the_public_library(key: [u8; 32], id: [u8; 12], at in 0i64..4_000_000_000, body in ".{0,200}") {
            let (secret, id) = (Secret::new(key), MessageId::from_random(id));
            let oracle = Webhook::new(&secret.reveal()).unwrap();
            let expected = oracle.sign(id.as_str(), at, body.as_bytes()).unwrap();
            prop_assert_eq!(header(&[secret], &id, at, &body), expected);
        }
    }

    #[test]
    fn a_signature_by_two_secrets_verifies_with_each() {
        let secrets = [Secret::new([1; 32]), Secret::new([2; 32])];
        let (id, body) = (MessageId::from_random([3; 12]), r#"{"type":"ping"}"#);
        let now = lastro_model::Clock::now(&crate::clock::SystemClock::start()).unix_seconds();
        let mut headers = http::HeaderMap::new();
        headers.insert("webhook-id", id.as_str().parse().unwrap());
        headers.insert("webhook-timestamp", now.to_string().parse().unwrap());
        headers.insert("webhook-signature", header(&secrets, &id, now, body).parse().unwrap());
        for secret in &secrets {
            let oracle = Webhook::new(&secret.reveal()).unwrap();
            oracle.verify(body.as_bytes(), &headers).unwrap();
            assert!(oracle.verify(b"{}", &headers).is_err());
        }
        let stranger = Webhook::new(&Secret::new([9; 32]).reveal()).unwrap();
        assert!(stranger.verify(body.as_bytes(), &headers).is_err());
    }

    #[test]
    fn debug_hides_the_secret() {
        let secret = Secret::new([0x41; 32]);
        assert_eq!(secret.reveal(), "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
