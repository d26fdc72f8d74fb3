//! Compression of a body produced in chunks. The output is drained after each chunk.

use std::fmt;
use std::io::{self, Write};
use std::mem::take;

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

use crate::Coding;

/// Faster and weaker than for other responses: an export is long, and must leave processor time for other requests.
const GZIP_LEVEL: u32 = 1;
/// Two thirds of the time of level 2, and a sixth smaller.
const BROTLI_LEVEL: u32 = 1;
/// Base-2 logarithm of brotli's window; it bounds its memory.
const BROTLI_WINDOW: u32 = 18;
const ZSTD_LEVEL: i32 = 1;

/// A stream in one coding, or unchanged.
pub struct Encoder(Option<Box<dyn Compressor>>);

/// The writer of a coding. Users of this crate do not see its type, so they do not compile the library behind it.
trait Compressor: Send {
    fn push(&mut self, piece: &[u8]) -> io::Result<Vec<u8>>;
    fn finish(self: Box<Self>) -> io::Result<Vec<u8>>;
}

impl Encoder {
    pub fn new(coding: Option<Coding>) -> io::Result<Self> {
        let Some(coding) = coding else { return Ok(Self(None)) };
        Ok(Self(Some(match coding {
            Coding::Gzip => Box::new(GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL))),
            Coding::Brotli => Box::new(CompressorWriter::new(Vec::new(), 4096, BROTLI_LEVEL, BROTLI_WINDOW)),
            Coding::Zstd => Box::new(ZstdEncoder::new(Vec::new(), ZSTD_LEVEL)?),
        })))
    }

    /// Compresses a chunk and returns the output so far, which may be empty.
    pub fn push(&mut self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        match &mut self.0 {
            None => Ok(piece),
            Some(compressor) => compressor.push(&piece),
        }
    }

    /// Ends the stream and returns the remaining output.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.0.map_or(Ok(Vec::new()), Compressor::finish)
    }
}

impl Compressor for GzEncoder<Vec<u8>> {
    fn push(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        self.write_all(piece).map(|()| take(self.get_mut()))
    }

    fn finish(self: Box<Self>) -> io::Result<Vec<u8>> {
        (*self).finish()
    }
}

impl Compressor for CompressorWriter<Vec<u8>> {
    fn push(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        self.write_all(piece).map(|()| take(self.get_mut()))
    }

    fn finish(self: Box<Self>) -> io::Result<Vec<u8>> {
        Ok(self.into_inner())
    }
}

impl Compressor for ZstdEncoder<'static, Vec<u8>> {
    fn push(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        self.write_all(piece).map(|()| take(self.get_mut()))
    }

    fn finish(self: Box<Self>) -> io::Result<Vec<u8>> {
        (*self).finish()
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}
