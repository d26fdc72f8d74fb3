//! A stand-in for a customer's server, on a port of this machine. It records messages and responds as configured.
//!
//! It runs on a thread of its own, so that a test may wait for a process that delivers to it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

/// A message as received.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub headers: HeaderMap,
    pub body: String,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The `webhook-id`.
    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Whether the signature is the public library's for the time in the message; tests have their own clock.
    pub(crate) fn verifies(&self, secret: &str) -> bool {
        let library = standardwebhooks::Webhook::new(secret).unwrap();
        let at = self.header("webhook-timestamp").parse().unwrap();
        let expected = library.sign(self.id(), at, self.body.as_bytes()).unwrap();
        self.header("webhook-signature").split(' ').any(|signature| signature == expected)
    }
}

struct State {
    got: Vec<Got>,
    status: u16,
    headers: Vec<(&'static str, String)>,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// While it is closed, no message gets a response.
    gate: watch::Sender<bool>,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    /// A receiver that accepts everything.
    pub(crate) fn open() -> Self {
        let state = Arc::new(Mutex::new(State { got: Vec::new(), status: 204, headers: Vec::new() }));
        let (gate, entrance) = watch::channel(true);
        let (close, closed) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || serve(&state, &entrance, &sender, closed)
        });
        let address = receiver.recv().unwrap();
        Self { address, state, gate, close: Some(close), thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn answer(&self, status: u16) {
        self.answer_with(status, &[]);
    }

    pub(crate) fn answer_with(&self, status: u16, headers: &[(&'static str, &str)]) {
        let mut state = self.state();
        state.status = status;
        state.headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    }

    /// From now on messages are received, but get no response until [`Receiver::release`].
    pub(crate) fn hold(&self) {
        self.gate.send_replace(false);
    }

    pub(crate) fn release(&self) {
        self.gate.send_replace(true);
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.state().got.clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.state().got.len()
    }

    pub(crate) fn forget(&self) {
        self.state().got.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.close.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    state: &Arc<Mutex<State>>,
    gate: &watch::Receiver<bool>,
    opened: &std::sync::mpsc::Sender<SocketAddr>,
    closed: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        opened.send(listener.local_addr().unwrap()).unwrap();
        let accepting = accept(listener, state, gate);
        tokio::select! {
            _ = closed => {}
            () = accepting => {}
        }
    });
}

async fn accept(listener: TcpListener, state: &Arc<Mutex<State>>, gate: &watch::Receiver<bool>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (state, gate) = (Arc::clone(state), gate.clone());
        let answer = service_fn(move |request| take(Arc::clone(&state), gate.clone(), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

async fn take(
    state: Arc<Mutex<State>>,
    mut gate: watch::Receiver<bool>,
    request: http::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    state.lock().unwrap().got.push(Got { headers: head.headers, body });
    let _ = gate.wait_for(|open| *open).await;
    let state = state.lock().unwrap();
    let mut response = Response::builder().status(state.status);
    for (name, value) in &state.headers {
        response = response.header(*name, value);
    }
    Ok(response.body(Full::default()).unwrap())
}
