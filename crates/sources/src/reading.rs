//! How a reading ends: rows, the rows that could not be read, or the reason why there are none.

use lastro_model::Reject;

/// How many rows of one file may be unreadable before it is held to be another kind of file.
///
/// The real files have none; the limit also bounds what a file of rubbish can make us remember.
pub const MOST_REJECTS: usize = 1_000;

/// Why an answer gave no data at all. The sentences are for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The publisher is in trouble: ask again later.
    #[error("{0}")]
    Transient(String),
    /// The mistake is on our side, as when the publisher refuses the question: asking again cannot help.
    #[error("{0}")]
    Internal(String),
    /// What came is not the data we know: keep what is held, and tell somebody.
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
