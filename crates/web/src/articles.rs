//! Pages of text: privacy, versions, and the changelog.

use std::borrow::Cow;

use askama::Template;

use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::markdown;
use crate::page::{Page, Reader, Rendered};

#[derive(Template)]
#[template(path = "article.html")]
struct Article {
    frame: Frame,
    title: &'static str,
    summary: &'static str,
    body: String,
    /// Language of the text, if it differs from that of the page.
    language: Option<&'static str>,
}

#[derive(Debug)]
pub struct Privacy;

impl Page for Privacy {
    fn path(&self) -> Cow<'static, str> {
        "/privacy".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let (frame, t) = (Frame::new(data, reader, self.path()), &reader.language.texts().articles);
        let text = match reader.language {
            Language::English => include_str!("texts/privacy.en.md"),
            Language::Portuguese => include_str!("texts/privacy.pt.md"),
        };
        let (title, summary, body) = (t.privacy_title, t.privacy_summary, markdown::html(text));
        Article { frame, title, summary, body, language: None }.render()
    }
}

#[derive(Debug)]
pub struct Versions;

impl Page for Versions {
    fn path(&self) -> Cow<'static, str> {
        "/versions".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let (frame, t) = (Frame::new(data, reader, self.path()), &reader.language.texts().articles);
        let text = match reader.language {
            Language::English => include_str!("texts/versions.en.md"),
            Language::Portuguese => include_str!("texts/versions.pt.md"),
        };
        let (title, summary, body) = (t.versions_title, t.versions_summary, markdown::html(text));
        Article { frame, title, summary, body, language: None }.render()
    }
}

/// The repository's changelog, which is in English.
#[derive(Debug)]
pub struct Changelog;

impl Page for Changelog {
    fn path(&self) -> Cow<'static, str> {
        "/changelog".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let (frame, t) = (Frame::new(data, reader, self.path()), &reader.language.texts().articles);
        let body = markdown::html(include_str!("../../../CHANGELOG.md"));
        let language = (reader.language != Language::English).then_some(Language::English.tag());
        Article { frame, title: t.changelog_title, summary: t.changelog_summary, body, language }.render()
    }
}
