//! The limit to measure against: hyper answering a fixed body, and nothing else.
//!
//! `lastro-bench-bare 127.0.0.1:9001`, then `GET /202` gets a JSON-typed body of 202 bytes. The same runtime and protocol
//! settings as the service, so that what differs is the service's own work.

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// The bodies are made before the first request: a fixed body costs nothing to send.
fn answer(bodies: &HashMap<usize, Bytes>, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let size = request.uri().path().trim_start_matches('/').parse().unwrap_or(0);
    let body = bodies.get(&size).cloned().unwrap_or_default();
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:9001".to_owned());
    let bodies: HashMap<usize, Bytes> = arguments
        .filter_map(|size| size.parse().ok())
        .map(|size| (size, Bytes::from(vec![b'x'; size])))
        .collect();
    let bodies: &'static HashMap<usize, Bytes> = Box::leak(Box::new(bodies));
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder.http1().timer(TokioTimer::new());
            let service = service_fn(|request: Request<Incoming>| {
                let response = answer(bodies, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
