//! The server's own secret, with which keys are hashed before they are stored.
//!
//! Whoever steals the database but not the pepper cannot even check a guess. The server keeps it in a file of its
//! own; this module neither reads nor writes files.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use lastro_model::{KeyDigest, ParseError, WebhookId, hex};
use sha2::Sha256;

use crate::ApiKey;

const FORM: ParseError = ParseError("must be a pepper: 64 hexadecimal digits");

/// No key has this text, so the fingerprint says nothing about any digest.
const FINGERPRINT_LABEL: &[u8] = b"lastro pepper fingerprint 1";

/// Unlike every key and the label above, so that no digest is ever somebody's secret.
const WEBHOOK_LABEL: &[u8] = b"lastro webhook secret 1";

#[cfg(test)]
thread_local! {
    /// The number of hashes that this thread has computed, for tests of the work that a check takes.
    pub(crate) static HASHES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[derive(Clone)]
pub struct Pepper {
    bytes: [u8; 32],
    /// Keyed once: a digest then costs two blocks of SHA-256 less.
    mac: Hmac<Sha256>,
}

impl Pepper {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        // HMAC pads a short key with zeros to a block; doing it here leaves no length to be refused.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&bytes);
        Self { bytes, mac: Hmac::new(&block.into()) }
    }

    pub fn generate(random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut bytes = [0; 32];
        random(&mut bytes);
        Self::from_bytes(bytes)
    }

    /// Reads what [`Pepper::to_hex`] wrote; space around it, such as a line's end, is ignored.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        hex::decode(text.trim()).map(Self::from_bytes).ok_or(FORM)
    }

    /// The secret itself, for the pepper file.
    pub fn to_hex(&self) -> String {
        hex::encode(&self.bytes)
    }

    /// What the store keeps of a key.
    pub fn digest(&self, key: &ApiKey) -> KeyDigest {
        KeyDigest(self.authenticate(key.as_bytes()))
    }

    /// Names the pepper without betraying it: a database can tell that it was made with another one.
    pub fn fingerprint(&self) -> String {
        hex::encode(&self.authenticate(FINGERPRINT_LABEL)[..16])
    }

    /// The secret that signs what a webhook is sent: another one for every seed. The seed alone, which is all that the
    /// database holds, says nothing about it.
    pub fn webhook_secret(&self, webhook: &WebhookId, seed: &[u8; 16]) -> [u8; 32] {
        self.authenticate(&[WEBHOOK_LABEL, webhook.as_str().as_bytes(), seed].concat())
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
