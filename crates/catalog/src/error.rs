//! Errors while building a part: too much data. Reading cannot fail.

use lastro_search::TooLarge;

/// The reason a part could not be built. The part in service stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Positions and text offsets take four bytes each.
    #[error("too much data for one part: {0} does not fit in 32 bits")]
    TooLarge(&'static str),
}

impl From<TooLarge> for BuildError {
    fn from(TooLarge(what): TooLarge) -> Self {
        Self::TooLarge(what)
    }
}
