//! The calls to the database and to Redis, and their pools.

use std::sync::atomic::{AtomicU64, Ordering};

use lastro_quota::{Calls, LimitClass, Quota};
use lastro_store::{CallKind, Store};

use super::prometheus::{Exposition, Kind};

pub fn render_store(store: &dyn Store, out: &mut Exposition) {
    let help = "Time of database calls, with retries and the wait for a connection.";
    let mut family = out.family("lastro_store_call_duration_seconds", Kind::Histogram, help);
    for kind in CallKind::ALL {
        let calls = store.calls();
        for (outcome, durations) in [("ok", calls.completed(kind)), ("failed", calls.failed(kind))] {
            family.histogram(&[("kind", &kind.name()), ("outcome", &outcome)], &durations);
        }
    }
    let pool = store.pool();
    let help = "Shared connections to the database server, by what they do.";
    let mut family = out.family("lastro_store_pool_connections", Kind::Gauge, help);
    if let Some(pool) = pool {
        family.sample(&[("state", &"in_use")], pool.in_use);
        family.sample(&[("state", &"idle")], pool.idle);
    }
    let help = "Shared connections to the database server at most.";
    let mut family = out.family("lastro_store_pool_limit", Kind::Gauge, help);
    if let Some(pool) = pool {
        family.sample(&[], pool.limit);
    }
    let help = "Calls that wait for a shared connection.";
    let mut family = out.family("lastro_store_pool_waiting", Kind::Gauge, help);
    if let Some(pool) = pool {
        family.sample(&[], pool.waiting);
    }
}

/// Writes the metrics of Redis; without one, only their names.
pub fn render_redis(quota: Option<&Quota>, out: &mut Exposition) {
    let classes: &[LimitClass] = if quota.is_some() { &LimitClass::ALL } else { &[] };
    let clients = || classes.iter().filter_map(|class| Some((*class, quota?)));
    let help = "Who decides about limits: all replicas together (shared), or each by its share.";
    let mut family = out.family("lastro_limiter_mode", Kind::Gauge, help);
    for (class, quota) in clients() {
        let is_shared = quota.is_shared(class);
        for (mode, is_so) in [("shared", is_shared), ("share", !is_shared)] {
            family.sample(&[("class", &class.name()), ("mode", &mode)], u8::from(is_so));
        }
    }
    let help = "Calls to Redis, by outcome.";
    let mut family = out.family("lastro_limiter_shared_calls_total", Kind::Counter, help);
    let sum = |count: fn(&Calls) -> &AtomicU64| {
        clients().map(|(class, quota)| count(quota.calls(class)).load(Ordering::Relaxed)).sum::<u64>()
    };
    if quota.is_some() {
        family.sample(&[("outcome", &"answered")], sum(|calls| &calls.answered));
        family.sample(&[("outcome", &"late")], sum(|calls| &calls.late));
        family.sample(&[("outcome", &"failed")], sum(|calls| &calls.failed));
    }
    let help = "Time of calls to Redis, until the reply or the end of the wait for it.";
    let mut family = out.family("lastro_redis_call_duration_seconds", Kind::Histogram, help);
    for (class, quota) in clients() {
        family.histogram(&[("class", &class.name())], &quota.calls(class).duration.read());
    }
    let help =
        "Calls to Redis without a reply yet (pending), and requests that wait to be part of one (waiting).";
    let mut family = out.family("lastro_redis_calls", Kind::Gauge, help);
    for (class, quota) in clients() {
        let pending = quota.calls(class).pending.load(Ordering::Relaxed);
        for (state, count) in [("pending", pending), ("waiting", quota.waiting(class))] {
            family.sample(&[("class", &class.name()), ("state", &state)], count);
        }
    }
}
