//! Compression of a body produced in chunks. The output is drained after each chunk.

use std::fmt;
use std::io::{self, Write};
use std::mem::take;

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::response::coding::Coding;

/// Faster and weaker than for other responses: an export is long, and must leave processor time for other requests.
const GZIP_LEVEL: u32 = 1;
const BROTLI_LEVEL: u32 = 2;
/// Base-2 logarithm of brotli's window; it bounds its memory.
const BROTLI_WINDOW: u32 = 18;
const ZSTD_LEVEL: i32 = 1;

pub enum Encoder {
    Plain,
    Gzip(GzEncoder<Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    pub fn new(coding: Option<Coding>) -> io::Result<Self> {
        Ok(match coding {
            None => Self::Plain,
            Some(Coding::Gzip) => Self::Gzip(GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL))),
            Some(Coding::Brotli) => {
                Self::Brotli(Box::new(CompressorWriter::new(Vec::new(), 4096, BROTLI_LEVEL, BROTLI_WINDOW)))
            }
            Some(Coding::Zstd) => Self::Zstd(zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?),
        })
    }

    /// Compresses a chunk and returns the output so far, which may be empty.
    pub fn push(&mut self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(piece),
            Self::Gzip(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
            Self::Brotli(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
            Self::Zstd(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
        }
    }

    /// Ends the stream and returns the remaining output.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(Vec::new()),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            Self::Gzip(_) => "Gzip",
            Self::Brotli(_) => "Brotli",
            Self::Zstd(_) => "Zstd",
        })
    }
}
