//! Responses over HTTP/1 that wait without hyper.
//!
//! A client that waits for changes keeps its connection for long, with nothing to send. hyper holds 20 KiB for it all the time:
//! two buffers, and room for headers. So once it has sent the head of such a response, the connection leaves hyper. The
//! body is sent from here, in the chunks that the head announced, and then hyper serves the next request.
//!
//! Such a connection takes a quarter of the memory (`bench/waiting`).

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Buf;
use http::{Response, header};
use hyper::body::{Body, Frame};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::connections::connection::Connection;
use super::connections::inbound::Inbound;
use super::connections::unsent::Unsent;
use super::response::body::Broken;
use super::response::outgoing::{Chunk, Outgoing};

/// The response that waits on a connection. There is at most one, because HTTP/1 answers in turn.
#[derive(Debug, Clone, Default)]
pub struct Parking(Arc<Mutex<Option<Parked>>>);

/// A response without its head, which is counted until it is sent: a client that does not read it is found by the sweep.
#[derive(Debug)]
pub struct Parked {
    head: Unsent,
    body: Outgoing,
}

impl Parking {
    /// Keeps the body if it waits for something to send, unless the connection ends with it. hyper sends the head, and then waits in vain.
    pub fn park(&self, connection: &Arc<Connection>, mut response: Response<Outgoing>) -> Response<Outgoing> {
        if !response.headers().contains_key(header::CONNECTION)
            && let Some(body) = response.body_mut().park()
        {
            *connection.last_head.lock() = None;
            // From here on, a flush is one of the head.
            connection.take_flush();
            *self.0.lock() = Some(Parked { head: Unsent::new(connection, 0), body });
        }
        response
    }

    /// The response, once hyper has written the head.
    pub fn leave(&self, connection: &Connection) -> Option<Parked> {
        connection.take_flush().then(|| self.0.lock().take()).flatten()
    }
}

impl Parked {
    /// Sends the body in chunks (RFC 9112, section 7.1), each as soon as there is one.
    pub async fn send<S>(self, stream: &mut Inbound<S>) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Self { head, mut body } = self;
        // Below hyper, TLS may still hold a part of it.
        stream.flush().await?;
        drop(head);
        while let Some(frame) = next(stream, &mut body).await {
            let Ok(chunk) = frame.map_err(io::Error::other)?.into_data() else { continue };
            let length = format!("{:x}\r\n", chunk.remaining());
            // Alive until it is flushed, because it counts as unsent until then.
            let mut framed = length.as_bytes().chain(chunk).chain(&b"\r\n"[..]);
            stream.write_all_buf(&mut framed).await?;
            stream.flush().await?;
        }
        drop(body);
        stream.write_all(b"0\r\n\r\n").await?;
        stream.flush().await
    }
}

/// Waits for the next piece of the body; if the client goes meanwhile, the connection is hung up.
async fn next<S>(stream: &mut Inbound<S>, body: &mut Outgoing) -> Option<Result<Frame<Chunk>, Broken>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    poll_fn(|cx| {
        stream.look_for_end(cx);
        Pin::new(&mut *body).poll_frame(cx)
    })
    .await
}
