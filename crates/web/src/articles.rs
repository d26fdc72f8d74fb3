//! Pages of text: the guide to the indices, privacy, versions, and the changelog.

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

/// The guide to the indices: the use of each, and the reasons why results differ.
#[derive(Debug)]
pub struct Indices;

impl Page for Indices {
    fn path(&self) -> Cow<'static, str> {
        "/indices".into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let (frame, t) = (Frame::new(data, reader, self.path()), &reader.language.texts().articles);
        let (title, summary, body) =
            (t.indices_title, t.indices_summary, markdown::html(guide(reader.language)));
        Article { frame, title, summary, body, language: None }.render()
    }
}

const fn guide(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("texts/indices.en.md"),
        Language::Portuguese => include_str!("texts/indices.pt.md"),
    }
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

#[cfg(test)]
mod tests {
    use lastro_model::Decimal;

    use super::*;

    /// The monthly changes in the guide's tables.
    fn monthly_changes(text: &str) -> Vec<Decimal> {
        let numbers = text.lines().filter(|line| line.starts_with("| ")).flat_map(|line| line.split('|'));
        numbers
            .filter_map(|cell| cell.trim().replace(',', ".").replace('\u{2212}', "-").parse().ok())
            .collect()
    }

    #[test]
    fn example_of_the_guide_is_true() {
        for (language, point) in [(Language::English, '.'), (Language::Portuguese, ',')] {
            let text = guide(language);
            let months = monthly_changes(text);
            assert_eq!(months.len(), 12);
            let factor: Decimal =
                months.iter().map(|month| Decimal::ONE + month / Decimal::ONE_HUNDRED).product();
            let sum: Decimal = months.iter().sum();
            let percent = (factor - Decimal::ONE) * Decimal::ONE_HUNDRED;
            for number in [factor.round_dp(6), percent.round_dp(2), sum] {
                let written = number.to_string().replace('.', &point.to_string());
                assert!(text.contains(&written), "{language:?}: {written}");
            }
        }
    }

    #[test]
    fn links_of_the_guide_to_itself_have_their_headings() {
        for text in Language::ALL.map(guide) {
            let targets = text.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
            for target in targets {
                assert!(text.contains(&format!("{{#{target}}}")), "{target}");
            }
        }
    }
}
