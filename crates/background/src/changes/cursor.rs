//! Cursors: opaque names of places in the log of changes.
//!
//! A cursor holds the identity of the log, the edition with its time of publication, and the number of changes consumed
//! in it. So it is the same on every replica and after a restart, and a log that reaches the same edition in another way,
//! such as that of a restored backup, does not take it for its own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lastro_model::{Edition, Mark, Stamp};

/// The first byte: another form of cursor would have another one.
const FORM: u8 = 1;
const LENGTH: usize = 29;

/// A digest of the log's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogIdentity(u64);

impl LogIdentity {
    pub fn of(name: &str) -> Self {
        Self(lastro_model::digest_of(name.as_bytes()))
    }
}

/// The outcome of reading a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    Place(Mark),
    /// A cursor of another log.
    Foreign,
    Malformed,
}

pub fn written(log: LogIdentity, mark: Mark) -> String {
    let mut bytes = [0; LENGTH];
    bytes[0] = FORM;
    bytes[1..9].copy_from_slice(&log.0.to_be_bytes());
    bytes[9..17].copy_from_slice(&mark.stamp.edition.0.to_be_bytes());
    bytes[17..25].copy_from_slice(&mark.stamp.published_unix_ms.to_be_bytes());
    bytes[25..].copy_from_slice(&mark.position.to_be_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn parsed(log: LogIdentity, text: &str) -> Parsed {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(text) else { return Parsed::Malformed };
    let Ok(bytes) = <[u8; LENGTH]>::try_from(bytes) else { return Parsed::Malformed };
    let number = |from: usize| {
        bytes[from..from + 8].iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte))
    };
    // Editions are signed numbers in the store.
    let (edition, published_unix_ms) = (Edition(number(9)), number(17).cast_signed());
    if bytes[0] != FORM || i64::try_from(edition.0).is_err() {
        return Parsed::Malformed;
    }
    if number(1) != log.0 {
        return Parsed::Foreign;
    }
    let position = bytes[25..].iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
    Parsed::Place(Mark { stamp: Stamp { edition, published_unix_ms }, position })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cursors_are_read_back_by_their_log_only(edition in 0..i64::MAX, at: i64, position: u32) {
            let stamp = Stamp { edition: Edition(edition.cast_unsigned()), published_unix_ms: at };
            let (mark, log) = (Mark { stamp, position }, LogIdentity::of("one"));
            let text = written(log, mark);
            prop_assert_eq!(parsed(log, &text), Parsed::Place(mark));
            prop_assert_eq!(parsed(LogIdentity::of("other"), &text), Parsed::Foreign);
            prop_assert_eq!(parsed(log, &text[1..]), Parsed::Malformed);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}|[A-Za-z0-9_-]{39}") {
            let _ = parsed(LogIdentity::of("one"), &text);
        }
    }
}
