//! Compression of complete bodies in the coding that the client prefers, if it makes them smaller.

use std::sync::OnceLock;

use bytes::Bytes;
use http::HeaderMap;
use lastro_encoding::{Coding, compress};

use super::coding::negotiate;
use super::compression_cache::CompressionCache;

/// Smallest body compressed. Below this, headers dominate, and compressing costs more than it saves.
const WORTH_COMPRESSING: usize = 1024;

/// The body in the coding that the client prefers, or unchanged if that is not smaller.
pub fn encode(body: Bytes, headers: &HeaderMap, cache: &CompressionCache) -> (Bytes, Option<&'static str>) {
    if body.len() < WORTH_COMPRESSING {
        return (body, None);
    }
    let Some(coding) = negotiate(headers) else { return (body, None) };
    match cache.get(&body, coding, || compress(&body, coding)) {
        Ok(smaller) if smaller.len() < body.len() => (smaller, Some(coding.name())),
        _ => (body, None),
    }
}

/// The content codings of a stored body: a static file or a page. Each is made once, at the first request for it;
/// after that, sending it costs no work and no memory.
#[derive(Debug)]
pub struct Encodings([OnceLock<Bytes>; Coding::ALL.len()]);

impl Encodings {
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; Coding::ALL.len()])
    }

    /// The body in the coding that the client prefers, or unchanged if that is not smaller. A missing coding is made
    /// only if `may_make` returns true for the body's length.
    pub fn encode(
        &self,
        body: Bytes,
        headers: &HeaderMap,
        may_make: impl FnOnce(usize) -> bool,
    ) -> (Bytes, Option<&'static str>) {
        let Some(coding) = negotiate(headers).filter(|_| body.len() >= WORTH_COMPRESSING) else {
            return (body, None);
        };
        let made = &self.0[coding as usize];
        if made.get().is_none() && !may_make(body.len()) {
            return (body, None);
        }
        // A body that cannot be compressed is stored unchanged.
        let encoded = made.get_or_init(|| compress(&body, coding).map_or_else(|_| body.clone(), Bytes::from));
        if encoded.len() < body.len() { (encoded.clone(), Some(coding.name())) } else { (body, None) }
    }
}

impl Default for Encodings {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn accepting(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(http::header::ACCEPT_ENCODING, http::HeaderValue::from_static(value))])
    }

    #[test]
    fn compresses_only_long_bodies_without_loss() {
        let (long, cache): (Bytes, _) = ("lastro ".repeat(1000).into(), CompressionCache::default());
        assert_eq!(
            encode(Bytes::from_static(b"{}"), &accepting("gzip"), &cache),
            (Bytes::from_static(b"{}"), None)
        );
        assert_eq!(encode(long.clone(), &HeaderMap::new(), &cache).1, None);
        let (sent, coding) = encode(long.clone(), &accepting("zstd"), &cache);
        assert_eq!((coding, zstd::bulk::decompress(&sent, 10_000).unwrap()), (Some("zstd"), long.to_vec()));
        let (sent, coding) = encode(long.clone(), &accepting("gzip"), &cache);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&sent[..]).read_to_end(&mut plain).unwrap();
        assert_eq!((coding, plain), (Some("gzip"), long.to_vec()));
        let (sent, coding) = encode(long.clone(), &accepting("br"), &cache);
        let mut plain = Vec::new();
        brotli::Decompressor::new(&sent[..], 4096).read_to_end(&mut plain).unwrap();
        assert_eq!((coding, plain), (Some("br"), long.to_vec()));
    }
}
