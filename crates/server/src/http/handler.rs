//! Handler types: their input, their output, and their entry in the route table.
//!
//! Handlers depend on this module, not on the table; only [`super::routes`] refers to all of them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_access::{ClientAddr, Feature};
use lastro_background::access::Access;
use lastro_background::changes::Changes;
use lastro_background::jobs::supervisor::Jobs;
use lastro_background::served::Served;
use lastro_background::webhooks::Webhooks;
use lastro_background::write_state::WriteState;
use lastro_catalog::Catalog;
use lastro_model::{Now, Plan, SourceState};

use super::parameters::{self, Parameters};
use super::request::body::{LARGEST_BODY, RequestBody};
use super::request::caller::Caller;
use super::request::format::{Accept, Format, JSON};
use super::request::head::Head;
use super::request::path::PathParams;
use super::request::query::Query;
use super::request::tab::Tab;
use super::response::csv::Label;
use super::response::export::Export;
use super::response::reply::Reply;
use super::site::Site;
use crate::error::ApiError;
use lastro_billing::Billing;

/// Longest time a response may wait for the store.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time a response may wait for a third party's server, which may be slow.
const CALL_OUT_TIMEOUT: Duration = Duration::from_secs(20);
/// Largest message of the Model Context Protocol.
const LARGEST_MESSAGE: usize = 256 * 1024;
/// Largest list of instalments.
const LARGEST_DEBT: usize = 64 * 1024;
/// The same in a form, which writes most bytes as three.
const LARGEST_DEBT_FORM: usize = 3 * LARGEST_DEBT;

/// Largest event of the payment processor.
const LARGEST_EVENT: usize = 256 * 1024;

/// A handler, by the resources it may use.
#[derive(Debug, Clone, Copy)]
pub enum Handler {
    /// Replies from memory. It is not async, so the compiler guarantees that it never waits for a database.
    Read(ReadHandler),
    /// Streams from memory a response too large to be built at once.
    Export(ExportHandler),
    /// May wait for the store.
    Act(&'static dyn ActHandler),
}

pub type ReadHandler = fn(&Question<'_>) -> Result<Reply, ApiError>;
pub type ExportHandler = fn(&Question<'_>) -> Result<Export, ApiError>;

/// Any `async fn(Action<'_>) -> Result<Reply, ApiError>`. Its future is boxed here and nowhere else.
pub trait ActHandler: Sync {
    fn act<'a>(&self, action: Action<'a>) -> BoxFuture<'a, Result<Reply, ApiError>>;
}

impl<H: for<'a> AsyncHandler<'a> + Sync> ActHandler for H {
    fn act<'a>(&self, action: Action<'a>) -> BoxFuture<'a, Result<Reply, ApiError>> {
        self.call(action).boxed()
    }
}

impl fmt::Debug for dyn ActHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("async fn")
    }
}

/// Names the future of an `async fn`, whose type depends on the lifetime of the action.
pub trait AsyncHandler<'a> {
    type Future: Future<Output = Result<Reply, ApiError>> + Send + 'a;

    fn call(&self, action: Action<'a>) -> Self::Future;
}

impl<'a, H, F> AsyncHandler<'a> for H
where
    H: Fn(Action<'a>) -> F,
    F: Future<Output = Result<Reply, ApiError>> + Send + 'a,
{
    type Future = F;

    fn call(&self, action: Action<'a>) -> F {
        self(action)
    }
}

/// A read request, with everything its response may depend on.
#[derive(Debug)]
pub struct Question<'a> {
    pub catalog: &'a Catalog,
    pub freshness: &'a [SourceState],
    pub jobs: &'a Jobs,
    pub writes: &'a WriteState,
    pub changes: &'a Changes,
    pub plan: Plan,
    pub now: Now,
    /// The client charged for rendering a page.
    pub client: ClientAddr,
    pub path: PathParams<'a>,
    pub query: Query<'a>,
    pub accept: Accept<'a>,
    pub head: Head<'a>,
    pub site: &'a Site,
    /// `None` where payments are off.
    pub billing: Option<&'a Billing>,
}

impl Question<'_> {
    /// The requested format.
    pub fn format(&self) -> Result<Format, ApiError> {
        Format::asked(&self.query, self.accept, JSON)
    }

    /// The label of a downloaded file, with today's date.
    pub fn label(&self, name: impl Into<Cow<'static, str>>, total: usize) -> Label {
        Label { name: name.into(), total, day: self.now.utc_day() }
    }
}

/// The read operations of the API, for a handler that answers with them: the same routes, plan gate and handlers as for
/// a request over HTTP.
pub trait ReadApi: Sync {
    /// Answers `GET target` from this catalog, by the route with this path and by no other.
    fn read(&self, catalog: &Catalog, route: &str, target: &str) -> Result<Reply, ApiError>;
}

impl fmt::Debug for dyn ReadApi + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the API")
    }
}

/// A request that may change something or query the store.
#[derive(Debug)]
pub struct Action<'a> {
    pub api: &'a dyn ReadApi,
    /// Charges that the handler makes itself, on a route with [`Meter::Message`].
    pub tab: Tab<'a>,
    pub served: &'a Arc<Served>,
    pub access: &'a Arc<Access>,
    pub changes: &'a Arc<Changes>,
    pub webhooks: &'a Webhooks,
    /// `None` where payments are off.
    pub billing: Option<&'a Billing>,
    pub site: &'a Site,
    pub caller: &'a Caller,
    pub client: ClientAddr,
    pub now: Now,
    pub path: PathParams<'a>,
    pub query: Query<'a>,
    pub head: Head<'a>,
    pub body: RequestBody,
    /// Identifies the database in tags.
    pub database: &'a str,
}

/// One entry of the route table.
#[derive(Debug)]
pub struct Route {
    /// Method and path template: the route's name in usage reports, metrics and the API description.
    pub endpoint: &'static str,
    /// The feature that the caller's plan must include.
    pub feature: Feature,
    /// The query parameters that it takes; `None` for a page, which ignores those it does not know.
    pub parameters: Option<Parameters>,
    pub meter: Meter,
    /// Whether it is part of the API description; static files and pages of no use to programs are not.
    pub described: bool,
    /// Whether requests from pages of other origins are rejected.
    pub same_origin: bool,
    /// Longest body that is read.
    pub largest_body: usize,
    /// Longest time a response may take.
    pub timeout: Duration,
    /// Whether the path template has `{…}`.
    pub has_parameters: bool,
    pub handler: Handler,
}

/// The allowance that a request is counted against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meter {
    /// The caller's quota.
    Quota,
    /// The address's allowance of pages, which can be read without quota left.
    Pages,
    /// Decided by the message in the body: a call of a tool takes a unit of the quota, any other message is a page.
    Message,
    /// No allowance: registration has limits of its own, and responses to `OPTIONS` are public.
    Nothing,
}

impl Meter {
    /// Whether the request may take a unit of the quota, which needs a key that is known.
    pub fn may_take_quota(self) -> bool {
        matches!(self, Self::Quota | Self::Message)
    }
}

impl Route {
    const fn new(endpoint: &'static str, feature: Feature, handler: Handler) -> Self {
        Self {
            endpoint,
            feature,
            parameters: Some(parameters::NONE),
            meter: Meter::Quota,
            described: true,
            same_origin: false,
            largest_body: LARGEST_BODY,
            timeout: ANSWER_TIMEOUT,
            has_parameters: has_brace(endpoint.as_bytes()),
            handler,
        }
    }

    /// The same route with these query parameters.
    pub(super) const fn takes(self, parameters: Parameters) -> Self {
        Self { parameters: Some(parameters), ..self }
    }

    pub fn method(&self) -> &'static str {
        self.endpoint.split_once(' ').map_or(self.endpoint, |(method, _)| method)
    }

    /// The class of the route in metrics: routes of one class take about as long, for the same reasons.
    pub fn class(&self) -> &'static str {
        match self.handler {
            Handler::Export(_) => "export",
            Handler::Act(_) if self.timeout > ANSWER_TIMEOUT => "receiver",
            Handler::Act(_) => "database",
            Handler::Read(_) if self.meter == Meter::Pages || !self.described => "page",
            Handler::Read(_) if self.path().contains("/search") => "search",
            Handler::Read(_) => "read",
        }
    }

    /// The path template.
    pub fn path(&self) -> &'static str {
        self.endpoint.split_once(' ').map_or("", |(_, path)| path)
    }
}

const fn has_brace(endpoint: &[u8]) -> bool {
    match endpoint {
        [] => false,
        [b'{', ..] => true,
        [_, rest @ ..] => has_brace(rest),
    }
}

pub(super) const fn read(endpoint: &'static str, feature: Feature, handler: ReadHandler) -> Route {
    Route::new(endpoint, feature, Handler::Read(handler))
}

/// A public route outside the API: it ignores parameters that it does not know.
pub(super) const fn open(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { parameters: None, ..read(endpoint, Feature::Public, handler) }
}

pub(super) const fn page(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { meter: Meter::Pages, ..open(endpoint, handler) }
}

/// A page that returns the same data as an API call, and so costs the same.
pub(super) const fn counted_page(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { described: false, parameters: None, ..read(endpoint, Feature::Market, handler) }
}

/// A calculation whose inputs are in the body.
pub(super) const fn calculate(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    Route { largest_body: LARGEST_DEBT, ..act(endpoint, Feature::Market, handler) }
}

/// A page with the same calculation.
pub(super) const fn calculate_page(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    Route {
        described: false,
        parameters: None,
        largest_body: LARGEST_DEBT_FORM,
        ..calculate(endpoint, handler)
    }
}

/// A page or a file outside the API description.
pub(super) const fn asset(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { described: false, ..page(endpoint, handler) }
}

pub(super) const fn bulk(endpoint: &'static str, handler: ExportHandler) -> Route {
    Route::new(endpoint, Feature::BulkExport, Handler::Export(handler))
}

pub(super) const fn act(endpoint: &'static str, feature: Feature, handler: &'static dyn ActHandler) -> Route {
    Route::new(endpoint, feature, Handler::Act(handler))
}

/// A page that is read from the store, for whoever has its address.
pub(super) const fn shared_page(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    let route = act(endpoint, Feature::Public, handler);
    Route { meter: Meter::Pages, described: false, parameters: None, ..route }
}

/// A route that issues a key, to programs and to our own pages.
pub(super) const fn register(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    Route { meter: Meter::Nothing, same_origin: true, ..act(endpoint, Feature::Public, handler) }
}

/// The form of a page that does the same as [`register`].
pub(super) const fn form(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    Route { parameters: None, ..register(endpoint, handler) }
}

/// The endpoint of the Model Context Protocol: programs may call it, pages of other origins may not.
pub(super) const fn messages(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    let route = act(endpoint, Feature::Market, handler);
    Route {
        meter: Meter::Message,
        same_origin: true,
        largest_body: LARGEST_MESSAGE,
        parameters: None,
        ..route
    }
}

/// A route that waits for a third party's server.
pub(super) const fn call_out(
    endpoint: &'static str,
    feature: Feature,
    handler: &'static dyn ActHandler,
) -> Route {
    Route { timeout: CALL_OUT_TIMEOUT, ..act(endpoint, feature, handler) }
}

/// A route for the payment processor, whose events cause a call to its API. Only the processor calls this route, so
/// it is not described.
pub(super) const fn events(endpoint: &'static str, handler: &'static dyn ActHandler) -> Route {
    Route {
        meter: Meter::Nothing,
        described: false,
        largest_body: LARGEST_EVENT,
        parameters: None,
        ..call_out(endpoint, Feature::Public, handler)
    }
}
