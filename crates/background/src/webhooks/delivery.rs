//! One delivery: signing, sending, and evaluating the result.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;
use jiff::{SignedDuration, Timestamp};
use lastro_model::{Attempt, DisabledBy, MessageId, Webhook, panic_message};
use lastro_store::{Claimed, Fate, Settlement};

use super::connector::{DeliveryError, ReceiverResponse, SignedRequest};
use super::{Webhooks, schedule, signature};
use crate::trace_context::TraceContext;

/// The result of an attempt, and its entry in the log of attempts.
#[derive(Debug)]
pub struct AttemptReport {
    pub attempt: Attempt,
    pub result: Result<ReceiverResponse, DeliveryError>,
}

impl AttemptReport {
    pub fn is_success(&self) -> bool {
        matches!(&self.result, Ok(response) if (200..300).contains(&response.status))
    }
}

/// Delivers a claimed message and returns its settlement.
///
/// A panic counts as a failed attempt: a message that causes one neither blocks its webhook nor is retried forever.
pub async fn deliver(webhooks: Arc<Webhooks>, claimed: Claimed) -> Settlement {
    let sent = AssertUnwindSafe(send(&webhooks, &claimed)).catch_unwind().await;
    let settlement = sent.unwrap_or_else(|panic| {
        webhooks.metrics.panics.fetch_add(1, Ordering::Relaxed);
        tracing::error!("a delivery panicked: {}", panic_message(&*panic));
        let (now, result) = (webhooks.clock.now().timestamp(), Err(DeliveryError::Internal));
        let report = AttemptReport { attempt: described(now, 0, &result), result };
        judge(&claimed, &report, &webhooks.boot, now, 0.0)
    });
    webhooks.metrics.delivery(settlement.fate);
    settlement
}

async fn send(webhooks: &Webhooks, claimed: &Claimed) -> Settlement {
    let report = attempt(webhooks, &claimed.webhook, &claimed.message, claimed.body.clone(), None).await;
    judge(claimed, &report, &webhooks.boot, webhooks.clock.now().timestamp(), (webhooks.settings.jitter)())
}

/// Sends a message once, as part of the trace of the request that caused it.
pub async fn attempt(
    webhooks: &Webhooks,
    webhook: &Webhook,
    id: &MessageId,
    body: String,
    trace: Option<&TraceContext>,
) -> AttemptReport {
    let started = webhooks.clock.now();
    let at = started.timestamp();
    let secrets = webhooks.secrets_of(webhook, at);
    let unix_seconds = started.unix_seconds();
    let signature = signature::header(&secrets, id, unix_seconds, &body);
    let request = SignedRequest { url: &webhook.url, id, unix_seconds, signature, body, trace };
    let result = webhooks.connector.post(request).await;
    let duration_ms = webhooks.clock.now().monotonic_ns.saturating_sub(started.monotonic_ns) / 1_000_000;
    AttemptReport { attempt: described(at, duration_ms, &result), result }
}

fn described(at: Timestamp, duration_ms: u64, result: &Result<ReceiverResponse, DeliveryError>) -> Attempt {
    let (status, error) = match result {
        Ok(response) => (Some(response.status), failure(response.status)),
        Err(error) => (None, Some(error.sentence().to_owned())),
    };
    Attempt { at, status, error, duration_ms }
}

fn failure(status: u16) -> Option<String> {
    match status {
        200..300 => None,
        300..400 => Some(format!("the receiver answered {status}, and redirects are not followed")),
        _ => Some(format!("the receiver answered {status}")),
    }
}

/// Derives the settlement of the message and its webhook from a report.
fn judge(claimed: &Claimed, report: &AttemptReport, holder: &str, now: Timestamp, jitter: f64) -> Settlement {
    let settlement = Settlement {
        webhook: claimed.webhook.id.clone(),
        message: claimed.message.clone(),
        holder: holder.to_owned(),
        due_at: claimed.due_at,
        asked: claimed.asked,
        attempt: report.attempt.clone(),
        fate: Fate::Delivered,
        failing: None,
        disable: None,
        leave_alone_until: None,
    };
    if report.is_success() {
        return settlement;
    }
    // A fault of this service does not count as a failure of the receiver.
    let ours = matches!(report.result, Err(DeliveryError::Internal));
    let failing =
        if ours { claimed.webhook.failing } else { Some(schedule::run(claimed.webhook.failing, now)) };
    let settlement = Settlement { failing, ..settlement };
    if matches!(&report.result, Ok(response) if response.status == 410) {
        return Settlement { fate: Fate::GivenUp, disable: Some(DisabledBy::Receiver), ..settlement };
    }
    let asked = asked_for(report, now);
    let next = schedule::next(claimed.tries + 1, now, jitter, asked);
    Settlement {
        fate: next.map_or(Fate::GivenUp, Fate::Due),
        disable: failing.filter(|run| !ours && schedule::is_hopeless(*run)).map(|_| DisabledBy::Failures),
        leave_alone_until: asked.and_then(|pause| now.checked_add(pause).ok()),
        ..settlement
    }
}

/// The pause requested by the receiver in `Retry-After`.
fn asked_for(report: &AttemptReport, now: Timestamp) -> Option<SignedDuration> {
    let value = report.result.as_ref().ok()?.retry_after.as_deref()?;
    schedule::retry_after(value, now)
}

#[cfg(test)]
mod tests {
    use lastro_model::{AccountId, Failing, KeyId, WebhookFilters, WebhookId};

    use super::*;

    fn start() -> Timestamp {
        Timestamp::from_second(1_793_620_800).unwrap()
    }

    fn claimed(tries: u32, failing: Option<Failing>) -> Claimed {
        let webhook = Webhook {
            id: WebhookId::from_random([1; 12]),
            account: AccountId(KeyId::parse("Ab12Cd34").unwrap()),
            url: "https://example.com/".to_owned(),
            description: None,
            events: Vec::new(),
            filters: WebhookFilters::default(),
            created_at: start(),
            secrets: Vec::new(),
            disabled: None,
            failing,
        };
        let message = MessageId::from_random([2; 12]);
        Claimed { webhook, message, body: "{}".to_owned(), tries, due_at: start(), asked: 0 }
    }

    fn settled(
        claimed: &Claimed,
        result: Result<ReceiverResponse, DeliveryError>,
        now: Timestamp,
    ) -> Settlement {
        let report = AttemptReport { attempt: described(now, 3, &result), result };
        judge(claimed, &report, "us", now, 0.0)
    }

    fn answered(status: u16) -> Result<ReceiverResponse, DeliveryError> {
        Ok(ReceiverResponse { status, retry_after: None })
    }

    #[test]
    fn only_2xx_statuses_are_success() {
        for status in [200, 201, 204, 299] {
            let settlement = settled(&claimed(3, None), answered(status), start());
            assert_eq!((settlement.fate, settlement.failing), (Fate::Delivered, None));
            assert_eq!((settlement.attempt.status, settlement.attempt.error), (Some(status), None));
        }
        for status in [301, 302, 308, 400, 401, 404, 429, 500, 503] {
            let settlement = settled(&claimed(0, None), answered(status), start());
            assert_eq!(settlement.fate, Fate::Due(start() + SignedDuration::from_secs(5)), "{status}");
            assert_eq!(settlement.disable, None);
            assert!(settlement.attempt.error.unwrap().contains(&status.to_string()));
        }
        let silent = settled(&claimed(0, None), Err(DeliveryError::NoAnswer), start());
        assert_eq!(
            (silent.attempt.status, silent.attempt.error.as_deref()),
            (None, Some("no answer in time"))
        );
    }

    #[test]
    fn status_410_disables_at_once() {
        let settlement = settled(&claimed(0, None), answered(410), start());
        assert_eq!((settlement.fate, settlement.disable), (Fate::GivenUp, Some(DisabledBy::Receiver)));
    }

    #[test]
    fn retry_after_postpones_the_next_attempt() {
        let busy = Ok(ReceiverResponse { status: 429, retry_after: Some("900".to_owned()) });
        let settlement = settled(&claimed(0, None), busy, start());
        let then = start() + SignedDuration::from_mins(15);
        assert_eq!((settlement.fate, settlement.leave_alone_until), (Fate::Due(then), Some(then)));
    }

    /// Sends a new message every hour, each with its own schedule, to a receiver that stays unreachable.
    #[test]
    fn a_dead_receiver_is_disabled_after_five_days_and_no_earlier() {
        let (mut failing, mut due, mut given_up) = (None, Vec::new(), 0);
        for hour in 0..=120 {
            let now = start() + SignedDuration::from_hours(hour);
            due.push((now, 0));
            due.sort_unstable();
            let mut disabled = None;
            while due.first().is_some_and(|(at, _)| *at <= now) {
                let (at, tries) = due.remove(0);
                let settlement =
                    settled(&claimed(tries, failing), Err(DeliveryError::NoConnection), at.max(now));
                (failing, disabled) = (settlement.failing, disabled.or(settlement.disable));
                match settlement.fate {
                    Fate::Due(next) => due.push((next, tries + 1)),
                    Fate::GivenUp => given_up += 1,
                    Fate::Delivered => panic!("nobody was there"),
                }
                due.sort_unstable();
            }
            assert_eq!(disabled.is_some(), hour == 120, "after {hour} hours");
        }
        assert!(given_up > 20, "old messages were given up on the way: {given_up}");
    }

    #[test]
    fn one_success_ends_a_run_of_failures() {
        let failing = Some(Failing { since: start(), last: start() });
        let later = start() + SignedDuration::from_hours(47);
        assert_eq!(settled(&claimed(1, failing), answered(200), later).failing, None);
        let on = settled(&claimed(1, failing), answered(500), later).failing.unwrap();
        assert_eq!((on.since, on.last), (start(), later));
    }
}
