//! Lines of a text file, one at a time, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line accepted; the longest real one has about two thousand bytes.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// Most bytes skipped to find the end of a longer line.
const LONGEST_SKIP: u64 = 4 << 20;

/// Number of accented lines after which valid UTF-8 is no accident: windows-1252 text almost never is.
const ENOUGH_ACCENTS: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A line is ready.
    Line,
    /// A line longer than [`LONGEST_LINE`] was skipped.
    TooLong,
    /// A line has no end: the file was cut short, or is not text.
    Endless,
    End,
}

#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    accented: u64,
    accented_utf8: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        let input = BufReader::with_capacity(LONGEST_LINE, input);
        Self { input, line: Vec::new(), number: 0, accented: 0, accented_utf8: 0 }
    }

    pub(super) fn advance(&mut self) -> io::Result<Step> {
        self.line.clear();
        let most = LONGEST_LINE as u64 + 1;
        if self.input.by_ref().take(most).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(Step::End);
        }
        self.number += 1;
        if self.line.pop_if(|byte| *byte == b'\n').is_some() {
            self.line.pop_if(|byte| *byte == b'\r');
            self.count_accents();
            return Ok(Step::Line);
        }
        if self.line.len() > LONGEST_LINE {
            return Ok(if self.skip_rest()? { Step::TooLong } else { Step::Endless });
        }
        Ok(Step::Endless)
    }

    /// Skips the rest of the line; false if it has no end within [`LONGEST_SKIP`].
    fn skip_rest(&mut self) -> io::Result<bool> {
        Ok(self.input.by_ref().take(LONGEST_SKIP).skip_until(b'\n')? < LONGEST_SKIP as usize)
    }

    /// The line without its end.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The line number, starting at 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the text read so far is UTF-8 rather than windows-1252.
    pub(super) fn look_like_utf8(&self) -> bool {
        self.accented >= ENOUGH_ACCENTS && self.accented_utf8 == self.accented
    }

    fn count_accents(&mut self) {
        if !self.line.is_ascii() {
            self.accented += 1;
            self.accented_utf8 += u64::from(std::str::from_utf8(&self.line).is_ok());
        }
    }
}
