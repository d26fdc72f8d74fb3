//! The limit to measure against: hyper answering a fixed body, and nothing else.
//!
//! `lastro-bench-bare 127.0.0.1:9001`, then `PUT /202` makes 202 bytes, typed as JSON, the answer to whatever is asked from
//! then on: so it can be sent the very requests that the service is sent. The same runtime and protocol settings as the
//! service, so that what differs is the service's own work.

use std::convert::Infallible;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// All bodies are the start of this one: a fixed body costs nothing to make.
static LONGEST_BODY: [u8; 1 << 20] = [b'x'; 1 << 20];

static LENGTH: AtomicUsize = AtomicUsize::new(0);

fn answer(request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() == Method::PUT {
        let length = request.uri().path().trim_start_matches('/').parse().unwrap_or(0);
        LENGTH.store(length, Ordering::Relaxed);
    }
    let body = LONGEST_BODY.get(..LENGTH.load(Ordering::Relaxed)).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9001".to_owned());
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder.http1().timer(TokioTimer::new());
            let service = service_fn(|request: Request<Incoming>| {
                let response = answer(&request);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
