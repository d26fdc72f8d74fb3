//! A client's stream, with what comes in on it counted: bytes that are no request yet, and frames that ask for nothing.
//!
//! hyper and h2 buffer what is half-sent and act on every frame, without a limit that a flood would meet. So the bytes
//! pass here first. Of HTTP/2 only the nine bytes before each frame are looked at. A connection earns frames by requests
//! and by the answers it takes; one that has sent thousands more is told ENHANCE_YOUR_CALM and closed.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::LARGEST_HEAD;
use super::connection::{Connection, OF_HTTP1, OF_HTTP2};
use super::pending::Charge;
use super::totals::Reason;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes that each connection has room for anyway: hyper's first buffer.
const FREE_BYTES: usize = 8 * 1024;
/// No more of one HTTP/1 connection is buffered than this, by hyper or, while it shakes hands over TLS, by rustls.
const LARGEST_BUFFER: usize = 64 * 1024;
/// Frames of HTTP/2 that a connection may have sent beyond what it has earned.
const MOST_UNEARNED_FRAMES: u32 = 4096;
/// Frames that a request or a taken piece of an answer earns: its own, window updates, acknowledgements.
const FRAMES_PER_STEP: u32 = 32;
/// A one-byte reference of HPACK takes about this much as a header in memory.
const HEADER_EXPANSION: usize = 96;
/// A decoded header list is no larger than this: a reference counts 35 bytes or more towards the list's limit.
const LARGEST_HEADER_BLOCK: usize = LARGEST_HEAD / 35 * HEADER_EXPANSION;

const FRAME_HEAD: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
/// GOAWAY on stream 0 with the highest stream number and the code ENHANCE_YOUR_CALM (RFC 9113, section 6.8).
const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0x0b];

#[derive(Debug)]
pub struct Inbound<S> {
    stream: S,
    connection: Arc<Connection>,
    protocol: Protocol,
    /// Progress of the connection as of the last read.
    seen: u32,
    charge: Charge,
    /// Whether the last write was taken whole, so that another frame may follow.
    between_writes: bool,
}

#[derive(Debug)]
enum Protocol {
    /// So many bytes of the preface of HTTP/2 have come, and nothing else.
    Undecided(usize),
    /// HTTP/1, or TLS below any protocol: so many bytes have come since the last request.
    Http1(usize),
    Http2(Frames),
}

impl<S> Inbound<S> {
    pub fn new(connection: &Arc<Connection>, stream: S) -> Self {
        let (connection, charge) = (Arc::clone(connection), Charge::new(connection));
        let (protocol, seen) = (Protocol::Undecided(0), connection.progress());
        Self { stream, connection, protocol, seen, charge, between_writes: true }
    }

    /// Counts what was read; says whether the connection may go on.
    fn count(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        let progress = self.connection.progress();
        let steps = progress.wrapping_sub(std::mem::replace(&mut self.seen, progress));
        let bytes = self.decide(bytes);
        let held = match &mut self.protocol {
            Protocol::Undecided(_) => 0,
            Protocol::Http1(since_request) => {
                *since_request = bytes.len() + if steps == 0 { *since_request } else { 0 };
                LARGEST_BUFFER.min(*since_request)
            }
            Protocol::Http2(frames) => {
                frames.earn(steps);
                frames.read(bytes);
                if frames.unearned > MOST_UNEARNED_FRAMES {
                    return Err(Reason::Flood);
                }
                frames.held()
            }
        };
        let fits = self.charge.set(held.saturating_sub(FREE_BYTES));
        if fits { Ok(()) } else { Err(Reason::Pressure) }
    }

    /// Finds out which protocol is spoken; gives the bytes that belong to it.
    fn decide<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Protocol::Undecided(matched) = self.protocol else { return bytes };
        let expected = &PREFACE[matched..];
        let compared = expected.len().min(bytes.len());
        if bytes[..compared] != expected[..compared] {
            self.protocol = Protocol::Http1(matched);
            self.connection.occupy(OF_HTTP1);
            return bytes;
        }
        self.protocol = Protocol::Undecided(matched + compared);
        if matched + compared == PREFACE.len() {
            self.protocol = Protocol::Http2(Frames::default());
            self.connection.occupy(OF_HTTP2);
        }
        &bytes[compared..]
    }
}

/// The frames of an HTTP/2 connection, as far as their heads tell.
#[derive(Debug, Default)]
struct Frames {
    head: [u8; FRAME_HEAD],
    /// Bytes of the head that have come.
    filled: usize,
    /// Bytes of the payload that have come, and that are to come.
    come: usize,
    missing: usize,
    /// Bytes of a header block that has not ended, in whole frames.
    block: usize,
    /// Frames sent beyond what was earned.
    unearned: u32,
}

impl Frames {
    fn earn(&mut self, steps: u32) {
        self.unearned = self.unearned.saturating_sub(steps.saturating_mul(FRAMES_PER_STEP));
    }

    fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let filling = (FRAME_HEAD - self.filled).min(bytes.len());
            self.head[self.filled..][..filling].copy_from_slice(&bytes[..filling]);
            self.filled += filling;
            bytes = &bytes[filling..];
            if self.filled < FRAME_HEAD {
                return;
            }
            if filling > 0 {
                self.begin();
            }
            let taken = self.missing.min(bytes.len());
            (self.come, self.missing) = (self.come + taken, self.missing - taken);
            bytes = &bytes[taken..];
            if self.missing == 0 {
                self.end();
            }
        }
    }

    /// The head of a frame is whole.
    fn begin(&mut self) {
        let [high, middle, low, ..] = self.head;
        (self.come, self.missing) = (0, u32::from_be_bytes([0, high, middle, low]) as usize);
        self.unearned += 1;
    }

    fn end(&mut self) {
        let [_, _, _, kind, flags, ..] = self.head;
        self.block = match kind {
            HEADERS | CONTINUATION if flags & END_HEADERS == 0 => self.block + self.come,
            _ => 0,
        };
        (self.filled, self.come) = (0, 0);
    }

    /// About as many bytes as h2 holds of what is half-sent.
    fn held(&self) -> usize {
        self.come + (self.block * HEADER_EXPANSION).min(LARGEST_HEADER_BLOCK)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Inbound<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        match self.count(&buffer.filled()[before..]) {
            Ok(()) => Poll::Ready(Ok(())),
            Err(reason) => {
                self.send_away(cx, reason);
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> Inbound<S> {
    /// Ends the connection, with a word to whoever speaks HTTP/2 and takes it at once.
    fn send_away(&mut self, cx: &mut Context<'_>, reason: Reason) {
        self.connection.hang_up(reason);
        if matches!(self.protocol, Protocol::Http2(_)) && self.between_writes {
            let stream = &mut self.stream;
            let _ = Pin::new(&mut *stream).poll_write(cx, &GO_AWAY);
            let _ = Pin::new(stream).poll_flush(cx);
        }
    }

    fn written(&mut self, offered: usize, taken: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(taken)) = taken {
            self.between_writes = taken == offered;
        }
        taken
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Inbound<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let taken = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(bytes.len(), taken)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let taken = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.written(pieces.iter().map(|piece| piece.len()).sum(), taken)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
