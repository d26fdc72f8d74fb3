//! A body being sent: passed to hyper in small chunks, and counted until the socket has accepted them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::Version;
use hyper::body::{Frame, SizeHint};

use super::body::{Body, Broken, Pieces};
use crate::http::connections::connection::{Connection, Following};
use crate::http::connections::unsent::Unsent;
use crate::http::request::head::Head;

/// Bytes passed to hyper at once. A client must read this much before a response counts as stalled, so it is small: a
/// slow client is not a stalled one. HTTP/2 frames are no larger either.
const CHUNK: usize = 16 * 1024;

pub struct Outgoing {
    connection: Arc<Connection>,
    /// The current piece, and its entry in the count of unsent bytes.
    piece: Bytes,
    unsent: Option<Unsent>,
    rest: Rest,
}

/// The body after the current piece.
enum Rest {
    Nothing,
    /// A body that is left out, because only the headers were requested.
    HeadOnly,
    /// An empty final frame: over HTTP/2 the headers are queued like any body, and counted until they are sent.
    End(Option<Unsent>),
    /// The `Unsent` counts the stream itself, beside its current piece.
    Stream(Pieces, Unsent),
    /// A body that is sent without hyper (see [`parked`](crate::http::parked)).
    Parked,
    /// A stream that waits for something to send. Meanwhile no client is to blame, so only its pieces count as unsent.
    Follow {
        pieces: Pieces,
        may_park: bool,
        _following: Following,
    },
}

impl Rest {
    fn unsent(&mut self) -> Option<&mut Unsent> {
        match self {
            Self::Stream(_, unsent) => Some(unsent),
            Self::Nothing | Self::HeadOnly | Self::End(_) | Self::Parked | Self::Follow { .. } => None,
        }
    }
}

impl Outgoing {
    pub fn new(connection: &Arc<Connection>, body: Body, request: Head<'_>) -> Self {
        let version = request.0.version;
        let end = || Rest::End(Some(Unsent::new(connection, 0)));
        let (piece, rest) = match body {
            Body::Whole(bytes) if bytes.is_empty() && version == Version::HTTP_2 => (bytes, end()),
            Body::Whole(bytes) => (bytes, Rest::Nothing),
            Body::HeadOnly if version == Version::HTTP_2 => (Bytes::new(), end()),
            Body::HeadOnly => (Bytes::new(), Rest::HeadOnly),
            Body::Stream(pieces) => (Bytes::new(), Rest::Stream(pieces, Unsent::new(connection, 0))),
            Body::Follow(pieces) => {
                let (may_park, following) = (request.is_followed_by_another(), connection.follows());
                (Bytes::new(), Rest::Follow { pieces, may_park, _following: following })
            }
        };
        let mut outgoing =
            Self { connection: Arc::clone(connection), piece: Bytes::new(), unsent: None, rest };
        outgoing.take_up(piece);
        outgoing
    }

    /// Takes the body if it waits for something to send and the connection serves another request after it. What is left
    /// has no bytes and no end.
    pub fn park(&mut self) -> Option<Self> {
        matches!(self.rest, Rest::Follow { may_park: true, .. }).then(|| {
            let parked = Self {
                connection: Arc::clone(&self.connection),
                piece: Bytes::new(),
                unsent: None,
                rest: Rest::Parked,
            };
            std::mem::replace(self, parked)
        })
    }

    fn take_up(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.unsent = Some(Unsent::new(&self.connection, own_bytes(&piece)));
            self.piece = piece;
        }
    }

    /// The next bytes of the current piece. The last chunk takes its entry in the count along.
    fn chunk(&mut self) -> Chunk {
        self.connection.advance();
        self.unsent.iter_mut().chain(self.rest.unsent()).for_each(Unsent::progressed);
        if self.piece.len() > CHUNK {
            return Chunk { bytes: self.piece.split_to(CHUNK), unsent: None };
        }
        Chunk { bytes: std::mem::take(&mut self.piece), unsent: self.unsent.take() }
    }
}

/// Memory that only this piece keeps allocated. Bytes also held by the binary or a cache cost next to nothing.
fn own_bytes(piece: &Bytes) -> usize {
    if piece.is_unique() { piece.len() } else { piece.len().min(CHUNK) }
}

impl hyper::body::Body for Outgoing {
    type Data = Chunk;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Chunk>, Broken>>> {
        let outgoing = self.get_mut();
        while outgoing.piece.is_empty() {
            let pieces = match &mut outgoing.rest {
                Rest::Stream(pieces, _) | Rest::Follow { pieces, .. } => pieces,
                Rest::End(unsent @ Some(_)) => {
                    let end = Chunk { bytes: Bytes::new(), unsent: unsent.take() };
                    return Poll::Ready(Some(Ok(Frame::data(end))));
                }
                Rest::Parked => return Poll::Pending,
                Rest::Nothing | Rest::HeadOnly | Rest::End(None) => return Poll::Ready(None),
            };
            match ready!(Pin::new(pieces).poll_frame(cx)) {
                Some(Ok(frame)) => outgoing.take_up(frame.into_data().unwrap_or_default()),
                Some(Err(broken)) => return Poll::Ready(Some(Err(broken))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(outgoing.chunk()))))
    }

    fn is_end_stream(&self) -> bool {
        // Headers alone are not the end: hyper would send a length of zero.
        self.piece.is_empty() && matches!(self.rest, Rest::Nothing | Rest::End(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self.rest {
            Rest::Nothing => SizeHint::with_exact(self.piece.len() as u64),
            Rest::Stream(ref pieces, _) if self.piece.is_empty() => pieces.size_hint(),
            Rest::HeadOnly | Rest::End(_) | Rest::Parked | Rest::Stream(..) | Rest::Follow { .. } => {
                SizeHint::default()
            }
        }
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing").field("at_hand", &self.piece.len()).finish_non_exhaustive()
    }
}

/// Bytes being sent to the socket.
#[derive(Debug)]
pub struct Chunk {
    bytes: Bytes,
    /// Dropped with the bytes.
    #[allow(dead_code, reason = "it counts by being there")]
    unsent: Option<Unsent>,
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }

    fn copy_to_bytes(&mut self, length: usize) -> Bytes {
        self.bytes.copy_to_bytes(length)
    }
}
