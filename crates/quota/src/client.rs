//! The calls of one class of limits: its connection, its breaker, and the time that a request waits for a reply.

use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use lastro_model::{Clock, Histogram, Outage, OutageChange, OutageExtent};
use parking_lot::Mutex;
use redis::{Cmd, RedisWrite, Script};
use tokio::time::{sleep, timeout};

use crate::batch::BatchQueue;
use crate::breaker::{Breaker, Decider};
use crate::connection::Connection;
use crate::names::LimitClass;
use crate::scripts;
use crate::settings::Settings;

/// The window that decides which mode is logged and shown in the metrics.
const MINUTE_NS: u64 = 60_000_000_000;

const PROBE_INTERVAL: Duration = Duration::from_secs(1);
const PROBE_INTERVAL_AWAY: Duration = Duration::from_millis(200);
/// Failed probes in a row after which the connection is replaced: the other end may have vanished silently.
const FAILED_PROBES: u32 = 5;
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const LONGEST_BACKOFF: Duration = Duration::from_secs(2);

/// In place of a known epoch, for `common.lua`: this replica has just started, or has admitted requests without one.
const JUST_STARTED: i64 = -1;
const COUNTED_WITHOUT_EPOCH: i64 = 0;

/// Calls to Redis, by outcome, with their durations.
#[derive(Debug, Default)]
pub struct Calls {
    pub answered: AtomicU64,
    pub late: AtomicU64,
    pub failed: AtomicU64,
    /// From the call to its reply, or to the end of the budget.
    pub duration: Histogram,
    /// Calls that are waited for now.
    pub pending: AtomicUsize,
}

pub(crate) type PendingCall = Pin<Box<dyn Future<Output = Option<Vec<i64>>> + Send>>;

/// A call without a reply within the budget.
pub(crate) enum CallError {
    Failed,
    /// The reply may still arrive.
    Late(PendingCall),
}

#[derive(Debug)]
pub(crate) struct Client {
    class: LimitClass,
    connection: Arc<Connection>,
    pub(crate) queue: BatchQueue,
    breaker: Mutex<Breaker>,
    logged: Mutex<Option<Decider>>,
    outage: Mutex<Outage>,
    pub(crate) calls: Calls,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) budget: Duration,
    pub(crate) prefix: String,
    epoch_key: String,
    /// The epoch of the last reply, or one of the two constants above.
    known_epoch: AtomicI64,
}

impl Client {
    pub(crate) fn new(class: LimitClass, settings: Arc<Settings>, clock: Arc<dyn Clock>) -> Self {
        Self {
            class,
            queue: BatchQueue::new(),
            breaker: Mutex::default(),
            logged: Mutex::default(),
            outage: Mutex::default(),
            calls: Calls::default(),
            clock,
            budget: settings.budget,
            prefix: settings.prefix.clone(),
            epoch_key: format!("{}:{{epoch}}", settings.prefix),
            known_epoch: AtomicI64::new(JUST_STARTED),
            connection: Arc::new(Connection::new(settings)),
        }
    }

    pub(crate) fn decider(&self, window_ns: u64) -> Decider {
        self.breaker.lock().decider(window_ns, self.clock.monotonic_ns())
    }

    pub(crate) fn is_away(&self) -> bool {
        self.decider(0) == Decider::Share
    }

    /// Whether Redis decides about limits by the minute.
    pub(crate) fn is_shared(&self) -> bool {
        self.decider(MINUTE_NS) == Decider::Redis
    }

    pub(crate) fn known_epoch(&self) -> i64 {
        self.known_epoch.load(Ordering::Relaxed)
    }

    /// A command that runs a script with these keys and the epoch's. The caller appends the arguments.
    pub(crate) fn command<K: Display>(&self, script: &Script, keys: impl ExactSizeIterator<Item = K>) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(script.get_hash()).arg(keys.len() + 1);
        keys.for_each(|key| command.write_arg_fmt(key));
        command.arg(&self.epoch_key);
        command
    }

    /// Runs a script and waits for its reply, for the budget at most. A failed or late call counts for the breaker.
    pub(crate) async fn call(&self, command: Cmd) -> Result<Vec<i64>, CallError> {
        let (sent_ns, connection) = (self.clock.monotonic_ns(), Arc::clone(&self.connection));
        let mut pending: PendingCall = Box::pin(async move { connection.call(&command).await });
        let counted = Pending::begin(&self.calls.pending);
        let reply = timeout(self.budget, &mut pending).await;
        drop(counted);
        self.calls.duration.record_ns(self.clock.monotonic_ns().saturating_sub(sent_ns));
        match reply {
            Ok(Some(numbers)) => {
                self.calls.answered.fetch_add(1, Ordering::Relaxed);
                Ok(numbers)
            }
            Ok(None) => {
                self.failed(&self.calls.failed, sent_ns);
                Err(CallError::Failed)
            }
            Err(_) => {
                self.failed(&self.calls.late, sent_ns);
                Err(CallError::Late(pending))
            }
        }
    }

    /// Records the epoch of a reply, which begins with now, the epoch and its age.
    pub(crate) fn replied(&self, numbers: &[i64]) {
        if let &[_, epoch, age_us, ..] = numbers {
            self.known_epoch.store(epoch, Ordering::Relaxed);
            // Negative if Redis' clock went back.
            let age_ns = u64::try_from(age_us).unwrap_or(0).saturating_mul(1_000);
            self.breaker.lock().replied(age_ns, self.clock.monotonic_ns());
        }
    }

    fn failed(&self, outcome: &AtomicU64, sent_ns: u64) {
        outcome.fetch_add(1, Ordering::Relaxed);
        self.breaker.lock().failed(sent_ns, self.clock.monotonic_ns());
        if self.connection.is_open() {
            self.count_alone("it is slow, or refuses calls");
        } else {
            self.disconnected("the connection broke");
        }
    }

    fn disconnected(&self, reason: &str) {
        self.breaker.lock().disconnected();
        self.count_alone(reason);
    }

    /// Notes that from now on requests may be admitted that Redis does not count.
    fn count_alone(&self, reason: &str) {
        let (from, to) = (JUST_STARTED, COUNTED_WITHOUT_EPOCH);
        let _ = self.known_epoch.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
        self.log_change(reason);
    }

    /// Logs one line for each change of the decider, but not those within an outage.
    fn log_change(&self, reason: &str) {
        let (class, decider) = (self.class.name(), self.decider(MINUTE_NS));
        let before = self.logged.lock().replace(decider);
        if self.log_outage(decider, reason) {
            return;
        }
        match decider {
            Decider::Redis if before != Some(decider) => {
                tracing::info!(class, "limits are shared by all replicas through Redis");
            }
            Decider::Both if before != Some(decider) => tracing::warn!(
                class,
                "Redis has not counted the last minute: for a minute a request also needs this replica's share"
            ),
            _ => {}
        }
    }

    /// Logs the begin and the end of an outage, and a reminder in between. Returns whether it lasts or has just ended.
    fn log_outage(&self, decider: Decider, reason: &str) -> bool {
        let (class, now_ns) = (self.class.name(), self.clock.monotonic_ns());
        let mut outage = self.outage.lock();
        let change = match decider {
            Decider::Share => outage.failed(now_ns),
            Decider::Both | Decider::Redis => outage.succeeded(now_ns),
        };
        match change {
            Some(OutageChange::Began) => tracing::warn!(
                class,
                reason,
                "Redis is unavailable: this replica admits its share of each limit"
            ),
            Some(OutageChange::Lasts(OutageExtent { failures, seconds })) => {
                tracing::warn!(class, reason, failures, seconds, "Redis is still unavailable");
            }
            Some(OutageChange::Ended(OutageExtent { failures, seconds })) => tracing::info!(
                class,
                failures,
                seconds,
                "Redis replies again; until it has counted a whole minute, a request also needs this replica's share"
            ),
            None => return outage.is_on(),
        }
        true
    }

    /// Keeps the connection and probes it, forever.
    pub(crate) async fn watch(&self) {
        let (mut backoff, mut failed_probes) = (FIRST_BACKOFF, 0);
        loop {
            if self.connection.is_open() {
                let interval = if failed_probes == 0 { PROBE_INTERVAL } else { PROBE_INTERVAL_AWAY };
                tokio::select! {
                    () = self.connection.until_lost() => {}
                    () = sleep(interval) => failed_probes = if self.probe().await { 0 } else { failed_probes + 1 },
                }
                if failed_probes >= FAILED_PROBES {
                    self.connection.close();
                }
            } else if self.connect().await {
                (backoff, failed_probes) = (FIRST_BACKOFF, 0);
            } else {
                sleep(backoff.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
                (backoff, failed_probes) = ((backoff * 2).min(LONGEST_BACKOFF), 0);
            }
        }
    }

    /// Makes a connection. Returns whether Redis replies through it.
    pub(crate) async fn connect(&self) -> bool {
        match self.connection.connect().await {
            Ok(()) => self.probe().await,
            Err(reason) => {
                self.disconnected(&reason);
                false
            }
        }
    }

    async fn probe(&self) -> bool {
        let mut command = self.command(&scripts::PROBE, std::iter::empty::<&str>());
        command.arg(self.known_epoch());
        let Ok(numbers) = self.call(command).await else { return false };
        self.replied(&numbers);
        self.log_change("");
        true
    }
}

/// Counts a call while it is waited for, also if its request is cancelled meanwhile.
struct Pending<'a>(&'a AtomicUsize);

impl<'a> Pending<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
