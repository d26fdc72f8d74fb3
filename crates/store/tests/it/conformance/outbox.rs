use jiff::Timestamp;
use lastro_model::{DisabledBy, KeyDigest, Plan, Records, Series, Source, WebhookEvent};
use lastro_store::{Claim, Fate, OutboxState, Store, WebhookChange};

use super::Place;
use crate::specimen::*;

/// Publishes an announcement and returns its number.
async fn announcement(store: &dyn Store) -> u64 {
    for value in ["1.0", "2.0"] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    }
    store.announcements(1).await.unwrap()[0].number
}

/// Adds one webhook with this number of messages.
async fn with_messages(store: &dyn Store, count: u8) -> lastro_model::Webhook {
    let webhook = listening(store).await;
    let messages = (1..=count).map(|number| message(number, &webhook.id)).collect();
    let number = announcement(store).await;
    assert!(store.fan_out(number, messages).await.unwrap());
    webhook
}

pub(crate) async fn an_announcement_is_fanned_out_once(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let webhook = listening(&*here).await;
    let number = announcement(&*here).await;
    assert!(here.fan_out(number, vec![message(1, &webhook.id)]).await.unwrap());
    assert!(!there.fan_out(number, vec![message(2, &webhook.id)]).await.unwrap());
    assert_eq!(here.announcements(10).await.unwrap(), []);
    assert_eq!(here.deliveries(&webhook.id, 10, 0).await.unwrap().total, 1);
}

pub(crate) async fn fanned_out_announcements_are_deleted_for_good(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let webhook = listening(&*here).await;
    let first = announcement(&*here).await;
    here.fan_out(first, vec![message(1, &webhook.id)]).await.unwrap();
    let second = announcement_again(&*there).await;
    assert!(second > first, "another publication gives another number");
    assert!(!there.fan_out(first, vec![message(2, &webhook.id)]).await.unwrap());
    assert!(there.fan_out(second, vec![message(3, &webhook.id)]).await.unwrap());
    let claimed = there.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let next =
        there.settle_and_claim(vec![settlement(&claimed[0], "a", Fate::Delivered)], claim(2, "a")).await;
    assert_eq!(next.unwrap()[0].body, message(3, &webhook.id).body);
    assert_eq!(here.outbox_state().await.unwrap().announcements, 0);
}

pub(crate) async fn a_message_to_a_deleted_webhook_is_dropped(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    let number = announcement(&*store).await;
    let messages = vec![message(1, &webhook_id(99)), message(2, &webhook.id)];
    assert!(store.fan_out(number, messages).await.unwrap());
    assert_eq!(store.deliveries(&webhook_id(99), 10, 0).await.unwrap().total, 0);
    assert_eq!(store.deliveries(&webhook.id, 10, 0).await.unwrap().total, 1);
}

pub(crate) async fn one_message_of_a_webhook_is_claimed_at_a_time(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 3).await;
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!((&claimed[0].webhook, claimed[0].tries), (&webhook, 0));
    assert_eq!(claimed[0].body, message(1, &webhook.id).body);
    assert_eq!(store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap(), []);
    let settled = vec![settlement(&claimed[0], "a", Fate::Delivered)];
    let next = store.settle_and_claim(settled, claim(1, "a")).await.unwrap();
    assert_eq!(next[0].body, message(2, &webhook.id).body);
}

pub(crate) async fn a_claim_excludes_others_until_it_ends(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    with_messages(&*here, 1).await;
    let first = here.settle_and_claim(Vec::new(), claim(1, "here")).await.unwrap();
    assert_eq!(there.settle_and_claim(Vec::new(), claim(20, "there")).await.unwrap(), []);
    let taken_over = there.settle_and_claim(Vec::new(), claim(21, "there")).await.unwrap();
    assert_eq!(taken_over, first, "the same message under the same name");
}

pub(crate) async fn a_clock_ahead_does_not_delay_deliveries_forever(place: &impl Place) {
    const YEAR: i64 = 365 * 24 * 3600;
    let store = place.open().await;
    with_messages(&*store, 1).await;
    // Claimed and abandoned by a process with a clock a year ahead, then delayed by another one.
    let claimed = store.settle_and_claim(Vec::new(), claim(YEAR, "ahead")).await.unwrap();
    let again = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    assert_eq!(again, claimed);
    let put_off = settlement(&again[0], "a", Fate::Due(at(YEAR)));
    let once_more = store.settle_and_claim(vec![put_off], claim(2, "a")).await.unwrap();
    assert_eq!((&once_more[0].message, once_more[0].tries), (&again[0].message, 1));
}

pub(crate) async fn messages_are_claimed_in_order_when_due(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 3).await;
    let mut order = Vec::new();
    let mut settled = Vec::new();
    for _ in 0..4 {
        let claimed = store.settle_and_claim(std::mem::take(&mut settled), claim(1, "a")).await.unwrap();
        let Some(claimed) = claimed.first() else { break };
        order.push(claimed.body.clone());
        let fate = if order.len() == 1 { Fate::Due(at(300)) } else { Fate::Delivered };
        settled.push(settlement(claimed, "a", fate));
    }
    assert_eq!(order, [1, 2, 3].map(|number| message(number, &webhook.id).body));
    assert_eq!(store.settle_and_claim(Vec::new(), claim(299, "a")).await.unwrap(), []);
    let again = store.settle_and_claim(Vec::new(), claim(300, "a")).await.unwrap();
    assert_eq!((&again[0].body, again[0].tries), (&order[0], 1));
}

pub(crate) async fn a_slow_webhook_does_not_block_others(place: &impl Place) {
    let store = place.open().await;
    let slow = with_messages(&*store, 2).await;
    let quick = webhook(2, 1, &[WebhookEvent::SeriesUpdated(Series::Selic)]);
    store.insert_webhook(quick.clone(), 10).await.unwrap();
    assert_eq!(store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap()[0].webhook, slow);
    let number = announcement_again(&*store).await;
    store.fan_out(number, vec![message(7, &quick.id)]).await.unwrap();
    let claimed = store.settle_and_claim(Vec::new(), claim(2, "a")).await.unwrap();
    assert_eq!(claimed.iter().map(|claimed| &claimed.webhook).collect::<Vec<_>>(), [&quick]);
    assert_eq!(store.settle_and_claim(Vec::new(), Claim { most: 0, ..claim(90, "a") }).await.unwrap(), []);
    let both = store.settle_and_claim(Vec::new(), Claim { most: 1, ..claim(90, "a") }).await.unwrap();
    assert_eq!(both.len(), 1, "no more than asked for");
}

async fn announcement_again(store: &dyn Store) -> u64 {
    let rows = Records::Rates(vec![rate("2026-10-29", "3.0")]);
    publish(store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    store.announcements(1).await.unwrap()[0].number
}

pub(crate) async fn nothing_is_claimed_for_ineligible_accounts(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 1).await;
    let of = |plans: &[Plan]| Claim { plans: plans.to_vec(), ..claim(1, "a") };
    assert_eq!(store.settle_and_claim(Vec::new(), of(&[Plan::Platinum])).await.unwrap(), []);
    assert_eq!(store.subscribers(at(1)).await.unwrap(), [(webhook, Plan::Free)]);
    store.rotate(key_id(1), key_id(11), KeyDigest([2; 32]), at(0), at(1)).await.unwrap();
    store.revoke(key_id(11), at(0)).await.unwrap();
    assert_eq!(store.settle_and_claim(Vec::new(), of(&Plan::ALL)).await.unwrap(), []);
    assert_eq!(store.subscribers(at(1)).await.unwrap(), []);
    assert_eq!(store.subscribers(at(0)).await.unwrap().len(), 1, "until it ends a key works");
    store.revoke(key_id(1), at(1)).await.unwrap();
    assert_eq!(store.subscribers(at(0)).await.unwrap(), [], "a revoked one whatever the clock says");
    store.insert_key(new_key(2)).await.unwrap();
    assert_eq!(
        store.settle_and_claim(Vec::new(), of(&Plan::ALL)).await.unwrap(),
        [],
        "another's key is none"
    );
}

pub(crate) async fn ineligible_webhooks_do_not_use_up_the_limit(place: &impl Place) {
    let store = place.open().await;
    with_messages(&*store, 1).await;
    store.insert_key(new_key(2)).await.unwrap();
    store.set_plan(key_id(2), Plan::Gold, None).await.unwrap();
    let entitled = webhook(2, 2, &[WebhookEvent::FxUpdated]);
    assert!(store.insert_webhook(entitled.clone(), 10).await.unwrap());
    let number = announcement(&*store).await;
    assert!(store.fan_out(number, vec![message(9, &entitled.id)]).await.unwrap());
    let one = Claim { plans: vec![Plan::Gold, Plan::Platinum], most: 1, ..claim(1, "a") };
    let claimed = store.settle_and_claim(Vec::new(), one).await.unwrap();
    assert!(claimed.iter().map(|claimed| &claimed.webhook.id).eq([&entitled.id]));
}

pub(crate) async fn attempts_and_state_are_recorded(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 2).await;
    let pending =
        OutboxState { announcements: 0, pending: 2, oldest_pending: Some(at(0)), disabled_webhooks: 0 };
    assert_eq!(store.outbox_state().await.unwrap(), pending);
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let failed = settlement(&claimed[0], "a", Fate::Due(at(300)));
    let other = store.settle_and_claim(vec![failed.clone()], claim(1, "a")).await.unwrap();
    assert_eq!(other[0].webhook.failing, failed.failing);
    let settled = vec![settlement(&other[0], "a", Fate::GivenUp)];
    store.settle_and_claim(settled, claim(1, "a")).await.unwrap();

    let log = place.open().await.deliveries(&webhook.id, 10, 0).await.unwrap();
    assert_eq!(log.total, 2);
    let states: Vec<_> = log.page.iter().map(|delivery| (delivery.due_at, delivery.delivered)).collect();
    assert_eq!(states, [(None, false), (Some(at(300)), false)], "newest first");
    assert_eq!(log.page[1].attempts, std::slice::from_ref(&failed.attempt));
    assert_eq!(store.deliveries(&webhook.id, 1, 1).await.unwrap().page, log.page[1..]);
    let newest = log.page[0].created_at;
    for (created, total) in [(newest..Timestamp::MAX, 2), (Timestamp::MIN..newest, 0)] {
        assert_eq!(store.deliveries_between(&webhook.id, created, 1, 0).await.unwrap().total, total);
    }

    let again = store.settle_and_claim(Vec::new(), claim(300, "a")).await.unwrap();
    store.settle_and_claim(vec![settlement(&again[0], "a", Fate::Delivered)], claim(300, "a")).await.unwrap();
    let log = store.deliveries(&webhook.id, 10, 0).await.unwrap();
    assert_eq!((log.page[1].delivered, log.page[1].due_at, log.page[1].attempts.len()), (true, None, 2));
    assert_eq!(log.page[1].attempts[1], failed.attempt, "the newest attempt first");
    assert_eq!(store.webhook(&webhook.id).await.unwrap().unwrap().failing, None);
    assert_eq!(store.outbox_state().await.unwrap(), OutboxState::default());
}

pub(crate) async fn a_lost_lease_only_records_the_attempt(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let webhook = with_messages(&*here, 1).await;
    let lost = here.settle_and_claim(Vec::new(), claim(1, "here")).await.unwrap();
    let taken = there.settle_and_claim(Vec::new(), claim(30, "there")).await.unwrap();
    let late = settlement(&lost[0], "here", Fate::Due(at(31)));
    here.settle_and_claim(vec![late], Claim { most: 0, ..claim(31, "here") }).await.unwrap();
    assert_eq!(here.settle_and_claim(Vec::new(), claim(31, "here")).await.unwrap(), [], "the lease stands");
    there
        .settle_and_claim(vec![settlement(&taken[0], "there", Fate::Delivered)], claim(32, "there"))
        .await
        .unwrap();
    let log = here.deliveries(&webhook.id, 10, 0).await.unwrap();
    assert!(log.page[0].delivered && log.page[0].attempts.len() == 2);
    assert_eq!(here.webhook(&webhook.id).await.unwrap().unwrap().failing, None);
}

pub(crate) async fn a_disabled_webhook_keeps_its_messages(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 2).await;
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let mut gone = settlement(&claimed[0], "a", Fate::GivenUp);
    gone.disable = Some(DisabledBy::Receiver);
    assert_eq!(store.settle_and_claim(vec![gone], claim(1, "a")).await.unwrap(), []);
    let state = store.outbox_state().await.unwrap();
    assert_eq!((state.pending, state.disabled_webhooks), (0, 1));
    assert_eq!(store.webhook(&webhook.id).await.unwrap().unwrap().disabled, Some(DisabledBy::Receiver));
    assert_eq!(store.subscribers(at(1)).await.unwrap(), []);
    let enable = WebhookChange { disabled: Some(None), ..WebhookChange::default() };
    store.change_webhook(&webhook.id, enable).await.unwrap();
    assert_eq!(store.settle_and_claim(Vec::new(), claim(2, "a")).await.unwrap().len(), 1);
}

pub(crate) async fn a_gone_receiver_keeps_the_operators_disabling(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 1).await;
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let disabled = Some(Some(DisabledBy::Operator));
    store.change_webhook(&webhook.id, WebhookChange { disabled, ..WebhookChange::default() }).await.unwrap();
    let mut gone = settlement(&claimed[0], "a", Fate::GivenUp);
    gone.disable = Some(DisabledBy::Receiver);
    store.settle_and_claim(vec![gone], claim(1, "a")).await.unwrap();
    assert_eq!(store.webhook(&webhook.id).await.unwrap().unwrap().disabled, Some(DisabledBy::Operator));
}

pub(crate) async fn a_redelivery_makes_a_message_due(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 3).await;
    let mut settled = Vec::new();
    for fate in [Fate::Delivered, Fate::GivenUp, Fate::Due(at(900))] {
        let claimed = store.settle_and_claim(std::mem::take(&mut settled), claim(1, "a")).await.unwrap();
        settled.push(settlement(&claimed[0], "a", fate));
    }
    store.settle_and_claim(settled, claim(1, "a")).await.unwrap();
    let first = message(1, &webhook.id).id;
    let again = store.redeliver(&webhook.id, &first, at(50)).await.unwrap().unwrap();
    assert_eq!((again.due_at, again.delivered, again.attempts.len()), (Some(at(50)), false, 1));
    let claimed = store.settle_and_claim(Vec::new(), claim(50, "a")).await.unwrap();
    assert_eq!((&claimed[0].message, claimed[0].tries), (&first, 0), "a whole schedule is before it");
    store
        .settle_and_claim(vec![settlement(&claimed[0], "a", Fate::Delivered)], claim(50, "a"))
        .await
        .unwrap();
    assert_eq!(store.redeliver_failed(&webhook.id, at(60)).await.unwrap(), 2, "all but the one delivered");
    assert_eq!(store.outbox_state().await.unwrap().pending, 2);
    store.insert_webhook(crate::specimen::webhook(5, 1, &[WebhookEvent::FxUpdated]), 10).await.unwrap();
    assert_eq!(store.redeliver(&webhook_id(5), &first, at(50)).await.unwrap(), None, "it is another's");
}

pub(crate) async fn a_redelivery_during_delivery_stays_due(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 1).await;
    let mut claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    for (second, fate) in (2..).zip([Fate::Delivered, Fate::GivenUp, Fate::Due(at(900))]) {
        store.redeliver(&webhook.id, &claimed[0].message, at(second)).await.unwrap();
        let now = claim(second, "a");
        assert_eq!(store.settle_and_claim(Vec::new(), now.clone()).await.unwrap(), [], "it runs still");
        let settled = vec![settlement(&claimed[0], "a", fate)];
        claimed = store.settle_and_claim(settled, now).await.unwrap();
        assert_eq!((claimed[0].tries, claimed[0].due_at), (0, at(second)), "{fate:?}");
    }
    let log = store.deliveries(&webhook.id, 10, 0).await.unwrap();
    assert_eq!(log.page[0].attempts.len(), 3, "what happened is told");
}

pub(crate) async fn a_redelivery_at_the_same_due_time_stays_due(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 1).await;
    let due = store.deliveries(&webhook.id, 1, 0).await.unwrap().page[0].due_at.unwrap();
    let first = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    store.redeliver(&webhook.id, &first[0].message, due).await.unwrap();
    let settled = vec![settlement(&first[0], "a", Fate::Delivered)];
    let second = store.settle_and_claim(settled, claim(1, "a")).await.unwrap();
    assert_eq!((&second[0].message, second[0].tries), (&first[0].message, 0), "it is sent anew");
    store.redeliver_failed(&webhook.id, due).await.unwrap();
    let settled = vec![settlement(&second[0], "a", Fate::Delivered)];
    let third = store.settle_and_claim(settled, claim(1, "a")).await.unwrap();
    assert_eq!((&third[0].message, third[0].tries), (&first[0].message, 0), "also with all that failed");
    let settled = vec![settlement(&third[0], "a", Fate::Delivered)];
    assert_eq!(store.settle_and_claim(settled, claim(1, "a")).await.unwrap(), [], "and then no more");
}

pub(crate) async fn a_pause_requested_by_the_receiver_is_respected(place: &impl Place) {
    let store = place.open().await;
    let webhook = with_messages(&*store, 2).await;
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let mut busy = settlement(&claimed[0], "a", Fate::Due(at(600)));
    busy.leave_alone_until = Some(at(600));
    assert_eq!(store.settle_and_claim(vec![busy.clone()], claim(1, "a")).await.unwrap(), []);
    assert_eq!(
        store.settle_and_claim(Vec::new(), claim(599, "b")).await.unwrap(),
        [],
        "the other one waits too"
    );
    let claimed = store.settle_and_claim(Vec::new(), claim(600, "b")).await.unwrap();
    assert_eq!(claimed.len(), 1);

    let mut busy = settlement(&claimed[0], "b", Fate::Due(at(9_000)));
    busy.leave_alone_until = Some(at(9_000));
    assert_eq!(store.settle_and_claim(vec![busy], claim(600, "b")).await.unwrap(), []);
    store.redeliver(&webhook.id, &claimed[0].message, at(601)).await.unwrap();
    let sooner = store.settle_and_claim(Vec::new(), claim(601, "b")).await.unwrap();
    assert_eq!(sooner.len(), 1, "unless the owner wants otherwise");
}

pub(crate) async fn messages_sent_outside_the_outbox_are_never_due(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    let mut ping = message(1, &webhook.id);
    ping.event = WebhookEvent::Ping;
    store.record_delivery(ping.clone(), settlement_attempt(), false).await.unwrap();
    assert_eq!(store.redeliver_failed(&webhook.id, at(1)).await.unwrap(), 0);
    assert_eq!(store.settle_and_claim(Vec::new(), claim(99, "a")).await.unwrap(), []);
    let log = store.deliveries(&webhook.id, 10, 0).await.unwrap();
    assert_eq!((&log.page[0].message, log.page[0].event), (&ping.id, WebhookEvent::Ping));
    assert_eq!(log.page[0].attempts, [settlement_attempt()]);
    store.delete_webhook(&webhook.id).await.unwrap();
    store.record_delivery(message(2, &webhook.id), settlement_attempt(), true).await.unwrap();
}

pub(crate) async fn deliveries_are_forgotten_by_age(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    for (number, second) in [(1, 10), (2, 20)] {
        let mut sent = message(number, &webhook.id);
        sent.created_at = at(second);
        store.record_delivery(sent, settlement_attempt(), true).await.unwrap();
    }
    assert_eq!(store.forget_deliveries(at(20)).await.unwrap(), 1);
    assert_eq!(store.deliveries(&webhook.id, 10, 0).await.unwrap().total, 1);
    assert_eq!(store.forget_deliveries(at(20)).await.unwrap(), 0);
}
