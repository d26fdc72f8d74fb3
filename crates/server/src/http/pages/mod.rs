//! The pages: what people see of the service. Drawn here, in HTML, from what the API serves; never more than the reader's plan
//! shows.
//!
//! - [`frame`]: what all pages share, and how a page becomes a reply. [`site`]: what the operator says of the service, and the
//!   pages drawn already. [`language`], [`texts`], [`words`], [`format`]: in which language, and how numbers and days are
//!   written in it.
//! - [`chart`]: pictures of series. [`markdown`]: texts that were written as such.
//! - the rest: a page each.

pub mod articles;
pub mod assets;
pub mod calculator;
pub mod chart;
pub mod docs;
pub mod error;
pub mod explore;
pub mod format;
pub mod frame;
pub mod front;
pub mod language;
pub mod markdown;
pub mod one_series;
pub mod pricing;
pub mod robots;
pub mod series;
pub mod site;
pub mod status;
pub mod texts;
pub mod usage;
pub mod words;
