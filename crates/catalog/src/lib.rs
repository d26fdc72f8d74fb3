//! The immutable read view: every read request is answered from one [`Catalog`].
//!
//! Pure builders turn records into read-optimized structures: arrays in listing order, posting lists for the
//! filters, a text index for search, JSON prepared at build time. Nothing here changes after it is built. This crate
//! contains no HTTP, SQL or plans; the server builds parts from the store and reads them per request.

mod catalog;
mod companies;
mod error;
mod filings;
mod fold;
mod fx;
mod highlights;
mod json;
mod merge_plan;
mod observations;
mod page;
mod postings;
mod record_json;
mod revisions;
mod search;
mod snapshot;
mod suggestions;
mod table;
mod timeline;

pub use catalog::{Catalog, Part};
pub use companies::{Companies, CompanyFilter, Tickers};
pub use error::BuildError;
pub use filings::{FilingFilter, Filings, FilingsBuilder};
pub use fold::fold_label;
pub use fx::{FxBook, FxFilter};
pub use highlights::{Highlights, Searchable};
pub use json::{Name, Object, Plain};
pub use observations::Observations;
pub use page::{Listing, Page, Rows, RowsIter};
pub use record_json::{company_json, filing_json};
pub use revisions::{FirstDay, Revision, Revisions};
pub use search::{Found, Reading, Span};
pub use snapshot::SnapshotError;
pub use suggestions::Suggestion;
pub use table::{Cell, Table};
pub use timeline::{Point, Timeline};
