//! hyper with a fixed body over the same stream: the part of a count that is not Lastro's.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::DuplexStream;

use crate::questions;

/// A body of the length of the current Selic.
const BODY: &[u8] = br#"{"date":"2026-10-30","value":11.75}"#;

pub(crate) fn request(key: &str) -> Vec<u8> {
    questions::request("/api/v1/market/selic/current", Some(key), None)
}

pub(crate) async fn serve_stream(stream: DuplexStream) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    let service = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(response()) });
    // Ends when the client disconnects.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

fn response() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(BODY)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
