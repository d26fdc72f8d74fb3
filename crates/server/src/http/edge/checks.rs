//! The checks of every request, in the order of the contract.

use http::header::{self, HeaderValue};
use http::{Method, StatusCode};
use lastro_access::{Feature, terms};

use super::context::{Arrival, RequestContext};
use super::handling::{Awaited, Handled, SlowHandler};
use crate::error::ApiError;
use crate::http::handler::{Handler, Meter, Route};
use crate::http::request::caller::Caller;
use crate::http::request::{authority, origin, tab};
use crate::http::response::reply::Reply;
use crate::http::routes::Target;

/// Headers that scripts of other origins may send.
const SENT_BY_SCRIPTS: &str = "Authorization, X-API-Key, Content-Type, If-None-Match, Accept, Last-Event-ID, \
                               traceparent, tracestate";

impl RequestContext<'_> {
    /// Checks the request and calls its handler.
    pub(super) fn handle(&self) -> Result<Handled, ApiError> {
        authority::check(self.head)?;
        if self.head.method == Method::OPTIONS {
            return self.options().map(Handled::Replied);
        }
        self.check_quota()?;
        self.check_identity()?;
        let route = match self.arrival.target {
            Target::Found { route, .. } => route,
            Target::OtherMethod { allow, .. } => return Err(ApiError::MethodNotAllowed(allow)),
            Target::Unknown => return Err(ApiError::NO_SUCH_PATH),
        };
        if route.same_origin {
            origin::check(self.head)?;
        }
        self.check_plan(route)?;
        let reply = match route.handler {
            Handler::Read(handler) => self.read(route, handler)?,
            Handler::Export(handler) => return self.begin(self.export(route, handler)?),
            Handler::Act(handler) => {
                return Ok(Handled::MustWait(Awaited::Handler(SlowHandler { route, handler })));
            }
        };
        Ok(Handled::Replied(reply))
    }

    /// The allowed methods and headers; browsers request them before they send a key across origins.
    fn options(&self) -> Result<Reply, ApiError> {
        let allow = match self.arrival.target {
            Target::OtherMethod { allow, .. } => allow,
            Target::Found { .. } => "OPTIONS",
            Target::Unknown if self.head.uri.path() == "*" => "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
            Target::Unknown => return Err(ApiError::NO_SUCH_PATH),
        };
        let mut reply = Reply::json(Vec::new()).private(StatusCode::NO_CONTENT);
        reply.headers.push((header::ALLOW, HeaderValue::from_static(allow)));
        if self.comes_from_page() {
            reply.headers.extend([
                (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(allow)),
                (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(SENT_BY_SCRIPTS)),
                (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")),
            ]);
        }
        Ok(reply)
    }

    /// Whether a browser sent the request for a page: only then are the headers of CORS of use.
    pub(super) fn comes_from_page(&self) -> bool {
        self.arrival.rare.origin
    }

    fn check_quota(&self) -> Result<(), ApiError> {
        let Arrival { client, now, .. } = self.arrival;
        match self.arrival.meter {
            Meter::Nothing => Ok(()),
            Meter::Pages => tab::take_page(&self.app.access, client, now),
            // Its handler charges it, if its key is good. The body of a stranger who has no pages left is not even read.
            Meter::Message => match self.caller {
                Caller::Known(_) => Ok(()),
                Caller::Anonymous => tab::check_pages(&self.app.access, client, now),
                Caller::Refused(_) => tab::take_page(&self.app.access, client, now),
            },
            Meter::Quota => tab::admit_quota(self.charge.verdict),
        }
    }

    /// A bad key never falls back to the Free plan, except on public routes, and where there could be a page.
    fn check_identity(&self) -> Result<(), ApiError> {
        let public = match self.arrival.target {
            Target::Found { route, .. } => route.feature == Feature::Public,
            Target::OtherMethod { .. } | Target::Unknown => self.arrival.meter == Meter::Pages,
        };
        match &self.caller {
            Caller::Refused(error @ ApiError::BadRequest(_)) => Err(error.clone()),
            Caller::Refused(error) if !public => Err(error.clone()),
            _ => Ok(()),
        }
    }

    pub(super) fn check_plan(&self, route: &Route) -> Result<(), ApiError> {
        let plan = self.caller.plan();
        match route.feature {
            Feature::Public => Ok(()),
            Feature::OwnKey => self.caller.required_key().map(drop),
            feature if terms(plan).includes(feature) => Ok(()),
            feature => Err(ApiError::UpgradeRequired { plan, feature }),
        }
    }
}
