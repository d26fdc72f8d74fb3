//! Several replicas on one database and one Redis, each with its own HTTP server.
//!
//! Redis' clock cannot be moved, so these replicas use the machine's clock. Expiry after a minute is tested in
//! `crates/quota`, with shorter windows.

mod limits;
mod model;
mod outage;
mod redis;

use std::sync::Arc;
use std::time::Duration;

use lastro::setup::Setup;
use lastro_access::{KeyRing, Share};
use lastro_background::clock::SystemClock;
use lastro_config::RedisUrl;
use reqwest::Method;

use crate::app::{Ask, TestApp};
use redis::Redis;

/// Longer than a busy machine needs, so that only a dead Redis times out.
const PATIENT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Fleet {
    pub apps: Vec<TestApp>,
}

impl Fleet {
    /// Starts this many replicas, with a Redis that has not lost data for long.
    pub(crate) async fn start(redis: &Redis, replicas: u32) -> Self {
        Self::start_with(redis, replicas, |_| {}).await
    }

    pub(crate) async fn start_with(redis: &Redis, replicas: u32, change: impl Fn(&mut Setup)) -> Self {
        redis.make_old();
        let join = |setup: &mut Setup| {
            setup.clock = Arc::new(SystemClock::start());
            setup.settings.redis.redis = Some(RedisUrl(redis.url.clone()));
            setup.settings.redis.redis_prefix = redis.prefix.clone();
            setup.settings.redis.redis_budget = PATIENT;
            change(setup);
        };
        let mut apps = vec![TestApp::start_with(join).await];
        for _ in 1..replicas {
            let (store, directory) = (apps[0].elsewhere().await, apps[0].directory.path().to_owned());
            let app = TestApp::start_with(|setup| {
                join(setup);
                setup.store = store;
                setup.common.pepper_file = Some(directory.join("pepper"));
            });
            apps.push(app.await);
        }
        for (rank, app) in apps.iter().enumerate() {
            app.service.app.access.share.store(Arc::new(Share::new(replicas, rank as u32)));
        }
        Self { apps }
    }

    /// A random replica.
    pub(crate) fn any(&self) -> &TestApp {
        &self.apps[fastrand::usize(..self.apps.len())]
    }

    pub(crate) fn get(&self, path: &str) -> Ask<'_> {
        self.request(Method::GET, path)
    }

    /// A request to a random replica.
    pub(crate) fn request(&self, method: Method, path: &str) -> Ask<'_> {
        self.any().request(method, path)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyRing> {
        self.apps.iter().map(|app| &app.service.app.access.keys)
    }
}
