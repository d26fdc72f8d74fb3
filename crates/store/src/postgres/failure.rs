//! Translation of PostgreSQL's errors, without statement texts, values and addresses: a server message may quote any
//! of these, so only its code is passed on.

use std::error::Error as _;

use tokio_postgres::Error;

use crate::StoreError;

/// The failure of a statement.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) error: StoreError,
    pub(super) cause: Cause,
}

impl Failure {
    /// The connection is open, but the server does not reply.
    pub(super) fn silence() -> Self {
        Self { error: unreachable("it does not answer in time"), cause: Cause::Lost }
    }
}

/// The cause of a failure, which decides on a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Another transaction interfered: the same one may succeed at once.
    Contention,
    /// The connection is gone: another one may work.
    Lost,
    Other,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (error, cause) = match error.code() {
            Some(code) => of_code(code.code()),
            None => of_driver(&error),
        };
        Self { error, cause }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self { error, cause: Cause::Other }
    }
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Failure::from(error).error
    }
}

fn unreachable(why: impl Into<String>) -> StoreError {
    StoreError::Unreachable { why: why.into() }
}

fn of_code(code: &str) -> (StoreError, Cause) {
    let io = |sentence: &str| StoreError::Io(sentence.to_owned());
    let reported = || format!("PostgreSQL reports {code}");
    match code {
        "40001" | "40P01" => (StoreError::Busy, Cause::Contention),
        // A referenced row was deleted meanwhile: a retry does not find it.
        "23503" => (StoreError::Backend(reported()), Cause::Contention),
        "55P03" | "57014" => (StoreError::Busy, Cause::Other),
        // Terminated, starting up or shutting down, or too many connections.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => (unreachable(reported()), Cause::Lost),
        // A standby rejects writes (0A000 if a transaction that writes begins there). Another connection may reach the
        // primary.
        "25006" | "0A000" => (StoreError::unwritable("the server is a standby, or read-only"), Cause::Lost),
        "42501" => (StoreError::unwritable("its user lacks a right that Lastro needs there"), Cause::Other),
        "3D000" => (io("the server has no database of this name"), Cause::Other),
        "53100" => (StoreError::unwritable("its disk is full"), Cause::Other),
        "XX001" | "XX002" => (StoreError::damaged("a part of it cannot be read"), Cause::Other),
        _ if code.starts_with("08") => (unreachable(reported()), Cause::Lost),
        _ if code.starts_with("28") => (io("the database refuses this user or password"), Cause::Other),
        _ => (StoreError::Backend(reported()), Cause::Other),
    }
}

/// Recognises the kinds of driver errors by their fixed texts.
fn of_driver(error: &Error) -> (StoreError, Cause) {
    let sentence = error.to_string();
    match sentence.as_str() {
        "error performing TLS handshake" => {
            let why = error.source().map(ToString::to_string).unwrap_or_default();
            let refused = format!("the connection to the database cannot be trusted: {why}");
            (StoreError::Io(refused), Cause::Other)
        }
        "authentication error" => {
            (StoreError::Io("the database refuses this user or password".to_owned()), Cause::Other)
        }
        "error connecting to server" | "error communicating with the server" => {
            let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
            (unreachable(source.map_or(sentence, of_network)), Cause::Lost)
        }
        "connection closed" | "timeout waiting for server" => (unreachable(sentence), Cause::Lost),
        _ => (StoreError::Backend(sentence), Cause::Other),
    }
}

/// Unknown host names have no error kind of their own, so they are recognised by text.
fn of_network(error: &std::io::Error) -> String {
    if error.to_string().starts_with("failed to lookup address information") {
        return "its name is not known".to_owned();
    }
    error.kind().to_string()
}
