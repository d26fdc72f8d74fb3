//! A PostgreSQL that falls silent: connections stay open and accept data, but no reply arrives.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use lastro_model::{Records, Source};
use lastro_store::{CallKind, Options, Store, StoreError, open_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};

use crate::conformance::Place;
use crate::postgres::TemporaryDatabase;
use crate::specimen::*;

/// Long enough for a busy machine to send the replies that are let through.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// A proxy in front of the server that lets a limited number of replies through.
struct Proxy {
    url: String,
    answers: Arc<AtomicI64>,
}

impl Proxy {
    async fn before(place: &TemporaryDatabase) -> Self {
        let url = place.url();
        let (start, end) = (url.find('@').unwrap() + 1, url.rfind('/').unwrap());
        let server = url[start..end].to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url.replace(&server, &listener.local_addr().unwrap().to_string());
        let answers = Arc::new(AtomicI64::new(i64::MAX));
        tokio::spawn({
            let answers = Arc::clone(&answers);
            async move {
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let server = TcpStream::connect(&server).await.unwrap();
                    tokio::spawn(pass_on(client, server, Arc::clone(&answers)));
                }
            }
        });
        Self { url, answers }
    }

    async fn open(&self) -> Arc<dyn Store> {
        let options = Options { answered_within: Some(ANSWERED_WITHIN), ..Options::default() };
        open_with(&self.url, &options).await.unwrap()
    }

    fn allow(&self, answers: i64) {
        self.answers.store(answers, Ordering::SeqCst);
    }
}

async fn pass_on(client: TcpStream, server: TcpStream, answers: Arc<AtomicI64>) {
    let ((mut asked, mut told), (mut answered, mut sent)) = (client.into_split(), server.into_split());
    let asking = async {
        let _ = copy(&mut asked, &mut sent).await;
    };
    let answering = async {
        let mut buffer = vec![0; 65_536];
        while let Ok(length @ 1..) = answered.read(&mut buffer).await {
            if answers.fetch_sub(1, Ordering::SeqCst) > 0 && told.write_all(&buffer[..length]).await.is_err()
            {
                return;
            }
        }
    };
    tokio::select! {
        () = asking => {}
        () = answering => {}
    }
}

fn is_unreachable<T>(outcome: &Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Unreachable { .. }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_times_out_if_the_server_is_silent() {
    let place = TemporaryDatabase::new();
    let proxy = Proxy::before(&place).await;
    let store = proxy.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    proxy.allow(0);
    assert!(is_unreachable(&store.list_keys().await));
    assert!(is_unreachable(&store.insert_key(new_key(2)).await));
    assert!(is_unreachable(&store.load(Source::Filings).await));
    let rows = Records::Filings(vec![filing(1, "2026-10-30")]);
    assert!(is_unreachable(&publish(&*store, publication(Source::Filings), rows.clone()).await));
    // The publication failed before its transaction: it reads first whom to announce it to.
    let failed = CallKind::ALL.map(|kind| store.calls().failed(kind).count());
    assert_eq!(failed, [2, 1, 0, 1], "{:?}", CallKind::ALL);
    proxy.allow(i64::MAX);
    assert_eq!(store.list_keys().await.unwrap().len(), 1);
    store.insert_key(new_key(2)).await.unwrap();
    publish(&*store, publication(Source::Filings), rows).await.unwrap();
    assert_eq!(filings(&*store).await.len(), 1);
    let pool = store.pool().expect("a pool of connections");
    assert_eq!((pool.limit, pool.in_use, pool.waiting), (Options::default().connections, 0, 0));
}

/// The server falls silent after the first reply, after a few, or before the last.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_times_out_if_the_server_falls_silent() {
    let place = TemporaryDatabase::new();
    let proxy = Proxy::before(&place).await;
    let store = proxy.open().await;
    let mut number = 1;
    loop {
        store.list_keys().await.expect("a connection is there again");
        proxy.allow(i64::from(number));
        let outcome = store.insert_key(new_key(number)).await;
        proxy.allow(i64::MAX);
        if outcome.is_ok() {
            break;
        }
        assert!(is_unreachable(&outcome), "after {number} answers");
        number += 1;
    }
    assert!(number > 2, "it was cut short in several places");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_fails_if_the_server_falls_silent() {
    let place = TemporaryDatabase::new();
    let proxy = Proxy::before(&place).await;
    let store = proxy.open().await;
    let rows = (0..60_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*store, publication(Source::Filings), Records::Filings(rows)).await.unwrap();
    let mut loaded = store.load(Source::Filings).await.unwrap();
    loaded.rows.recv().await.unwrap().unwrap();
    proxy.allow(0);
    let mut outcome = Ok(());
    while let Some(batch) = loaded.rows.recv().await {
        outcome = batch.map(drop);
    }
    assert!(is_unreachable(&outcome));
}
