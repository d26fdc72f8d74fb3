//! Every route of the service, on one page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use http::Method;
use hyper::body::Incoming;
use lastro_access::{ClientAddr, Feature};
use lastro_catalog::Catalog;
use lastro_model::{Now, Plan};
use lastro_store::SourceState;

use super::caller::Caller;
use super::query::Query;
use super::reply::Reply;
use super::v1::{companies, filings, health, keys, market, plans, search};
use crate::error::ApiError;
use crate::state::App;
use crate::web;

/// What a handler may ask, and what it may use to answer.
#[derive(Debug)]
pub enum Handler {
    /// Answers from memory. It is not async, so it cannot wait on a database: the compiler keeps that promise.
    Read(fn(&Question<'_>) -> Result<Reply, ApiError>),
    /// May wait on the store.
    Act(for<'a> fn(Action<'a>) -> BoxFuture<'a, Result<Reply, ApiError>>),
}

/// A request to read, with all that its answer may depend on.
#[derive(Debug)]
pub struct Question<'a> {
    pub catalog: &'a Catalog,
    pub freshness: &'a [SourceState],
    pub plan: Plan,
    pub now: Now,
    /// The `{id}` of the path, decoded.
    pub id: &'a str,
    pub query: Query<'a>,
}

/// A request that may change something or ask the store.
#[derive(Debug)]
pub struct Action<'a> {
    pub app: &'a App,
    pub caller: &'a Caller,
    pub client: ClientAddr,
    pub now: Now,
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
    /// Static assets cost nothing and are not part of the API description.
    pub metered: bool,
    pub handler: Handler,
}

const fn read(
    endpoint: &'static str,
    feature: Feature,
    handler: fn(&Question<'_>) -> Result<Reply, ApiError>,
) -> Route {
    Route { endpoint, feature, metered: true, handler: Handler::Read(handler) }
}

const fn asset(endpoint: &'static str, handler: fn(&Question<'_>) -> Result<Reply, ApiError>) -> Route {
    Route { endpoint, feature: Feature::Public, metered: false, handler: Handler::Read(handler) }
}

const fn act(
    endpoint: &'static str,
    feature: Feature,
    handler: for<'a> fn(Action<'a>) -> BoxFuture<'a, Result<Reply, ApiError>>,
) -> Route {
    Route { endpoint, feature, metered: true, handler: Handler::Act(handler) }
}

use Feature::{Companies, Filings, Market, OwnKey, Public, Search};

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
    read("GET /api/v1/plans", Public, plans::list),
    act("POST /api/v1/plans/register", Public, plans::register),
    act("GET /api/v1/plans/usage", OwnKey, plans::usage),
    act("GET /api/v1/keys/current", OwnKey, keys::current),
    act("DELETE /api/v1/keys/current", OwnKey, keys::revoke),
    act("POST /api/v1/keys/rotate", OwnKey, keys::rotate),
    read("GET /pricing", Public, web::pricing::page),
    act("POST /pricing", Public, web::pricing::submit),
    read("GET /docs", Public, web::docs::page),
    read("GET /docs/openapi.yaml", Public, web::docs::description),
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
        /// The `{id}` of the path as it came, still percent-encoded.
        raw_id: &'p str,
    },
    /// The path is known; the method is not one of these.
    OtherMethod {
        allow: &'static str,
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
}

/// The routes of one path.
#[derive(Debug, Default, Clone)]
struct Place {
    get: Option<usize>,
    post: Option<usize>,
    allow: &'static str,
}

static PLACES: LazyLock<matchit::Router<Place>> = LazyLock::new(|| {
    let mut by_path: BTreeMap<&'static str, Place> = BTreeMap::new();
    for (index, route) in ROUTES.iter().enumerate() {
        let place = by_path.entry(route.path()).or_default();
        match route.method() {
            "POST" => place.post = Some(index),
            _ => place.get = Some(index),
        }
        place.allow = match (place.get, place.post) {
            (Some(_), Some(_)) => "GET, HEAD, POST, OPTIONS",
            (Some(_), None) => "GET, HEAD, OPTIONS",
            _ => "POST, OPTIONS",
        };
    }
    let mut places = matchit::Router::new();
    for (path, place) in by_path {
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
        _ => None,
    };
    match index {
        Some(index) => {
            Target::Found { index, route: &ROUTES[index], raw_id: found.params.get("id").unwrap_or("") }
        }
        None => Target::OtherMethod { allow: found.value.allow },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_resolves_to_itself() {
        for (index, route) in ROUTES.iter().enumerate() {
            let method: Method = route.method().parse().unwrap();
            let path = route.path().replace("{id}", "42");
            assert_eq!(resolve(&method, &path).index(), index, "{}", route.endpoint);
        }
    }

    #[test]
    fn methods_and_paths_that_are_not_in_the_table_are_told_apart() {
        assert!(matches!(
            resolve(&Method::POST, "/health"),
            Target::OtherMethod { allow: "GET, HEAD, OPTIONS" }
        ));
        assert!(matches!(
            resolve(&Method::GET, "/api/v1/plans/register"),
            Target::OtherMethod { allow: "POST, OPTIONS" }
        ));
        assert!(matches!(resolve(&Method::GET, "/api/v1/nothing"), Target::Unknown));
        assert!(matches!(resolve(&Method::GET, "/health/"), Target::Unknown));
    }
}
