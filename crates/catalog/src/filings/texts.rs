//! One long array of JSON strings, one for each row.

use std::io::{self, Read, Write};

use crate::BuildError;
use crate::json::push_literal;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

#[derive(Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// Where each row's text starts and ends.
    spans: Vec<(u32, u32)>,
}

impl Texts {
    pub fn push(&mut self, text: &str) -> Result<(), BuildError> {
        let span = self.append(text)?;
        self.spans.push(span);
        Ok(())
    }

    /// The old text stays behind until the rows are put in order.
    pub fn replace(&mut self, row: usize, text: &str) -> Result<(), BuildError> {
        self.spans[row] = self.append(text)?;
        Ok(())
    }

    /// The row's text as a JSON string, quotes included.
    pub fn json(&self, row: u32) -> &[u8] {
        let (start, end) = self.spans[row as usize];
        &self.bytes[start as usize..end as usize]
    }

    /// The texts in a new order, one behind the other.
    pub fn reordered(&self, order: &[u32]) -> Self {
        let length = self.spans.iter().map(|(start, end)| (end - start) as usize).sum();
        let mut bytes = Vec::with_capacity(length);
        let mut spans = Vec::with_capacity(order.len());
        for row in order {
            let start = bytes.len() as u32;
            bytes.extend_from_slice(self.json(*row));
            spans.push((start, bytes.len() as u32));
        }
        Self { bytes, spans }
    }

    pub fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.blob(&self.bytes)?;
        snapshot.column(&self.spans, |(start, end)| u64::from(*start) << 32 | u64::from(*end))
    }

    pub fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let bytes = snapshot.blob()?;
        let spans = snapshot.column(|span: u64| ((span >> 32) as u32, span as u32))?;
        ensure(spans.iter().all(|(start, end)| start <= end && *end as usize <= bytes.len()))?;
        Ok(Self { bytes, spans })
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    fn append(&mut self, text: &str) -> Result<(u32, u32), BuildError> {
        let start = self.bytes.len() as u32;
        push_literal(text, &mut self.bytes);
        let end =
            u32::try_from(self.bytes.len()).map_err(|_| BuildError::TooLarge("the text of the filings"))?;
        Ok((start, end))
    }
}
