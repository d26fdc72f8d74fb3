//! The balancers of `deploy/` know every route that may rightly be silent for longer than others, and every body.

use std::time::Duration;

use lastro::http::handler::{Handler, Route};
use lastro::http::routes::ROUTES;
use regex::Regex;

const NGINX: &str = include_str!("../../../../deploy/nginx/nginx.conf");
const HAPROXY: &str = include_str!("../../../../deploy/haproxy/haproxy.cfg");

/// Routes with a body, which wait for that and then answer from memory. nginx passes a body on when it has all of it.
const FROM_MEMORY: [&str; 4] =
    ["POST /api/v1/calc/debt", "POST /calculator/debt", "POST /calculator/check/{code}", "POST /mcp"];

/// Longest time a response may wait for the store alone.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest pause of an export, the default of `--send-timeout`.
const EXPORT_PAUSE: Duration = Duration::from_secs(60);

/// Shorter than the balancers' patience for it; `None` for a route that answers from memory.
fn longest_silence(route: &Route) -> Option<Duration> {
    match route.handler {
        Handler::Read(_) => None,
        Handler::Export(_) => Some(EXPORT_PAUSE),
        Handler::Act(_) if FROM_MEMORY.contains(&route.endpoint) => None,
        Handler::Act(_) => Some(route.timeout),
    }
}

/// A path of the route.
fn path_of(route: &Route) -> String {
    Regex::new(r"\{[a-z]+\}").unwrap().replace_all(route.path(), "x1").into_owned()
}

fn matches(expression: &str, path: &str) -> bool {
    Regex::new(expression).unwrap().is_match(path)
}

/// The first value of a directive in a text of nginx or HAProxy.
fn value<'a>(text: &'a str, directive: &str) -> &'a str {
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(directive));
    line.unwrap_or_else(|| panic!("no {directive}")).trim().trim_end_matches(';')
}

fn seconds(text: &str) -> Duration {
    Duration::from_secs(text.strip_suffix('s').unwrap().parse().unwrap())
}

/// The body of the location of nginx that a path belongs to.
fn location(path: &str) -> &'static str {
    let all: Vec<(&str, &str)> = NGINX
        .split("\n        location ")
        .skip(1)
        .map(|text| text.split_once(" {\n").unwrap())
        .filter(|(name, _)| !name.starts_with('@'))
        .collect();
    let exact = all.iter().find(|(name, _)| name.strip_prefix("= ") == Some(path));
    let by_expression =
        || all.iter().find(|(name, _)| name.strip_prefix("~ ").is_some_and(|e| matches(e, path)));
    let any = || all.iter().find(|(name, _)| *name == "/");
    let (_, body) = exact.or_else(by_expression).or_else(any).unwrap();
    body.split("\n        }").next().unwrap()
}

/// The servers that a location passes requests of a method to.
fn upstream(location: &'static str, method: &str) -> &'static str {
    let name = value(location, "proxy_pass http://");
    let Some(variable) = name.strip_prefix('$') else { return name };
    let (_, map) = NGINX.split_once(&format!("map $request_method ${variable} {{")).unwrap();
    let map = map.split('}').next().unwrap();
    let line = if map.contains(&format!("{method} ")) { method } else { "default" };
    value(map, line)
}

#[test]
fn nginx_blames_no_replica_for_a_silent_database() {
    for route in ROUTES {
        let (location, silence) = (location(&path_of(route)), longest_silence(route));
        let upstream = upstream(location, route.method());
        let Some(silence) = silence else { continue };
        assert_eq!(upstream, "lastro_patient", "{}", route.endpoint);
        let patience = seconds(value(location, "proxy_read_timeout"));
        // A client need not wait for all of the store's time.
        assert!(patience > silence || silence == STORE_TIMEOUT, "{}: {patience:?}", route.endpoint);
    }
    assert_eq!(upstream(location("/pricing"), "GET"), "lastro");
    assert_eq!(upstream(location("/api/v1/market/selic"), "GET"), "lastro");
}

/// Whether a condition of HAProxy, by its name, holds for a path.
fn holds(name: &str, path: &str) -> bool {
    let start = format!("    acl {name} ");
    HAPROXY.lines().filter_map(|line| line.strip_prefix(&start)).any(|line| {
        let (fetch, values) = line.split_once(' ').unwrap();
        values.split(' ').any(|value| match fetch {
            "path" => path == value,
            "path_beg" => path.starts_with(value),
            "path_reg" => matches(value, path),
            other => panic!("{other} is not known here"),
        })
    })
}

#[test]
fn haproxy_waits_as_long_as_lastro_does() {
    let (_, slow) = HAPROXY.split_once("\nbackend slow_replicas\n").unwrap();
    let patience = seconds(value(slow, "timeout server "));
    for route in ROUTES {
        let path = path_of(route);
        let is_slow = longest_silence(route).filter(|silence| *silence > STORE_TIMEOUT);
        assert_eq!(holds("slow", &path), is_slow.is_some(), "{}", route.endpoint);
        assert!(is_slow.is_none_or(|silence| silence < patience), "{}", route.endpoint);
    }
    assert!(holds("changes", "/api/v1/changes"));
    assert!(patience > Duration::from_secs(25), "the longest wait for changes");
}

#[test]
fn nginx_lets_every_body_pass_that_is_taken() {
    let largest = ROUTES.iter().map(|route| route.largest_body).max().unwrap();
    assert_eq!(value(NGINX, "client_max_body_size"), format!("{}k", largest / 1024));
    assert!(NGINX.contains(&format!("the body may have at most {largest} bytes")));
}
