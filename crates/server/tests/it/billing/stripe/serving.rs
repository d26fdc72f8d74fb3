//! The stand-in's connections: troubles, headers, and one effect for each idempotency key.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::{Call, KEY, OTHER_KEY, State, Trouble, missing};

pub(super) fn serve(
    state: &Arc<Mutex<State>>,
    opened: &std::sync::mpsc::Sender<SocketAddr>,
    closed: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        opened.send(listener.local_addr().unwrap()).unwrap();
        let accepting = async {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let state = Arc::clone(state);
                let answer = service_fn(move |request| take(Arc::clone(&state), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        };
        tokio::select! {
            _ = closed => {}
            () = accepting => {}
        }
    });
}

/// A delay within the timeouts of the commands.
const LATE: std::time::Duration = std::time::Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
#[error("the connection is cut")]
struct Cut;

async fn take(
    state: Arc<Mutex<State>>,
    request: http::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Cut> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let path = head.uri.path_and_query().unwrap().as_str().to_owned();
    let call = Call {
        line: format!("{} {path}", head.method),
        headers: head.headers,
        form: form_urlencoded::parse(&body).into_owned().collect(),
    };
    let trouble = state.lock().unwrap().trouble.pop_front();
    state.lock().unwrap().calls.push(call.clone());
    match trouble {
        Some(Trouble::Status(status)) => {
            return Ok(response(status, &json!({"error": {"type": "api_error"}})));
        }
        Some(Trouble::Page(status)) => {
            let page = Full::new("<html><h1>hunter2</h1></html>".into());
            return Ok(Response::builder().status(status).body(page).unwrap());
        }
        Some(Trouble::Silence) => {
            tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
            return Err(Cut);
        }
        Some(Trouble::Late) => tokio::time::sleep(LATE).await,
        Some(Trouble::Cut | Trouble::LostAnswer) | None => {}
    }
    let (status, answer) = once(&mut state.lock().unwrap(), &head.method, &path, &call);
    if let Some(Trouble::LostAnswer) = trouble {
        tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    }
    if let Some(Trouble::Cut | Trouble::LostAnswer) = trouble {
        return Err(Cut);
    }
    Ok(response(status, &answer))
}

/// Checks the headers, and answers a repeated request with the first answer.
fn once(state: &mut State, method: &Method, path: &str, call: &Call) -> (u16, Value) {
    let header = |name: &str| call.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let authorization = header("authorization").unwrap_or_default();
    match authorization.strip_prefix("Bearer ") {
        Some(key) if key == KEY || Some(key) == state.rolled_key.as_deref() => {}
        Some(OTHER_KEY) => return missing(),
        _ => return (401, json!({"error": {"type": "invalid_request_error", "message": "hunter2"}})),
    }
    assert_eq!(header("stripe-version").as_deref(), Some("2025-03-31.basil"), "{}", call.line);
    let Some(key) = header("idempotency-key") else {
        assert_eq!(method, Method::GET, "{} has no idempotency key", call.line);
        return state.answer(method, path, call);
    };
    let request = format!("{} {:?}", call.line, call.form);
    if let Some((first, answer)) = state.answered.get(&key) {
        assert_eq!(first, &request, "the same key for another request");
        return answer.clone();
    }
    let answer = state.answer(method, path, call);
    state.answered.insert(key, (request, answer.clone()));
    answer
}

fn response(status: u16, body: &Value) -> Response<Full<Bytes>> {
    Response::builder().status(status).body(Full::new(body.to_string().into())).unwrap()
}
