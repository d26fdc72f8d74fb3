//! A part as bytes, so that a restart need not build it again: written by [`Writer`], read back by [`Reader`].
//!
//! A snapshot is trusted only whole: it starts with its format and a label that says what it is of, and ends with a
//! checksum of all before it. Whatever is wrong with one is a [`SnapshotError`], and the part is built anew. This
//! module knows bytes; what stands in them is said beside each structure. Files are the server's business.

use std::io::{self, Read, Write};

use crc32fast::Hasher;

use crate::room::reserve_for;

/// Changes with whatever changes the bytes, or what is made of them: words, stems, weights.
const FORMAT: &[u8; 16] = b"lastro filings 2";

/// Why a snapshot is not used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("it is no snapshot of this version")]
    Foreign,
    #[error("it is of other data")]
    Stale,
    #[error("it is damaged")]
    Damaged,
}

/// Fails unless what was read fits together.
pub(crate) fn ensure(consistent: bool) -> Result<(), SnapshotError> {
    if consistent { Ok(()) } else { Err(SnapshotError::Damaged) }
}

/// Room for so many. No memory has room for what only a damaged length can ask for.
fn reserved<T>(length: usize) -> Result<Vec<T>, SnapshotError> {
    let mut room = Vec::new();
    room.try_reserve_exact(reserve_for::<T>(length)).map_err(|_| SnapshotError::Damaged)?;
    Ok(room)
}

/// Nobody writes a longer one.
const LONGEST_LABEL: usize = 1024;

/// How many bytes are converted at a time.
const CHUNK: usize = 64 * 1024;

/// A number of fixed size, least significant byte first.
pub(crate) trait Number: Copy {
    const SIZE: usize;
    fn put(self, out: &mut Vec<u8>);
    /// Of exactly `SIZE` bytes.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const SIZE: usize = size_of::<$number>();

            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(0, Self::from_le_bytes)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i32);

pub(crate) struct Writer<W> {
    out: W,
    checksum: Hasher,
    chunk: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W, label: &str) -> io::Result<Self> {
        let mut writer = Self { out, checksum: Hasher::new(), chunk: Vec::with_capacity(CHUNK) };
        writer.bytes(FORMAT)?;
        writer.text(label)?;
        Ok(writer)
    }

    /// A column of numbers, or of what a number stands for.
    pub(crate) fn column<T, N: Number>(&mut self, column: &[T], number: impl Fn(&T) -> N) -> io::Result<()> {
        self.bytes(&(column.len() as u64).to_le_bytes())?;
        for part in column.chunks(CHUNK / N::SIZE) {
            let mut chunk = std::mem::take(&mut self.chunk);
            part.iter().for_each(|value| number(value).put(&mut chunk));
            self.bytes(&chunk)?;
            chunk.clear();
            self.chunk = chunk;
        }
        Ok(())
    }

    /// One blob, given in parts.
    pub(crate) fn blob(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.bytes(&(length as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.bytes(part))
    }

    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.blob(&[text.as_bytes()])
    }

    pub(crate) fn texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) -> io::Result<()> {
        self.bytes(&(texts.len() as u64).to_le_bytes())?;
        for text in texts {
            self.text(text)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        let checksum = std::mem::take(&mut self.checksum).finalize();
        self.out.write_all(&checksum.to_le_bytes())?;
        self.out.flush()
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.out.write_all(bytes)
    }
}

pub(crate) struct Reader<R> {
    input: R,
    /// What is left of the length that the input was said to have: no column is believed to be longer.
    left: u64,
    checksum: Hasher,
}

impl<R: Read> Reader<R> {
    /// Refuses what is not of this format and label.
    pub(crate) fn new(input: R, length: u64, label: &str) -> Result<Self, SnapshotError> {
        let mut reader = Self::of_format(input, length)?;
        if reader.has_label(label)? { Ok(reader) } else { Err(SnapshotError::Stale) }
    }

    /// The label, which says what the rest is of.
    pub(crate) fn label(input: R, length: u64) -> Result<String, SnapshotError> {
        let mut reader = Self::of_format(input, length)?;
        let length = reader.length(1)?;
        ensure(length <= LONGEST_LABEL)?;
        String::from_utf8(reader.bytes(length)?).map_err(|_| SnapshotError::Damaged)
    }

    fn of_format(input: R, length: u64) -> Result<Self, SnapshotError> {
        let mut reader = Self { input, left: length, checksum: Hasher::new() };
        let format = reader.bytes(FORMAT.len()).map_err(|_| SnapshotError::Foreign)?;
        if format == FORMAT { Ok(reader) } else { Err(SnapshotError::Foreign) }
    }

    /// The label's length is compared before anything is reserved for it.
    fn has_label(&mut self, label: &str) -> Result<bool, SnapshotError> {
        Ok(self.length(1)? == label.len() && self.bytes(label.len())? == label.as_bytes())
    }

    pub(crate) fn column<T, N: Number>(&mut self, value: impl Fn(N) -> T) -> Result<Vec<T>, SnapshotError> {
        let length = self.length(N::SIZE)?;
        let mut column = reserved(length)?;
        let mut chunk = vec![0; CHUNK];
        while column.len() < length {
            let part = &mut chunk[..(length - column.len()).min(CHUNK / N::SIZE) * N::SIZE];
            self.fill(part)?;
            column.extend(part.chunks_exact(N::SIZE).map(|bytes| value(N::take(bytes))));
        }
        Ok(column)
    }

    pub(crate) fn blob(&mut self) -> Result<Vec<u8>, SnapshotError> {
        let length = self.length(1)?;
        self.bytes(length)
    }

    pub(crate) fn text(&mut self) -> Result<String, SnapshotError> {
        String::from_utf8(self.blob()?).map_err(|_| SnapshotError::Damaged)
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<String>, SnapshotError> {
        // Even an empty one takes the bytes of its length.
        let count = self.length(size_of::<u64>())?;
        (0..count).map(|_| self.text()).collect()
    }

    /// To be asked before anything that was read is used.
    pub(crate) fn finish(mut self) -> Result<(), SnapshotError> {
        let expected = self.checksum.clone().finalize();
        let mut stored = [0; 4];
        self.fill(&mut stored)?;
        ensure(self.left == 0 && u32::from_le_bytes(stored) == expected)
    }

    /// A length that is followed by so many things of a size.
    fn length(&mut self, size: usize) -> Result<usize, SnapshotError> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        let length = u64::from_le_bytes(bytes);
        let fits = length.checked_mul(size as u64).is_some_and(|bytes| bytes <= self.left);
        usize::try_from(length).ok().filter(|_| fits).ok_or(SnapshotError::Damaged)
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, SnapshotError> {
        let mut bytes = reserved(length)?;
        bytes.resize(length, 0);
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), SnapshotError> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or(SnapshotError::Damaged)?;
        self.input.read_exact(bytes)?;
        self.checksum.update(bytes);
        Ok(())
    }
}
