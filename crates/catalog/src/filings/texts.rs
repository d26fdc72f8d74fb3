//! One text per row, kept as JSON strings in one long array.
//!
//! The array has two pieces: a long one shared with earlier editions of the part, followed by a short one with the
//! texts changed since. Texts that no row uses any more stay until they are an eighth of the whole; then everything
//! is copied into a new array.

use std::io::{self, Read, Write};
use std::sync::Arc;

use lastro_search::MergePlan;

use crate::BuildError;
use crate::json::push_string;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

#[derive(Default)]
pub(super) struct Texts {
    shared: Arc<Vec<u8>>,
    own: Vec<u8>,
    /// Start and end of each row's text, counted over `shared` and then `own`.
    spans: Vec<(u32, u32)>,
}

/// The texts are compacted when one byte in this many is not shared or belongs to no row.
const MOST_WASTE: usize = 8;

impl Texts {
    pub(super) fn push(&mut self, text: &str) -> Result<(), BuildError> {
        let span = self.append(text)?;
        self.spans.push(span);
        Ok(())
    }

    /// Replaces a row's text. The old text stays in the array until the rows are reordered.
    pub(super) fn replace(&mut self, row: usize, text: &str) -> Result<(), BuildError> {
        self.spans[row] = self.append(text)?;
        Ok(())
    }

    /// The row's text as a JSON string, quotes included.
    pub(super) fn json(&self, row: u32) -> &[u8] {
        let (start, end) = self.spans[row as usize];
        let (start, end) = (start as usize, end as usize);
        match start.checked_sub(self.shared.len()) {
            None => &self.shared[start..end],
            Some(own) => &self.own[own..own + (end - start)],
        }
    }

    /// The texts in a new order, without gaps.
    pub(super) fn reordered(&self, order: impl ExactSizeIterator<Item = u32>) -> Self {
        let (mut own, mut spans) = (Vec::with_capacity(self.used()), Vec::with_capacity(order.len()));
        for row in order {
            let start = own.len() as u32;
            own.extend_from_slice(self.json(row));
            spans.push((start, own.len() as u32));
        }
        Self { shared: Arc::default(), own, spans }
    }

    /// Ends adding texts, so that they can be shared.
    pub(super) fn seal(&mut self) {
        if self.shared.is_empty() {
            self.shared = Arc::new(std::mem::take(&mut self.own));
        }
    }

    /// The texts of the merged rows; `fresh` has those of the new rows.
    pub(super) fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<Self, BuildError> {
        let start = offset(self.len_in_bytes())?;
        offset(self.len_in_bytes() + fresh.len_in_bytes())?;
        let behind = |(from, to): (u32, u32)| (start + from, start + to);
        let mut merged = Self {
            shared: Arc::clone(&self.shared),
            own: [&self.own[..], &fresh.shared, &fresh.own].concat(),
            spans: plan.column((&self.spans, |span| span), (&fresh.spans, behind)),
        };
        if merged.needs_compaction() {
            merged = merged.reordered(0..merged.spans.len() as u32);
            merged.seal();
        }
        Ok(merged)
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.blob(&[&self.shared, &self.own])?;
        snapshot.column(&self.spans, |(start, end)| u64::from(*start) << 32 | u64::from(*end))
    }

    /// Restores sealed texts.
    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let shared = snapshot.blob()?;
        let spans = snapshot.column(|span: u64| ((span >> 32) as u32, span as u32))?;
        ensure(spans.iter().all(|(start, end)| start <= end && *end as usize <= shared.len()))?;
        Ok(Self { shared: Arc::new(shared), own: Vec::new(), spans })
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    fn len_in_bytes(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    /// The number of bytes that belong to rows.
    fn used(&self) -> usize {
        self.spans.iter().map(|(start, end)| (end - start) as usize).sum()
    }

    fn needs_compaction(&self) -> bool {
        let unused = self.len_in_bytes().saturating_sub(self.used());
        self.own.len().max(unused) > self.len_in_bytes() / MOST_WASTE
    }

    fn append(&mut self, text: &str) -> Result<(u32, u32), BuildError> {
        let start = offset(self.len_in_bytes())?;
        push_string(text, &mut self.own);
        Ok((start, offset(self.len_in_bytes())?))
    }
}

fn offset(length: usize) -> Result<u32, BuildError> {
    u32::try_from(length).map_err(|_| BuildError::TooLarge("the text of the filings"))
}
