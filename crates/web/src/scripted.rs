//! Pages that a script fills: companies and filings, the usage of a key, and the API reference.

use std::borrow::Cow;

use askama::Template;

use crate::data::Data;
use crate::frame::{Frame, encoded};
use crate::page::{Page, Reader, Rendered};

/// Companies and filings, from the API with the reader's key.
#[derive(Debug)]
pub struct Explore;

/// A company and its filings, in the same way. The page is the same for every company, and says nothing of it.
#[derive(Debug)]
pub struct Company {
    /// Registry code, CNPJ or ticker, well-formed.
    pub id: String,
}

#[derive(Template)]
#[template(path = "explore.html")]
struct ExploreHtml {
    frame: Frame,
    /// The company whose page this is; empty if it is the page of all.
    company: String,
}

impl Page for Explore {
    fn path(&self) -> Cow<'static, str> {
        "/explore".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        ExploreHtml { frame: Frame::new(data, reader, self.path()), company: String::new() }.render()
    }
}

impl Page for Company {
    fn path(&self) -> Cow<'static, str> {
        format!("/explore/companies/{}", encoded(&self.id)).into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        ExploreHtml { frame: Frame::new(data, reader, self.path()), company: self.id.clone() }.render()
    }
}

/// Usage of a key, from the API with that key.
#[derive(Debug)]
pub struct Usage {
    /// Whether plans can be paid for here.
    pub sells: bool,
}

#[derive(Template)]
#[template(path = "usage.html")]
struct UsageHtml {
    frame: Frame,
    sells: bool,
}

impl Page for Usage {
    fn path(&self) -> Cow<'static, str> {
        "/usage".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        UsageHtml { frame: Frame::new(data, reader, self.path()), sells: self.sells }.render()
    }
}

/// The API reference, from its description.
#[derive(Debug)]
pub struct Docs;

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsHtml {
    frame: Frame,
}

impl Page for Docs {
    fn path(&self) -> Cow<'static, str> {
        "/docs".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        DocsHtml { frame: Frame::new(data, reader, self.path()) }.render()
    }
}
