//! Every route of the service, on one page.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::Method;
use hyper::body::Incoming;
use lastro_access::{ClientAddr, Feature};
use lastro_catalog::Catalog;
use lastro_model::{Now, Plan};
use lastro_store::SourceState;

use super::caller::Caller;
use super::csv::Label;
use super::edge;
use super::export::Export;
use super::form::{Accept, Form, OwnForm};
use super::query::Query;
use super::reply::{JSON, Reply};
use super::v1::{companies, export, filings, health, keys, market, plans, search, webhooks};
use crate::error::ApiError;
use crate::jobs::supervisor::Jobs;
use crate::state::App;
use crate::web;

/// What a handler may ask, and what it may use to answer.
#[derive(Debug)]
pub enum Handler {
    /// Answers from memory. It is not async, so it cannot wait on a database: the compiler keeps that promise.
    Read(fn(&Question<'_>) -> Result<Reply, ApiError>),
    /// Answers from memory, with more than is held in memory at once.
    Export(fn(&Question<'_>) -> Result<Export, ApiError>),
    /// May wait on the store.
    Act(ActHandler),
}

pub type ActHandler = for<'a> fn(Action<'a>) -> BoxFuture<'a, Result<Reply, ApiError>>;

/// A request to read, with all that its answer may depend on.
#[derive(Debug)]
pub struct Question<'a> {
    pub catalog: &'a Catalog,
    pub freshness: &'a [SourceState],
    pub jobs: &'a Jobs,
    pub plan: Plan,
    pub now: Now,
    /// The variable segment of the path, decoded.
    pub id: &'a str,
    pub query: Query<'a>,
    pub accept: Accept<'a>,
}

impl Question<'_> {
    /// The form in which a page is wanted.
    pub fn form(&self) -> Result<Form, ApiError> {
        Form::asked(&self.query, self.accept, OwnForm { name: "json", media_type: JSON })
    }

    /// What a file with the answer is called today.
    pub fn label(&self, name: impl Into<Cow<'static, str>>, total: usize) -> Label {
        Label { name: name.into(), total, day: self.now.utc_day() }
    }
}

/// A request that may change something or ask the store.
#[derive(Debug)]
pub struct Action<'a> {
    pub app: &'a App,
    pub caller: &'a Caller,
    pub client: ClientAddr,
    pub now: Now,
    /// The `{id}` and the `{delivery}` of the path, decoded.
    pub id: Cow<'a, str>,
    pub delivery: Cow<'a, str>,
    pub query: Query<'a>,
    pub body: Incoming,
}

/// One line of the table below.
#[derive(Debug)]
pub struct Route {
    /// Method and path template: the route's name in usage reports, metrics and the API description.
    pub endpoint: &'static str,
    /// What a caller's plan must include.
    pub feature: Feature,
    pub meter: Meter,
    /// Whether it is part of the API description; static files are not.
    pub described: bool,
    /// Whether pages of other origins are refused.
    pub same_origin: bool,
    /// Longest time that an answer may take.
    pub patience: Duration,
    pub handler: Handler,
}

/// What a request is counted against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meter {
    /// The caller's quota.
    Quota,
    /// The address's allowance of pages: a caller without quota can still read them.
    Pages,
    /// Nothing: registration has limits of its own, and what `OPTIONS` tells is known to all.
    Nothing,
}

const fn route(endpoint: &'static str, feature: Feature, handler: Handler) -> Route {
    Route {
        endpoint,
        feature,
        meter: Meter::Quota,
        described: true,
        same_origin: false,
        patience: edge::PATIENCE,
        handler,
    }
}

type ReadHandler = fn(&Question<'_>) -> Result<Reply, ApiError>;

const fn read(endpoint: &'static str, feature: Feature, handler: ReadHandler) -> Route {
    route(endpoint, feature, Handler::Read(handler))
}

const fn page(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { meter: Meter::Pages, ..read(endpoint, Feature::Public, handler) }
}

const fn asset(endpoint: &'static str, handler: ReadHandler) -> Route {
    Route { described: false, ..page(endpoint, handler) }
}

const fn bulk(endpoint: &'static str, handler: fn(&Question<'_>) -> Result<Export, ApiError>) -> Route {
    route(endpoint, Feature::BulkExport, Handler::Export(handler))
}

const fn act(endpoint: &'static str, feature: Feature, handler: ActHandler) -> Route {
    route(endpoint, feature, Handler::Act(handler))
}

/// Hands out a key: to programs and to our own pages.
const fn register(endpoint: &'static str, handler: ActHandler) -> Route {
    Route { meter: Meter::Nothing, same_origin: true, ..act(endpoint, Feature::Public, handler) }
}

/// Waits for somebody else's server, which may take its time.
const fn call_out(endpoint: &'static str, feature: Feature, handler: ActHandler) -> Route {
    Route { patience: Duration::from_secs(20), ..act(endpoint, feature, handler) }
}

use Feature::{Companies, Filings, Market, OwnKey, Public, Search, Webhooks};

pub static ROUTES: &[Route] = &[
    read("GET /health", Public, health::health),
    read("GET /api/v1/companies", Companies, companies::list),
    read("GET /api/v1/companies/search", Companies, companies::search),
    read("GET /api/v1/companies/{id}", Companies, companies::by_id),
    read("GET /api/v1/companies/{id}/filings", Filings, companies::filings),
    read("GET /api/v1/filings", Filings, filings::list),
    read("GET /api/v1/filings/search", Filings, filings::search),
    read("GET /api/v1/filings/recent", Filings, filings::recent),
    read("GET /api/v1/filings/{id}", Filings, filings::by_id),
    read("GET /api/v1/market/selic", Market, market::selic),
    read("GET /api/v1/market/selic/current", Market, market::selic_current),
    read("GET /api/v1/market/cdi", Market, market::cdi),
    read("GET /api/v1/market/cdi/current", Market, market::cdi_current),
    read("GET /api/v1/market/ipca", Market, market::ipca),
    read("GET /api/v1/market/ipca/current", Market, market::ipca_current),
    read("GET /api/v1/market/fx", Market, market::fx),
    read("GET /api/v1/market/fx/current", Market, market::fx_current),
    read("GET /api/v1/market/overview", Market, market::overview),
    read("GET /api/v1/search", Search, search::everything),
    bulk("GET /api/v1/export/{dataset}", export::dataset),
    read("GET /api/v1/plans", Public, plans::list),
    register("POST /api/v1/plans/register", plans::register),
    act("GET /api/v1/plans/usage", OwnKey, plans::usage),
    act("GET /api/v1/keys/current", OwnKey, keys::current),
    act("DELETE /api/v1/keys/current", OwnKey, keys::revoke),
    act("POST /api/v1/keys/rotate", OwnKey, keys::rotate),
    act("POST /api/v1/webhooks", Webhooks, webhooks::create),
    act("GET /api/v1/webhooks", Webhooks, webhooks::list),
    act("GET /api/v1/webhooks/{id}", Webhooks, webhooks::show),
    act("PATCH /api/v1/webhooks/{id}", Webhooks, webhooks::change),
    act("DELETE /api/v1/webhooks/{id}", Webhooks, webhooks::remove),
    call_out("POST /api/v1/webhooks/{id}/test", Webhooks, webhooks::test),
    act("POST /api/v1/webhooks/{id}/rotate-secret", Webhooks, webhooks::rotate_secret),
    act("GET /api/v1/webhooks/{id}/deliveries", Webhooks, webhooks::deliveries),
    act("POST /api/v1/webhooks/{id}/deliveries/{delivery}/redeliver", Webhooks, webhooks::redeliver),
    page("GET /pricing", web::pricing::page),
    register("POST /pricing", web::pricing::submit),
    page("GET /docs", web::docs::page),
    page("GET /docs/openapi.yaml", web::docs::description),
    asset("GET /docs/assets/scalar.js", web::assets::scalar),
    asset("GET /assets/{id}", web::assets::own),
];

impl Route {
    pub fn method(&self) -> &'static str {
        self.endpoint.split_once(' ').map_or(self.endpoint, |(method, _)| method)
    }

    pub fn path(&self) -> &'static str {
        self.endpoint.split_once(' ').map_or("", |(_, path)| path)
    }
}

/// What a method and a path mean.
#[derive(Debug)]
pub enum Target<'p> {
    Found {
        index: usize,
        route: &'static Route,
        /// The variable segments of the path as they came, still percent-encoded.
        raw_id: &'p str,
        raw_delivery: &'p str,
    },
    /// The path is known; the method is not one of these.
    OtherMethod {
        allow: &'static str,
        /// Whether one of them is for pages of this origin only.
        same_origin: bool,
    },
    Unknown,
}

impl Target<'_> {
    /// The index for counting; unknown targets share the one past the last.
    pub fn index(&self) -> usize {
        match self {
            Self::Found { index, .. } => *index,
            _ => ROUTES.len(),
        }
    }

    pub fn endpoint(&self) -> &'static str {
        match self {
            Self::Found { route, .. } => route.endpoint,
            _ => "unknown",
        }
    }

    /// What a request of this method and path is counted against.
    pub fn meter(&self, method: &Method, path: &str) -> Meter {
        match self {
            _ if method == Method::OPTIONS => Meter::Nothing,
            Self::Found { route, .. } => route.meter,
            _ if path.starts_with("/api/") || path == "/health" => Meter::Quota,
            _ => Meter::Pages,
        }
    }

    /// Whether scripts of other origins are told nothing here.
    pub fn is_for_same_origin(&self) -> bool {
        match self {
            Self::Found { route: Route { same_origin, .. }, .. } => *same_origin,
            Self::OtherMethod { same_origin, .. } => *same_origin,
            Self::Unknown => false,
        }
    }
}

/// The routes of one path.
#[derive(Debug, Default, Clone)]
struct Place {
    get: Option<usize>,
    post: Option<usize>,
    patch: Option<usize>,
    delete: Option<usize>,
    allow: &'static str,
    same_origin: bool,
}

impl Place {
    fn route_of(&mut self, method: &str) -> &mut Option<usize> {
        match method {
            "POST" => &mut self.post,
            "PATCH" => &mut self.patch,
            "DELETE" => &mut self.delete,
            _ => &mut self.get,
        }
    }

    /// What `Allow` says here.
    fn methods(&self) -> String {
        let known = [
            (self.get, "GET, HEAD"),
            (self.post, "POST"),
            (self.patch, "PATCH"),
            (self.delete, "DELETE"),
            (Some(0), "OPTIONS"),
        ];
        let names: Vec<&str> = known.iter().filter_map(|(route, name)| route.map(|_| *name)).collect();
        names.join(", ")
    }
}

static PLACES: LazyLock<matchit::Router<Place>> = LazyLock::new(|| {
    let mut by_path: BTreeMap<&'static str, Place> = BTreeMap::new();
    for (index, route) in ROUTES.iter().enumerate() {
        let place = by_path.entry(route.path()).or_default();
        *place.route_of(route.method()) = Some(index);
        place.same_origin |= route.same_origin;
    }
    let mut places = matchit::Router::new();
    for (path, mut place) in by_path {
        // The table lives as long as the program, and so do its few texts.
        place.allow = place.methods().leak();
        // The table is ours and a test resolves every line of it: a conflict would not get past that test.
        let inserted = places.insert(path, place);
        debug_assert!(inserted.is_ok(), "two routes for {path}");
    }
    places
});

/// Looks a request up in the table. `HEAD` is answered by the route of `GET`.
pub fn resolve<'p>(method: &Method, path: &'p str) -> Target<'p> {
    let Ok(found) = PLACES.at(path) else { return Target::Unknown };
    let index = match *method {
        Method::GET | Method::HEAD => found.value.get,
        Method::POST => found.value.post,
        Method::PATCH => found.value.patch,
        Method::DELETE => found.value.delete,
        _ => None,
    };
    match index {
        Some(index) => {
            let raw_id = found.params.iter().next().map_or("", |(_, segment)| segment);
            let raw_delivery = found.params.get("delivery").unwrap_or("");
            Target::Found { index, route: &ROUTES[index], raw_id, raw_delivery }
        }
        None => Target::OtherMethod { allow: found.value.allow, same_origin: found.value.same_origin },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_resolves_to_itself() {
        for (index, route) in ROUTES.iter().enumerate() {
            let method: Method = route.method().parse().unwrap();
            let path =
                route.path().replace("{id}", "42").replace("{delivery}", "43").replace("{dataset}", "fx");
            assert_eq!(resolve(&method, &path).index(), index, "{}", route.endpoint);
        }
    }

    #[test]
    fn methods_and_paths_that_are_not_in_the_table_are_told_apart() {
        assert!(matches!(
            resolve(&Method::POST, "/health"),
            Target::OtherMethod { allow: "GET, HEAD, OPTIONS", .. }
        ));
        assert!(matches!(
            resolve(&Method::GET, "/api/v1/plans/register"),
            Target::OtherMethod { allow: "POST, OPTIONS", .. }
        ));
        assert!(matches!(
            resolve(&Method::POST, "/api/v1/webhooks/42"),
            Target::OtherMethod { allow: "GET, HEAD, PATCH, DELETE, OPTIONS", .. }
        ));
        assert!(matches!(resolve(&Method::GET, "/api/v1/nothing"), Target::Unknown));
        assert!(matches!(resolve(&Method::GET, "/health/"), Target::Unknown));
    }
}
