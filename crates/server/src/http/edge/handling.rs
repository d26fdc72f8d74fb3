//! The question is put to its handler: one that reads, one that exports, or one that has to be waited for.

use std::sync::Arc;
use std::time::Duration;

use http::header::{self, HeaderValue};
use http::{Method, Version};
use hyper::body::Incoming;

use super::Visit;
use crate::error::ApiError;
use crate::http::body::Body;
use crate::http::export::encoder::Encoder;
use crate::http::export::stream::Stream;
use crate::http::export::{Export, slots};
use crate::http::form::Accept;
use crate::http::query::{Query, decode_segment};
use crate::http::reply::Reply;
use crate::http::routes::{ActHandler, Action, Question, Target};
use crate::http::{encoding, intake};

/// A handler that has to be waited for, and for how long.
#[derive(Clone, Copy)]
pub(super) struct Act {
    pub(super) handler: ActHandler,
    pub(super) patience: Duration,
}

impl Visit<'_> {
    /// Lets a handler act, for as long as the route has patience.
    pub(super) async fn act(&self, act: Act, body: Incoming) -> Result<Reply, ApiError> {
        let Target::Found { raw_id, raw_delivery, .. } = self.target else { return Err(ApiError::Internal) };
        let (app, caller, client, now) = (self.app, &self.caller, self.client, self.now);
        intake::check_announced(&self.head.headers, &body)?;
        let query = self.query()?;
        let (id, delivery) = (decode_segment(raw_id)?, decode_segment(raw_delivery)?);
        let acting = (act.handler)(Action { app, caller, client, now, id, delivery, query, body });
        tokio::time::timeout(act.patience, acting)
            .await
            .unwrap_or(Err(ApiError::Unavailable("this took too long; please try again shortly")))
    }

    /// Puts the question to a handler, with the catalog of the moment.
    pub(super) fn ask<T>(
        &self,
        raw_id: &str,
        handler: fn(&Question<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (query, id) = (self.query()?, decode_segment(raw_id)?);
        let (catalog, freshness) = (&self.app.catalog.load(), &self.app.freshness.load());
        let (jobs, plan, now) = (&self.app.jobs, self.caller.plan(), self.now);
        let accept = Accept(&self.head.headers);
        handler(&Question { catalog, freshness, jobs, plan, now, id: &id, query, accept })
    }

    /// Begins an export, unless its header is all the client wants or needs.
    pub(super) fn begin(&self, export: Export) -> Result<Reply, ApiError> {
        let mut reply = export.reply();
        if self.head.method == Method::HEAD || self.tag(&reply).is_some_and(|tag| self.holds(&tag)) {
            return Ok(reply);
        }
        self.check_end_is_told()?;
        let holding = self.caller.holding().ok_or(ApiError::Unauthorized("API key required"))?;
        let slot = self.app.exports.begin(holding.holder.account()).ok_or(slots::ALL_TAKEN)?;
        let coding = encoding::negotiate(&self.head.headers);
        let encoder = Encoder::new(coding).map_err(|error| {
            tracing::error!(%error, "an export could not be begun");
            ApiError::Internal
        })?;
        let named = coding.map(|coding| HeaderValue::from_static(coding.name()));
        reply.headers.extend(named.map(|name| (header::CONTENT_ENCODING, name)));
        reply.body = Body::Stream(Box::new(Stream::new(export, encoder, slot, Arc::clone(&self.app.clock))));
        Ok(reply)
    }

    /// Over HTTP/1.0 a body of untold length ends with the connection, so that one broken off would look whole.
    fn check_end_is_told(&self) -> Result<(), ApiError> {
        if self.head.version < Version::HTTP_11 {
            return Err(ApiError::BadRequest(
                "an export needs HTTP/1.1 or newer: over HTTP/1.0 one that breaks off would look whole"
                    .into(),
            ));
        }
        Ok(())
    }

    fn query(&self) -> Result<Query<'_>, ApiError> {
        Query::new(self.head.uri.query().unwrap_or(""))
    }
}
