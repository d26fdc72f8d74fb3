//! Calls of the handlers: one that reads, one that exports, or one that has to be awaited.

use std::sync::{Arc, OnceLock};

use http::header::{self, HeaderValue};
use http::{HeaderMap, Method, Version};
use hyper::body::Incoming;
use lastro_background::operations::Operations;
use lastro_catalog::Catalog;
use lastro_encoding::Encoder;
use lastro_quota::Charge;

use super::context::{Arrival, RequestContext};
use crate::error::ApiError;
use crate::http::app::App;
use crate::http::handler::{
    ActHandler, Action, ExportHandler, Handler, Question, ReadApi, ReadHandler, Route,
};
use crate::http::request::body::RequestBody;
use crate::http::request::charge::Charging;
use crate::http::request::format::{Accept, ExportFormat};
use crate::http::request::head::Head;
use crate::http::request::path::PathParams;
use crate::http::request::query::Query;
use crate::http::request::tab::Tab;
use crate::http::response::body::Body;
use crate::http::response::coding;
use crate::http::response::decimals;
use crate::http::response::export::files::{KeptFile, KeptFileOf};
use crate::http::response::export::range::Part;
use crate::http::response::export::slots::Slot;
use crate::http::response::export::stream::Stream;
use crate::http::response::export::{Export, range, slots};
use crate::http::response::reply::Reply;
use crate::http::routes::{Target, resolve};

/// The result of a request that passed the checks.
pub(super) enum Handled {
    Replied(Reply),
    MustWait(Awaited),
}

/// The work that has to be awaited.
pub(super) enum Awaited {
    Handler(SlowHandler),
    /// Redis, which decides whether one more export may run.
    Export(Export),
    /// A file that has yet to be made.
    File(Export),
}

/// A handler that has to be awaited, and its route, which has the timeout.
#[derive(Clone, Copy)]
pub(super) struct SlowHandler {
    pub(super) route: &'static Route,
    pub(super) handler: &'static dyn ActHandler,
}

impl RequestContext<'_> {
    /// Waits; `taken` becomes the charge that the handler makes itself, if it does.
    pub(super) async fn wait_for(
        &self,
        awaited: Awaited,
        body: Option<Incoming>,
        taken: &OnceLock<Charge>,
    ) -> Result<Reply, ApiError> {
        match awaited {
            Awaited::Handler(slow) => self.act(slow, body, taken).await,
            Awaited::Export(export) => self.begin_counted(export).await,
            Awaited::File(export) => self.make_file(export).await,
        }
    }

    /// Runs a handler, with the timeout of its route.
    async fn act(
        &self,
        slow: SlowHandler,
        body: Option<Incoming>,
        taken: &OnceLock<Charge>,
    ) -> Result<Reply, ApiError> {
        let Arrival { client, now, .. } = self.arrival;
        let body = RequestBody::new(body, self.connection, client, slow.route.largest_body);
        body.check_announced(&self.head.headers)?;
        let (path, query) = (self.path(slow.route)?, self.query(slow.route)?);
        let as_strings = query.decimals_as_strings()?;
        let (caller, head) = (&self.caller, Head(self.head));
        let App { served, access, changes, webhooks, site, database, .. } = self.app;
        let charging = Charging { takes_unit: true, ..self.arrival.charging(self.app, caller) };
        let (api, tab) = (self as &dyn ReadApi, Tab { charging, taken });
        let billing = self.app.billing.as_deref();
        #[rustfmt::skip]
        let action = Action { api, tab, served, access, changes, webhooks, billing, site, caller, client, now, path, query, head, body, database };
        let acting = slow.handler.act(action);
        let reply = tokio::time::timeout(slow.route.timeout, acting)
            .await
            .unwrap_or(Err(ApiError::Unavailable("this took too long; please try again shortly")))?;
        Ok(if as_strings { decimals::as_strings(reply) } else { reply })
    }

    /// Calls a handler that reads, and writes its decimals as requested.
    pub(super) fn read(&self, route: &'static Route, handler: ReadHandler) -> Result<Reply, ApiError> {
        let query = self.query(route)?;
        let as_strings = query.decimals_as_strings()?;
        let reply = self.ask(route, query, handler)?;
        Ok(if as_strings { decimals::as_strings(reply) } else { reply })
    }

    /// Calls a handler that exports.
    pub(super) fn export(&self, route: &'static Route, handler: ExportHandler) -> Result<Export, ApiError> {
        let query = self.query(route)?;
        let as_strings = query.decimals_as_strings()?;
        Ok(Export { as_strings, ..self.ask(route, query, handler)? })
    }

    /// Calls a handler with the current catalog.
    fn ask<T>(
        &self,
        route: &'static Route,
        query: Query<'_>,
        handler: fn(&Question<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let path = self.path(route)?;
        let (catalog, freshness) = (&self.app.served.catalog.load(), &self.app.served.freshness.load());
        let Operations { jobs, writes, .. } = &self.app.operations;
        let (changes, plan) = (&self.app.changes, self.caller.plan());
        let Arrival { client, now, .. } = self.arrival;
        let (accept, head, site) = (Accept(&self.head.headers), Head(self.head), &self.app.site);
        let billing = self.app.billing.as_deref();
        handler(&Question {
            catalog,
            freshness,
            jobs,
            writes,
            changes,
            plan,
            now,
            client,
            path,
            query,
            accept,
            head,
            site,
            billing,
        })
    }

    /// Starts an export, unless the client needs only its headers.
    pub(super) fn begin(&self, export: Export) -> Result<Handled, ApiError> {
        let reply = export.reply();
        let is_held = self.holds(&reply);
        if export.format == ExportFormat::Parquet && !is_held {
            return match self.app.export_files.kept(&export) {
                Some(file) => self.send_file(reply, export.name, &file).map(Handled::Replied),
                None => Ok(Handled::MustWait(Awaited::File(export))),
            };
        }
        if self.head.method == Method::HEAD || is_held {
            return Ok(Handled::Replied(reply));
        }
        self.check_end_is_told()?;
        if self.app.access.quota.is_some() {
            return Ok(Handled::MustWait(Awaited::Export(export)));
        }
        let account = self.caller.required_key()?.holder.account();
        let slot = self.app.exports.begin(account).ok_or(slots::ALL_TAKEN)?;
        self.stream(export, slot).map(Handled::Replied)
    }

    /// Starts an export that is counted over all replicas.
    async fn begin_counted(&self, export: Export) -> Result<Reply, ApiError> {
        let account = self.caller.required_key()?.holder.account();
        let slot =
            self.app.exports.begin_counted(self.app.access.quota.as_ref(), account, self.arrival.now).await;
        self.stream(export, slot.ok_or(slots::ALL_TAKEN)?)
    }

    async fn make_file(&self, export: Export) -> Result<Reply, ApiError> {
        let (reply, dataset) = (export.reply(), export.name);
        let file = self.app.export_files.make(export).await?;
        self.send_file(reply, dataset, &file)
    }

    /// Sends the requested part of a file.
    fn send_file(
        &self,
        reply: Reply,
        dataset: &'static str,
        file: &Arc<KeptFile>,
    ) -> Result<Reply, ApiError> {
        let is_head = self.head.method == Method::HEAD;
        let part = match is_head {
            true => Part::All,
            false => range::requested(&self.head.headers, self.tag(&reply).as_deref(), file.length),
        };
        let account = self.caller.required_key()?.holder.account();
        let kept = KeptFileOf { dataset, file, account };
        let reply = self.app.export_files.reply(reply, &kept, part)?;
        Ok(if is_head { Reply { body: Body::HeadOnly, ..reply } } else { reply })
    }

    fn stream(&self, export: Export, slot: Slot) -> Result<Reply, ApiError> {
        let mut reply = export.reply();
        let coding = coding::negotiate(&self.head.headers);
        let encoder = Encoder::new(coding).map_err(|error| {
            tracing::error!(%error, "an export could not be started");
            ApiError::Internal
        })?;
        let named = coding.map(|coding| HeaderValue::from_static(coding.name()));
        reply.headers.extend(named.map(|name| (header::CONTENT_ENCODING, name)));
        reply.body = Body::Stream(Box::new(Stream::new(export, encoder, slot, Arc::clone(&self.app.clock))));
        Ok(reply)
    }

    /// Rejects HTTP/1.0, where a body of unknown length ends with the connection: a truncated one would look complete.
    fn check_end_is_told(&self) -> Result<(), ApiError> {
        if self.head.version < Version::HTTP_11 {
            return Err(ApiError::BadRequest(
                "an export needs HTTP/1.1 or newer: over HTTP/1.0 one that breaks off would look whole"
                    .into(),
            ));
        }
        Ok(())
    }

    fn path(&self, route: &'static Route) -> Result<PathParams<'_>, ApiError> {
        if !route.has_parameters {
            return Ok(PathParams::default());
        }
        PathParams::read(route.path(), self.head.uri.path())
    }

    fn query(&self, route: &'static Route) -> Result<Query<'_>, ApiError> {
        parsed(self.head.uri.query().unwrap_or(""), route)
    }
}

fn parsed<'a>(query: &'a str, route: &'static Route) -> Result<Query<'a>, ApiError> {
    match route.parameters {
        Some(known) => Query::of_api(query, known),
        None => Query::of_page(query),
    }
}

impl ReadApi for RequestContext<'_> {
    fn read(&self, catalog: &Catalog, route: &str, target: &str) -> Result<Reply, ApiError> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        // The template of a path matches itself, and the route that has it says in its own words what is not found.
        let Target::Found { route, .. } = resolve(&Method::GET, route) else {
            return Err(ApiError::Internal);
        };
        let Handler::Read(handler) = route.handler else { return Err(ApiError::Internal) };
        self.check_plan(route)?;
        let Arrival { client, now, .. } = self.arrival;
        // The reply is JSON, whatever the `Accept` of the request around it.
        let (accept, head) = (HeaderMap::new(), Head(self.head));
        handler(&Question {
            catalog,
            freshness: &self.app.served.freshness.load(),
            writes: &self.app.operations.writes,
            changes: &self.app.changes,
            jobs: &self.app.operations.jobs,
            plan: self.caller.plan(),
            now,
            client,
            path: PathParams::read(route.path(), path)?,
            query: parsed(query, route)?,
            accept: Accept(&accept),
            head,
            site: &self.app.site,
            billing: self.app.billing.as_deref(),
        })
    }
}
