//! What an answer's bytes come from: memory, where they lie whole, or a stream that makes them as they are read.
//!
//! Nearly every answer is whole and costs no more than its bytes. Only a bulk export is streamed. How a body leaves is
//! told by `outgoing`.

use std::fmt;

use bytes::Bytes;

pub enum Body {
    Whole(Bytes),
    /// Stands for a stream whose header alone was asked for.
    HeadOnly,
    /// Asked for more only when the client has taken what there was.
    Stream(Pieces),
}

/// A body that is made as it is read.
pub type Pieces = Box<dyn hyper::body::Body<Data = Bytes, Error = Broken> + Send + Unpin>;

/// A stream that cannot be finished. The connection breaks, so that nobody takes a part for the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body broke off: {0}")]
pub struct Broken(pub &'static str);

impl Default for Body {
    fn default() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::Whole(bytes)
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Whole(bytes.into())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "Whole({} bytes)", bytes.len()),
            Self::HeadOnly => f.write_str("HeadOnly"),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}
