//! Tables as CSV: RFC 4180 in UTF-8, in the dialect that the client's spreadsheet expects.
//!
//! The catalog provides typed cells; they are punctuated here. A text that a spreadsheet would run as a formula is
//! escaped. Numbers are not texts: `-0.02` stays a number.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use http::header::{CONTENT_DISPOSITION, HeaderName};
use lastro_catalog::{Cell, Listing, Table};
use lastro_model::{Day, Stamp};

use super::envelope;
use super::reply::{Header, Reply};
use crate::error::ApiError;
use crate::http::request::format::Dialect;

const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

pub const CSV: &str = "text/csv; charset=utf-8; header=present";

impl Dialect {
    /// The part of the `ETag` that distinguishes this format.
    pub const fn variant(self) -> &'static str {
        match self {
            Self::International => "csv",
            Self::Brazilian => "csv-pt-BR",
        }
    }

    const fn delimiter(self) -> u8 {
        match self {
            Self::International => b',',
            Self::Brazilian => b';',
        }
    }

    /// The bytes before the header row.
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::International => b"",
            Self::Brazilian => "\u{feff}".as_bytes(),
        }
    }
}

/// Writes rows into a buffer.
#[derive(Debug)]
pub struct CsvWriter<'a> {
    writer: csv::Writer<&'a mut Vec<u8>>,
    dialect: Dialect,
    /// The current cell.
    cell: String,
}

impl<'a> CsvWriter<'a> {
    /// Starts a file with the header row.
    pub fn begin(dialect: Dialect, columns: &[&str], out: &'a mut Vec<u8>) -> csv::Result<Self> {
        out.extend_from_slice(dialect.mark());
        let mut file = Self::resume(dialect, out);
        file.writer.write_record(columns)?;
        Ok(file)
    }

    /// Continues a file that was started in another buffer.
    pub fn resume(dialect: Dialect, out: &'a mut Vec<u8>) -> Self {
        let writer = csv::WriterBuilder::new()
            .delimiter(dialect.delimiter())
            .terminator(csv::Terminator::CRLF)
            .from_writer(out);
        Self { writer, dialect, cell: String::new() }
    }

    /// Writes the rows of a table. A row with a cell too many or too few is an error.
    pub fn rows<T: Table>(&mut self, table: &T, positions: impl Iterator<Item = u32>) -> csv::Result<()> {
        for position in positions {
            self.row(|put| table.cells(position, put))?;
        }
        Ok(())
    }

    /// Writes one row of the cells that `write` provides.
    pub fn row(&mut self, write: impl FnOnce(&mut dyn FnMut(Cell<'_>))) -> csv::Result<()> {
        let mut written = Ok(());
        write(&mut |cell| {
            if written.is_ok() {
                written = self.put(&cell);
            }
        });
        written?;
        self.writer.write_record(None::<&[u8]>)
    }

    /// Flushes everything into the buffer.
    pub fn finish(mut self) -> csv::Result<()> {
        Ok(self.writer.flush()?)
    }

    fn put(&mut self, cell: &Cell<'_>) -> csv::Result<()> {
        self.cell.clear();
        match cell {
            Cell::Nothing => {}
            Cell::Text(text) => self.text(text),
            Cell::List(texts, separator) => self.text(&texts.join(separator)),
            Cell::Token(token) => self.display(token),
            Cell::Number(number) => {
                self.display(number);
                if self.dialect == Dialect::Brazilian {
                    self.cell = self.cell.replace('.', ",");
                }
            }
        }
        self.writer.write_field(&self.cell)
    }

    fn text(&mut self, text: &str) {
        if is_formula(text) {
            self.cell.push('\'');
        }
        self.cell.push_str(text);
    }

    fn display(&mut self, value: &dyn Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.cell, "{value}");
    }
}

/// Whether a spreadsheet might run this text instead of showing it.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// The name, row count and date of a file.
#[derive(Debug)]
pub struct Label {
    pub name: Cow<'static, str>,
    pub total: usize,
    pub day: Day,
}

impl Label {
    /// The headers for the file name and the total number of rows.
    pub fn headers(&self, extension: &str) -> Vec<Header> {
        let Self { name, total, day } = self;
        let file = format!("attachment; filename=\"lastro-{name}-{day}.{extension}\"");
        vec![(CONTENT_DISPOSITION, envelope::text(&file)), (X_TOTAL_COUNT, (*total).into())]
    }
}

/// A CSV file with one page of a list.
pub fn page<T: Table>(
    dialect: Dialect,
    label: &Label,
    table: &T,
    listing: &Listing<'_>,
    stamps: impl IntoIterator<Item = Stamp>,
) -> Result<Reply, ApiError> {
    file(dialect, label, T::COLUMNS, stamps, |writer| writer.rows(table, listing.rows.iter()))
}

/// One page of a list as a CSV file. If withdrawn rows are shown, a column says since when they are withdrawn.
pub fn page_of_list<T: Table>(
    dialect: Dialect,
    label: &Label,
    table: &T,
    listing: &Listing<'_>,
    stamps: impl IntoIterator<Item = Stamp>,
    shows_withdrawn: bool,
) -> Result<Reply, ApiError> {
    if !shows_withdrawn {
        return page(dialect, label, table, listing, stamps);
    }
    let columns = [T::COLUMNS, &["withdrawn_at"]].concat();
    file(dialect, label, &columns, stamps, |writer| {
        listing.rows.iter().try_for_each(|row| {
            writer.row(|put| {
                table.cells(row, put);
                put(Cell::optional_token(table.withdrawn_at(row).as_ref()));
            })
        })
    })
}

/// A CSV file with the rows that `write` writes.
pub fn file(
    dialect: Dialect,
    label: &Label,
    columns: &[&str],
    stamps: impl IntoIterator<Item = Stamp>,
    write: impl FnOnce(&mut CsvWriter<'_>) -> csv::Result<()>,
) -> Result<Reply, ApiError> {
    let mut body = Vec::new();
    let written = CsvWriter::begin(dialect, columns, &mut body).and_then(|mut writer| {
        write(&mut writer)?;
        writer.finish()
    });
    written.map_err(|error| {
        tracing::error!(%error, "a CSV file could not be written");
        ApiError::Internal
    })?;
    let reply = Reply::data(body, stamps);
    Ok(Reply { content_type: CSV, variant: dialect.variant(), headers: label.headers("csv"), ..reply })
}
