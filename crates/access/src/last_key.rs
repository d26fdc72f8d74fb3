//! The last valid key of a connection with its digest, so that a client pays for the hash of its key once.
//!
//! It is a memo of a pure function and decides nothing: [`crate::KeyRing`] checks the digest on every request.

use std::fmt;

use lastro_model::{KeyDigest, KeyId};
use parking_lot::Mutex;

use crate::ApiKey;

#[derive(Default)]
pub struct LastKey(Mutex<Option<(ApiKey, KeyDigest)>>);

impl LastKey {
    /// The id and the digest of this key, if it is the last one.
    pub(crate) fn digest_of(&self, text: &str) -> Option<(KeyId, KeyDigest)> {
        let last = self.0.lock();
        last.as_ref().filter(|(key, _)| key.is(text)).map(|(key, digest)| (key.id(), *digest))
    }

    pub(crate) fn remember(&self, key: ApiKey, digest: KeyDigest) {
        *self.0.lock() = Some((key, digest));
    }
}

impl fmt::Debug for LastKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastKey(…)")
    }
}
