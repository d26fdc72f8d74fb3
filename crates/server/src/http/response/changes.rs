//! Responses that wait for changes: one page that comes when there is a change, or a stream of events.
//!
//! Neither has a task, a thread or a timer: the body of the response waits in the lists of
//! [`Wakeups`](lastro_background::changes::waiting::Wakeups), and a store read happens only for changes that are no longer in memory.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use hyper::body::Frame;
use lastro_access::{ActiveKey, ClientAddr, Feature, terms};
use lastro_background::access::Access;
use lastro_background::account_slots::AccountSlot;
use lastro_background::changes::cursor::CompaniesDigest;
use lastro_background::changes::filter::ChangeFilter;
use lastro_background::changes::waiting::Deadline;
use lastro_background::changes::{ChangePage, Changes, ReadError};
use lastro_background::served::Served;
use lastro_catalog::{Object, name};
use lastro_model::{Mark, Stamp};

use super::body::{Body, Broken};
use super::decimals;
use crate::http::request::caller::Caller;
use crate::http::request::charge::Charging;
use crate::http::request::company_ids;

/// Events in one piece of a stream.
const EVENTS_AT_ONCE: usize = 100;
/// Events for one unit of the quota.
const EVENTS_PER_UNIT: usize = 1_000;
/// Seconds between comments, which show that the stream is alive: 15, because a deadline is rounded up.
const COMMENT_EVERY: u64 = 14;

/// A question that is asked again when there are changes.
#[derive(Debug)]
pub struct ChangeQuery {
    pub changes: Arc<Changes>,
    pub filter: ChangeFilter,
    pub names: Option<CompanyNames>,
    pub after: Mark,
    pub limit: usize,
    /// Whether decimals are written as strings.
    pub as_strings: bool,
    pub slot: AccountSlot,
}

/// The names of companies in the filter of a stream, which ends when they stand for others.
#[derive(Debug, Clone)]
pub struct CompanyNames {
    pub ids: Vec<String>,
    pub digest: CompaniesDigest,
    pub served: Arc<Served>,
    /// The state of the companies in which they were last looked up.
    pub stamps: [Stamp; 2],
}

impl CompanyNames {
    fn still_hold(&mut self) -> bool {
        let catalog = self.served.catalog.load();
        let stamps = catalog.companies.stamps();
        if stamps != self.stamps {
            let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
            let found = company_ids::resolved(&catalog, "company_ids", &ids);
            if found.ok().and_then(|found| found.digest) != Some(self.digest) {
                return false;
            }
            self.stamps = stamps;
        }
        true
    }
}

/// The response with one page.
pub fn json(changes: &Changes, page: &ChangePage, filter: &ChangeFilter) -> Vec<u8> {
    let bytes: usize = page.entries.iter().map(|entry| entry.bytes()).sum();
    Object::new(Vec::with_capacity(bytes + 128))
        .array(name!("data"), page.shown(filter), |change, out| out.extend_from_slice(&change.json()))
        .text(name!("next"), &changes.cursor(page.next, filter.digest))
        .boolean(name!("more"), page.more)
        .end()
}

/// A body that is one page, sent as soon as it has a change, or at the deadline without any. If the key
/// ends meanwhile, nothing is sent.
pub fn awaited_page(query: ChangeQuery, client: ChangeClient, deadline: Deadline) -> Body {
    let answer = async move {
        let ChangeQuery { changes, filter, mut after, limit, as_strings, slot: _slot, .. } = query;
        loop {
            let has_news = || changes.has_more(after) || !client.is_entitled(&changes);
            changes.wakeups.wait(deadline, has_news).await;
            let nothing = ChangePage { entries: Vec::new(), next: after, more: false };
            if !client.is_entitled(&changes) {
                return Bytes::from(json(&changes, &nothing, &filter));
            }
            // If they cannot be read, the next request says why.
            let page = match changes.page(after, &filter, limit).await.map_err(note) {
                Ok(page) => page,
                Err(()) => return Bytes::from(json(&changes, &nothing, &filter)),
            };
            let is_over = changes.wakeups.is_over(deadline) || changes.wakeups.is_closing();
            if !page.entries.is_empty() || page.more || is_over {
                let json = json(&changes, &page, &filter);
                return Bytes::from(if as_strings { decimals::quoted(&json) } else { json });
            }
            after = page.next;
        }
    };
    Body::Follow(Box::new(Pieces(stream::once(answer).boxed())))
}

fn note(error: ReadError) {
    match error {
        ReadError::Store(error) => {
            tracing::warn!(%error, "changes could not be read for a client that waits");
        }
        ReadError::Expired { .. } | ReadError::Malformed => {
            tracing::info!("a client that waits for changes has been passed by their retention");
        }
    }
}

/// The client of a request that waits, whose quota pays for a stream.
#[derive(Debug)]
pub struct ChangeClient {
    pub access: Arc<Access>,
    pub key: Arc<ActiveKey>,
    pub client: ClientAddr,
}

impl ChangeClient {
    /// Whether the key still works, with a plan that includes changes.
    fn is_entitled(&self, changes: &Changes) -> bool {
        let key = self.access.keys.current(self.key.id, changes.clock.now());
        key.is_some_and(|key| terms(key.plan).includes(Feature::Changes))
    }

    /// Takes a unit of the quota. Returns whether there was one.
    async fn pay(&self, changes: &Changes) -> bool {
        let (caller, now) = (Caller::Known(Arc::clone(&self.key)), changes.clock.now());
        let charging =
            Charging { access: &self.access, caller: &caller, client: self.client, now, takes_unit: true };
        charging.wait().await.verdict.admitted
    }
}

/// A stream of server-sent events.
struct EventStream {
    query: ChangeQuery,
    client: ChangeClient,
    sent: usize,
    is_begun: bool,
}

/// A body of server-sent events, until the service stops, the key ends or its quota is spent.
pub fn events(query: ChangeQuery, client: ChangeClient) -> Body {
    let stream = EventStream { query, client, sent: 0, is_begun: false };
    let pieces = stream::unfold(stream, async |mut stream| Some((stream.next().await?, stream)));
    Body::Follow(Box::new(Pieces(pieces.boxed())))
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        let changes = Arc::clone(&self.query.changes);
        if !self.is_begun {
            self.is_begun = true;
            let start = format!("retry: 2000\nid: {}\n\n", self.cursor(self.query.after));
            return Some(start.into());
        }
        let deadline = changes.wakeups.deadline(COMMENT_EVERY);
        loop {
            let names_hold = self.query.names.as_mut().is_none_or(CompanyNames::still_hold);
            if changes.wakeups.is_closing() || !self.client.is_entitled(&changes) || !names_hold {
                return None;
            }
            let page = changes.page(self.query.after, &self.query.filter, EVENTS_AT_ONCE).await;
            // A client that resumes learns why it ended.
            let page = page.map_err(note).ok()?;
            self.query.after = page.next;
            if !page.entries.is_empty() {
                return self.piece(&changes, &page).await;
            }
            if changes.wakeups.is_over(deadline) {
                // The place moves on although nothing of it passes the filter.
                return Some(format!(": \nid: {}\n\n", self.cursor(page.next)).into());
            }
            if !page.more {
                let has_news = || changes.has_more(page.next) || !self.client.is_entitled(&changes);
                changes.wakeups.wait(deadline, has_news).await;
            }
        }
    }

    fn cursor(&self, mark: Mark) -> String {
        self.query.changes.cursor(mark, self.query.filter.digest)
    }

    /// The events of a page, if they can be paid for.
    async fn piece(&mut self, changes: &Changes, page: &ChangePage) -> Option<Bytes> {
        let before = self.sent / EVENTS_PER_UNIT;
        self.sent += page.entries.len();
        if self.sent / EVENTS_PER_UNIT > before && !self.client.pay(changes).await {
            return None;
        }
        let mut out = Vec::new();
        for change in page.shown(&self.query.filter) {
            let head = format!("id: {}\nevent: {}\ndata: ", change.cursor(), change.kind.name());
            out.extend_from_slice(head.as_bytes());
            match self.query.as_strings {
                true => out.extend_from_slice(&decimals::quoted(&change.json())),
                false => out.extend_from_slice(&change.json()),
            }
            out.extend_from_slice(b"\n\n");
        }
        Some(out.into())
    }
}

/// The pieces of a body as they come.
struct Pieces(BoxStream<'static, Bytes>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.get_mut().0.poll_next_unpin(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}
