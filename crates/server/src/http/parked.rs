//! Responses over HTTP/1 that wait without hyper.
//!
//! A client that waits for changes keeps its connection for long, with nothing to send. hyper holds 20 KiB for it all the time:
//! two buffers, and room for headers. So once it has sent the head of such a response, the connection leaves hyper. The
//! body is sent from here, in the chunks that the head announced, and then hyper serves the next request.
//!
//! 10,000 such connections take a third of the memory that hyper would need (`bench/waiting`).

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Buf;
use http::{Response, header};
use hyper::body::Body;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::connections::connection::Connection;
use super::connections::inbound::Inbound;
use super::response::outgoing::Outgoing;

/// The body that waits on a connection. There is at most one, because HTTP/1 answers in turn.
#[derive(Debug, Clone, Default)]
pub struct Parking(Arc<Mutex<Option<Outgoing>>>);

impl Parking {
    /// Keeps the body if it waits for something to send, unless the connection ends with it. hyper sends the head, and then waits in vain.
    pub fn park(&self, connection: &Connection, mut response: Response<Outgoing>) -> Response<Outgoing> {
        if !response.headers().contains_key(header::CONNECTION)
            && let Some(body) = response.body_mut().park()
        {
            // From here on, a flush is one of the head.
            connection.was_flushed();
            *connection.last_head.lock() = None;
            *self.0.lock() = Some(body);
        }
        response
    }

    /// The body, once hyper has written the head.
    pub fn leave(&self, connection: &Connection) -> Option<Outgoing> {
        connection.was_flushed().then(|| self.0.lock().take()).flatten()
    }
}

/// Sends a body in chunks (RFC 9112, section 7.1), each as soon as there is one.
pub async fn send<S>(stream: &mut Inbound<S>, mut body: Outgoing) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // Below hyper, TLS may still hold a part of the head.
    stream.flush().await?;
    let mut next = async |stream: &mut Inbound<S>| {
        poll_fn(|cx| {
            stream.look_for_end(cx);
            Pin::new(&mut body).poll_frame(cx)
        })
        .await
    };
    while let Some(frame) = next(stream).await {
        let Ok(chunk) = frame.map_err(io::Error::other)?.into_data() else { continue };
        let length = format!("{:x}\r\n", chunk.remaining());
        stream.write_all_buf(&mut length.as_bytes().chain(chunk).chain(&b"\r\n"[..])).await?;
        stream.flush().await?;
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await
}
