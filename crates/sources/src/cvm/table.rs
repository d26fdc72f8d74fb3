//! The regulator's table format: a header, then lines of fields separated by `;`, without quoting.

use std::io::{self, Read};
use std::ops::Range;

use super::lines::{LONGEST_LINE, Lines, Step};
use super::text;
use crate::Fault;

/// Defines the columns that a parser needs, by their names in the header.
macro_rules! columns {
    ($name:ident { $($field:ident = $column:literal),* $(,)? }) => {
        struct $name {
            $($field: usize),*
        }

        impl $name {
            fn find<R: std::io::Read>(table: &Table<R>) -> Result<Self, Fault> {
                Ok(Self { $($field: table.column($column)?),* })
            }
        }
    };
}
pub(super) use columns;

#[derive(Debug)]
pub(super) struct Table<R> {
    lines: Lines<R>,
    columns: Vec<String>,
    file: String,
    fields: Vec<Range<usize>>,
}

/// A line of the table, borrowed until the next one is read.
#[derive(Debug)]
pub(super) struct CsvRow<'a> {
    /// The raw line, without its end.
    pub(super) line: &'a [u8],
    fields: &'a mut Vec<Range<usize>>,
    columns: &'a [String],
}

/// A line's number, with its row or the reason for its rejection.
pub(super) type Numbered<'a> = (u64, Result<CsvRow<'a>, String>);

impl<R: Read> Table<R> {
    /// Reads the header. `file` is the table's name in rejects and faults.
    pub(super) fn open(input: R, file: &str) -> Result<Self, Fault> {
        let mut lines = Lines::new(input);
        match lines.advance().map_err(|error| unreadable(file, &error))? {
            Step::Line => {}
            Step::End => return Err(Fault::NotData(format!("{file}: is empty"))),
            Step::Endless | Step::TooLong => {
                return Err(Fault::NotData(format!("{file}: {}", no_header(lines.line()))));
            }
        }
        if lines.line().trim_ascii_start().starts_with(b"<") {
            return Err(Fault::NotData(format!("{file}: {}", no_header(lines.line()))));
        }
        let columns = lines.line().split(|byte| *byte == b';');
        let columns = columns.map(|name| text::clean(name).unwrap_or_default()).collect();
        Ok(Self { lines, columns, file: file.to_owned(), fields: Vec::new() })
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The position of the column with this name. A file without it is rejected.
    pub(super) fn column(&self, name: &str) -> Result<usize, Fault> {
        self.columns
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| Fault::NotData(format!("{}: the column {name} is missing", self.file)))
    }

    /// The next non-blank line, `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<Option<Numbered<'_>>, Fault> {
        let step = self.skip_blank_lines()?;
        let number = self.lines.number();
        match step {
            Step::End if self.lines.look_like_utf8() => {
                Err(Fault::NotData(format!("{}: is UTF-8, no longer windows-1252", self.file)))
            }
            Step::End => Ok(None),
            Step::Endless => Err(Fault::NotData(format!(
                "{}: line {number} has no end: the file was cut short",
                self.file
            ))),
            Step::TooLong => Ok(Some((number, Err(format!("the line is longer than {LONGEST_LINE} bytes"))))),
            Step::Line => Ok(Some((number, Ok(self.row())))),
        }
    }

    fn skip_blank_lines(&mut self) -> Result<Step, Fault> {
        loop {
            let step = self.lines.advance().map_err(|error| unreadable(&self.file, &error))?;
            if step != Step::Line || !self.lines.line().is_empty() {
                return Ok(step);
            }
        }
    }

    fn row(&mut self) -> CsvRow<'_> {
        let line = self.lines.line();
        self.fields.clear();
        let mut start = 0;
        for field in line.split(|byte| *byte == b';') {
            self.fields.push(start..start + field.len());
            start += field.len() + 1;
        }
        CsvRow { line, fields: &mut self.fields, columns: &self.columns }
    }
}

impl<'a> CsvRow<'a> {
    /// The field of a column; empty if the row is too short, which [`CsvRow::check_width`] detects.
    pub(super) fn field(&self, column: usize) -> &'a [u8] {
        self.fields.get(column).and_then(|range| self.line.get(range.clone())).unwrap_or_default()
    }

    /// The decoded text of a field.
    pub(super) fn text(&self, column: usize) -> Result<String, String> {
        let name = || self.columns.get(column).map_or("a column", String::as_str);
        text::clean(self.field(column)).ok_or_else(|| format!("{} holds a control character", name()))
    }

    /// The text of a field that may be blank.
    pub(super) fn filled(&self, column: usize) -> Result<Option<String>, String> {
        Ok(Some(self.text(column)?).filter(|text| !text.is_empty()))
    }

    /// Checks that the row has as many fields as the header.
    pub(super) fn check_width(&self) -> Result<(), String> {
        if self.fields.len() == self.columns.len() {
            return Ok(());
        }
        Err(format!("{} fields where the header has {}", self.fields.len(), self.columns.len()))
    }

    /// Rejoins fields split by surplus separators, which were typed in this column of free text.
    pub(super) fn rejoin_surplus(&mut self, column: usize) {
        let surplus = self.fields.len().saturating_sub(self.columns.len());
        if surplus == 0 {
            return;
        }
        if let Some(end) = self.fields.get(column + surplus).map(|last| last.end) {
            self.fields[column].end = end;
            self.fields.drain(column + 1..=column + surplus);
        }
    }
}

fn no_header(line: &[u8]) -> &'static str {
    if line.trim_ascii_start().starts_with(b"<") {
        "is a page for a browser, not a table"
    } else {
        "does not begin with a header line"
    }
}

/// Maps a read error to a fault. Broken compression appears as a read error; only errors of the machine itself are
/// transient.
pub(super) fn unreadable(file: &str, error: &io::Error) -> Fault {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    match error.kind() {
        UnexpectedEof | InvalidData | InvalidInput | Other => {
            Fault::NotData(format!("{file}: is broken: {error}"))
        }
        _ => Fault::Transient(format!("{file}: cannot be read now: {error}")),
    }
}
