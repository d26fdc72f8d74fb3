//! The operator's listener: `/livez`, `/readyz` and `/metrics`. It stands on a port of its own, away from clients.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lastro_model::Source;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::http::listener::{BREATH, Failures};
use crate::jobs::stopped;
use crate::metrics::gauge;
use crate::state::App;

/// Connections at once. Where one more comes, the oldest goes: silent ones lock nobody out.
const MOST_CONNECTIONS: usize = 64;
/// How long a header may take, and a whole conversation.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn serve(app: Arc<App>, listener: Arc<TcpListener>, mut stop: watch::Receiver<bool>) {
    let (mut open, mut failures) = (VecDeque::new(), Failures::default());
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
                tokio::time::sleep(BREATH).await;
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
        let response = answer(&app, &request);
        async move { Ok::<_, std::convert::Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .serve_connection(TokioIo::new(stream), answer);
    // However it ends, nobody is to be told.
    let _ = tokio::time::timeout(PATIENCE, connection).await;
}

fn answer(app: &App, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/livez") => (StatusCode::OK, "ok\n".to_owned()),
        (&Method::GET | &Method::HEAD, "/readyz") if app.is_ready() => (StatusCode::OK, "ready\n".to_owned()),
        (&Method::GET | &Method::HEAD, "/readyz") => {
            (StatusCode::SERVICE_UNAVAILABLE, "not ready\n".to_owned())
        }
        (&Method::GET | &Method::HEAD, "/metrics") => (StatusCode::OK, metrics(app)),
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

fn metrics(app: &App) -> String {
    let mut out = String::with_capacity(16 * 1024);
    app.metrics.render(&mut out);
    app.connections.render(&mut out);
    app.exports.render(&mut out);
    app.jobs.render(app.clock.now(), &mut out);
    gauge(
        &mut out,
        "lastro_limiter_entries",
        "gauge",
        "Client addresses with a rate limit of their own.",
        app.callers.len(),
    );
    gauge(&mut out, "lastro_keys", "gauge", "API keys in memory.", app.keys.len());
    gauge(
        &mut out,
        "lastro_usage_unflushed",
        "gauge",
        "Requests counted and not yet written.",
        app.usage.unflushed(),
    );
    gauge(&mut out, "lastro_ready", "gauge", "Whether requests are answered.", u8::from(app.is_ready()));
    outbox(app, &mut out);
    sources(app, &mut out);
    out
}

fn outbox(app: &App, out: &mut String) {
    let state = app.webhooks.state.load();
    let age_ms =
        state.oldest_pending.map_or(0, |oldest| app.clock.now().unix_ms - oldest.as_millisecond()).max(0);
    gauge(
        out,
        "lastro_webhook_queue",
        "gauge",
        "Messages to webhooks that are not delivered yet.",
        state.pending,
    );
    gauge(out, "lastro_webhook_oldest_pending_seconds", "gauge", "Age of the oldest of them.", age_ms / 1000);
    gauge(
        out,
        "lastro_webhook_announcements",
        "gauge",
        "Announcements that are not addressed yet.",
        state.announcements,
    );
    gauge(out, "lastro_webhooks_disabled", "gauge", "Webhooks that are disabled.", state.disabled_webhooks);
}

fn sources(app: &App, out: &mut String) {
    let now = app.clock.now();
    let editions = crate::ingest::catalog::editions(&app.catalog.load());
    out.push_str("# HELP lastro_edition The edition in service.\n# TYPE lastro_edition gauge\n");
    for source in Source::ALL {
        let _ = writeln!(out, "lastro_edition{{source=\"{source}\"}} {}", editions[source].0);
    }
    let freshness = app.freshness.load();
    out.push_str("# HELP lastro_source_age_days Days since the newest value of a source.\n# TYPE lastro_source_age_days gauge\n");
    for state in freshness.iter() {
        if let Some(newest) = state.newest_day {
            let age = now.utc_day().number() - newest.number();
            let _ = writeln!(out, "lastro_source_age_days{{source=\"{}\"}} {age}", state.source);
        }
    }
    out.push_str("# HELP lastro_withheld_points Points that are published and not believed yet.\n# TYPE lastro_withheld_points gauge\n");
    for state in freshness.iter() {
        let _ = writeln!(out, "lastro_withheld_points{{source=\"{}\"}} {}", state.source, state.withheld);
    }
    out.push_str("# HELP lastro_source_sample Whether a source is the built-in sample.\n# TYPE lastro_source_sample gauge\n");
    for state in freshness.iter() {
        let _ =
            writeln!(out, "lastro_source_sample{{source=\"{}\"}} {}", state.source, u8::from(state.sample));
    }
}
