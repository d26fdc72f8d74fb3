//! Cursors: opaque names of places in the log of changes.
//!
//! A cursor holds the identity of the log, the edition with its time of publication, and the number of changes consumed
//! in it. So it is the same on every replica and after a restart, and a log that reaches the same edition in another way,
//! such as that of a restored backup, does not take it for its own. Where companies were named by ticker or CNPJ, it also
//! holds a digest of those that the names stood for.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lastro_model::{CompanyId, Edition, Mark, Stamp};

/// The first byte of a cursor without companies, and its length.
const FORM: u8 = 1;
const LENGTH: usize = 29;
/// The same of one that ends with the digest of companies.
const FORM_WITH_COMPANIES: u8 = 2;
const LENGTH_WITH_COMPANIES: usize = LENGTH + 8;

/// A digest of the log's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogIdentity(u64);

impl LogIdentity {
    pub fn of(name: &str) -> Self {
        Self(lastro_model::digest_of(name.as_bytes()))
    }
}

/// A digest of the companies that the names in a filter stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompaniesDigest(u64);

impl CompaniesDigest {
    /// The same for the same companies in any order.
    pub fn of(companies: &[CompanyId]) -> Self {
        let mut codes: Vec<u32> = companies.iter().map(|company| company.0).collect();
        codes.sort_unstable();
        codes.dedup();
        let bytes: Vec<u8> = codes.into_iter().flat_map(u32::to_be_bytes).collect();
        Self(lastro_model::digest_of(&bytes))
    }
}

/// A cursor, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub mark: Mark,
    /// `None` if no filter named companies by ticker or CNPJ.
    pub companies: Option<CompaniesDigest>,
}

/// The outcome of reading a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    Place(Cursor),
    /// A cursor of another log.
    Foreign,
    Malformed,
}

pub fn written(log: LogIdentity, cursor: Cursor) -> String {
    let Cursor { mark, companies } = cursor;
    let form = if companies.is_some() { FORM_WITH_COMPANIES } else { FORM };
    let mut bytes = Vec::with_capacity(LENGTH_WITH_COMPANIES);
    bytes.push(form);
    bytes.extend_from_slice(&log.0.to_be_bytes());
    bytes.extend_from_slice(&mark.stamp.edition.0.to_be_bytes());
    bytes.extend_from_slice(&mark.stamp.published_unix_ms.to_be_bytes());
    bytes.extend_from_slice(&mark.position.to_be_bytes());
    if let Some(CompaniesDigest(digest)) = companies {
        bytes.extend_from_slice(&digest.to_be_bytes());
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn parsed(log: LogIdentity, text: &str) -> Parsed {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(text) else { return Parsed::Malformed };
    let has_companies = match (bytes.first(), bytes.len()) {
        (Some(&FORM), LENGTH) => false,
        (Some(&FORM_WITH_COMPANIES), LENGTH_WITH_COMPANIES) => true,
        _ => return Parsed::Malformed,
    };
    let number = |from: usize, to: usize| {
        bytes[from..to].iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte))
    };
    // Editions are signed numbers in the store.
    let (edition, published_unix_ms) = (Edition(number(9, 17)), number(17, 25).cast_signed());
    if i64::try_from(edition.0).is_err() {
        return Parsed::Malformed;
    }
    if number(1, 9) != log.0 {
        return Parsed::Foreign;
    }
    let stamp = Stamp { edition, published_unix_ms };
    let mark = Mark { stamp, position: number(25, LENGTH) as u32 };
    let companies = has_companies.then(|| CompaniesDigest(number(LENGTH, LENGTH_WITH_COMPANIES)));
    Parsed::Place(Cursor { mark, companies })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cursors_are_read_back_by_their_log_only(edition in 0..i64::MAX, at: i64, position: u32, digest: Option<u64>) {
            let stamp = Stamp { edition: Edition(edition.cast_unsigned()), published_unix_ms: at };
            let cursor = Cursor { mark: Mark { stamp, position }, companies: digest.map(CompaniesDigest) };
            let log = LogIdentity::of("one");
            let text = written(log, cursor);
            prop_assert_eq!(parsed(log, &text), Parsed::Place(cursor));
            prop_assert_eq!(parsed(LogIdentity::of("other"), &text), Parsed::Foreign);
            prop_assert_eq!(parsed(log, &text[1..]), Parsed::Malformed);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}|A[A-Za-z0-9_-]{38}|A[A-Za-z0-9_-]{49}") {
            let _ = parsed(LogIdentity::of("one"), &text);
        }
    }

    #[test]
    fn the_order_of_companies_does_not_count() {
        let digest =
            |codes: &[u32]| CompaniesDigest::of(&codes.iter().copied().map(CompanyId).collect::<Vec<_>>());
        assert_eq!(digest(&[4, 5]), digest(&[5, 4, 5]));
        assert_ne!(digest(&[4]), digest(&[5]));
    }
}
