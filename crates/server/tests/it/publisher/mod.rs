//! A stand-in for the three publishers, on ports of this machine: their addresses, behaviour and bad days.
//!
//! It runs on a thread of its own, so that a test may wait for a process that sends it requests. Its data is in
//! [`data`], formatted by [`tables`]; faults in transit are in [`trouble`]; whole bad days are in [`bad_day`].
//! It records all requests.

mod bad_day;
mod data;
mod tables;
mod trouble;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use lastro_ingest::sync::Publishers;
use lastro_model::Day;
use percent_encoding::percent_decode_str;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(crate) use bad_day::{BadDay, at_the_source, on_the_way, without_end};
pub(crate) use data::{CDI, PublisherData, REGISTRY, SELIC, archive_path, filing, forms_path};
pub(crate) use tables::{PERSONS, latin_1, zipped};
pub(crate) use trouble::Trouble;

pub(crate) type Body = BoxBody<Bytes, std::io::Error>;
pub(crate) type Response = http::Response<Body>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    Sgs,
    Ptax,
    Cvm,
}

impl Host {
    const ALL: [(Self, &'static str); 3] = [(Self::Sgs, "sgs"), (Self::Ptax, "ptax"), (Self::Cvm, "cvm")];
}

/// The three publishers. They close when this is dropped.
pub(crate) struct Publisher {
    state: Arc<Mutex<State>>,
    addresses: [SocketAddr; 3],
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    publisher_data: PublisherData,
    troubles: Vec<(String, Trouble, usize)>,
    asked: Vec<String>,
    sent: u64,
    running: HashMap<String, usize>,
    most_at_once: HashMap<String, usize>,
    pause: Duration,
}

impl Publisher {
    /// Publishers that hold about a year of everything, up to this day.
    pub(crate) fn on(today: Day) -> Self {
        Self::holding(PublisherData::filled(today))
    }

    pub(crate) fn holding(mut publisher_data: PublisherData) -> Self {
        publisher_data.print();
        let state = Arc::new(Mutex::new(State { publisher_data, ..State::default() }));
        let (close, closed) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || open(&state, &sender, closed)
        });
        let addresses = receiver.recv().unwrap();
        Self { state, addresses, close: Some(close), thread: Some(thread) }
    }

    pub(crate) fn addresses(&self) -> Publishers {
        let [sgs, ptax, cvm] = self.addresses.map(|address| format!("http://{address}"));
        Publishers { sgs, ptax, cvm }
    }

    /// The flags that direct the binary to these publishers.
    pub(crate) fn flags(&self) -> Vec<String> {
        let Publishers { sgs, ptax, cvm } = self.addresses();
        ["--sgs-url".into(), sgs, "--ptax-url".into(), ptax, "--cvm-url".into(), cvm].into()
    }

    /// A copy of the current data.
    pub(crate) fn publisher_data(&self) -> PublisherData {
        self.state().publisher_data.clone()
    }

    /// Changes the data.
    pub(crate) fn change(&self, change: impl FnOnce(&mut PublisherData)) {
        let mut state = self.state();
        change(&mut state.publisher_data);
        state.publisher_data.print();
    }

    /// From now on, requests whose line contains `part` (such as `sgs:` or `bcdata.sgs.432`) meet this trouble.
    pub(crate) fn trouble(&self, part: &str, trouble: Trouble) {
        self.trouble_times(part, trouble, usize::MAX);
    }

    /// Applies the trouble to this many requests only.
    pub(crate) fn trouble_times(&self, part: &str, trouble: Trouble, times: usize) {
        self.state().troubles.push((part.to_owned(), trouble, times));
    }

    /// Ends all troubles.
    pub(crate) fn mend(&self) {
        self.state().troubles.clear();
    }

    /// Delays every response by this duration.
    pub(crate) fn pause(&self, pause: Duration) {
        self.state().pause = pause;
    }

    /// Number of requests with `part` in their line since the last [`Publisher::forget`].
    pub(crate) fn asked(&self, part: &str) -> usize {
        self.state().asked.iter().filter(|line| line.contains(part)).count()
    }

    /// Number of body bytes sent since the last [`Publisher::forget`], as far as their length was known.
    pub(crate) fn sent(&self) -> u64 {
        self.state().sent
    }

    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.asked.clear();
        state.sent = 0;
        state.most_at_once.clear();
    }

    /// The lines requested more than once.
    pub(crate) fn asked_again(&self) -> Vec<String> {
        let state = self.state();
        let mut lines = state.asked.clone();
        lines.sort();
        let twice = lines.windows(2).filter(|pair| pair[0] == pair[1]);
        twice.map(|pair| pair[0].clone()).collect()
    }

    /// The codes of the series requested, in the order of their first request.
    pub(crate) fn codes_in_order(&self) -> Vec<u32> {
        let state = self.state();
        let code = |line: &String| line.split_once("bcdata.sgs.")?.1.split('/').next()?.parse().ok();
        let mut seen = std::collections::HashSet::new();
        state.asked.iter().filter_map(code).filter(|code| seen.insert(*code)).collect()
    }

    /// The largest number of concurrent requests to one host (`sgs`, `ptax`, `cvm`).
    pub(crate) fn most_at_once(&self, host: &str) -> usize {
        self.state().most_at_once.get(host).copied().unwrap_or(0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.close.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn open(
    state: &Arc<Mutex<State>>,
    opened: &std::sync::mpsc::Sender<[SocketAddr; 3]>,
    closed: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut addresses = Vec::new();
        for (host, name) in Host::ALL {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            addresses.push(listener.local_addr().unwrap());
            tokio::spawn(serve(Arc::clone(state), listener, host, name));
        }
        opened.send(addresses.try_into().unwrap()).unwrap();
        let _ = closed.await;
    });
}

async fn serve(state: Arc<Mutex<State>>, listener: TcpListener, host: Host, name: &'static str) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let state = Arc::clone(&state);
        let answer = service_fn(move |request| {
            let state = Arc::clone(&state);
            async move { Ok::<_, Infallible>(answer(&state, host, name, &request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

async fn answer(state: &Mutex<State>, host: Host, name: &str, request: &http::Request<Incoming>) -> Response {
    let raw = request.uri().to_string();
    let line = format!("{name}:{}", percent_decode_str(&raw).decode_utf8_lossy());
    let (trouble, pause) = arrive(&mut state.lock().unwrap(), name, &line);
    tokio::time::sleep(pause).await;
    let response = {
        let publisher_data = &state.lock().unwrap().publisher_data;
        match host {
            Host::Sgs => publisher_data.series_api(&line),
            Host::Ptax => publisher_data.exchange_api(&raw, &line),
            Host::Cvm => publisher_data.file(request.uri().path(), request.headers()),
        }
    };
    let response = match trouble {
        Some(trouble) => trouble.befall(response).await,
        None => response,
    };
    let mut state = state.lock().unwrap();
    state.sent += response.body().size_hint().exact().unwrap_or_default();
    *state.running.get_mut(name).unwrap() -= 1;
    response
}

/// Records the request, and returns the trouble that it meets.
fn arrive(state: &mut State, name: &str, line: &str) -> (Option<Trouble>, Duration) {
    state.asked.push(line.to_owned());
    let running = state.running.entry(name.to_owned()).or_default();
    *running += 1;
    let most = state.most_at_once.entry(name.to_owned()).or_default();
    *most = (*most).max(*running);
    let met = state.troubles.iter_mut().find(|(part, _, times)| *times > 0 && line.contains(part.as_str()));
    let trouble = met.map(|(_, trouble, times)| {
        *times -= usize::from(*times != usize::MAX);
        trouble.clone()
    });
    (trouble, state.pause)
}

pub(crate) fn whole(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response {
    let body = http_body_util::Full::new(body.into()).map_err(|never| match never {}).boxed();
    http::Response::builder().status(status).header("content-type", content_type).body(body).unwrap()
}
