//! A part as bytes, so that a restart need not rebuild it: written by [`Writer`], read by [`Reader`].
//!
//! A snapshot is trusted only as a whole: it starts with its format and a label that identifies the data, and ends
//! with a checksum of everything before. Any fault is a [`SnapshotError`], and the part is rebuilt. This module
//! handles bytes; each structure documents its own contents. The server handles the files.

use std::io::{self, Read, Write};

use crc32fast::Hasher;

/// Its number is increased by one when the bytes or their meaning (words, stems, weights) change. A server that
/// finds a snapshot of another format rebuilds the part.
const FORMAT: &[u8; 16] = b"lastro filings 9";

/// Checksums of this format. Tests compare them with the program. If they differ, increase the format number above
/// and put the new checksums here.
#[cfg(test)]
const GOLDEN: tests::Golden = tests::Golden { bytes: 0xbcd1_80cb, analyzer: 0x7bd6_825c };

/// The reason a snapshot is rejected.
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

/// Fails unless the data read is consistent.
pub(crate) fn ensure(consistent: bool) -> Result<(), SnapshotError> {
    if consistent { Ok(()) } else { Err(SnapshotError::Damaged) }
}

/// An empty array with this capacity. Only a damaged length can be too large for memory.
fn reserved<T>(length: usize) -> Result<Vec<T>, SnapshotError> {
    let mut array = Vec::new();
    array.try_reserve_exact(length).map_err(|_| SnapshotError::Damaged)?;
    Ok(array)
}

/// Maximum length of a label. No caller writes a longer one.
const LONGEST_LABEL: usize = 1024;

/// Number of bytes converted at a time.
const CHUNK: usize = 64 * 1024;

/// A number of fixed size, least significant byte first.
pub(crate) trait Number: Copy {
    const SIZE: usize;
    fn put(self, out: &mut Vec<u8>);
    /// Reads a number from exactly `SIZE` bytes.
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

numbers!(u8, u16, u32, u64, i32, i64);

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

    /// Writes a column of numbers, or of values that numbers stand for.
    pub(crate) fn column<T, N: Number>(&mut self, column: &[T], number: impl Fn(&T) -> N) -> io::Result<()> {
        self.column_in_parts(column.len(), [column].into_iter(), number)
    }

    /// Writes a column given in parts, which have this many numbers in all.
    pub(crate) fn column_in_parts<T, P: AsRef<[T]>, N: Number>(
        &mut self,
        length: usize,
        parts: impl Iterator<Item = P>,
        number: impl Fn(&T) -> N,
    ) -> io::Result<()> {
        self.bytes(&(length as u64).to_le_bytes())?;
        for part in parts {
            for some in part.as_ref().chunks(CHUNK / N::SIZE) {
                some.iter().for_each(|value| number(value).put(&mut self.chunk));
                if self.chunk.len() >= CHUNK {
                    self.flush_chunk()?;
                }
            }
        }
        self.flush_chunk()
    }

    fn flush_chunk(&mut self) -> io::Result<()> {
        let mut chunk = std::mem::take(&mut self.chunk);
        self.bytes(&chunk)?;
        chunk.clear();
        self.chunk = chunk;
        Ok(())
    }

    /// Writes one blob, given in parts.
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
    /// Bytes left of the given input length. A column that claims more is rejected.
    left: u64,
    checksum: Hasher,
}

impl<R: Read> Reader<R> {
    /// Rejects input of another format or label.
    pub(crate) fn new(input: R, length: u64, label: &str) -> Result<Self, SnapshotError> {
        let mut reader = Self::of_format(input, length)?;
        if reader.has_label(label)? { Ok(reader) } else { Err(SnapshotError::Stale) }
    }

    /// Reads the label, which identifies the data.
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

    /// Compares the label's length before reserving memory for it.
    fn has_label(&mut self, label: &str) -> Result<bool, SnapshotError> {
        Ok(self.length(1)? == label.len() && self.bytes(label.len())? == label.as_bytes())
    }

    pub(crate) fn column<T, N: Number>(&mut self, value: impl Fn(N) -> T) -> Result<Vec<T>, SnapshotError> {
        let length = self.length(N::SIZE)?;
        let mut column = reserved(length)?;
        let mut chunk = vec![0; CHUNK.min(length * N::SIZE)];
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
        // Even an empty text takes the bytes of its length.
        let count = self.length(size_of::<u64>())?;
        (0..count).map(|_| self.text()).collect()
    }

    /// Verifies the checksum. Must be called before any data read is used.
    pub(crate) fn finish(mut self) -> Result<(), SnapshotError> {
        let expected = self.checksum.clone().finalize();
        let mut stored = [0; 4];
        self.fill(&mut stored)?;
        ensure(self.left == 0 && u32::from_le_bytes(stored) == expected)
    }

    /// Reads a length that is followed by this many items of a size.
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

#[cfg(test)]
mod tests {
    use lastro_model::{CompanyId, Day, Filing, FilingId};
    use lastro_search::{base_form, words_of};

    use super::{FORMAT, GOLDEN};
    use crate::FilingsBuilder;

    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Golden {
        /// Checksum of a snapshot of [`filings`], without the format and its own checksum.
        pub(super) bytes: u32,
        /// Checksum of the words and bases of [`TEXTS`].
        pub(super) analyzer: u32,
    }

    /// One text for each rule of the analyzer.
    const TEXTS: [&str; 13] = [
        "Rede D'Or, Pau D\u{2019}Arco, d' or",
        "Distribuição de dividendos e juros sobre o capital próprio",
        "AÇÕES ações Ação ac\u{327}o\u{303}es acionistas",
        "imóvel imóveis fiscais nacionais jovens itens países reais",
        "trabalhadores reuniões demonstrações capitães debêntures",
        "Aurora S.A. (ex-Bela S/A), S. A. e SA",
        "e/ou n.º 5.1 B.T.Gama a.b",
        "009512 000 B3SA3 007a 2024",
        "Mærsk İstanbul Straße Łódź ½ ﬁnal",
        "classe A. O conselho da São Paulo",
        "quarenta_letras_e_mais aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee",
        "\u{301} \"AND\" ( * ) : -",
        "Informações econômico-financeiras não auditadas, às 10h30",
    ];

    fn filings() -> Vec<Filing> {
        let filing = |(number, text): (u64, &&str)| Filing {
            id: if number % 3 == 0 {
                FilingId::Hash(number << 40)
            } else {
                FilingId::Protocol(1_000_000 + number)
            },
            company_id: CompanyId(9_512 + number as u32 % 4),
            company_name: format!("Aurora {} S.A.", number % 4),
            category: ["Fato Relevante", "Ata \"AGE\""][number as usize % 2].to_owned(),
            kind: (number % 2 == 0).then(|| "Edital de Convocação".to_owned()),
            delivered_on: Day::from_number(20_000 + number as i32 % 5).unwrap(),
            reference_day: (number % 4 == 0).then(|| Day::from_number(19_000).unwrap()),
            description: (*text).to_owned(),
            version: 1 + number as u16 % 3,
            url: format!(
                "https://a.example/{}?v={}&s={}",
                1_000_000 + number,
                1 + number % 3,
                700_000 + number
            ),
        };
        (0..).zip(&TEXTS).map(filing).collect()
    }

    fn bytes() -> u32 {
        let mut builder = FilingsBuilder::new();
        filings().into_iter().for_each(|filing| builder.push(filing));
        let mut bytes = Vec::new();
        builder.finish().unwrap().save("golden", &mut bytes).unwrap();
        crc32fast::hash(&bytes[FORMAT.len()..bytes.len() - size_of::<u32>()])
    }

    fn analyzer() -> u32 {
        let words = TEXTS.iter().flat_map(|text| words_of(text));
        let lines: String = words.map(|word| format!("{word} {}\n", base_form(&word))).collect();
        crc32fast::hash(lines.as_bytes())
    }

    #[test]
    fn changed_bytes_or_analyzer_need_a_new_format_number() {
        let found = Golden { bytes: bytes(), analyzer: analyzer() };
        assert_eq!(
            found,
            GOLDEN,
            "snapshots of earlier versions no longer mean the same: give FORMAT ({}) the next number, and GOLDEN these \
             checksums: bytes {:#010x}, analyzer {:#010x}",
            String::from_utf8_lossy(FORMAT),
            found.bytes,
            found.analyzer
        );
    }
}
