//! The server's secret for hashing keys before they are stored.
//!
//! A thief of the database without the pepper cannot even check a guess. The server keeps the pepper in a file of its
//! own; this module neither reads nor writes files.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use lastro_model::{KeyDigest, ParseError, WebhookId, hex};
use sha2::Sha256;

use crate::ApiKey;

const FORM: ParseError = ParseError("must be a pepper: 64 hexadecimal digits");

/// Differs from every key, so that the fingerprint reveals nothing about any digest.
const FINGERPRINT_LABEL: &[u8] = b"lastro pepper fingerprint 1";

/// Differs from every key and from the label above, so that no digest is also a webhook's secret.
const WEBHOOK_LABEL: &[u8] = b"lastro webhook secret 1";
const CALCULATION_LABEL: &[u8] = b"lastro calculation 1";

#[cfg(test)]
thread_local! {
    /// The number of hashes computed by this thread, for tests of the work of a check.
    pub(crate) static HASHES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[derive(Clone)]
pub struct Pepper {
    bytes: [u8; 32],
    /// Keyed once, which saves two blocks of SHA-256 for each digest.
    mac: Hmac<Sha256>,
}

impl Pepper {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        // HMAC pads a short key with zeros to a block. Padding it here leaves no length error to handle.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&bytes);
        Self { bytes, mac: Hmac::new(&block.into()) }
    }

    pub fn generate(random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut bytes = [0; 32];
        random(&mut bytes);
        Self::from_bytes(bytes)
    }

    /// Parses the text of [`Pepper::to_hex`], ignoring white space around it such as a newline.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        hex::decode(text.trim()).map(Self::from_bytes).ok_or(FORM)
    }

    /// The secret itself, for the pepper file.
    pub fn to_hex(&self) -> String {
        hex::encode(&self.bytes)
    }

    /// The digest of a key, which the store keeps instead of the key.
    pub fn digest(&self, key: &ApiKey) -> KeyDigest {
        KeyDigest(self.authenticate(key.as_bytes()))
    }

    /// Identifies the pepper without revealing it, to detect a database that was created with another one.
    pub fn fingerprint(&self) -> String {
        hex::encode(&self.authenticate(FINGERPRINT_LABEL)[..16])
    }

    /// The secret that signs the deliveries of a webhook, different for every seed. The database holds only the seed,
    /// which reveals nothing about the secret.
    pub fn webhook_secret(&self, webhook: &WebhookId, seed: &[u8; 16]) -> [u8; 32] {
        self.authenticate(&[WEBHOOK_LABEL, webhook.as_str().as_bytes(), seed].concat())
    }

    /// Authenticates a calculation of this kind.
    pub(crate) fn calculation_mac(&self, kind: char, calculation: &str) -> [u8; 32] {
        let mut letter = [0; 4];
        let kind = kind.encode_utf8(&mut letter);
        self.authenticate(&[CALCULATION_LABEL, kind.as_bytes(), calculation.as_bytes()].concat())
    }

    fn authenticate(&self, text: &[u8]) -> [u8; 32] {
        #[cfg(test)]
        HASHES.set(HASHES.get() + 1);
        self.mac.clone().chain_update(text).finalize().into_bytes().into()
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pepper(…)")
    }
}
