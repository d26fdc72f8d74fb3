//! The lists that are not dense, in segments of consecutive words. A merge shares those in which nothing changed with
//! the index before, which takes neither time nor memory.

use std::ops::Range;
use std::sync::Arc;

use super::entry::Entry;

/// A segment ends after the list that reaches this many entries, 64 kB: few enough to be copied for one change, and
/// enough that there are only some hundred segments.
const FULL: usize = if cfg!(test) { 1 << 4 } else { 1 << 14 };

/// The lists of consecutive words: for each the rows that have it, with the first position, and the further positions
/// in rows that have it several times.
#[derive(Debug, Default)]
struct Block {
    list_ends: Vec<u32>,
    list: Vec<Entry>,
    again_ends: Vec<u32>,
    again: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// The first word. It differs from one index to the next, the lists do not.
    first: u32,
    block: Arc<Block>,
}

#[derive(Debug, Default)]
pub(super) struct Segments {
    /// In the order of their words, without gaps.
    segments: Vec<Segment>,
}

impl Segment {
    pub(super) fn words(&self) -> Range<u32> {
        self.first..self.first + self.block.list_ends.len() as u32
    }

    /// Whether it is worth sharing. Small ones are copied with their neighbours, or each merge would leave a few more: a list
    /// that has grown ends its segment earlier, and the words after it become a segment of their own.
    pub(super) fn is_large(&self) -> bool {
        let Block { list_ends, list, again, .. } = &*self.block;
        list.len().max(again.len()).max(list_ends.len()) >= FULL / 8
    }

    /// The entries of those of the words that are in this segment.
    fn list(&self, words: &Range<u32>) -> &[Entry] {
        part(&self.block.list, &self.block.list_ends, self.first, words)
    }

    fn again(&self, words: &Range<u32>) -> &[Entry] {
        part(&self.block.again, &self.block.again_ends, self.first, words)
    }
}

fn part<'a>(entries: &'a [Entry], ends: &[u32], first: u32, words: &Range<u32>) -> &'a [Entry] {
    let end = |word: u32| match word.saturating_sub(first).min(ends.len() as u32).checked_sub(1) {
        Some(last) => ends[last as usize] as usize,
        None => 0,
    };
    &entries[end(words.start)..end(words.end)]
}

impl Segments {
    pub(super) fn words(&self) -> u32 {
        self.segments.last().map_or(0, |last| last.words().end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// The list of one word; an empty one if it is dense.
    pub(super) fn list(&self, word: u32) -> &[Entry] {
        self.of(word).map_or(&[], |segment| segment.list(&(word..word + 1)))
    }

    /// The further positions of one word.
    pub(super) fn again(&self, word: u32) -> &[Entry] {
        self.of(word).map_or(&[], |segment| segment.again(&(word..word + 1)))
    }

    /// The lists of consecutive words, in pieces.
    pub(super) fn lists(&self, words: Range<u32>) -> impl Iterator<Item = &[Entry]> {
        let from = self.segments.partition_point(|segment| segment.words().end <= words.start);
        let those = self.segments[from..].iter().take_while({
            let end = words.end;
            move |segment| segment.first < end
        });
        those.map(move |segment| segment.list(&words))
    }

    fn of(&self, word: u32) -> Option<&Segment> {
        self.segments.get(self.segments.partition_point(|segment| segment.first <= word).checked_sub(1)?)
    }
}

/// Makes segments from lists in the order of their words.
#[derive(Debug, Default)]
pub(super) struct SegmentsBuilder {
    made: Segments,
    next: Block,
}

impl SegmentsBuilder {
    /// Adds the lists of the next word.
    pub(super) fn push(&mut self, more: &[Entry], further: &[Entry]) {
        let Block { list_ends, list, again_ends, again } = &mut self.next;
        list.extend_from_slice(more);
        again.extend_from_slice(further);
        list_ends.push(list.len() as u32);
        again_ends.push(again.len() as u32);
        if list.len().max(again.len()).max(list_ends.len()) >= FULL {
            self.close();
        }
    }

    /// Adds a segment of another index as the next words.
    pub(super) fn share(&mut self, segment: &Segment) {
        self.close();
        let first = self.made.words();
        self.made.segments.push(Segment { first, block: Arc::clone(&segment.block) });
    }

    /// Ends the segment, so that the next word begins another one.
    fn close(&mut self) {
        if self.next.list_ends.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut self.next);
        block.list_ends.shrink_to_fit();
        block.list.shrink_to_fit();
        block.again_ends.shrink_to_fit();
        block.again.shrink_to_fit();
        let first = self.made.words();
        self.made.segments.push(Segment { first, block: Arc::new(block) });
    }

    /// The number of words added.
    pub(super) fn words(&self) -> u32 {
        self.made.words() + self.next.list_ends.len() as u32
    }

    pub(super) fn finish(mut self) -> Segments {
        self.close();
        self.made
    }
}
