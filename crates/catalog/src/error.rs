//! What can go wrong: too much data while building, a failing index while searching. Never the caller's words.

/// Why a part could not be built. The part in service stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Positions and text offsets take four bytes each.
    #[error("too much data for one part: {0} does not fit in 32 bits")]
    TooLarge(&'static str),
    #[error("the search index could not be built")]
    Index(#[from] tantivy::TantivyError),
    #[error("a thread that built the search index ended early")]
    Thread,
}

/// The index failed to answer. No text that a client can send causes this.
#[derive(Debug, thiserror::Error)]
#[error("the search index could not be read")]
pub struct SearchError(#[from] tantivy::TantivyError);
