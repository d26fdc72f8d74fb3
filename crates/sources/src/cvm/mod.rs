//! Open data of the Comissão de Valores Mobiliários, the securities regulator: [`companies`] (CAD), [`filings`] (IPE)
//! and [`tickers`] (FCA).
//!
//! All its files share one format, parsed by `table`: windows-1252 text, `;`, CRLF also after the last line, a header
//! line, and no quoting: a `"` is data, sometimes doubled and sometimes alone, so a CSV parser that honours quotes
//! swallows lines. Columns are found by name.
//!
//! Known faults of the publisher: error pages with status 200, files that vanish for weeks (404), stray control bytes
//! (such a row is rejected) and non-breaking spaces in text. A file that turns to UTF-8 is rejected, because parsed
//! as windows-1252 it would be silently garbled.

mod archive;
pub mod companies;
pub mod filings;
mod lines;
mod table;
mod text;
pub mod tickers;

pub const OFFICIAL_BASE: &str = "https://dados.cvm.gov.br";
