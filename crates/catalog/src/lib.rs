//! The immutable read view: every read request is answered from one [`Catalog`].
//!
//! Pure builders turn records into read-optimized structures: arrays in listing order, posting lists for the
//! filters, a text index for search, JSON prepared at build time. Nothing here changes after it is built. This crate
//! contains no HTTP, SQL or plans; the server builds parts from the store and reads them per request.

mod catalog;
mod companies;
mod error;
mod filings;
mod fx;
mod highlights;
mod json;
mod observations;
mod page;
mod postings;
mod record_json;
mod revisions;
mod snapshot;
mod suggestions;
mod table;
mod tables;
mod timeline;

pub use catalog::{Catalog, Part};
pub use companies::{Companies, CompanyFilter, Tickers, companies_with_brands};
pub use error::BuildError;
pub use filings::{FilingFilter, Filings, FilingsBuilder, holds_all_words};
pub use fx::{FxBook, FxFilter};
pub use highlights::{Highlights, Searchable};
pub use json::{Name, Object, Plain};
pub use lastro_search::{Interpretation, Page, Span, fold_label, is_stop_word, words_of};
pub use observations::Observations;
pub use page::{Found, Listing, Rows, RowsIter};
pub use record_json::{company_json, filing_json, logged_company_json};
pub use revisions::{FirstDay, Revision, Revisions};
pub use snapshot::SnapshotError;
pub use suggestions::Suggestion;
pub use table::{Cell, ColumnType, Table};
pub use timeline::{Point, Timeline};
