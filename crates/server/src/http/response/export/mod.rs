//! Bulk export: all rows of a selection, from one edition, streamed with constant memory.
//!
//! A handler selects the rows ([`Export`]); the edge starts the stream unless only the headers are wanted. An export
//! reads a list page by page, so its count is the list's total. It keeps only one part of the catalog alive.
//!
//! - [`slots`]: the limit of concurrent exports for one holder of keys.
//! - [`stream`]: the body, produced as the client reads it, at low priority.
//! - [`files`]: whole data sets as Parquet, made once for each edition; [`range`] serves parts.

pub mod files;
pub mod range;
pub mod slots;
pub mod stream;

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use http::header::{HeaderName, LINK};
use lastro_catalog::{Cell, ColumnType, Listing, Page, Part, Table};
use lastro_encoding::parquet::Rows;
use lastro_model::{Day, Stamp, digest_of_stamps};

use super::body::Body;
use super::csv::{CSV, CsvWriter, Label};
use super::decimals;
use super::reply::{Reply, Version};
use crate::http::request::format::{Dialect, ExportFormat, NDJSON, PARQUET};

/// Both publishers use the Open Database License, which matters to clients that download in bulk.
const LICENCE: HeaderValue =
    HeaderValue::from_static("<https://opendatacommons.org/licenses/odbl/1-0/>; rel=\"license\"");

const CHANGES_CURSOR: HeaderName = HeaderName::from_static("x-changes-cursor");

/// A handler's reply to a request for a whole data set.
pub struct Export {
    pub name: &'static str,
    pub day: Day,
    pub stamps: Vec<Stamp>,
    /// The place in the log whose changes lead on from these rows.
    pub cursor: String,
    pub format: ExportFormat,
    /// Whether decimals are strings in JSON.
    pub as_strings: bool,
    pub rows: Box<dyn Selection>,
}

impl Export {
    /// The reply with its headers; the body has yet to start.
    pub fn reply(&self) -> Reply {
        let (content_type, variant, extension) = match self.format {
            ExportFormat::Csv(dialect) => (CSV, dialect.variant(), "csv"),
            ExportFormat::Ndjson => (NDJSON.media_type, NDJSON.name, NDJSON.name),
            ExportFormat::Parquet => (PARQUET.media_type, PARQUET.name, PARQUET.name),
        };
        let label = Label { name: self.name.into(), total: self.rows.total(), day: self.day };
        let cursor = HeaderValue::from_str(&self.cursor).ok().map(|cursor| (CHANGES_CURSOR, cursor));
        let headers = label.headers(extension).into_iter().chain([(LINK, LICENCE)]).chain(cursor).collect();
        let mut reply = Reply::data(Vec::new(), self.stamps.iter().copied());
        if self.format == ExportFormat::Parquet {
            reply.version = Version::File(self.digest());
        }
        Reply { content_type, variant, headers, body: Body::HeadOnly, ..reply }
    }

    /// Changes with every edition of the data.
    pub fn digest(&self) -> u64 {
        digest_of_stamps(self.stamps.iter().copied())
    }

    fn dialect(&self) -> Option<Dialect> {
        match self.format {
            ExportFormat::Csv(dialect) => Some(dialect),
            ExportFormat::Ndjson | ExportFormat::Parquet => None,
        }
    }

    /// Appends a page of rows and returns their number.
    fn write(&self, page: Page, out: &mut Vec<u8>) -> csv::Result<usize> {
        if self.dialect().is_some() || !self.as_strings {
            return self.rows.write(page, self.dialect(), out);
        }
        let mut lines = Vec::new();
        let rows = self.rows.write(page, None, &mut lines)?;
        out.append(&mut decimals::quoted(&lines));
        Ok(rows)
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("name", &self.name)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Selected rows of any table.
pub trait Selection: Rows + Send {
    /// Appends a page of rows and returns their number.
    fn write(&self, page: Page, dialect: Option<Dialect>, out: &mut Vec<u8>) -> csv::Result<usize>;
}

/// The rows returned by `list` for a part of the catalog.
struct Selected<T, F> {
    part: Arc<Part<T>>,
    list: F,
}

/// Selects all rows that `list` returns, and keeps the part alive while an export runs.
pub fn select<T, F>(part: &Arc<Part<T>>, list: F) -> Box<dyn Selection>
where
    T: Table + Send + Sync + 'static,
    F: for<'a> Fn(&'a T, Page) -> Listing<'a> + Send + 'static,
{
    Box::new(Selected { part: Arc::clone(part), list })
}

impl<T, F> Rows for Selected<T, F>
where
    T: Table + Send + Sync,
    F: for<'a> Fn(&'a T, Page) -> Listing<'a> + Send,
{
    fn total(&self) -> usize {
        (self.list)(&self.part.data, Page { limit: 0, offset: 0 }).total
    }

    fn columns(&self) -> &'static [&'static str] {
        T::COLUMNS
    }

    fn types(&self) -> &'static [ColumnType] {
        T::TYPES
    }

    fn cells(&self, page: Page, put: &mut dyn FnMut(usize, Cell<'_>)) -> usize {
        let rows = (self.list)(&self.part.data, page).rows;
        for position in &rows {
            let mut column = 0;
            self.part.data.cells(position, &mut |cell| {
                put(column, cell);
                column += 1;
            });
        }
        rows.len()
    }
}

impl<T, F> Selection for Selected<T, F>
where
    T: Table + Send + Sync,
    F: for<'a> Fn(&'a T, Page) -> Listing<'a> + Send,
{
    fn write(&self, page: Page, dialect: Option<Dialect>, out: &mut Vec<u8>) -> csv::Result<usize> {
        let table = &self.part.data;
        let rows = (self.list)(table, page).rows;
        if let Some(dialect) = dialect {
            let mut writer = CsvWriter::resume(dialect, out);
            writer.rows(table, rows.iter())?;
            writer.finish()?;
        } else {
            for position in &rows {
                table.write_json(position, out);
                out.push(b'\n');
            }
        }
        Ok(rows.len())
    }
}
