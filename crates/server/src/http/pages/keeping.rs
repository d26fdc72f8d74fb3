//! Turns a page into a reply: decides which pages are kept, and which address pays for drawing the others.
//!
//! - [`kept`]: the pages of the service, some hundred. They change with editions only, and there is room for all of them:
//!   each is drawn once, and compressed once in each coding, for everybody and at nobody's expense.
//! - [`kept_while_asked`]: what can be made of them, thousands of comparisons and charts. Those asked for last are kept, in a
//!   memory of its own: whoever walks through all of them pushes out no page of the first kind.
//! - [`drawn_for_one`]: what shows what its reader typed. Nobody else asks for it.
//!
//! The last two are work that strangers can cause at will, so that it is counted ([`lastro_access::PageWork`]) by the bytes
//! that are drawn and compressed. Beyond what an address or its network may cause it gets 429, beyond what all together may
//! 503: requests that cost little are not to wait for those that cost much. What is at hand is always sent, if need be as it
//! is: a compressed form that is not made yet is then not made.
//!
//! Unless the operator says what the service is called (`--public-url`), a page that names it is another one for each
//! `Host`, and so of the second kind; but it is never refused, because it takes a search for a mark and no drawing.

use std::sync::Arc;

use http::StatusCode;
use http::header::{CONTENT_LANGUAGE, HeaderValue, REFERRER_POLICY, SET_COOKIE, VARY};
use lastro_access::PageWorkRefusal;

use super::drawing::{Drawing, Name, ORIGIN_MARK};
use super::frame::Reader;
use super::language::{COOKIE, Language};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::{Reply, Stored};

const HTML: &str = "text/html; charset=utf-8";

/// Our own pages load only what this binary serves, and run no inline script or style.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                               font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const TOO_MUCH_WORK: &str =
    "too many pages were drawn for this address or network alone; wait as long as Retry-After says";
const BUSY: ApiError =
    ApiError::Unavailable("too many pages are being drawn right now; please try again shortly");

/// A page of the service, drawn again only if what it is drawn from has changed.
pub fn kept(
    question: &Question<'_>,
    path: &str,
    state: u64,
    page: impl FnOnce(Language) -> Result<String, ApiError>,
) -> Result<Reply, ApiError> {
    let reader = Reader::of(question);
    let reply = own(question, reader.name_of(path), state, || page(reader.language))?;
    Ok(shown_to(&reader, reply))
}

/// A text for programs, kept as a page is. It is in one language.
pub fn kept_text(
    question: &Question<'_>,
    path: &str,
    content_type: &'static str,
    state: u64,
    text: impl FnOnce() -> String,
) -> Result<Reply, ApiError> {
    let name = Name { path: path.to_owned(), language: Language::English, by_choice: false, origin: None };
    Ok(Reply { content_type, ..own(question, name, state, || Ok(text()))? })
}

/// A page that is made of others, kept while it is asked for.
pub fn kept_while_asked(
    question: &Question<'_>,
    reader: &Reader,
    path: &str,
    state: u64,
    page: impl FnOnce(Language) -> Result<String, ApiError>,
) -> Result<Reply, ApiError> {
    let (site, mut name) = (question.site, reader.name_of(path));
    name.origin = site.public_url().is_none().then(|| reader.origin.clone());
    let drawing = match site.combined.get(&name, state) {
        Some(drawing) => drawing,
        None => {
            let text = charged(question, || Ok((page(reader.language)?, ())))?.0;
            site.combined.keep(name, Drawing::new(state, text.replace(ORIGIN_MARK, &reader.origin)))
        }
    };
    Ok(shown_to(reader, drawing.reply(Stored::Charged)))
}

/// A page that is drawn for this request.
pub fn drawn_for_one(
    question: &Question<'_>,
    reader: &Reader,
    page: impl FnOnce(Language) -> Result<(String, StatusCode), ApiError>,
) -> Result<Reply, ApiError> {
    let (text, status) = charged(question, || page(reader.language))?;
    let drawing = Drawing::new(0, text.replace(ORIGIN_MARK, &reader.origin));
    Ok(Reply { status, ..shown_to(reader, drawing.reply(Stored::Charged)) })
}

/// A page with something that concerns its reader alone, which is not compressed.
pub fn private(reader: &Reader, text: &str) -> Reply {
    let drawing = Drawing::new(0, text.replace(ORIGIN_MARK, &reader.origin));
    shown_to(reader, drawing.reply(|_| Stored::Plain))
}

fn own(
    question: &Question<'_>,
    name: Name,
    state: u64,
    draw: impl FnOnce() -> Result<String, ApiError>,
) -> Result<Reply, ApiError> {
    let site = question.site;
    let drawing = match site.own.get(&name, state) {
        Some(drawing) => drawing,
        None => {
            let mut text = site.draw(draw)?;
            if let Some(url) = site.public_url() {
                text = text.replace(ORIGIN_MARK, url);
            }
            site.own.keep(name.clone(), Drawing::new(state, text))
        }
    };
    if !drawing.names_us {
        return Ok(drawing.reply(Stored::Page));
    }
    Ok(named(question, name, &drawing).reply(Stored::Charged))
}

/// The page with what its reader calls the service.
fn named(question: &Question<'_>, name: Name, drawing: &Drawing) -> Arc<Drawing> {
    let (site, origin) = (question.site, question.site.origin(question.head));
    let name = Name { origin: Some(origin.clone()), ..name };
    if let Some(named) = site.combined.get(&name, drawing.digest) {
        return named;
    }
    let text = std::str::from_utf8(&drawing.text).unwrap_or_default().replace(ORIGIN_MARK, &origin);
    let (length, named) = (text.len(), Drawing::new(drawing.digest, text));
    if site.work.take(question.client, length, question.now.monotonic_ns) {
        site.combined.keep(name, named)
    } else {
        Arc::new(named)
    }
}

/// Draws a page at the expense of who asks for it.
fn charged<T>(
    question: &Question<'_>,
    draw: impl FnOnce() -> Result<(String, T), ApiError>,
) -> Result<(String, T), ApiError> {
    let (site, client, now_ns) = (question.site, question.client, question.now.monotonic_ns);
    site.work.check(client, now_ns).map_err(|refusal| match refusal {
        PageWorkRefusal::TooMuch(verdict) => ApiError::RateLimited {
            message: TOO_MUCH_WORK,
            retry_after_seconds: verdict.retry_after_seconds(),
        },
        PageWorkRefusal::Busy => BUSY,
    })?;
    let drawn = site.draw(draw)?;
    site.work.charge(client, drawn.0.len(), now_ns);
    Ok(drawn)
}

/// The reply as a page for this reader.
fn shown_to(reader: &Reader, reply: Reply) -> Reply {
    let mut headers = vec![
        // Whoever follows a link from here comes from nowhere.
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CONTENT_LANGUAGE, HeaderValue::from_static(reader.language.tag())),
        (VARY, HeaderValue::from_static("Accept-Language, Cookie")),
    ];
    if reader.chose {
        let kept = format!(
            "{COOKIE}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax",
            reader.language.letters()
        );
        headers.extend(HeaderValue::from_str(&kept).ok().map(|value| (SET_COOKIE, value)));
    }
    Reply { content_type: HTML, policy: Some(PAGE_POLICY), headers, ..reply }
}
