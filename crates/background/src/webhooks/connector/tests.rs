//! Tests the guard against every known way to reach a forbidden address. They connect only to loopback: a rejection
//! comes before any connection.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use parking_lot::{Condvar, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::resolver::LOOKUPS_AT_ONCE;
use super::*;

/// A resolver that returns the given answers in order and then repeats the last.
struct Scripted(Mutex<Vec<Vec<IpAddr>>>);

impl Scripted {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(answers.iter().map(parse).collect())))
    }
}

impl Resolver for Scripted {
    fn look_up(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let mut answers = self.0.lock();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        async move { Ok(answer) }.boxed()
    }
}

fn connector(resolver: Arc<dyn Resolver>, allow_private: bool) -> Connector {
    Connector::with_resolver(resolver, allow_private, Duration::from_millis(400)).unwrap()
}

async fn post(connector: &Connector, url: &str) -> Result<ReceiverResponse, DeliveryError> {
    let id = MessageId::from_random([1; 12]);
    let (signature, body) = ("v1,x".to_owned(), "{}".to_owned());
    let request = SignedRequest { url, id: &id, unix_seconds: 1, signature, body, trace: None };
    connector.post(request).await
}

#[tokio::test]
async fn private_ip_literals_are_rejected_in_every_notation() {
    let connector = connector(Scripted::new(&[&["127.0.0.1"]]), false);
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "0x7F.0x0.0x0.0x1",
        "127.0.0.1.",
        "１２７.0.0.1",
        "%31%32%37.0.0.1",
        "0",
        "10.0.0.1",
        "3232235777",
        "169.254.169.254",
        "0xa9fea9fe",
        "100.64.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:a9fe:a9fe]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001::1]",
        "[fd00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[2001:db8::1]",
    ] {
        let answer = post(&connector, &format!("https://{host}:9/")).await;
        assert_eq!(answer, Err(DeliveryError::NoPublicAddress), "{host}");
    }
}

/// Posts with a deadline longer than a rejection takes. In tests with paused time the clock advances by itself.
async fn refused(resolver: Arc<dyn Resolver>) -> (Result<ReceiverResponse, DeliveryError>, Duration) {
    let connector = Connector::with_resolver(resolver, false, Duration::from_secs(15)).unwrap();
    let asked = tokio::time::Instant::now();
    let answer = post(&connector, "https://innocent.example/").await;
    (answer, asked.elapsed())
}

#[tokio::test(start_paused = true)]
async fn names_with_only_private_addresses_look_nonexistent() {
    let mut refusals = Vec::new();
    for addresses in
        [&["127.0.0.1"][..], &["10.0.0.1", "::1"], &["169.254.169.254"], &["::ffff:192.168.0.1"], &[]]
    {
        refusals.push(refused(Scripted::new(&[addresses])).await);
    }
    for (kind, after_ms) in
        [(io::ErrorKind::NotFound, 3), (io::ErrorKind::TimedOut, 90), (io::ErrorKind::Other, 0)]
    {
        refusals.push(refused(Arc::new(Unknown(kind, Duration::from_millis(after_ms)))).await);
    }
    let alike = (Err(DeliveryError::NoPublicAddress), REFUSAL_AFTER);
    assert!(refusals.iter().all(|refusal| *refusal == alike), "{refusals:?}");
}

/// A resolver that fails with the given error after a delay.
struct Unknown(io::ErrorKind, Duration);

impl Resolver for Unknown {
    fn look_up(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let (kind, pause) = (self.0, self.1);
        async move {
            tokio::time::sleep(pause).await;
            Err(kind.into())
        }
        .boxed()
    }
}

async fn resolved(guard: &Guard) -> Vec<String> {
    match guard.resolve("shifty.example".parse().unwrap()).await {
        Ok(addresses) => addresses.map(|address| address.ip().to_string()).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[tokio::test(start_paused = true)]
async fn checks_the_resolved_addresses_for_every_connection() {
    let resolver = Scripted::new(&[&["1.1.1.1"], &["10.0.0.1", "1.1.1.1", "fd00::1"], &["127.0.0.1"]]);
    let guard = Guard { resolver, allow_private: false };
    assert_eq!(resolved(&guard).await, ["1.1.1.1"]);
    assert_eq!(resolved(&guard).await, ["1.1.1.1"], "what is private is left out");
    assert_eq!(resolved(&guard).await, ["no public address is known for this receiver"], "rebound");
}

/// With one lookup for the check and another for the connection, a name could resolve to a different address in each.
#[tokio::test]
async fn connects_to_the_address_that_was_checked() {
    let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    let first = Receiver::answering(answer).await;
    let next = Receiver::open(
        SocketAddr::new([127, 0, 0, 2].into(), first.address.port()),
        answer,
        &[],
        Duration::ZERO,
    )
    .await;
    let connector = connector(Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"], &[]]), true);
    let url = first.url("shifty.example");
    let mut connections = Vec::new();
    for _ in 0..3 {
        let answer = post(&connector, &url).await.map(|answer| answer.status);
        connections.push((answer, first.connections(), next.connections()));
    }
    assert_eq!(connections, [(Ok(204), 1, 0), (Ok(204), 1, 1), (Err(DeliveryError::NoPublicAddress), 1, 1)]);
}

#[tokio::test]
async fn private_addresses_need_the_setting() {
    let resolver = || Scripted::new(&[&["127.0.0.1"]]);
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let url = receiver.url("some.name");
    assert_eq!(post(&connector(resolver(), false), &url).await, Err(DeliveryError::NotHttps));
    assert_eq!(receiver.connections(), 0);
    assert_eq!(post(&connector(resolver(), true), &url).await.unwrap().status, 204);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let away = "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest/\r\ncontent-length: 0\r\n\r\n";
    let receiver = Receiver::answering(away).await;
    let answer = post(&connector(Scripted::new(&[&["127.0.0.1"]]), true), &receiver.url("127.0.0.1")).await;
    assert_eq!(answer.unwrap().status, 302);
}

#[tokio::test]
async fn returns_the_retry_after_header() {
    let busy = "HTTP/1.1 503 Busy\r\nretry-after: 77\r\ncontent-length: 0\r\n\r\n";
    let receiver = Receiver::answering(busy).await;
    let answer = post(&connector(Scripted::new(&[&["127.0.0.1"]]), true), &receiver.url("127.0.0.1")).await;
    assert_eq!(answer, Ok(ReceiverResponse { status: 503, retry_after: Some("77".to_owned()) }));
}

#[tokio::test]
async fn an_endless_body_is_not_read_to_its_end() {
    let receiver = Receiver::going_on("HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 4096], Duration::ZERO).await;
    let answer = post(&connector(Scripted::new(&[&["127.0.0.1"]]), true), &receiver.url("127.0.0.1")).await;
    assert_eq!(answer.unwrap().status, 200);
    receiver.hung_up_on().await;
}

#[tokio::test]
async fn a_slowly_dripping_response_header_times_out() {
    let receiver = Receiver::going_on("HTTP/1.1 200 ", b"O", Duration::from_millis(100)).await;
    let answer = post(&connector(Scripted::new(&[&["127.0.0.1"]]), true), &receiver.url("127.0.0.1")).await;
    assert_eq!(answer, Err(DeliveryError::NoAnswer));
    receiver.hung_up_on().await;
}

#[tokio::test]
async fn stops_reading_a_slowly_dripping_body() {
    let receiver = Receiver::going_on("HTTP/1.1 200 OK\r\n\r\n", b"x", Duration::from_millis(100)).await;
    let answer = post(&connector(Scripted::new(&[&["127.0.0.1"]]), true), &receiver.url("127.0.0.1")).await;
    assert_eq!(answer.unwrap().status, 200);
    receiver.hung_up_on().await;
}

#[tokio::test]
async fn closed_ports_and_invalid_http_are_distinct_errors() {
    let connector = connector(Scripted::new(&[&["127.0.0.1"]]), true);
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(post(&connector, &format!("http://{closed}/")).await, Err(DeliveryError::NoConnection));
    let receiver = Receiver::answering("this is not HTTP\r\n\r\n").await;
    assert_eq!(post(&connector, &receiver.url("127.0.0.1")).await, Err(DeliveryError::Broken));
}

/// The name servers of `dead.example`, which do not reply until they are mended.
#[derive(Default)]
struct DeadServers {
    mended: Mutex<bool>,
    mending: Condvar,
    asked: AtomicUsize,
}

impl DeadServers {
    /// A resolver that hangs on their names and resolves every other name to loopback.
    fn resolver(self: &Arc<Self>) -> Arc<SystemResolver> {
        let servers = Arc::clone(self);
        Arc::new(SystemResolver::asking(move |name| {
            if name.ends_with(".dead.example") {
                servers.asked.fetch_add(1, Ordering::SeqCst);
                servers.mending.wait_while(&mut servers.mended.lock(), |mended| !*mended);
            }
            Ok(vec!["127.0.0.1".parse().unwrap()])
        }))
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    async fn asked_for(&self, times: usize) {
        for _ in 0..5_000 {
            if self.asked() >= times {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        panic!("only {} of {times} names were asked for", self.asked());
    }

    fn mend(&self) {
        *self.mended.lock() = true;
        self.mending.notify_all();
    }
}

fn dead_names(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("customer{number}.dead.example"))
}

#[tokio::test]
async fn hanging_lookups_do_not_delay_others() {
    let servers = Arc::new(DeadServers::default());
    let resolver = servers.resolver();
    let hanging: Vec<_> =
        dead_names(LOOKUPS_AT_ONCE - 1).map(|name| tokio::spawn(resolver.look_up(&name))).collect();
    servers.asked_for(hanging.len()).await;
    hanging.iter().for_each(tokio::task::JoinHandle::abort);
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let answer = post(&connector(resolver, true), &receiver.url("well.example")).await;
    servers.mend();
    assert_eq!(answer.map(|answer| answer.status), Ok(204));
}

#[tokio::test]
async fn concurrent_lookups_of_one_name_share_one_query() {
    let servers = Arc::new(DeadServers::default());
    let resolver = servers.resolver();
    let waiting = Arc::new(AtomicUsize::new(0));
    let look_up = || {
        let (waiting, found) = (Arc::clone(&waiting), resolver.look_up("one.dead.example"));
        tokio::spawn(async move {
            waiting.fetch_add(1, Ordering::SeqCst);
            found.await
        })
    };
    let hanging: Vec<_> = (0..2 * LOOKUPS_AT_ONCE).map(|_| look_up()).collect();
    servers.asked_for(1).await;
    // A lookup that begins after the reply would rightly start a new query.
    while waiting.load(Ordering::SeqCst) < hanging.len() {
        tokio::task::yield_now().await;
    }
    assert_eq!(resolver.look_up("well.example").await.unwrap().len(), 1);
    servers.mend();
    assert!(join_all(hanging).await.into_iter().all(|found| found.unwrap().unwrap().len() == 1));
    assert_eq!(servers.asked(), 1);
    resolver.look_up("one.dead.example").await.unwrap();
    assert_eq!(servers.asked(), 2, "what was found is not kept");
}

#[tokio::test]
async fn limits_concurrent_lookups() {
    let servers = Arc::new(DeadServers::default());
    let resolver = servers.resolver();
    let hanging: Vec<_> =
        dead_names(LOOKUPS_AT_ONCE + 50).map(|name| tokio::spawn(resolver.look_up(&name))).collect();
    servers.asked_for(LOOKUPS_AT_ONCE).await;
    assert!(tokio::time::timeout(Duration::from_millis(50), resolver.look_up("well.example")).await.is_err());
    assert_eq!(servers.asked(), LOOKUPS_AT_ONCE);
    servers.mend();
    assert!(join_all(hanging).await.into_iter().all(|found| found.unwrap().is_ok()));
    assert_eq!(servers.asked(), LOOKUPS_AT_ONCE + 50);
}

#[tokio::test]
async fn a_failed_lookup_returns_its_error_and_can_be_repeated() {
    let failing = SystemResolver::asking(|_| Err(io::ErrorKind::NotFound.into()));
    for _ in 0..3 {
        assert_eq!(failing.look_up("none.example").await.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

/// Any port of this machine.
const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

/// A TCP server that replies with fixed bytes.
struct Receiver {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    hung_up: Arc<tokio::sync::Notify>,
}

impl Receiver {
    async fn answering(answer: &'static str) -> Self {
        Self::open(LOOPBACK, answer, &[], Duration::ZERO).await
    }

    /// Sends `more` repeatedly after the answer, pausing after each.
    async fn going_on(answer: &'static str, more: &'static [u8], pause: Duration) -> Self {
        Self::open(LOOPBACK, answer, more, pause).await
    }

    async fn open(at: SocketAddr, answer: &'static str, more: &'static [u8], pause: Duration) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let receiver = Self { address, connections: Arc::default(), hung_up: Arc::default() };
        let (connections, hung_up) = (Arc::clone(&receiver.connections), Arc::clone(&receiver.hung_up));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                talk(stream, answer, more, pause).await;
                hung_up.notify_one();
            }
        });
        receiver
    }

    fn url(&self, host: &str) -> String {
        format!("http://{host}:{}/hook", self.address.port())
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    async fn hung_up_on(&self) {
        tokio::time::timeout(Duration::from_secs(10), self.hung_up.notified())
            .await
            .expect("it reads forever");
    }
}

/// Replies to one connection. Returns when the other side stops reading.
async fn talk(mut stream: TcpStream, answer: &str, more: &[u8], pause: Duration) {
    let mut request = [0; 2048];
    let _ = stream.read(&mut request).await;
    let _ = stream.write_all(answer.as_bytes()).await;
    while !more.is_empty() && stream.write_all(more).await.is_ok() {
        tokio::time::sleep(pause).await;
    }
}
