//! Files for programs that read pages: `robots.txt`, the sitemap, and a plain description of the service.

use std::fmt::Write as _;

use lastro_catalog::FxBook;
use lastro_model::{Series, Topic};

use crate::chart_subject::Subject;
use crate::frame::ORIGIN_MARK;
use crate::language::Language;
use crate::pricing::free_requests;
use crate::words;

/// Every page for the sitemap, except those of series and exchange rates.
const PAGES: [&str; 11] = [
    "/",
    "/series",
    "/calculator",
    "/indices",
    "/explore",
    "/pricing",
    "/docs",
    "/status",
    "/privacy",
    "/versions",
    "/changelog",
];

/// The rules of `robots.txt`. They exclude the API, which is for its own clients, and calculations and charts, which
/// count against a quota.
pub fn rules(public_url: Option<&str>) -> String {
    let mut body = String::from(
        "User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /calculator/\nDisallow: /series/*/chart\nDisallow: /fx/*/chart\nDisallow: /health\n",
    );
    if let Some(url) = public_url {
        // Writing into memory does not fail.
        let _ = write!(body, "\nSitemap: {url}/sitemap.xml\n");
    }
    body
}

/// The sitemap, with a page for each of these pairs.
pub fn sitemap(book: &FxBook) -> String {
    let series = Series::ALL.into_iter().map(Subject::Series);
    let pairs = book.pairs().iter().copied().map(Subject::Pair);
    let paths = PAGES.into_iter().map(str::to_owned).chain(series.chain(pairs).map(Subject::path));
    let mut body = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    paths.for_each(|path| place(&mut body, &path));
    body.push_str("</urlset>\n");
    body
}

/// Appends a page and its address in each language.
fn place(body: &mut String, path: &str) {
    let _ = write!(body, "<url><loc>{ORIGIN_MARK}{path}</loc>");
    for language in Language::ALL {
        let (tag, letters) = (language.tag(), language.letters());
        let _ = write!(
            body,
            "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{ORIGIN_MARK}{path}?lang={letters}\"/>"
        );
    }
    body.push_str("</url>\n");
}

/// The service in plain text, for language models and other programs that read no HTML.
pub fn plain_description(book: &FxBook) -> String {
    let origin = ORIGIN_MARK;
    let mut body = include_str!("texts/llms.md")
        .replace("{origin}", origin)
        .replace("{free_requests}", &free_requests().to_string());
    for topic in Topic::ALL {
        let _ = write!(body, "\n### {}\n\n", words::topic(topic, Language::English));
        for about in Series::ALL.map(Series::about).into_iter().filter(|about| about.topic == topic) {
            let unit = words::unit(about.unit, Language::English);
            let _ = writeln!(
                body,
                "- [{}]({origin}/series/{}): {unit}, SGS {}",
                about.name, about.id, about.code
            );
        }
    }
    body.push_str("\n### Exchange rates by day (PTAX, closing bulletin)\n\n");
    for pair in book.pairs() {
        let (name, path) = (words::pair(*pair, Language::English), Subject::Pair(*pair).path());
        let _ = writeln!(body, "- [{name}]({origin}{path}): {origin}/api/v1/market/fx?pair={pair}");
    }
    body
}
