//! The accept loop: HTTP/1.1 and HTTP/2 on one port, without TLS or with it, and a limit for everything a client can hold
//! on to.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use super::certificate::Certificate;
use super::connections::connection::{Connection, State};
use super::connections::inbound::Inbound;
use super::connections::{Admitted, LARGEST_HEAD};
use super::edge;
use super::response::outgoing::Outgoing;
use crate::jobs::stopped;
use crate::state::App;

/// How long running requests are waited for when the service stops.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long is waited after a failure to accept: without descriptors, the next attempt would fail as well.
pub const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
const BETWEEN_WARNINGS_NS: u64 = 10_000_000_000;

/// Serves until `stop` turns true, then finishes what is running and returns. With a certificate it speaks TLS alone.
pub async fn serve(app: Arc<App>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
    let mut failures = AcceptFailures::default();
    loop {
        let accepted = tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = next_connection(&app, &listener) => accepted,
        };
        match accepted {
            Ok((stream, peer)) => admit(&app, stream, peer.ip()),
            // Out of file descriptors, or a client gone before it was greeted: neither ends the service.
            Err(error) => {
                failures.note(&error, app.clock.monotonic_ns());
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIMEOUT, app.connections.finish()).await.is_err() {
        tracing::warn!("some requests did not end in time and were cut off");
        app.connections.cut_off();
    }
}

/// A connection without TLS or with it: one type, so that the protocols are compiled once.
type Stream = Either<TcpStream, Box<TlsStream<Inbound<TcpStream>>>>;

/// Waits for a free place first: who cannot be served yet waits in the system's queue, not in our memory.
async fn next_connection(app: &App, listener: &TcpListener) -> std::io::Result<(TcpStream, SocketAddr)> {
    app.connections.wait_for_place().await;
    listener.accept().await
}

/// Speaks with a client, or closes the connection at once where its address has too many.
fn admit(app: &Arc<App>, stream: TcpStream, peer: IpAddr) {
    if let Some(admitted) = app.connections.admit(peer, app.proxies.trusts(peer)) {
        // A small answer must not wait for the next one to fill a packet.
        let _ = stream.set_nodelay(true);
        match &app.certificate {
            None => tokio::spawn(serve_connection(Arc::clone(app), admitted, Stream::Left(stream))),
            Some(certificate) => {
                tokio::spawn(serve_tls(Arc::clone(app), Arc::clone(certificate), admitted, stream))
            }
        };
    }
}

/// AcceptFailures to accept. One line in ten seconds tells of them, however many they are.
#[derive(Debug, Default)]
pub struct AcceptFailures {
    untold: u64,
    next_line_ns: u64,
}

impl AcceptFailures {
    pub fn note(&mut self, error: &std::io::Error, now_ns: u64) {
        if let Some(times) = self.due(now_ns) {
            tracing::warn!(%error, times, "could not accept connections");
        }
    }

    /// How many were not told of, this one included, if it is time to tell.
    fn due(&mut self, now_ns: u64) -> Option<u64> {
        self.untold += 1;
        if now_ns < self.next_line_ns {
            return None;
        }
        self.next_line_ns = now_ns + BETWEEN_WARNINGS_NS;
        Some(std::mem::take(&mut self.untold))
    }
}

/// No time limit stands here: the sweep ends whoever is too slow.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Who has asked and says no more may still want the answer.
    builder.http1().header_read_timeout(None).max_buf_size(LARGEST_HEAD).half_close(true);
    builder
        .http2()
        // Each stream costs memory and a task, and h2 keeps room for as many as there ever were at once.
        .max_concurrent_streams(32)
        .max_header_list_size(LARGEST_HEAD as u32)
        // What one stream may have queued: a chunk, and the next while that goes out.
        .max_send_buf_size(32 * 1024)
        // Bodies that nobody has read yet. The largest that we take fits; the protocol knows no smaller one for all streams.
        .initial_stream_window_size(32 * 1024)
        .initial_connection_window_size(64 * 1024)
        // Streams that were reset before we looked at them: more than a few in a row are an attack, and end it.
        .max_pending_accept_reset_streams(20)
        // Streams that we reset ourselves. A client may have guessed how many it may open before it was told.
        .max_local_error_reset_streams(200);
    builder
}

/// One connection over TLS, to its end. The handshake is a part of it like any other: who does not finish it is silent.
async fn serve_tls(app: Arc<App>, certificate: Arc<Certificate>, admitted: Admitted, stream: TcpStream) {
    match handshake(&certificate, admitted.connection(), stream).await {
        Some(Ok(stream)) => serve_connection(app, admitted, Stream::Right(Box::new(stream))).await,
        Some(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        None => {}
    }
}

/// None when the connection is to close before it has come to anything: nothing was asked on it yet.
async fn handshake(
    certificate: &Certificate,
    connection: &Arc<Connection>,
    stream: TcpStream,
) -> Option<std::io::Result<TlsStream<Inbound<TcpStream>>>> {
    let mut accept = pin!(certificate.accept(Inbound::new(connection, stream)));
    poll_fn(|cx| match connection.poll_state(cx) {
        State::Open => accept.as_mut().poll(cx).map(Some),
        State::Closing | State::HungUp => Poll::Ready(None),
    })
    .await
}

/// One connection over any stream, to its end. The benchmark's stream is memory and no network.
pub async fn serve_connection<S>(app: Arc<App>, admitted: Admitted, stream: S)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = admitted.connection();
    let protocol = protocol();
    let service = service(app, Arc::clone(connection));
    let mut conversation =
        pin!(protocol.serve_connection(TokioIo::new(Inbound::new(connection, stream)), service));
    let mut asked_to_close = false;
    let ended = poll_fn(|cx| {
        match connection.poll_state(cx) {
            State::Open => {}
            State::Closing if asked_to_close => {}
            State::Closing => {
                asked_to_close = true;
                conversation.as_mut().graceful_shutdown();
            }
            State::HungUp => return Ok(()).into(),
        }
        conversation.as_mut().poll(cx)
    });
    if let Err(error) = ended.await {
        tracing::debug!(%error, "a connection broke");
    }
    // Requests of it that wait need no answer any more.
    connection.cut_off();
}

fn service(
    app: Arc<App>,
    connection: Arc<Connection>,
) -> impl Service<Request<Incoming>, Response = Response<Outgoing>, Error = Infallible, Future: Send> + use<>
{
    service_fn(move |request| edge::answer(&app, &connection, request))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_to_accept_are_told_once_in_ten_seconds_with_their_number() {
        let mut failures = AcceptFailures::default();
        let told: Vec<_> =
            (0..250).filter_map(|times| failures.due(times * ACCEPT_RETRY_DELAY.as_nanos() as u64)).collect();
        assert_eq!(told, [1, 200]);
    }
}
