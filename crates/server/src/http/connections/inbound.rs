//! A client's stream that counts incoming bytes: those that form no request yet, and frames without purpose.
//!
//! hyper and h2 buffer incomplete input and process every frame, with no limit that stops a flood. So the bytes pass
//! here first; [`super::frames`] tracks those of HTTP/2. A flooding connection gets ENHANCE_YOUR_CALM and is closed.
//!
//! hyper reads nothing while an HTTP/1 response is being sent, because a client may have closed its sending side and still
//! read. A response that waits for changes may have nothing to send for long, so that a client which is gone would keep
//! its place. During such a response we look for the end ourselves, and take it as the client's.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::Connection;
use super::frames::Frames;
use super::pending::Charge;
use super::totals::Reason;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes not charged, because each connection allocates them anyway: hyper's first buffer.
const FREE_BYTES: usize = 8 * 1024;
/// Most bytes buffered for one HTTP/1 connection, by hyper or, during a TLS handshake, by rustls.
const LARGEST_BUFFER: usize = 64 * 1024;
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
    /// Whether the last write was accepted completely, so that another frame may follow.
    between_writes: bool,
    /// Bytes that were read before hyper asked for them, or that it gave back.
    ahead: BytesMut,
    /// Most bytes that are read ahead.
    most_ahead: usize,
}

#[derive(Debug)]
enum Protocol {
    /// HTTP/1, or TLS below any protocol, with the bytes received since the last request, not counting those read ahead, and
    /// the bytes of the last read.
    Http1 {
        since_request: usize,
        last_read: usize,
    },
    Http2(Frames),
}

impl<S> Inbound<S> {
    pub fn new(connection: &Arc<Connection>, stream: S) -> Self {
        let (connection, charge) = (Arc::clone(connection), Charge::new(connection));
        let protocol = Protocol::Http1 { since_request: 0, last_read: 0 };
        let (seen, ahead) = (connection.progress(), BytesMut::new());
        Self {
            stream,
            connection,
            protocol,
            seen,
            charge,
            between_writes: true,
            ahead,
            most_ahead: PREFACE.len(),
        }
    }

    /// Credits the requests and response chunks since the last read.
    fn settle(&mut self) {
        let progress = self.connection.progress();
        let steps = progress.wrapping_sub(std::mem::replace(&mut self.seen, progress));
        if steps == 0 {
            return;
        }
        match &mut self.protocol {
            // The last read may contain the start of the next request.
            Protocol::Http1 { since_request, last_read } => *since_request = *last_read,
            Protocol::Http2(frames) => frames.earn(steps),
        }
        // It is smaller than before, so it always fits.
        self.charge.set(self.held());
    }

    /// Counts the bytes read after those that were read ahead; returns a reason if the connection must end.
    fn count(&mut self, ahead: usize, bytes: &[u8]) -> Result<(), Reason> {
        match &mut self.protocol {
            Protocol::Http1 { since_request, last_read } => {
                *last_read = ahead + bytes.len();
                *since_request += bytes.len();
            }
            Protocol::Http2(frames) => {
                frames.read(bytes);
                if frames.is_flood() {
                    return Err(Reason::Flood);
                }
                if frames.is_heavy() && !self.connection.trusted {
                    self.connection.close(Reason::Heavy);
                }
            }
        }
        if self.charge.set(self.held()) { Ok(()) } else { Err(Reason::Pressure) }
    }

    /// Bytes held of the input, beyond those that each connection allocates anyway.
    fn held(&self) -> usize {
        let held = match &self.protocol {
            Protocol::Http1 { since_request, .. } => LARGEST_BUFFER.min(*since_request),
            // A trusted proxy's header compression is controlled by the operator, not by a stranger.
            Protocol::Http2(frames) if self.connection.trusted => frames.half_sent(),
            Protocol::Http2(frames) => frames.half_sent() + frames.unearned_bytes(),
        };
        held.saturating_sub(FREE_BYTES)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Inbound<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.settle();
        let start = buffer.filled().len();
        if !self.ahead.is_empty() {
            let fits = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead[..fits]);
            self.ahead.advance(fits);
            if self.ahead.is_empty() {
                // Its memory goes with it.
                self.ahead = BytesMut::new();
            }
        }
        let before = buffer.filled().len();
        // In one piece with what follows: hyper enlarges its buffer before it reads a second piece.
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if before == start {
            ready!(read)?;
        }
        match self.count(before - start, &buffer.filled()[before..]) {
            Ok(()) => Poll::Ready(Ok(())),
            Err(reason) => {
                self.send_away(cx, reason);
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> Inbound<S> {
    /// Reads until the client's protocol is known; whether it is HTTP/2.
    pub fn poll_is_http2(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        while PREFACE.starts_with(&self.ahead) && self.ahead.len() < PREFACE.len() {
            let mut bytes = [0; PREFACE.len()];
            let mut buffer = ReadBuf::new(&mut bytes[self.ahead.len()..]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                break;
            }
            self.ahead.extend_from_slice(buffer.filled());
        }
        let is_http2 = *self.ahead == *PREFACE;
        if is_http2 {
            self.protocol = Protocol::Http2(Frames::default());
        }
        Poll::Ready(Ok(is_http2))
    }

    /// Takes back bytes that were read already: they come first in the next read. Copied, because they may be the end of a
    /// large buffer.
    pub fn give_back(&mut self, unused: &[u8]) {
        let after = std::mem::replace(&mut self.ahead, BytesMut::from(unused));
        self.ahead.extend_from_slice(&after);
        self.most_ahead = self.ahead.len() + PREFACE.len();
    }

    /// Hangs up if the client is gone while a response waits for something to send. Otherwise the task is woken when the
    /// client goes, unless it has sent more than fits.
    pub fn look_for_end(&mut self, cx: &mut Context<'_>) {
        let is_http1 = matches!(self.protocol, Protocol::Http1 { .. });
        while is_http1 && self.ahead.len() < self.most_ahead && self.connection.is_following() {
            let mut byte = [0];
            let mut buffer = ReadBuf::new(&mut byte);
            let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, &mut buffer) else { return };
            match read.ok().and_then(|()| buffer.filled().first()) {
                Some(byte) => self.ahead.extend_from_slice(&[*byte]),
                None => return self.connection.cut_off(),
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> Inbound<S> {
    /// Ends the connection. An HTTP/2 client gets a GOAWAY if the socket accepts it at once.
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

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Inbound<S> {
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
        // hyper flushes whenever it is woken and has nothing left to write.
        if self.connection.is_following() {
            self.connection.note_flush();
            self.look_for_end(cx);
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
