//! The operator's listener: `/livez`, `/readyz` and `/metrics`. It has its own port, separate from clients.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_background::metrics::{dependencies, process};
use lastro_background::wait::stopped;
use lastro_model::Source;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::http::app::App;
use crate::http::certificate;
use crate::http::listener::{ACCEPT_RETRY_DELAY, AcceptFailures};

/// Maximum number of connections. A further one closes the oldest, so that silent connections lock nobody out.
const MOST_CONNECTIONS: usize = 64;
/// Time limits for a request header and for a whole connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(60);
const SECONDS_A_DAY: i64 = 24 * 3600;

pub async fn serve(app: Arc<App>, listener: Arc<TcpListener>, mut stop: watch::Receiver<bool>) {
    let (mut open, mut failures) = (VecDeque::new(), AcceptFailures::default());
    loop {
        let accepted = tokio::select! {
            () = stopped(&mut stop) => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                make_place(&mut open);
                open.push_back(tokio::spawn(converse(Arc::clone(&app), stream)).abort_handle());
            }
            Err(error) => {
                failures.note(&error, app.clock.monotonic_ns());
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

fn make_place(open: &mut VecDeque<AbortHandle>) {
    open.retain(|connection| !connection.is_finished());
    if open.len() >= MOST_CONNECTIONS
        && let Some(oldest) = open.pop_front()
    {
        oldest.abort();
    }
}

async fn converse(app: Arc<App>, stream: TcpStream) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let app = Arc::clone(&app);
        async move { Ok::<_, std::convert::Infallible>(answer(&app, &request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer);
    // Errors and timeouts of a connection are of no interest.
    let _ = tokio::time::timeout(CONVERSATION_TIMEOUT, connection).await;
}

async fn answer(app: &Arc<App>, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/livez") => (StatusCode::OK, "ok\n".to_owned()),
        (&Method::GET | &Method::HEAD, "/readyz") => readiness(app, request.uri().query()),
        (&Method::GET | &Method::HEAD, "/metrics") => metrics(app).await,
        _ => (StatusCode::NOT_FOUND, "here are /livez, /readyz and /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    response
}

/// Whether new requests are wanted. HAProxy lets running requests end if it gets a 404 (`http-check disable-on-404`), and
/// can cut them off if it gets anything else or nothing; it asks for that difference by its query.
fn readiness(app: &App, query: Option<&str>) -> (StatusCode, String) {
    let operations = &app.operations;
    let status = match query {
        _ if operations.is_ready() => StatusCode::OK,
        Some("draining=404") if operations.draining.load(Ordering::Acquire) => StatusCode::NOT_FOUND,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, operations.readiness())
}

/// Renders beside the workers: a hundred kilobytes of text take milliseconds, for which requests would wait.
async fn metrics(app: &Arc<App>) -> (StatusCode, String) {
    let app = Arc::clone(app);
    match tokio::task::spawn_blocking(move || render(&app)).await {
        Ok(text) => (StatusCode::OK, text),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the metrics could not be rendered\n".to_owned()),
    }
}

fn render(app: &App) -> String {
    let mut out = Exposition::default();
    build_info(&mut out);
    process::render(app.operations.started_unix_seconds, &mut out);
    app.operations.metrics.render(&mut out);
    dependencies::render_store(&*app.access.store, &mut out);
    dependencies::render_redis(app.access.quota.as_deref(), &mut out);
    app.connections.render(&mut out);
    certificate::render(app.certificate.as_deref(), &mut out);
    app.exports.render(&mut out);
    let help = "Requests that wait for changes, or stream them.";
    out.gauge("lastro_changes_waiting", help, app.changes.slots.count());
    app.site.render(&mut out);
    app.operations.jobs.render(app.clock.now(), &mut out);
    app.operations.replicas.render(&mut out);
    app.operations.writes.render(&mut out);
    let help = "Client addresses with a rate limit of their own.";
    out.gauge("lastro_limiter_entries", help, app.access.callers.len());
    out.gauge("lastro_keys", "API keys in memory.", app.access.keys.len());
    out.gauge(
        "lastro_usage_unflushed",
        "Requests counted and not yet written.",
        app.access.usage.unflushed(),
    );
    out.gauge("lastro_ready", "Whether requests are answered.", u8::from(app.operations.is_ready()));
    outbox(app, &mut out);
    lastro_billing::render(app.billing.as_deref(), &mut out);
    identities(app, &mut out);
    sources(app, &mut out);
    out.into_text()
}

fn build_info(out: &mut Exposition) {
    let help = "The version and the commit of this binary; always 1.";
    let mut family = out.family("lastro_build_info", Kind::Gauge, help);
    family.sample(&[("version", &crate::VERSION), ("commit", &crate::COMMIT)], 1);
}

fn outbox(app: &App, out: &mut Exposition) {
    let state = app.webhooks.state.load();
    let age_ms =
        state.oldest_pending.map_or(0, |oldest| app.clock.now().unix_ms - oldest.as_millisecond()).max(0);
    let help = "Messages to webhooks that are not delivered yet.";
    out.gauge("lastro_webhook_queue", help, state.pending);
    out.gauge("lastro_webhook_oldest_pending_seconds", "Age of the oldest of them.", age_ms / 1000);
    let help = "Announcements that are not addressed yet.";
    out.gauge("lastro_webhook_announcements", help, state.announcements);
    out.gauge("lastro_webhooks_disabled", "Webhooks that are disabled.", state.disabled_webhooks);
}

/// Writes whether the identities between series hold.
fn identities(app: &App, out: &mut Exposition) {
    let catalog = app.served.catalog.load();
    let help = "Whether an identity between series holds, as /api/v1/series/{id}/checks says.";
    let mut family = out.family("lastro_identity_holds", Kind::Gauge, help);
    for check in catalog.identities() {
        family.sample(&[("identity", &check.name)], u8::from(check.holds));
    }
}

fn sources(app: &App, out: &mut Exposition) {
    let editions = app.served.catalog.load().editions();
    let mut family = out.family("lastro_edition", Kind::Gauge, "The edition in service.");
    for source in Source::ALL {
        family.sample(&[("source", &source)], editions[source].0);
    }
    let now = app.clock.now();
    let today = now.utc_day().number();
    let states = app.served.freshness.load();
    let help = "Time since the day of the newest value of a source, in whole days.";
    let mut family = out.family("lastro_source_age_seconds", Kind::Gauge, help);
    for (state, newest) in states.iter().filter_map(|state| state.newest_day.map(|day| (state, day))) {
        family.sample(&[("source", &state.source)], i64::from(today - newest.number()) * SECONDS_A_DAY);
    }
    let help = "Whether a source is older than its publisher's schedule explains, as /health says.";
    let mut family = out.family("lastro_source_stale", Kind::Gauge, help);
    for state in states.iter() {
        family.sample(&[("source", &state.source)], u8::from(state.is_stale(now)));
    }
    let help = "Points that are published and withheld, and filings of days to come.";
    let mut family = out.family("lastro_withheld_points", Kind::Gauge, help);
    for state in states.iter() {
        family.sample(&[("source", &state.source)], state.withheld);
    }
    let help = "Whether a source is the built-in sample.";
    let mut family = out.family("lastro_source_sample", Kind::Gauge, help);
    for state in states.iter() {
        family.sample(&[("source", &state.source)], u8::from(state.sample));
    }
}
