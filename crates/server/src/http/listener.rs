//! The accept loop: HTTP/1.1 and HTTP/2 on one port, with or without TLS, and a limit for every resource a client
//! can hold.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::Either;
use futures_util::{FutureExt, TryFutureExt};
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulConnection;
use lastro_background::wait::stopped;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

use super::app::App;
use super::certificate::Certificate;
use super::connections::connection::{Connection, State};
use super::connections::inbound::Inbound;
use super::connections::{Admitted, LARGEST_HEAD};
use super::edge::{self, ResponseFuture};
use super::parked::{Parked, Parking};
use super::response::outgoing::Outgoing;
use super::streams::{Streams, streams};

/// Longest wait for running requests at shutdown.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Delay after a failed accept: without free file descriptors, an immediate retry would fail as well.
pub const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
const BETWEEN_WARNINGS_NS: u64 = 10_000_000_000;

/// Serves until `stop` turns true, then finishes running requests and returns. With a certificate, only TLS is served.
pub async fn serve(app: Arc<App>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
    let mut failures = AcceptFailures::default();
    loop {
        let accepted = tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = next_connection(&app, &listener) => accepted,
        };
        match accepted {
            Ok((stream, peer)) => admit(&app, stream, peer.ip()),
            // Out of file descriptors, or the client disconnected early: neither ends the service.
            Err(error) => {
                failures.note(&error, app.clock.monotonic_ns());
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIMEOUT, app.connections.finish()).await.is_err() {
        tracing::warn!("some requests did not end in time and were aborted");
        app.connections.cut_off();
    }
}

/// A connection with or without TLS, as one type, so that the protocol code is compiled once.
type Stream = tokio_util::either::Either<TcpStream, Box<TlsStream<Inbound<TcpStream>>>>;

/// Accepts once there is a free place: excess clients wait in the system's queue, not in our memory.
async fn next_connection(app: &App, listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    app.connections.wait_for_place().await;
    listener.accept().await
}

/// Serves a client, or closes the connection at once if its address has too many.
fn admit(app: &Arc<App>, stream: TcpStream, peer: IpAddr) {
    if let Some(admitted) = app.connections.admit(peer, app.access.proxies.load().trusts(peer)) {
        // A small response must not wait for the next one to fill a packet.
        let _ = stream.set_nodelay(true);
        match &app.certificate {
            None => tokio::spawn(serve_connection(Arc::clone(app), admitted, Stream::Left(stream))),
            Some(certificate) => {
                tokio::spawn(serve_tls(Arc::clone(app), Arc::clone(certificate), admitted, stream))
            }
        };
    }
}

/// Accept failures, logged at most once in ten seconds, with their number.
#[derive(Debug, Default)]
pub struct AcceptFailures {
    unlogged: u64,
    next_line_ns: u64,
}

impl AcceptFailures {
    pub fn note(&mut self, error: &io::Error, now_ns: u64) {
        if let Some(times) = self.due(now_ns) {
            tracing::warn!(%error, times, "could not accept connections");
        }
    }

    /// The number of failures not logged yet, this one included, if a log line is due.
    fn due(&mut self, now_ns: u64) -> Option<u64> {
        self.unlogged += 1;
        if now_ns < self.next_line_ns {
            return None;
        }
        self.next_line_ns = now_ns + BETWEEN_WARNINGS_NS;
        Some(std::mem::take(&mut self.unlogged))
    }
}

/// Configures HTTP/1 without timeouts: the sweep closes slow connections.
fn http1() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // A client may shut down its sending side and still read the response.
    builder.header_read_timeout(None).max_buf_size(LARGEST_HEAD).half_close(true);
    builder
}

fn http2(streams: Streams) -> http2::Builder<Streams> {
    let mut builder = http2::Builder::new(streams);
    builder
        // Each stream costs memory, and a task if it waits, and h2 keeps room for the highest number ever open at once.
        .max_concurrent_streams(32)
        .max_header_list_size(LARGEST_HEAD as u32)
        // Bytes one stream may have queued: a chunk, and the next while the first is being sent.
        .max_send_buf_size(32 * 1024)
        // Unread bodies. The largest body we accept fits; the protocol allows no smaller window for a connection.
        .initial_stream_window_size(32 * 1024)
        .initial_connection_window_size(64 * 1024)
        // Streams reset before we processed them: more than a few in a row are an attack, and end the connection.
        .max_pending_accept_reset_streams(20)
        // Streams that we reset. A client may open too many before it receives our limit.
        .max_local_error_reset_streams(200);
    builder
}

/// Serves one TLS connection to its end. A client that does not finish the handshake is closed as idle.
async fn serve_tls(app: Arc<App>, certificate: Arc<Certificate>, admitted: Admitted, stream: TcpStream) {
    match handshake(&certificate, admitted.connection(), stream).await {
        Some(Ok(stream)) => serve_connection(app, admitted, Stream::Right(Box::new(stream))).await,
        Some(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        None => {}
    }
}

/// Performs the handshake; `None` if the connection is closed first.
async fn handshake(
    certificate: &Certificate,
    connection: &Arc<Connection>,
    stream: TcpStream,
) -> Option<io::Result<TlsStream<Inbound<TcpStream>>>> {
    let mut accept = pin!(certificate.accept(Inbound::new(connection, stream)));
    while_open(connection, |cx| accept.as_mut().poll(cx)).await
}

/// Polls while the connection is open; `None` if it is closed first, before it has carried a request.
async fn while_open<T>(
    connection: &Connection,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    poll_fn(|cx| match connection.poll_state(cx) {
        State::Open => poll(cx).map(Some),
        State::Closing | State::HungUp => Poll::Ready(None),
    })
    .await
}

/// Serves one connection over any stream to its end. The benchmark uses an in-memory stream.
pub async fn serve_connection<S>(app: Arc<App>, admitted: Admitted, stream: S)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = admitted.connection();
    let mut inbound = Inbound::new(connection, stream);
    let is_http2 = while_open(connection, |cx| inbound.poll_is_http2(cx)).await;
    let service = Answering { app, connection: Arc::clone(connection), parking: Parking::default() };
    let ended = match is_http2 {
        // Boxed, because it is larger and most connections are of the other kind.
        Some(Ok(true)) => Box::pin(serve_http2(inbound, &service)).await.map_err(io::Error::other),
        Some(Ok(false)) => serve_http1(inbound, &service).await,
        Some(Err(error)) => Err(error),
        None => Ok(()),
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
    // Its pending requests need no response any more.
    connection.cut_off();
}

async fn serve_http2<S>(inbound: Inbound<S>, service: &Answering) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (streams, new) = streams();
    let conversation = pin!(http2(streams).serve_connection(TokioIo::new(inbound), service));
    let answer_together = move || {
        new.advance();
        None::<()>
    };
    converse(&service.connection, conversation, answer_together).await.map(|_| ())
}

/// Serves HTTP/1, without hyper while a response waits for something to send.
async fn serve_http1<S>(mut inbound: Inbound<S>, service: &Answering) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    while let Some((stream, parked)) = serve_until_parked(inbound, service).await.map_err(io::Error::other)? {
        inbound = stream;
        let mut sending = pin!(parked.send(&mut inbound));
        let sent = poll_fn(|cx| match service.connection.poll_state(cx) {
            State::Open | State::Closing => sending.as_mut().poll(cx).map_ok(Some),
            State::HungUp => Poll::Ready(Ok(None)),
        });
        if sent.await?.is_none() {
            break;
        }
    }
    Ok(())
}

/// Serves requests until the connection ends, or until a response waits: then only its head is sent.
async fn serve_until_parked<S>(
    inbound: Inbound<S>,
    service: &Answering,
) -> hyper::Result<Option<(Inbound<S>, Parked)>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Answering { connection, parking, .. } = service;
    let mut conversation = http1().serve_connection(TokioIo::new(inbound), service);
    let parked = converse(connection, Pin::new(&mut conversation), || parking.leave(connection)).await?;
    Ok(parked.map(|parked| {
        let parts = conversation.into_parts();
        let mut inbound = parts.io.into_inner();
        inbound.give_back(&parts.read_buf);
        (inbound, parked)
    }))
}

/// Serves the requests of a connection to its end, or until `at_rest` returns something, which is called whenever there is
/// nothing more to read or write.
async fn converse<T>(
    connection: &Connection,
    mut conversation: Pin<&mut impl GracefulConnection<Error = hyper::Error>>,
    at_rest: impl Fn() -> Option<T>,
) -> hyper::Result<Option<T>> {
    let mut asked_to_close = false;
    poll_fn(move |cx| {
        match connection.poll_state(cx) {
            State::Open => {}
            State::Closing if asked_to_close => {}
            State::Closing => {
                asked_to_close = true;
                conversation.as_mut().graceful_shutdown();
            }
            State::HungUp => return Poll::Ready(Ok(None)),
        }
        match conversation.as_mut().poll(cx) {
            Poll::Ready(ended) => Poll::Ready(ended.map(|()| None)),
            Poll::Pending => at_rest().map_or(Poll::Pending, |found| Poll::Ready(Ok(Some(found)))),
        }
    })
    .await
}

/// Answers the requests of one connection.
struct Answering {
    app: Arc<App>,
    connection: Arc<Connection>,
    parking: Parking,
}

impl Service<Request<Incoming>> for Answering {
    type Response = Response<Outgoing>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<Incoming>) -> ResponseFuture {
        let is_http1 = request.version() == Version::HTTP_11;
        match edge::answer(&self.app, &self.connection, request) {
            Either::Right(waiting) if is_http1 => {
                let (connection, parking) = (Arc::clone(&self.connection), self.parking.clone());
                Either::Right(waiting.map_ok(move |response| parking.park(&connection, response)).boxed())
            }
            answered => answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_accept_failures_once_in_ten_seconds_with_their_number() {
        let mut failures = AcceptFailures::default();
        let told: Vec<_> =
            (0..250).filter_map(|times| failures.due(times * ACCEPT_RETRY_DELAY.as_nanos() as u64)).collect();
        assert_eq!(told, [1, 200]);
    }
}
