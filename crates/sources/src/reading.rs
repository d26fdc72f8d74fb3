//! The result of parsing: rows and rejects, or the reason why there is no data.

use lastro_model::Reject;

/// Most rejects before a file counts as not being the expected one.
///
/// The real files have none; the limit also bounds the memory that a garbage file can use.
pub const MOST_REJECTS: usize = 1_000;

/// The reason why a response contains no data at all. The messages are for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The publisher has a problem: retry later.
    #[error("{0}")]
    Transient(String),
    /// The mistake is ours, for example a rejected request: a retry cannot help.
    #[error("{0}")]
    Internal(String),
    /// The response is not the expected data: keep the stored rows, and report it.
    #[error("{0}")]
    NotData(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<T> {
    pub rows: Vec<T>,
    pub rejects: Vec<Reject>,
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), rejects: Vec::new() }
    }
}

impl<T> Reading<T> {
    pub(crate) fn reject(&mut self, file: &str, line: u64, reason: String) -> Result<(), Fault> {
        if self.rejects.len() >= MOST_REJECTS {
            return Err(too_many_rejects(file, line, &reason));
        }
        self.rejects.push(Reject { file: file.to_owned(), line, reason });
        Ok(())
    }
}

pub(crate) fn too_many_rejects(file: &str, line: u64, reason: &str) -> Fault {
    Fault::NotData(format!(
        "{file}: more than {MOST_REJECTS} rows cannot be read, so this is not the file we know; the last, at {line}: {reason}"
    ))
}
