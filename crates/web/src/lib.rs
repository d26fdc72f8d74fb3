//! The pages for people: templates, texts, charts and assets. Data in, HTML out.
//!
//! A [`Page`] is rendered from the [`Data`] that the API serves, for a [`Reader`]. Parameters are parsed by the caller,
//! which also decides who may read a page, caches it and sends it: this crate has no sockets, no store and no HTTP.
//!
//! - [`frame`]: the parts that all pages share. [`data`]: the data, and the state by which a cached page stays valid.
//! - [`language`], [`texts`], [`words`], [`format`]: the reader's language, and the texts, numbers and
//!   days in it; [`typed`]: parsing of typed numbers; [`markdown`]: texts written in Markdown.
//! - [`chart_subject`]: subjects of pages with a chart; [`chart_page`]: that page; [`chart`]: the chart;
//!   [`chart_picture`]: the chart as a picture;
//!   [`description`]: what the page says of a series ([`series_detail`]) or a pair ([`fx`]).
//! - [`assets`]: static files. The other modules hold a page each.

mod articles;
pub mod assets;
mod billing;
pub mod calculator;
mod chart;
mod chart_page;
mod chart_picture;
mod chart_subject;
mod contact;
mod data;
mod description;
mod error;
mod format;
mod frame;
mod front;
mod fx;
mod language;
mod markdown;
mod page;
pub mod pricing;
pub mod robots;
mod scripted;
mod series;
mod series_detail;
mod status;
mod texts;
mod typed;
mod words;

pub use articles::{Changelog, Indices, Privacy, Versions};
pub use askama::Error as RenderError;
pub use billing::{AfterCheckout, PlanPrice};
pub use calculator::Calculator;
pub use chart::Range;
pub use chart_page::{ChartFragment, ChartPage};
pub use chart_picture::ChartPicture;
pub use chart_subject::{Subject, pair_called};
pub use contact::Contact;
pub use data::Data;
pub use error::{ErrorPage, Failure};
pub use frame::ORIGIN_MARK;
pub use front::Front;
pub use language::Language;
pub use page::{Page, Reader, Rendered};
pub use pricing::Pricing;
pub use scripted::{Company, Docs, Explore, Usage};
pub use series::Catalogue;
pub use status::Status;
