//! Compression: for bodies that gain by it, in the form the client likes best.

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

use super::packed::Packed;

/// Below this the headers are most of the answer, and compressing costs more than it saves.
const WORTH_COMPRESSING: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

impl Coding {
    /// In our order of liking: the quickest first.
    const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

/// The coding the client likes best among ours; `None` is the plain body.
pub fn negotiate(headers: &HeaderMap) -> Option<Coding> {
    let mut best = None;
    for coding in Coding::ALL {
        let weight = weight_of(headers, coding.name());
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, coding));
        }
    }
    best.map(|(_, coding)| coding)
}

/// The client's weight for a coding in thousandths; its own name counts before `*`.
fn weight_of(headers: &HeaderMap, name: &str) -> u32 {
    let mut by_star = 0;
    for value in headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()) {
        for item in value.split(',') {
            let (coding, parameters) = item.split_once(';').unwrap_or((item, ""));
            if coding.trim().eq_ignore_ascii_case(name) {
                return weight(parameters);
            }
            if coding.trim() == "*" {
                by_star = weight(parameters);
            }
        }
    }
    by_star
}

/// The `q` among the parameters of an item, in thousandths.
pub fn weight(parameters: &str) -> u32 {
    let mut named = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let Some((_, text)) = named.find(|(name, _)| name.eq_ignore_ascii_case("q")) else { return 1000 };
    text.trim().parse::<f32>().map_or(0, |weight| (weight.clamp(0.0, 1.0) * 1000.0) as u32)
}

/// The body in the coding the client likes best, or as it is where that gains nothing.
pub fn encode(body: Bytes, headers: &HeaderMap, packed: &Packed) -> (Bytes, Option<&'static str>) {
    if body.len() < WORTH_COMPRESSING {
        return (body, None);
    }
    let Some(coding) = negotiate(headers) else { return (body, None) };
    match packed.of(&body, coding, || compress(&body, coding)) {
        Ok(smaller) if smaller.len() < body.len() => (smaller, Some(coding.name())),
        _ => (body, None),
    }
}

/// The compressed forms of a body that is part of the program. Each is made once, for the first who asks for it: from
/// then on it costs no work and no memory to send it, however many ask.
#[derive(Debug)]
pub struct Forms([OnceLock<Bytes>; Coding::ALL.len()]);

impl Forms {
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; Coding::ALL.len()])
    }

    /// The body in the coding the client likes best, or as it is where that gains nothing.
    pub fn encode(&self, body: Bytes, headers: &HeaderMap) -> (Bytes, Option<&'static str>) {
        let Some(coding) = negotiate(headers).filter(|_| body.len() >= WORTH_COMPRESSING) else {
            return (body, None);
        };
        // What cannot be compressed is as good as its own compressed form: no gain.
        let form = self.0[coding as usize]
            .get_or_init(|| compress(&body, coding).map_or_else(|_| body.clone(), Bytes::from));
        if form.len() < body.len() { (form.clone(), Some(coding.name())) } else { (body, None) }
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self::new()
    }
}

fn compress(body: &[u8], coding: Coding) -> std::io::Result<Vec<u8>> {
    match coding {
        Coding::Zstd => zstd::bulk::compress(body, 3),
        Coding::Brotli => {
            let mut out = Vec::with_capacity(body.len() / 4);
            brotli::CompressorWriter::new(&mut out, 4096, 4, 20).write_all(body)?;
            Ok(out)
        }
        Coding::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(
                Vec::with_capacity(body.len() / 4),
                flate2::Compression::new(4),
            );
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn accepting(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, http::HeaderValue::from_static(value))])
    }

    #[test]
    fn the_clients_liking_decides_and_ours_breaks_ties() {
        for (value, chosen) in [
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip;q=1.0, br;q=0.5", Some(Coding::Gzip)),
            ("br", Some(Coding::Brotli)),
            ("*", Some(Coding::Zstd)),
            ("zstd;q=0, *;q=0.1", Some(Coding::Brotli)),
            ("identity", None),
            ("gzip;q=0", None),
            ("gzip;Q=0", None),
            ("gzip; Q=0.2, br;q=0.3", Some(Coding::Brotli)),
            ("gzip;q=nonsense", None),
            ("", None),
        ] {
            assert_eq!(negotiate(&accepting(value)), chosen, "{value}");
        }
    }

    #[test]
    fn short_bodies_stay_plain_and_long_ones_come_back_whole() {
        let (long, packed): (Bytes, _) = ("lastro ".repeat(1000).into(), Packed::default());
        assert_eq!(
            encode(Bytes::from_static(b"{}"), &accepting("gzip"), &packed),
            (Bytes::from_static(b"{}"), None)
        );
        assert_eq!(encode(long.clone(), &HeaderMap::new(), &packed).1, None);
        let (sent, coding) = encode(long.clone(), &accepting("zstd"), &packed);
        assert_eq!((coding, zstd::bulk::decompress(&sent, 10_000).unwrap()), (Some("zstd"), long.to_vec()));
        let (sent, coding) = encode(long.clone(), &accepting("gzip"), &packed);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&sent[..]).read_to_end(&mut plain).unwrap();
        assert_eq!((coding, plain), (Some("gzip"), long.to_vec()));
        let (sent, coding) = encode(long.clone(), &accepting("br"), &packed);
        let mut plain = Vec::new();
        brotli::Decompressor::new(&sent[..], 4096).read_to_end(&mut plain).unwrap();
        assert_eq!((coding, plain), (Some("br"), long.to_vec()));
    }
}
