//! The limit to measure against: hyper alone, responding with a fixed body.
//!
//! Start `lastro-bench-bare 127.0.0.1:9001`; after `PUT /202` every response is 202 bytes, typed as JSON, so that it
//! can receive the same requests as the service. It has the same runtime and protocol settings as the service, so that
//! the difference is the service's own work.

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

/// Source of all bodies, which are prefixes of this one and cost nothing to make.
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
