//! Faults between a publisher and its reader.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;

use super::{Body, Response, whole};

const PAGE: &str = r#"<?xml version="1.0" encoding="pt-br"?><!DOCTYPE html><html><head><title>Requisição inválida!</title></head></html>"#;

#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// A page for a browser, with status 200.
    Page,
    /// `{"erro":{}}`, with status 200.
    Erro,
    /// A page with this status.
    Status(u16),
    /// A page with this status and a `Retry-After` of this many seconds.
    Later(u16, u64),
    /// Half of the response, as if it were complete.
    Half,
    /// Half of the response, then the connection breaks.
    Cut,
    /// One byte at a time, slowly.
    Drip,
    /// Endless data, as fast as possible.
    Endless,
    /// Endless data, at a limited rate.
    Ceaseless,
    /// Another body instead, with status 200.
    Instead(Vec<u8>),
}

impl Trouble {
    pub(crate) async fn befall(self, response: Response) -> Response {
        match self {
            Self::Page => whole(200, "text/html", PAGE),
            Self::Erro => whole(200, "application/json; charset=utf-8", r#"{"erro":{}}"#),
            Self::Status(status) => whole(status, "text/html", PAGE),
            Self::Later(status, seconds) => {
                let mut response = whole(status, "text/html", PAGE);
                response.headers_mut().insert("retry-after", seconds.into());
                response
            }
            Self::Half => {
                let (bytes, half) = halved(response).await;
                whole(200, "application/json", bytes.slice(..half))
            }
            Self::Cut => {
                let (bytes, half) = halved(response).await;
                let broken = Err(io::Error::other("cut"));
                let mut response = streamed(stream::iter([Ok(bytes.slice(..half)), broken]));
                response.headers_mut().insert("content-length", bytes.len().into());
                response
            }
            Self::Drip => {
                let (bytes, _) = halved(response).await;
                streamed(stream::iter(bytes).then(|byte| async move {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    Ok(Bytes::copy_from_slice(&[byte]))
                }))
            }
            Self::Endless => {
                let chunk = Bytes::from(vec![b' '; 64 * 1024]);
                streamed(stream::repeat_with(move || Ok(chunk.clone())))
            }
            Self::Ceaseless => {
                let chunk = Bytes::from(vec![b' '; 64 * 1024]);
                streamed(stream::repeat_with(move || chunk.clone()).then(|chunk| async move {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    Ok(chunk)
                }))
            }
            Self::Instead(bytes) => whole(200, "application/octet-stream", bytes),
        }
    }
}

async fn halved(response: Response) -> (Bytes, usize) {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let half = bytes.len() / 2;
    (bytes, half)
}

fn streamed(chunks: impl stream::Stream<Item = io::Result<Bytes>> + Send + Sync + 'static) -> Response {
    let body = StreamBody::new(chunks.map(|chunk| chunk.map(Frame::data)));
    http::Response::new(Body::new(body))
}
