//! Database addresses as operators write them.

use std::path::PathBuf;

use crate::postgres::ServerAddress;
use crate::{Result, StoreError};

pub(crate) enum Address {
    Sqlite(PathBuf),
    Postgres(Box<ServerAddress>),
}

impl Address {
    /// Parses an address. Errors never repeat it, because it may hold a password.
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let unsupported = |sentence: &str| Err(StoreError::Unsupported(sentence.to_owned()));
        match url.trim().split_once(':') {
            Some(("sqlite", rest)) => match rest.strip_prefix("//").unwrap_or(rest) {
                "" => unsupported("the database address names no file; write sqlite:lastro.db"),
                ":memory:" => unsupported("an in-memory database cannot be shared; write sqlite:lastro.db"),
                path => Ok(Self::Sqlite(PathBuf::from(path))),
            },
            Some(("postgres" | "postgresql", _)) => {
                ServerAddress::parse(url.trim()).map(|server| Self::Postgres(Box::new(server)))
            }
            _ => unsupported(
                "the database address must look like sqlite:lastro.db or postgres://user:password@host/database",
            ),
        }
    }
}

/// Checks that an address can be parsed, without opening the database.
pub fn check_address(url: &str) -> Result<()> {
    Address::parse(url).map(drop)
}

/// The file of a SQLite address, for files that the server keeps beside it.
pub fn sqlite_path(url: &str) -> Option<PathBuf> {
    match Address::parse(url) {
        Ok(Address::Sqlite(path)) => Some(path),
        Ok(Address::Postgres(_)) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_addresses_name_a_file() {
        for (url, path) in [
            ("sqlite:lastro.db", "lastro.db"),
            ("sqlite:/var/lib/lastro.db", "/var/lib/lastro.db"),
            ("sqlite://lastro.db", "lastro.db"),
            ("sqlite:///var/lib/lastro.db", "/var/lib/lastro.db"),
            (" sqlite:a b.db ", "a b.db"),
        ] {
            assert_eq!(sqlite_path(url), Some(PathBuf::from(path)), "{url}");
        }
    }

    #[test]
    fn other_addresses_are_refused_without_being_repeated() {
        for url in ["", "lastro.db", "sqlite:", "sqlite::memory:", "mysql://u:hunter2@h/x"] {
            let Err(StoreError::Unsupported(sentence)) = Address::parse(url) else {
                panic!("{url} was taken");
            };
            assert!(!sentence.contains("hunter2") && sentence.contains("sqlite:lastro.db"), "{sentence}");
            assert_eq!(sqlite_path(url), None);
        }
    }

    #[test]
    fn a_server_has_no_file() {
        let url = "postgres://u:hunter2@host/lastro";
        assert!(matches!(Address::parse(url), Ok(Address::Postgres(_))));
        assert_eq!(sqlite_path(url), None);
    }
}
