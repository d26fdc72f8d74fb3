//! Chooses the subscription that decides the plan, and the plan: a pure function.

use jiff::Timestamp;
use lastro_config::PlanPrices;
use lastro_model::{Plan, SubscriptionStatus};

use crate::answers::{Item, Subscription};

/// The subscription that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) subscription: String,
    pub(crate) status: SubscriptionStatus,
    pub(crate) price: Option<String>,
    pub(crate) period_end: Option<Timestamp>,
    pub(crate) cancel_at_period_end: bool,
    /// The plan that the account should have; `None` leaves it as it is.
    pub(crate) plan: Option<Plan>,
    /// Whether it would give a plan, but none is known for its price.
    pub(crate) is_unknown_price: bool,
}

/// Subscriptions of a higher class count before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Ended,
    /// Not ended, and gives no plan: payments failed for good, or were paused.
    Suspended,
    Incomplete,
    LiveWithUnknownPrice,
    Live(Plan),
}

impl Verdict {
    /// The highest live subscription counts. Of equals, the one in the better status, then the newest.
    pub(crate) fn of(subscriptions: &[Subscription], prices: &PlanPrices) -> Option<Self> {
        let order = |subscription: &&Subscription| {
            let (class, _) = class(subscription, prices);
            (class, preference(subscription.status), subscription.created, subscription.id.clone())
        };
        subscriptions.iter().max_by_key(order).map(|subscription| Self::about(subscription, prices))
    }

    fn about(subscription: &Subscription, prices: &PlanPrices) -> Self {
        let (class, item) = class(subscription, prices);
        Self {
            subscription: subscription.id.clone(),
            status: subscription.status,
            price: item.map(|item| item.price.id.clone()),
            period_end: item.and_then(Item::period_end),
            cancel_at_period_end: subscription.cancel_at_period_end || subscription.cancel_at.is_some(),
            plan: match class {
                Class::Live(plan) => Some(plan),
                Class::LiveWithUnknownPrice | Class::Incomplete => None,
                Class::Suspended | Class::Ended => Some(Plan::Free),
            },
            is_unknown_price: class == Class::LiveWithUnknownPrice,
        }
    }

    /// The text that is remembered once the verdict is applied. A new text is applied again: also the plan is a part of
    /// it, since the operator may move a price to another one. `None` for a verdict that gives no plan.
    pub(crate) fn fingerprint(&self) -> Option<String> {
        self.plan.map(|plan| format!("{} {}", self.subject(), plan.id()))
    }

    /// Whether a remembered text is that of this verdict. Texts of earlier versions have no plan; taking those for new
    /// would undo what the operator set.
    pub(crate) fn was_applied_as(&self, text: &str) -> bool {
        text == self.subject() || self.fingerprint().as_deref() == Some(text)
    }

    fn subject(&self) -> String {
        format!("{} {} {}", self.subscription, self.status.name(), self.price.as_deref().unwrap_or("-"))
    }
}

/// The class of a subscription, and the item with the highest plan.
fn class<'a>(subscription: &'a Subscription, prices: &PlanPrices) -> (Class, Option<&'a Item>) {
    let plan_of = |item: &Item| prices.plan_of(&item.price.id);
    let item = subscription.items.data.iter().max_by_key(|item| plan_of(item));
    let class = match (subscription.status, item.and_then(plan_of)) {
        (status, Some(plan)) if status.is_live() => Class::Live(plan),
        (status, None) if status.is_live() => Class::LiveWithUnknownPrice,
        (SubscriptionStatus::Incomplete, _) => Class::Incomplete,
        (status, _) if status.has_ended() => Class::Ended,
        _ => Class::Suspended,
    };
    (class, item)
}

fn preference(status: SubscriptionStatus) -> u8 {
    match status {
        SubscriptionStatus::Active => 2,
        SubscriptionStatus::Trialing => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn prices() -> PlanPrices {
        "bronze=p_bronze,gold=p_gold,platinum=p_platinum,gold=p_old".parse().unwrap()
    }

    fn subscription(id: &str, status: &str, price: &str) -> Subscription {
        serde_json::from_value(json!({
            "id": id, "status": status, "created": 1, "cancel_at": null, "cancel_at_period_end": false,
            "items": {"data": [{"price": {"id": price}, "current_period_end": 1_800_000_000}]},
            "metadata": {"account": "Ex4mp1e0"}
        }))
        .unwrap()
    }

    fn plan_of(subscriptions: &[(&str, &str)]) -> Option<Plan> {
        let numbered = subscriptions.iter().enumerate();
        let all: Vec<Subscription> = numbered
            .map(|(number, (status, price))| subscription(&format!("sub_{number}"), status, price))
            .collect();
        Verdict::of(&all, &prices()).unwrap().plan
    }

    #[test]
    fn live_subscriptions_give_the_plan_of_their_price() {
        for status in ["trialing", "active", "past_due"] {
            assert_eq!(plan_of(&[(status, "p_bronze")]), Some(Plan::Bronze), "{status}");
            assert_eq!(plan_of(&[(status, "p_old")]), Some(Plan::Gold), "{status}");
        }
        for status in ["unpaid", "canceled", "incomplete_expired", "paused"] {
            assert_eq!(plan_of(&[(status, "p_bronze")]), Some(Plan::Free), "{status}");
        }
        assert_eq!(plan_of(&[("incomplete", "p_gold")]), None);
        assert_eq!(plan_of(&[("active", "p_stranger")]), None);
        assert_eq!(plan_of(&[("dreaming", "p_gold")]), None, "a status of the future");
    }

    #[test]
    fn the_highest_live_subscription_counts() {
        assert_eq!(plan_of(&[("past_due", "p_platinum"), ("active", "p_bronze")]), Some(Plan::Platinum));
        assert_eq!(plan_of(&[("unpaid", "p_platinum"), ("active", "p_bronze")]), Some(Plan::Bronze));
        assert_eq!(plan_of(&[("active", "p_stranger"), ("active", "p_bronze")]), Some(Plan::Bronze));
        assert_eq!(plan_of(&[("active", "p_stranger"), ("canceled", "p_bronze")]), None);
        assert_eq!(plan_of(&[("incomplete", "p_gold"), ("canceled", "p_bronze")]), None);
        assert_eq!(plan_of(&[("unpaid", "p_gold"), ("canceled", "p_bronze")]), Some(Plan::Free));
        assert!(Verdict::of(&[], &prices()).is_none());
    }

    #[test]
    fn status_price_and_plan_change_the_fingerprint() {
        let under = |prices: &PlanPrices, status, price| {
            Verdict::of(&[subscription("sub_1", status, price)], prices).unwrap()
        };
        let print = |status, price| under(&prices(), status, price).fingerprint();
        assert_eq!(print("active", "p_gold").as_deref(), Some("sub_1 active p_gold gold"));
        assert_ne!(print("active", "p_gold"), print("past_due", "p_gold"));
        assert_ne!(print("active", "p_gold"), print("active", "p_old"));
        assert_eq!(print("incomplete", "p_gold"), None);
        let moved = under(&"platinum=p_gold".parse().unwrap(), "active", "p_gold");
        assert_ne!(moved.fingerprint(), print("active", "p_gold"));
        assert!(!moved.was_applied_as("sub_1 active p_gold gold"));
        assert!(moved.was_applied_as("sub_1 active p_gold"), "as earlier versions wrote it");
        assert!(!moved.was_applied_as("sub_1 past_due p_gold"));
    }

    proptest! {
        #[test]
        fn the_order_of_the_list_changes_nothing(
            mut all in proptest::collection::vec((0usize..8, 0usize..5), 1..6),
        ) {
            const STATUSES: [&str; 8] = ["incomplete", "incomplete_expired", "trialing", "active", "past_due", "unpaid", "paused", "canceled"];
            const PRICES: [&str; 5] = ["p_bronze", "p_gold", "p_platinum", "p_old", "p_stranger"];
            all.dedup();
            let mut list: Vec<Subscription> = all.iter().enumerate()
                .map(|(number, (status, price))| subscription(&format!("sub_{number}"), STATUSES[*status], PRICES[*price]))
                .collect();
            let verdict = Verdict::of(&list, &prices());
            list.reverse();
            prop_assert_eq!(Verdict::of(&list, &prices()), verdict);
        }
    }
}
