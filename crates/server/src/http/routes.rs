//! The table of all routes, and the lookup in it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::Method;
use lastro_access::Feature::{
    Changes, Companies, Filings, History, Market, OwnKey, Public, Search, Webhooks,
};

use super::handler::{
    Meter, Route, act, asset, bulk, calculate, calculate_page, call_out, counted_page, events, form,
    messages, open, page, read, register, shared_page,
};
use super::mcp;
use super::pages;
use super::parameters;
use super::v1::{
    billing, calculations, calendar, changes, companies, export, feeds, filings, fx, health, keys, market,
    plans, search, series, webhooks,
};

pub static ROUTES: &[Route] = &[
    open("GET /health", health::health),
    read("GET /api/v1/companies", Companies, companies::list).takes(parameters::COMPANIES),
    read("GET /api/v1/companies/search", Companies, companies::search).takes(parameters::COMPANY_SEARCH),
    read("GET /api/v1/companies/sectors", Companies, companies::sectors).takes(parameters::SECTORS),
    read("GET /api/v1/companies/{id}", Companies, companies::by_id),
    read("GET /api/v1/companies/{id}/filings", Filings, companies::filings)
        .takes(parameters::COMPANY_FILINGS),
    read("GET /api/v1/filings", Filings, filings::list).takes(parameters::FILINGS),
    read("GET /api/v1/filings/search", Filings, filings::search).takes(parameters::FILING_SEARCH),
    read("GET /api/v1/filings/recent", Filings, filings::recent).takes(parameters::FILINGS),
    read("GET /api/v1/filings/categories", Filings, filings::categories).takes(parameters::CATEGORIES),
    read("GET /api/v1/filings/{id}", Filings, filings::by_id),
    read("GET /api/v1/market/selic", Market, market::selic).takes(parameters::MARKET),
    read("GET /api/v1/market/selic/current", Market, market::selic_current),
    read("GET /api/v1/market/cdi", Market, market::cdi).takes(parameters::MARKET),
    read("GET /api/v1/market/cdi/current", Market, market::cdi_current),
    read("GET /api/v1/market/ipca", Market, market::ipca).takes(parameters::MARKET),
    read("GET /api/v1/market/ipca/current", Market, market::ipca_current),
    read("GET /api/v1/market/fx", Market, fx::history).takes(parameters::FX),
    read("GET /api/v1/market/fx/current", Market, fx::current).takes(parameters::FX_CURRENT),
    read("GET /api/v1/market/overview", Market, market::overview),
    read("GET /api/v1/series", Market, series::list).takes(parameters::SERIES),
    read("GET /api/v1/series/observations", Market, series::several).takes(parameters::SEVERAL_SERIES),
    read("GET /api/v1/series/{id}", Market, series::one),
    read("GET /api/v1/series/{id}/observations", Market, series::observations)
        .takes(parameters::OBSERVATIONS),
    read("GET /api/v1/series/{id}/current", Market, series::newest),
    read("GET /api/v1/series/{id}/checks", Market, series::checks).takes(parameters::OF_A_SERIES),
    read("GET /api/v1/series/{id}/revisions", History, series::revisions).takes(parameters::OF_A_SERIES),
    read("GET /api/v1/calc/correction", Market, calculations::correction).takes(parameters::CORRECTION),
    read("GET /api/v1/calc/accumulation", Market, calculations::accumulation).takes(parameters::ACCUMULATION),
    read("GET /api/v1/calc/legal-interest", Market, calculations::legal_interest)
        .takes(parameters::LEGAL_INTEREST),
    read("GET /api/v1/calc/savings", Market, calculations::savings).takes(parameters::SAVINGS),
    read("GET /api/v1/calc/rent", Market, calculations::rent).takes(parameters::RENT),
    read("GET /api/v1/calc/minimum-wages", Market, calculations::minimum_wages)
        .takes(parameters::MINIMUM_WAGES),
    calculate("POST /api/v1/calc/debt", &calculations::debt),
    read("GET /api/v1/calendar/days/{date}", Market, calendar::day),
    read("GET /api/v1/calendar/business-days", Market, calendar::business_days)
        .takes(parameters::BUSINESS_DAYS),
    read("GET /api/v1/calendar/shift", Market, calendar::shift).takes(parameters::SHIFT),
    read("GET /api/v1/calendar/holidays", Market, calendar::holidays).takes(parameters::HOLIDAYS),
    read("GET /api/v1/search", Search, search::everything).takes(parameters::SEARCH),
    read("GET /api/v1/search/suggest", Search, search::suggest).takes(parameters::SUGGEST),
    bulk("GET /api/v1/export/{dataset}", export::dataset).takes(parameters::EXPORT),
    act("GET /api/v1/changes", Changes, &changes::list).takes(parameters::CHANGES),
    read("GET /api/v1/plans", Public, plans::list),
    register("POST /api/v1/plans/register", &plans::register),
    act("GET /api/v1/plans/usage", OwnKey, &plans::usage).takes(parameters::USAGE),
    act("GET /api/v1/billing", OwnKey, &billing::show),
    call_out("POST /api/v1/billing/checkout", OwnKey, &billing::checkout),
    call_out("POST /api/v1/billing/portal", OwnKey, &billing::portal),
    events("POST /billing/stripe", &billing::stripe_event),
    asset("GET /billing/success", pages::after_payment),
    asset("GET /billing/cancel", pages::without_payment),
    act("GET /api/v1/keys/current", OwnKey, &keys::current),
    act("DELETE /api/v1/keys/current", OwnKey, &keys::revoke),
    act("POST /api/v1/keys/rotate", OwnKey, &keys::rotate),
    act("POST /api/v1/webhooks", Webhooks, &webhooks::create),
    act("GET /api/v1/webhooks", Webhooks, &webhooks::list).takes(parameters::OWN_LIST),
    act("GET /api/v1/webhooks/{id}", Webhooks, &webhooks::show),
    act("PATCH /api/v1/webhooks/{id}", Webhooks, &webhooks::change),
    act("DELETE /api/v1/webhooks/{id}", Webhooks, &webhooks::remove),
    call_out("POST /api/v1/webhooks/{id}/test", Webhooks, &webhooks::test),
    act("POST /api/v1/webhooks/{id}/rotate-secret", Webhooks, &webhooks::rotate_secret),
    act("GET /api/v1/webhooks/{id}/deliveries", Webhooks, &webhooks::deliveries).takes(parameters::OWN_LIST),
    act("POST /api/v1/webhooks/{id}/deliveries/{delivery}/redeliver", Webhooks, &webhooks::redeliver),
    act("POST /api/v1/feeds", Filings, &feeds::create),
    act("GET /api/v1/feeds", Filings, &feeds::list).takes(parameters::OWN_LIST),
    act("DELETE /api/v1/feeds/{id}", Filings, &feeds::remove),
    asset("GET /feeds/series/{id}", series::feed),
    shared_page("GET /feeds/{token}", &feeds::read),
    messages("POST /mcp", &mcp::answer),
    asset("GET /", pages::front),
    asset("GET /series", pages::series_list),
    asset("GET /series/{id}", pages::series),
    counted_page("GET /series/{id}/chart", pages::series_chart),
    asset("GET /series/{id}/chart.svg", pages::series_picture),
    asset("GET /fx/{id}", pages::fx),
    counted_page("GET /fx/{id}/chart", pages::fx_chart),
    asset("GET /fx/{id}/chart.svg", pages::fx_picture),
    asset("GET /calculator", pages::calculator),
    counted_page("GET /calculator/correction", pages::correction),
    counted_page("GET /calculator/accumulation", pages::accumulation),
    counted_page("GET /calculator/legal-interest", pages::legal_interest),
    counted_page("GET /calculator/savings", pages::savings),
    counted_page("GET /calculator/rent", pages::rent),
    counted_page("GET /calculator/minimum-wages", pages::minimum_wages),
    asset("GET /calculator/debt", pages::debt_form),
    calculate_page("POST /calculator/debt", &pages::debt),
    asset("GET /calculator/check", pages::check_form),
    counted_page("GET /calculator/check/{code}", pages::check),
    calculate_page("POST /calculator/check/{code}", &pages::check_debt),
    asset("GET /explore", pages::explore),
    asset("GET /explore/companies/{id}", pages::company),
    asset("GET /usage", pages::usage),
    asset("GET /status", pages::status),
    asset("GET /indices", pages::indices),
    asset("GET /privacy", pages::privacy),
    asset("GET /versions", pages::versions),
    asset("GET /changelog", pages::changelog),
    asset("GET /robots.txt", pages::robots),
    asset("GET /sitemap.xml", pages::sitemap),
    asset("GET /llms.txt", pages::llms),
    asset("GET /favicon.ico", pages::files::icon),
    page("GET /pricing", pages::pricing),
    form("POST /pricing", &pages::submit_pricing),
    page("GET /docs", pages::docs),
    page("GET /docs/openapi.yaml", pages::files::description),
    asset("GET /docs/recipes.md", pages::files::recipes),
    asset("GET /docs/assets/scalar.js", pages::files::scalar),
    asset("GET /assets/{id}", pages::files::own),
];

/// The result of looking up a method and a path.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    Found {
        index: usize,
        route: &'static Route,
    },
    /// The path exists, but not with this method.
    OtherMethod {
        allow: &'static str,
        /// Whether one of the allowed methods is restricted to pages of this origin.
        same_origin: bool,
    },
    Unknown,
}

impl Target {
    /// The index in the metrics; all unknown targets share the one past the last route.
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

    /// The allowance that a request with this method and path is counted against.
    pub fn meter(&self, method: &Method, path: &str) -> Meter {
        match self {
            _ if method == Method::OPTIONS => Meter::Nothing,
            Self::Found { route, .. } => route.meter,
            _ if path.starts_with("/api/") || path == "/health" => Meter::Quota,
            _ => Meter::Pages,
        }
    }

    /// Whether responses are hidden from scripts of other origins.
    pub fn is_for_same_origin(&self) -> bool {
        match self {
            Self::Found { route, .. } => route.same_origin,
            Self::OtherMethod { same_origin, .. } => *same_origin,
            Self::Unknown => false,
        }
    }
}

/// The routes of one path, by method.
#[derive(Debug, Default, Clone)]
struct Methods {
    get: Option<usize>,
    post: Option<usize>,
    patch: Option<usize>,
    delete: Option<usize>,
    allow: &'static str,
    same_origin: bool,
}

impl Methods {
    fn route_of(&mut self, method: &str) -> &mut Option<usize> {
        match method {
            "POST" => &mut self.post,
            "PATCH" => &mut self.patch,
            "DELETE" => &mut self.delete,
            _ => &mut self.get,
        }
    }

    /// The value of the `Allow` header.
    fn names(&self) -> String {
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

static PATHS: LazyLock<matchit::Router<Methods>> = LazyLock::new(|| {
    let mut by_path: BTreeMap<&'static str, Methods> = BTreeMap::new();
    for (index, route) in ROUTES.iter().enumerate() {
        let methods = by_path.entry(route.path()).or_default();
        *methods.route_of(route.method()) = Some(index);
        methods.same_origin |= route.same_origin;
    }
    let mut paths = matchit::Router::new();
    for (path, mut methods) in by_path {
        // Leaking is fine: the table lives as long as the program.
        methods.allow = methods.names().leak();
        // A test resolves every line of the table, so a conflict would fail there.
        let inserted = paths.insert(path, methods);
        debug_assert!(inserted.is_ok(), "two routes for {path}");
    }
    paths
});

/// Whether a path exists only where payments are on.
pub fn is_of_billing(path: &str) -> bool {
    path.starts_with("/billing/") || path == "/api/v1/billing" || path.starts_with("/api/v1/billing/")
}

/// Looks up a request in the table. `HEAD` uses the route of `GET`.
pub fn resolve(method: &Method, path: &str) -> Target {
    let Ok(found) = PATHS.at(path) else { return Target::Unknown };
    let index = match *method {
        Method::GET | Method::HEAD => found.value.get,
        Method::POST => found.value.post,
        Method::PATCH => found.value.patch,
        Method::DELETE => found.value.delete,
        _ => None,
    };
    match index {
        Some(index) => Target::Found { index, route: &ROUTES[index] },
        None => Target::OtherMethod { allow: found.value.allow, same_origin: found.value.same_origin },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::request::path::PathParams;

    #[test]
    fn every_route_resolves_to_itself() {
        for (index, route) in ROUTES.iter().enumerate() {
            let method: Method = route.method().parse().unwrap();
            let path = route
                .path()
                .replace("{id}", "42")
                .replace("{delivery}", "43")
                .replace("{dataset}", "fx")
                .replace("{date}", "2026-11-16")
                .replace("{code}", "C0");
            assert_eq!(resolve(&method, &path).index(), index, "{}", route.endpoint);
            assert!(PathParams::read(route.path(), &path).is_ok(), "{}", route.endpoint);
        }
    }

    #[test]
    fn distinguishes_unknown_methods_from_unknown_paths() {
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
