//! One class of limits: its connection, whether Redis decides about it, and what came of its calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use lastro_model::Clock;
use parking_lot::Mutex;
use redis::Script;
use tokio::sync::Semaphore;

use crate::answer::Reply;
use crate::connection::{CallError, Connection, Evaluation};
use crate::mode::{Breaker, Decision};
use crate::names::Class;
use crate::question::{self, Question};
use crate::scripts::Scripts;
use crate::settings::Settings;

/// Calls for blocks under way at once: what Redis answers well within the budget. Others wait for their turn.
const CALLS_AT_ONCE: usize = 512;

/// The window of the limits that a class is known by.
const MINUTE_NS: u64 = 60_000_000_000;

/// How often is looked whether Redis is there.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const LOOK_INTERVAL_AWAY: Duration = Duration::from_millis(200);
/// Looks in vain after which a connection is made anew: the other end may be gone without a word.
const LOOKS_IN_VAIN: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// In place of an epoch: nothing was counted yet, so that nothing can be forgotten.
const JUST_BEGUN: i64 = i64::MIN;
/// In place of an epoch: something may have been counted, and no epoch was heard of.
const COUNTED_WITHOUT: i64 = 0;

/// How calls ended.
#[derive(Debug, Default)]
pub struct Calls {
    pub answered: AtomicU64,
    pub late: AtomicU64,
    pub failed: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Side {
    class: Class,
    connection: Connection,
    breaker: Mutex<Breaker>,
    /// What was last told in the log.
    told: Mutex<Option<Decision>>,
    pub(crate) turns: Semaphore,
    pub(crate) calls: Calls,
    clock: Arc<dyn Clock>,
    budget: Duration,
    epoch_key: String,
    latest_key: String,
    /// When the connection was made, or begun to be made.
    connected_ns: AtomicU64,
    /// The epoch of Redis that was last heard of.
    epoch: AtomicI64,
}

impl Side {
    pub(crate) fn new(class: Class, settings: Arc<Settings>, clock: Arc<dyn Clock>) -> Self {
        Self {
            class,
            epoch_key: format!("{}:{{epoch}}", settings.prefix),
            latest_key: format!("{}:{{latest}}", settings.prefix),
            connected_ns: AtomicU64::new(0),
            epoch: AtomicI64::new(JUST_BEGUN),
            budget: settings.budget,
            connection: Connection::new(settings),
            breaker: Mutex::default(),
            told: Mutex::default(),
            turns: Semaphore::new(CALLS_AT_ONCE),
            calls: Calls::default(),
            clock,
        }
    }

    pub(crate) fn decide(&self, window_ns: u64, now_ns: u64) -> Decision {
        self.breaker.lock().decide(window_ns, now_ns)
    }

    /// Whether Redis decides about the limits of a minute.
    pub(crate) fn is_shared(&self) -> bool {
        self.decide(MINUTE_NS, self.clock.monotonic_ns()) == Decision::Shared
    }

    /// Runs the script of blocks, which counts. What came of it the caller tells, and how long it waits.
    pub(crate) async fn count_block(
        &self,
        script: &Script,
        key: &str,
        numbers: &[u64],
    ) -> Result<Vec<i64>, CallError> {
        let evaluation = Evaluation::of(script, 2).key(key).key(&self.epoch_key);
        let evaluation = numbers.iter().fold(evaluation, |evaluation, number| evaluation.number(*number));
        // Only tests tell a script the time.
        self.connection.call(evaluation.text("").text(&self.known_epoch())).await
    }

    /// The same for rings, all of them in one call.
    pub(crate) async fn count_rings(
        &self,
        script: &Script,
        prefix: &str,
        questions: &[Question],
    ) -> Result<Vec<Reply>, CallError> {
        let evaluation = Evaluation::of(script, questions.len() + 2);
        let keys = questions.iter().map(|question| question.name.key(prefix));
        let evaluation = keys.fold(evaluation, Evaluation::key).key(&self.epoch_key).key(&self.latest_key);
        let evaluation = evaluation.text("").text(&self.known_epoch()).bytes(&question::written(questions));
        let told = self.connection.call_for_bytes(evaluation).await?;
        question::read(&told, questions).ok_or(CallError::Failed)
    }

    pub(crate) fn connected_ns(&self) -> u64 {
        self.connected_ns.load(Ordering::Relaxed)
    }

    /// As scripts are told.
    fn known_epoch(&self) -> String {
        match self.epoch.load(Ordering::Relaxed) {
            JUST_BEGUN => String::new(),
            epoch => epoch.to_string(),
        }
    }

    /// Runs a script that counts nothing. Where there is no answer, that counts for who decides from now on.
    pub(crate) async fn call(&self, evaluation: Evaluation<'_>) -> Result<Vec<i64>, CallError> {
        let sent_ns = self.clock.monotonic_ns();
        let calling = self.connection.call(evaluation);
        let result = tokio::time::timeout(self.budget, calling).await.unwrap_or(Err(CallError::Late));
        match result {
            Ok(_) => {
                self.calls.answered.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => self.failed(error, sent_ns),
        }
        result
    }

    /// Redis counted, and told its epoch.
    pub(crate) fn answered(&self, reply: &Reply) {
        self.calls.answered.fetch_add(1, Ordering::Relaxed);
        self.heard(reply.epoch_age_us, reply.epoch);
    }

    fn heard(&self, epoch_age_us: u64, epoch: i64) {
        self.epoch.store(epoch, Ordering::Relaxed);
        let now_ns = self.clock.monotonic_ns();
        self.breaker.lock().answered(epoch_age_us.saturating_mul(1_000), now_ns);
    }

    /// From now on something may be admitted that Redis does not hear of.
    fn count_alone(&self) {
        // Whoever has heard of an epoch is known by that.
        let _ =
            self.epoch.compare_exchange(JUST_BEGUN, COUNTED_WITHOUT, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// A call that was sent then has no answer, or none in time.
    pub(crate) fn failed(&self, error: CallError, sent_ns: u64) {
        let count = match error {
            CallError::Late => &self.calls.late,
            CallError::Failed => &self.calls.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        self.count_alone();
        let (is_open, now_ns) = (self.connection.is_open(), self.clock.monotonic_ns());
        {
            let mut breaker = self.breaker.lock();
            breaker.failed(sent_ns, now_ns);
            if !is_open {
                breaker.lost();
            }
        }
        self.tell_mode(if is_open {
            "it is slow, or refuses what it is asked"
        } else {
            "the connection broke"
        });
    }

    /// One line for each change of who decides.
    fn tell_mode(&self, reason: &str) {
        let decision = self.decide(MINUTE_NS, self.clock.monotonic_ns());
        let mut told = self.told.lock();
        if *told == Some(decision) {
            return;
        }
        let was_told = told.replace(decision).is_some();
        let class = self.class.name();
        match decision {
            Decision::Shared if was_told => {
                tracing::info!(class, "limits are counted over all replicas again, in Redis");
            }
            Decision::Shared => tracing::info!(class, "limits are counted over all replicas, in Redis"),
            Decision::Both => tracing::warn!(
                class,
                "Redis answers and does not know the last minute yet: until it does, this replica admits its share of each limit"
            ),
            Decision::Share => {
                tracing::warn!(class, reason, "Redis is away: this replica admits its share of each limit");
            }
        }
    }

    /// Keeps the connection and looks whether Redis is there, for ever.
    pub(crate) async fn watch(&self, scripts: &Scripts) {
        let (mut pause, mut in_vain) = (FIRST_PAUSE, 0);
        loop {
            if !self.connection.is_open() {
                if !self.connect(scripts).await {
                    tokio::time::sleep(pause.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    continue;
                }
                (pause, in_vain) = (FIRST_PAUSE, 0);
            }
            let interval = if in_vain == 0 { LOOK_INTERVAL } else { LOOK_INTERVAL_AWAY };
            tokio::select! {
                () = self.connection.until_lost() => {}
                () = tokio::time::sleep(interval) => {
                    in_vain = if self.look(scripts).await { 0 } else { in_vain + 1 };
                    if in_vain >= LOOKS_IN_VAIN {
                        self.connection.close();
                        in_vain = 0;
                    }
                }
            }
        }
    }

    /// Whether there is a Redis that answers.
    pub(crate) async fn connect(&self, scripts: &Scripts) -> bool {
        self.connected_ns.store(self.clock.monotonic_ns(), Ordering::Relaxed);
        match self.connection.connect(&scripts.all()).await {
            Ok(()) => self.look(scripts).await,
            Err(reason) => {
                self.count_alone();
                self.breaker.lock().lost();
                self.tell_mode(&reason);
                false
            }
        }
    }

    async fn look(&self, scripts: &Scripts) -> bool {
        let evaluation = Evaluation::of(&scripts.look, 1).key(&self.epoch_key).text(&self.known_epoch());
        let looked = self.call(evaluation).await;
        let Ok(&[age_us, epoch]) = looked.as_deref() else { return false };
        self.heard(u64::try_from(age_us).unwrap_or(0), epoch);
        self.tell_mode("");
        true
    }
}
