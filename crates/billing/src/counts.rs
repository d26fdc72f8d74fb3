//! Metrics of payments.

use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_model::SubscriptionStatus;

use crate::Billing;

/// The types of events that are told apart; any other is `other`.
const TYPES: [&str; 12] = [
    "checkout.session.completed",
    "checkout.session.expired",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.trial_will_end",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.payment_action_required",
    "other",
];

/// The result of handling an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventOutcome {
    /// The plan of an account changed.
    Applied,
    /// Stripe was asked, and no plan changed.
    Unchanged,
    /// Handled before.
    Known,
    /// Of no interest, or of a customer that belongs to no account.
    Ignored,
    /// Not handled; Stripe sends it again.
    Failed,
    BadSignature,
}

const OUTCOMES: [(EventOutcome, &str); 6] = [
    (EventOutcome::Applied, "applied"),
    (EventOutcome::Unchanged, "unchanged"),
    (EventOutcome::Known, "known"),
    (EventOutcome::Ignored, "ignored"),
    (EventOutcome::Failed, "failed"),
    (EventOutcome::BadSignature, "bad_signature"),
];

#[derive(Debug, Default)]
pub(crate) struct Counts {
    events: [[AtomicU64; OUTCOMES.len()]; TYPES.len()],
    /// Rounds of the daily check that could not be finished.
    pub(crate) failed_checks: AtomicU64,
    pub(crate) subscriptions: ArcSwap<Vec<(SubscriptionStatus, u64)>>,
}

impl Counts {
    pub(crate) fn event(&self, kind: &str, outcome: EventOutcome) {
        let row = TYPES.iter().position(|known| *known == kind).unwrap_or(TYPES.len() - 1);
        let place = OUTCOMES.iter().position(|(known, _)| *known == outcome).unwrap_or_default();
        self.events[row][place].fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes the metrics; without payments, the names of the families only.
pub fn render(billing: Option<&Billing>, out: &mut Exposition) {
    let help = "Events of Stripe, by type and outcome.";
    let mut family = out.family("lastro_billing_events_total", Kind::Counter, help);
    if let Some(billing) = billing {
        for (kind, counts) in TYPES.iter().zip(&billing.counts.events) {
            for ((_, outcome), count) in OUTCOMES.iter().zip(counts) {
                family.sample(&[("type", kind), ("outcome", outcome)], count.load(Ordering::Relaxed));
            }
        }
    }
    let help = "Subscriptions by last known status.";
    let mut family = out.family("lastro_billing_subscriptions", Kind::Gauge, help);
    if let Some(billing) = billing {
        let counted = billing.counts.subscriptions.load();
        for status in SubscriptionStatus::ALL.into_iter().filter(|status| *status != SubscriptionStatus::None)
        {
            let count = counted.iter().find(|(found, _)| *found == status).map_or(0, |(_, count)| *count);
            family.sample(&[("status", &status.name())], count);
        }
    }
    let help = "Whether Stripe's prices were read, so that payments are possible.";
    let mut family = out.family("lastro_billing_ready", Kind::Gauge, help);
    if let Some(billing) = billing {
        family.sample(&[], u8::from(billing.offers().is_some()));
    }
    let help = "Rounds of checking subscriptions that could not be finished.";
    let mut family = out.family("lastro_billing_check_failures_total", Kind::Counter, help);
    if let Some(billing) = billing {
        family.sample(&[], billing.counts.failed_checks.load(Ordering::Relaxed));
    }
}
