//! Test setup in one line: a service with the sample, and a client that checks every response.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lastro::http::routes::{Target, resolve};
use lastro::listeners::Listeners;
use lastro::service::Service;
use lastro::setup::Setup;
use lastro_access::{ApiKey, Applicant, Grant, IssuedKey};
use lastro_background::clock::fill_random;
use lastro_config::{AdminListen, Common, ConnectionSettings, Serve, Switch};
use lastro_model::{Clock, KeyId, ManualClock, Plan};
use lastro_store::Store;
use lastro_store::faulty::FaultyStore;
use reqwest::Method;
use tempfile::TempDir;

use crate::answer::Answer;
use crate::filled;

/// Monday, 2 November 2026, noon in London.
pub(crate) const START_UNIX_MS: i64 = 1_793_620_800_000;

#[derive(Debug)]
pub(crate) struct TestApp {
    pub service: Service,
    pub clock: Arc<ManualClock>,
    pub faults: Arc<FaultyStore>,
    pub directory: TempDir,
    /// The store without injected faults.
    pub plain: Arc<dyn Store>,
    client: reqwest::Client,
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts with settings other than the defaults.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Setup)) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        filled::copy_into(directory.path()).await;
        Self::start_in(directory, START_UNIX_MS, change).await
    }

    /// Shuts down cleanly and restarts on the same files, at the same time of day.
    pub(crate) async fn restart(self) -> Self {
        self.restart_with(|_| {}).await
    }

    pub(crate) async fn restart_with(self, change: impl FnOnce(&mut Setup)) -> Self {
        let now = self.clock.now().unix_ms;
        self.service.stop().await.expect("an orderly stop");
        Self::start_in(self.directory, now, change).await
    }

    /// Shuts down cleanly, changes the files, and restarts with the clock at this time.
    pub(crate) async fn restart_at(self, unix_ms: i64, meanwhile: impl FnOnce(&Path)) -> Self {
        let Self { service, faults, plain, directory, .. } = self;
        service.stop().await.expect("an orderly stop");
        drop((faults, plain));
        meanwhile(directory.path());
        Self::start_in(directory, unix_ms, |_| {}).await
    }

    /// Another server on the same database, with the same clock unless `change` sets another. It has a directory of
    /// its own; the database is deleted with this server's directory, once both have stopped.
    pub(crate) async fn beside(&self, change: impl FnOnce(&mut Setup)) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let plain = self.elsewhere().await;
        let faults = Arc::new(FaultyStore::new(Arc::clone(&plain)));
        let clock = Arc::clone(&self.clock);
        let store = Arc::clone(&faults) as Arc<dyn Store>;
        let mut setup = setup(&self.directory, store, Arc::clone(&clock) as Arc<dyn Clock>);
        setup.settings.index_dir = Some(directory.path().join("index"));
        change(&mut setup);
        let service = started(setup).await.expect("a service");
        let client = client().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        Self { service, clock, faults, directory, plain, client }
    }

    async fn start_in(directory: TempDir, unix_ms: i64, change: impl FnOnce(&mut Setup)) -> Self {
        let clock = Arc::new(ManualClock::starting_at(unix_ms));
        let store = lastro_store::open(&database(&directory)).await.expect("a store");
        let plain = Arc::clone(&store);
        let faults = Arc::new(FaultyStore::new(store));
        let store = Arc::clone(&faults) as Arc<dyn Store>;
        let mut setup = setup(&directory, store, Arc::clone(&clock) as Arc<dyn Clock>);
        change(&mut setup);
        let service = started(setup).await.expect("a service");
        let client = client().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        Self { service, clock, faults, directory, plain, client }
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    pub(crate) fn advance_seconds(&self, seconds: u64) {
        self.advance(Duration::from_secs(seconds));
    }

    /// The database as another process opens it: an operator's command, another replica.
    pub(crate) async fn elsewhere(&self) -> Arc<dyn Store> {
        lastro_store::open_existing(&database(&self.directory)).await.expect("the same database")
    }

    pub(crate) fn timestamp(&self) -> jiff::Timestamp {
        self.clock.now().timestamp()
    }

    /// A key whose quota no test can use up.
    pub(crate) async fn ample_key(&self, plan: Plan) -> String {
        self.key_with_limit(plan, Some(1_000_000)).await
    }

    /// A key as the operator creates it, valid at once.
    pub(crate) async fn key(&self, plan: Plan) -> String {
        self.key_with_limit(plan, None).await
    }

    pub(crate) async fn key_with_limit(&self, plan: Plan, rate_limit: Option<u32>) -> String {
        let access = &self.service.app.access;
        let issued = IssuedKey::generate(access.keys.pepper(), &mut fill_random);
        let applicant = Applicant::new("Test", "test@example.com").expect("an applicant");
        let grant = Grant::by_operator(plan, rate_limit);
        let new = issued.for_new_account(applicant, grant, self.timestamp());
        access.keys.upsert(access.store.insert_key(new).await.expect("a key"), 0);
        issued.key.reveal().to_owned()
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> Ask<'_> {
        let url = format!("http://{}{path}", self.service.address);
        Ask {
            path: path.to_owned(),
            method: method.clone(),
            from_page: false,
            builder: self.client.request(method, url),
            app: self,
        }
    }

    pub(crate) fn get(&self, path: &str) -> Ask<'_> {
        self.request(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Ask<'_> {
        self.request(Method::POST, path).body(body)
    }

    /// The response of the operator's listener.
    pub(crate) async fn admin(&self, path: &str) -> (u16, String) {
        let address = self.service.admin_address.expect("an operator's listener");
        // The listener closes every connection after a while; a new one is not closed in the middle of a request.
        let asking = self.client.get(format!("http://{address}{path}")).header("connection", "close");
        let response = asking.send().await.expect("an answer");
        (response.status().as_u16(), response.text().await.expect("a text"))
    }
}

/// Opens the ports, then the service.
pub(crate) async fn started(setup: Setup) -> anyhow::Result<Service> {
    Service::start(Listeners::open(&setup.settings).await?, setup).await
}

/// A service on any port that contacts no publisher. Moving the clock does not close its connections.
pub(crate) fn setup(directory: &TempDir, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Setup {
    let anywhere = "127.0.0.1:0".parse().expect("an address");
    let settings = Serve {
        listen: anywhere,
        admin_listen: AdminListen(Some(anywhere)),
        sync: Switch::Off,
        index_dir: Some(directory.path().join("index")),
        key_cache: 1000,
        limiter_capacity: 1000,
        connections: ConnectionSettings {
            idle_timeout: Duration::from_secs(1_000_000),
            ..connections(1000, 1000)
        },
        ..defaults()
    };
    let common = Common {
        database: database(directory),
        pepper_file: Some(directory.path().join("pepper")),
        ..Common::defaults().expect("settings with defaults")
    };
    Setup { store, clock, common, settings }
}

/// The settings of an operator who sets nothing.
pub(crate) fn defaults() -> Serve {
    Serve::defaults().expect("settings with defaults")
}

/// The default connection settings, except for the number of connections.
pub(crate) fn connections(most: u32, per_address: u32) -> ConnectionSettings {
    ConnectionSettings {
        max_connections: most,
        max_connections_per_address: Some(per_address),
        ..defaults().connections
    }
}

/// A client that uses no proxy and does not decompress bodies.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // It only speaks plain HTTP but needs a TLS library all the same; it need not read the machine's certificates.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().tls_certs_only([]).no_proxy()
}

pub(crate) fn database(directory: &TempDir) -> String {
    format!("sqlite:{}", directory.path().join("lastro.db").display())
}

/// The public part of a key.
pub(crate) fn id_of(key: &str) -> KeyId {
    ApiKey::parse(key).expect("a key").id()
}

/// A well-formed key that was never issued.
pub(crate) fn stray_key() -> String {
    ApiKey::generate(&mut fill_random).reveal().to_owned()
}

/// Polls until the condition holds. What takes a second takes several on a busy machine.
pub(crate) async fn soon(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..500 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it did not come true within ten seconds");
}

/// A request being built.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    app: &'a TestApp,
    method: Method,
    pub path: String,
    from_page: bool,
    builder: reqwest::RequestBuilder,
}

impl Ask<'_> {
    pub(crate) fn key(self, key: &str) -> Self {
        self.header("x-api-key", key)
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        let from_page = self.from_page || name == "origin";
        Self { builder: self.builder.header(name, value), from_page, ..self }
    }

    pub(crate) fn body(self, body: impl Into<reqwest::Body>) -> Self {
        Self { builder: self.builder.body(body), ..self }
    }

    /// Sends the request and applies the checks common to all responses.
    pub(crate) async fn send(self) -> Answer {
        let clock = &self.app.service.app.clock;
        let asked_at = clock.now().unix_seconds();
        let response = self.builder.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("a body");
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        let endpoint = match resolve(&self.method, path) {
            Target::Found { route, .. } if route.described => Some(route.endpoint),
            _ => None,
        };
        let Self { method, path, from_page, .. } = self;
        let answer = Answer { method, path, from_page, endpoint, status, headers, body };
        answer.check(asked_at, clock.now().unix_seconds());
        answer
    }
}
