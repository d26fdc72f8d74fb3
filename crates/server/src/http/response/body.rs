//! The source of a response's bytes: complete in memory, or a stream that produces them as they are read.
//!
//! Nearly every response is complete and costs no more than its bytes. Bulk exports are streamed, and so are changes that
//! are yet to come. `outgoing` sends the body.

use std::fmt;

use bytes::Bytes;

pub enum Body {
    Whole(Bytes),
    /// Replaces a stream if only the headers were requested.
    HeadOnly,
    /// Polled only when the client has read the bytes before.
    Stream(Pieces),
    /// Like `Stream`, but it may have nothing to send for long.
    Follow(Pieces),
}

/// A body that is produced as it is read.
pub type Pieces = Box<dyn hyper::body::Body<Data = Bytes, Error = Broken> + Send + Unpin>;

/// The error of a stream that cannot be finished. The connection is cut, so that a part is never taken for the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body broke off: {0}")]
pub struct Broken(pub &'static str);

impl Body {
    /// Whether there is no body, and nothing to say of its type.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }
}

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
            Self::Follow(_) => f.write_str("Follow"),
        }
    }
}
