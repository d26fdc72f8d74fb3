//! Turns a page into a reply. Decides which pages are cached, and which client address is charged for rendering.
//!
//! - [`kept`]: the pages of the service, some hundred. They change only with editions, and the cache holds all of
//!   them: each is rendered once and compressed once per encoding, for all readers, and no client is charged.
//! - [`kept_while_asked`]: combinations of those, thousands of comparisons and charts. The most recently used are kept
//!   in a separate cache, so that a crawl through all of them evicts no page of the first kind.
//! - [`drawn_for_one`]: pages that show what their reader typed. They are not cached.
//!
//! Strangers can cause the last two kinds of work at will, so it is counted ([`lastro_access::PageWork`]) by the
//! bytes rendered and compressed. Over the limit of an address or its network the reply is 429, over the limit of all
//! clients 503: cheap requests must not wait for expensive ones. Cached pages are always sent. Over the limit, a
//! compressed form that does not exist yet is not made, and the page is sent uncompressed.
//!
//! Without `--public-url`, a page that contains the address of the service differs for each `Host`, and so is of the
//! second kind. It is never rejected, because replacing a placeholder needs no rendering.

use std::borrow::Cow;
use std::sync::Arc;

use http::StatusCode;
use http::header::{CONTENT_LANGUAGE, HeaderValue, REFERRER_POLICY, SET_COOKIE, VARY};
use lastro_access::PageWorkRefusal;
use lastro_web::{Data, Language, ORIGIN_MARK, Page, Reader};

use super::reader::COOKIE;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::{Reply, Stored};
use crate::http::site::drawing::{Drawing, Name};

const HTML: &str = "text/html; charset=utf-8";

/// Content security policy: pages load only what this binary serves, and run no inline script or style.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                               font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Content security policy of pictures: their own styles, and nothing else.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const TOO_MUCH_WORK: &str =
    "too many pages were drawn for this address or network alone; wait as long as Retry-After says";
const BUSY: ApiError =
    ApiError::Unavailable("too many pages are being drawn right now; please try again shortly");

/// A page of the service, rendered again only if its state has changed.
pub(super) fn kept(question: &Question<'_>, page: &dyn Page) -> Result<Reply, ApiError> {
    let (reader, data) = (question.reader(), question.data());
    let name = Name { path: page.path(), reader, origin: None };
    let reply = own(question, name, page.state(&data), || Ok(page.render(&data, reader)?))?;
    Ok(shown_to(reader, reply))
}

/// A text for programs, cached like a page, in one language.
pub(super) fn kept_text(
    question: &Question<'_>,
    path: &'static str,
    content_type: &'static str,
    state: u64,
    text: impl FnOnce() -> String,
) -> Result<Reply, ApiError> {
    let reader = Reader { language: Language::English, by_choice: false };
    let name = Name { path: Cow::Borrowed(path), reader, origin: None };
    Ok(Reply { content_type, ..own(question, name, state, || Ok(text()))? })
}

/// A combination of pages, cached while it is requested often enough. Rendering is charged to the client.
pub(super) fn kept_while_asked(
    question: &Question<'_>,
    reader: Reader,
    page: &dyn Page,
) -> Result<Reply, ApiError> {
    let (site, data, origin) = (question.site, question.data(), question.site.origin(question.head));
    let (path, state) = (page.path(), page.state(&data));
    let name = Name { path, reader, origin: site.public_url().is_none().then(|| origin.clone()) };
    let drawing = match site.combined.get(&name, state) {
        Some(drawing) => drawing,
        None => {
            let text = charged(question, || Ok((page.render(&data, reader)?, ())))?.0;
            site.combined.keep(name, Drawing::new(state, text.replace(ORIGIN_MARK, &origin)))
        }
    };
    Ok(shown_to(reader, drawing.reply(Stored::Charged)))
}

/// A picture, which other sites may show, cached like a combination of pages. Its language is in its address, so that
/// shared caches may keep it: it is the same for all clients.
pub(super) fn picture(question: &Question<'_>, page: &dyn Page) -> Result<Reply, ApiError> {
    let chosen = question.query.get("lang")?.and_then(Language::parse);
    let reader = Reader { language: chosen.unwrap_or(Language::English), by_choice: false };
    Ok(Reply {
        content_type: "image/svg+xml",
        policy: Some(PICTURE_POLICY),
        cache: "public, max-age=3600",
        headers: vec![(CONTENT_LANGUAGE, HeaderValue::from_static(reader.language.tag()))],
        ..kept_while_asked(question, reader, page)?
    })
}

/// A page rendered for this request only, charged to the client.
pub(super) fn drawn_for_one(
    question: &Question<'_>,
    draw: impl FnOnce(&Data<'_>, Reader) -> Result<(String, StatusCode), ApiError>,
) -> Result<Reply, ApiError> {
    let reader = question.reader();
    let (text, status) = charged(question, || draw(&question.data(), reader))?;
    let drawing = Drawing::new(0, text.replace(ORIGIN_MARK, &question.site.origin(question.head)));
    Ok(Reply { status, ..shown_to(reader, drawing.reply(Stored::Charged)) })
}

/// Sends the reader to another page, with the parameters of the request.
pub(super) fn redirect(question: &Question<'_>, path: &str) -> Result<Reply, ApiError> {
    let (query, joint) = (question.head.query(), if path.contains('?') { '&' } else { '?' });
    match query {
        "" => Reply::redirect(path),
        query => Reply::redirect(&format!("{path}{joint}{query}")),
    }
}

/// A page with private content. It is not compressed.
pub(super) fn private(reader: Reader, origin: &str, text: &str) -> Reply {
    let drawing = Drawing::new(0, text.replace(ORIGIN_MARK, origin));
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

/// The page with the address of the service as this reader uses it.
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

/// Renders a page and charges the work to the client.
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

/// Adds the headers of a page for this reader.
fn shown_to(reader: Reader, reply: Reply) -> Reply {
    let mut headers = vec![
        // Other sites must not see which page a link was followed from.
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CONTENT_LANGUAGE, HeaderValue::from_static(reader.language.tag())),
        (VARY, HeaderValue::from_static("Accept-Language, Cookie")),
    ];
    if reader.by_choice {
        let kept = format!(
            "{COOKIE}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax",
            reader.language.letters()
        );
        headers.extend(HeaderValue::from_str(&kept).ok().map(|value| (SET_COOKIE, value)));
    }
    Reply { content_type: HTML, policy: Some(PAGE_POLICY), headers, ..reply }
}
