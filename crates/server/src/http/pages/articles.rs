//! Pages of text: privacy, versions, and the changelog.

use askama::Template;

use super::frame::{Frame, draw};
use super::keeping::kept;
use super::language::Language;
use super::{markdown, state};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

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

pub fn privacy(question: &Question<'_>) -> Result<Reply, ApiError> {
    article(question, "/privacy", |language| {
        let (t, text) = (
            &language.texts().articles,
            match language {
                Language::English => include_str!("texts/privacy.en.md"),
                Language::Portuguese => include_str!("texts/privacy.pt.md"),
            },
        );
        (t.privacy_title, t.privacy_summary, text, None)
    })
}

pub fn versions(question: &Question<'_>) -> Result<Reply, ApiError> {
    article(question, "/versions", |language| {
        let (t, text) = (
            &language.texts().articles,
            match language {
                Language::English => include_str!("texts/versions.en.md"),
                Language::Portuguese => include_str!("texts/versions.pt.md"),
            },
        );
        (t.versions_title, t.versions_summary, text, None)
    })
}

/// The repository's changelog, which is in English.
pub fn changelog(question: &Question<'_>) -> Result<Reply, ApiError> {
    article(question, "/changelog", |language| {
        let t = &language.texts().articles;
        let foreign = (language != Language::English).then_some(Language::English.tag());
        (t.changelog_title, t.changelog_summary, include_str!("../../../../../CHANGELOG.md"), foreign)
    })
}

type Written = (&'static str, &'static str, &'static str, Option<&'static str>);

fn article(
    question: &Question<'_>,
    path: &'static str,
    written: impl FnOnce(Language) -> Written,
) -> Result<Reply, ApiError> {
    kept(question, path, state::sample(question), |language| {
        let (title, summary, text, foreign) = written(language);
        let frame = Frame::new(question, language, path);
        draw(&Article { frame, title, summary, body: markdown::html(text), language: foreign })
    })
}
