//! The HTML pages for people, rendered from the data that the API serves. They never show more than the reader's plan
//! includes.
//!
//! - [`frame`]: the parts that all pages share. [`keeping`]: turning a page into a reply, and caching; [`drawing`]:
//!   the cache of rendered pages; [`state`]: the state they are rendered from. [`site`]: the operator's settings.
//! - [`language`], [`texts`], [`words`], [`format`]: the reader's language, and the texts, numbers and days in it;
//!   [`typed`]: parsing of typed numbers.
//! - [`subject`]: subjects of pages with a chart; [`subject_page`]: that page; [`chart`]: the chart. [`markdown`]:
//!   texts written in Markdown.
//! - The other modules hold a page each.

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
