//! An API key, `lastro_<id>_<secret><checksum>`: generated, parsed and hidden from logs.
//!
//! A mistyped or made-up key fails its checksum here, before any lookup. [`crate::KeyRing`] decides whether a
//! well-formed key is valid.

use std::fmt;

use lastro_model::{KeyId, ParseError};
use subtle::ConstantTimeEq;

/// Must never change: every key in use has it, and scanners for leaked secrets search for it.
const PREFIX: &[u8] = b"lastro_";
const ID_END: usize = PREFIX.len() + 8;
const SECRET_START: usize = ID_END + 1;
const CHECKSUM_START: usize = SECRET_START + 32;
const LENGTH: usize = CHECKSUM_START + 6;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const FORM: ParseError = ParseError("must be an API key: lastro_, eight characters, _ and 38 characters");

/// A well-formed key. It has no `Display`, and its `Debug` shows only the public part.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    text: [u8; LENGTH],
    id: KeyId,
}

impl ApiKey {
    /// Creates a key with 47 bits of id and 190 bits of secret. `random` fills the slice it receives.
    pub fn generate(random: &mut dyn FnMut(&mut [u8])) -> Self {
        // The text is well-formed, so the loop runs once; it still goes through the only constructor, which checks.
        loop {
            let mut text = [b'_'; LENGTH];
            text[..PREFIX.len()].copy_from_slice(PREFIX);
            fill_base62(&mut text[PREFIX.len()..ID_END], random);
            fill_base62(&mut text[SECRET_START..CHECKSUM_START], random);
            let checksum = checksum(&text[..CHECKSUM_START]);
            text[CHECKSUM_START..].copy_from_slice(&checksum);
            if let Ok(key) = Self::from_text(text) {
                return key;
            }
        }
    }

    /// Checks form and checksum.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let text: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| FORM)?;
        Self::from_text(text)
    }

    fn from_text(text: [u8; LENGTH]) -> Result<Self, ParseError> {
        let well_formed = text.starts_with(PREFIX)
            && text[ID_END] == b'_'
            && text[SECRET_START..].iter().all(u8::is_ascii_alphanumeric);
        if !well_formed {
            return Err(FORM);
        }
        if checksum(&text[..CHECKSUM_START]) != text[CHECKSUM_START..] {
            return Err(ParseError("must be an API key as it was issued: its checksum does not match"));
        }
        let id = std::str::from_utf8(&text[PREFIX.len()..ID_END]).map_err(|_| FORM)?;
        Ok(Self { text, id: KeyId::parse(id).map_err(|_| FORM)? })
    }

    /// The public part.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Whether this is the text of the key, compared in constant time: a proxy's connection carries the keys of many.
    pub(crate) fn is(&self, text: &str) -> bool {
        // In words, the last of which overlaps: byte by byte it takes five times as long.
        let words = |bytes: &[u8; LENGTH]| {
            let word = |start: usize| u64::from_ne_bytes(std::array::from_fn(|at| bytes[start + at]));
            std::array::from_fn::<u64, { LENGTH.div_ceil(8) }, _>(|at| word((at * 8).min(LENGTH - 8)))
        };
        let other = text.as_bytes().try_into();
        other.is_ok_and(|other| words(&self.text).ct_eq(&words(other)).into())
    }

    /// The whole key, to be hashed.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The same key with a changed secret and a matching checksum.
    #[cfg(test)]
    pub(crate) fn with_secret(&self, change: impl FnOnce(&mut [u8])) -> Self {
        let mut text = self.text;
        change(&mut text[SECRET_START..CHECKSUM_START]);
        let checksum = checksum(&text[..CHECKSUM_START]);
        text[CHECKSUM_START..].copy_from_slice(&checksum);
        Self { text, id: self.id }
    }

    /// The whole key, to be shown to its holder once.
    pub fn reveal(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lastro_{}_…", self.id)
    }
}

/// CRC-32 in base 62, most significant digit first, padded with zeros.
fn checksum(text: &[u8]) -> [u8; 6] {
    let mut rest = crc32fast::hash(text) as usize;
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % 62];
        rest /= 62;
    }
    digits
}

fn fill_base62(places: &mut [u8], random: &mut dyn FnMut(&mut [u8])) {
    // The greatest multiple of 62 in a byte. Bytes from here on would make the first letters more likely.
    const FAIR: u8 = 62 * 4;
    let mut places = places.iter_mut();
    let mut bytes = [0; 40];
    let Some(mut place) = places.next() else { return };
    loop {
        random(&mut bytes);
        for byte in bytes.into_iter().filter(|byte| *byte < FAIR) {
            *place = ALPHABET[usize::from(byte % 62)];
            match places.next() {
                Some(next) => place = next,
                None => return,
            }
        }
    }
}
