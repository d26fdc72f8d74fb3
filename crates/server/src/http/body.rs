//! What an answer's bytes come from: memory, where they lie whole, or a stream that makes them as they are read.
//!
//! Nearly every answer is whole and costs no more than its bytes. Only a bulk export is streamed.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

pub enum Body {
    Whole(Bytes),
    /// Stands for a stream whose header alone was asked for.
    Unsent,
    /// Asked for more only when the client has taken what there was.
    Stream(Box<dyn hyper::body::Body<Data = Bytes, Error = Broken> + Send + Unpin>),
}

/// A stream that cannot be finished. The connection breaks, so that nobody takes a part for the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body broke off: {0}")]
pub struct Broken(pub &'static str);

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Unsent => Poll::Ready(None),
            Self::Stream(stream) => Pin::new(stream).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            // Not the end: that would be a body of no bytes, and its length would be told.
            Self::Unsent => false,
            Self::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Unsent => SizeHint::default(),
            Self::Stream(stream) => stream.size_hint(),
        }
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
            Self::Unsent => f.write_str("Unsent"),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}
