//! The pages: what people see of the service. Drawn here, in HTML, from what the API serves; never more than the reader's plan
//! shows.
//!
//! - [`frame`]: what all pages share. [`keeping`]: how a page becomes a reply, and whether it is kept; [`drawing`]: pages drawn
//!   already; [`state`]: what they are drawn from. [`site`]: what the operator says of the service. [`language`], [`texts`],
//!   [`words`], [`format`]: in which language, and how numbers and days are written in it; [`typed`]: and how they are read.
//! - [`subject`]: what has a page with a chart, [`subject_page`] that page, [`chart`] the picture. [`markdown`]: texts that were
//!   written as such.
//! - the rest: a page each.

pub mod articles;
pub mod assets;
pub mod calculator;
pub mod chart;
pub mod docs;
pub mod drawing;
pub mod error;
pub mod explore;
pub mod format;
pub mod frame;
pub mod front;
pub mod fx;
pub mod keeping;
pub mod language;
pub mod markdown;
pub mod one_series;
pub mod pricing;
pub mod robots;
pub mod series;
pub mod site;
pub mod state;
pub mod status;
pub mod subject;
pub mod subject_page;
pub mod texts;
pub mod typed;
pub mod usage;
pub mod words;
