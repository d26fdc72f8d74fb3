//! Compression of a body that is made piece by piece. What comes out so far is taken after each piece.

use std::fmt;
use std::io::{self, Write};
use std::mem::take;

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::response::coding::Coding;

/// Quicker and coarser than for a whole answer: an export is long, and the machine has other things to do.
const GZIP_LEVEL: u32 = 1;
const BROTLI_LEVEL: u32 = 2;
/// Two to this power is how far back brotli looks; it bounds its memory.
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

    /// Takes a piece in and gives what is ready, which may be nothing yet.
    pub fn push(&mut self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(piece),
            Self::Gzip(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
            Self::Brotli(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
            Self::Zstd(encoder) => encoder.write_all(&piece).map(|()| take(encoder.get_mut())),
        }
    }

    /// There is no more: gives the rest.
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
