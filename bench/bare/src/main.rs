//! The limit to measure against: hyper alone, responding with a fixed head and body.
//!
//! Start `lastro-bench-bare 127.0.0.1:9001`; after `PUT /202` every response has 202 bytes, typed as JSON, so that it
//! can receive the same requests as the service. A header `x-set-NAME` of that request becomes the header `NAME` of all
//! responses. It has the same runtime and protocol settings as the service, so that the difference is the service's own
//! work.

use std::convert::Infallible;
use std::error::Error;
use std::sync::{PoisonError, RwLock};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// Source of all bodies, which are prefixes of this one and cost nothing to make.
static LONGEST_BODY: [u8; 1 << 20] = [b'x'; 1 << 20];

/// The head and the length of every response.
static ANSWER: RwLock<Option<(HeaderMap, usize)>> = RwLock::new(None);

fn answer(request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() == Method::PUT {
        let length = request.uri().path().trim_start_matches('/').parse().unwrap_or(0);
        let fixed = Some((head_in(request.headers()), length));
        *ANSWER.write().unwrap_or_else(PoisonError::into_inner) = fixed;
    }
    let (head, length) = ANSWER.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
    let body = LONGEST_BODY.get(..length).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    *response.headers_mut() = head;
    response
}

/// The headers to respond with.
fn head_in(request: &HeaderMap) -> HeaderMap {
    let wanted = request.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str().strip_prefix("x-set-")?).ok()?;
        Some((name, value.clone()))
    });
    let mut head: HeaderMap = wanted.collect();
    head.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    head
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
