//! The accept loop: HTTP/1.1 and HTTP/2 without TLS on one port, with a limit for everything a client can hold on to.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, Aborted};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::alarm::StandingAlarm;
use super::body::Body;
use super::edge;
use crate::jobs::stopped;
use crate::state::App;

/// How long a client may take to send its header, and how long a connection may idle between requests.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);
/// How long running requests are waited for when the service stops.
const DRAIN: Duration = Duration::from_secs(10);

/// What a request may know of the connection it came on.
#[derive(Debug)]
pub struct Connection {
    pub peer: IpAddr,
    /// Ends the connection, whatever is going out on it.
    pub hang_up: AbortHandle,
}

/// Serves until `stop` turns true, then finishes what is running and returns.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    most_connections: usize,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(most_connections));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = next_connection(&listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, peer, place)) => {
                let watcher = graceful.watcher();
                tokio::spawn(converse(Arc::clone(&app), stream, peer, watcher, place));
            }
            // Out of file descriptors, or a client gone before it was greeted: neither ends the service.
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time and were cut off");
    }
}

/// Waits for a free place first: who cannot be served yet waits in the system's queue, not in our memory.
async fn next_connection(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

/// Made anew for each connection: the alarm is its own.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(StandingAlarm::default()).header_read_timeout(HEADER_PATIENCE);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEADER_PATIENCE)
        .max_concurrent_streams(250)
        .max_header_list_size(64 * 1024);
    builder
}

async fn converse(
    app: Arc<App>,
    stream: TcpStream,
    peer: SocketAddr,
    watcher: hyper_util::server::graceful::Watcher,
    place: OwnedSemaphorePermit,
) {
    // A small answer must not wait for the next one to fill a packet.
    let _ = stream.set_nodelay(true);
    app.metrics.connections.fetch_add(1, Ordering::Relaxed);
    let (hang_up, cord) = AbortHandle::new_pair();
    let service = answering(&app, peer.ip(), hang_up);
    let protocol = protocol();
    let connection = protocol.serve_connection(TokioIo::new(stream), service).into_owned();
    match Abortable::new(watcher.watch(connection), cord).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection broke"),
        Err(Aborted) => tracing::debug!("hung up on a client that takes nothing"),
    }
    app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    drop(place);
}

fn answering(
    app: &Arc<App>,
    peer: IpAddr,
    hang_up: AbortHandle,
) -> impl Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send> + use<> {
    let app = Arc::clone(app);
    let connection = Arc::new(Connection { peer, hang_up });
    service_fn(move |request| edge::answer(&app, &connection, request))
}

/// One connection over any stream, to its end. Called by the benchmark, whose stream is memory and no network.
pub async fn serve_stream<S>(app: Arc<App>, peer: IpAddr, stream: S)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = answering(&app, peer, AbortHandle::new_pair().0);
    if let Err(error) = protocol().serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection broke");
    }
}
