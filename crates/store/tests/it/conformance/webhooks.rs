use lastro_model::{DisabledBy, Failing, Series, Webhook, WebhookEvent, WebhookFilters};
use lastro_store::{SECRETS_KEPT, StoreError, WebhookChange};

use super::Place;
use crate::specimen::*;

pub(crate) async fn a_webhook_is_returned_as_stored(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let kept = listening(&*here).await;
    assert_eq!(there.webhook(&kept.id).await.unwrap(), Some(kept.clone()));
    let mut plain = webhook(2, 1, &[WebhookEvent::FxUpdated]);
    (plain.description, plain.filters) = (None, WebhookFilters::default());
    plain.disabled = Some(DisabledBy::Operator);
    plain.failing = Some(Failing { since: at(1), last: at(2) });
    here.insert_webhook(plain.clone(), 10).await.unwrap();
    here.insert_key(new_key(2)).await.unwrap();
    let of_another = webhook(3, 2, &[WebhookEvent::FxUpdated]);
    here.insert_webhook(of_another.clone(), 10).await.unwrap();
    assert_eq!(there.webhooks_of(kept.account).await.unwrap(), [kept.clone(), plain.clone()]);
    assert_eq!(there.list_webhooks().await.unwrap(), [kept, plain, of_another]);
}

/// Older versions read two columns, and reject unknown names and lists.
pub(crate) async fn series_only_webhooks_are_readable_by_older_versions(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let alone = webhook(1, 1, &[WebhookEvent::AnySeriesUpdated]);
    assert!(store.insert_webhook(alone.clone(), 10).await.unwrap());
    assert_eq!(store.webhook(&alone.id).await.unwrap(), Some(alone.clone()));
    place.change_accounts(
        "UPDATE webhook SET events = 'fx.updated', filters = '[[],[]]'
            WHERE events = 'ping' AND filters = '[[9512],[\"Fato Relevante, e mais\"]]'",
    );
    let changed = store.webhook(&alone.id).await.unwrap().unwrap();
    assert_eq!(changed.events, [WebhookEvent::AnySeriesUpdated, WebhookEvent::FxUpdated]);
    assert_eq!(changed.filters.series_ids, alone.filters.series_ids);
}

/// A replica of a later version may have written them.
pub(crate) async fn events_of_later_versions_are_left_alone(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let kept = webhook(1, 1, &[WebhookEvent::FxUpdated, WebhookEvent::FilingRemoved]);
    store.insert_webhook(kept.clone(), 10).await.unwrap();
    place.change_accounts("UPDATE webhook SET more_events = 'filing.removed,filing.signed'");
    assert_eq!(store.webhook(&kept.id).await.unwrap(), Some(kept.clone()));
    let moved = WebhookChange { url: Some("https://example.org/".to_owned()), ..WebhookChange::default() };
    store.change_webhook(&kept.id, moved).await.unwrap();
    place.change_accounts(
        "UPDATE webhook SET more_events = 'company.removed' WHERE more_events = 'filing.removed,filing.signed'",
    );
    let still = store.webhook(&kept.id).await.unwrap().unwrap();
    assert_eq!(still.events, [WebhookEvent::FxUpdated, WebhookEvent::CompanyRemoved]);
}

pub(crate) async fn no_account_gets_more_webhooks_than_allowed(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    store.insert_key(new_key(2)).await.unwrap();
    for number in 0..3 {
        let new = webhook(number, 1, &[WebhookEvent::FxUpdated]);
        assert_eq!(store.insert_webhook(new, 2).await.unwrap(), number < 2);
    }
    assert!(store.insert_webhook(webhook(9, 2, &[WebhookEvent::FxUpdated]), 2).await.unwrap());
    store.delete_webhook(&webhook_id(0)).await.unwrap();
    assert!(store.insert_webhook(webhook(3, 1, &[WebhookEvent::FxUpdated]), 2).await.unwrap());
}

pub(crate) async fn a_change_keeps_unnamed_fields(place: &impl Place) {
    let store = place.open().await;
    let kept = listening(&*store).await;
    let unchanged = store.change_webhook(&kept.id, WebhookChange::default()).await.unwrap().unwrap();
    assert_eq!(unchanged, kept);
    let change = WebhookChange {
        url: Some("https://example.org/".to_owned()),
        description: Some(None),
        events: Some(vec![WebhookEvent::SeriesUpdated(Series::Cdi)]),
        filters: Some(WebhookFilters::default()),
        disabled: Some(Some(DisabledBy::Owner)),
        by_owner: true,
    };
    let changed = store.change_webhook(&kept.id, change).await.unwrap().unwrap();
    let expected = Webhook {
        url: "https://example.org/".to_owned(),
        description: None,
        events: vec![WebhookEvent::SeriesUpdated(Series::Cdi)],
        filters: WebhookFilters::default(),
        disabled: Some(DisabledBy::Owner),
        ..kept
    };
    assert_eq!(changed, expected);
    assert_eq!(store.webhook(&expected.id).await.unwrap(), Some(expected));
}

pub(crate) async fn enabling_clears_the_failures(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let mut failing = webhook(1, 1, &[WebhookEvent::FxUpdated]);
    failing.failing = Some(Failing { since: at(1), last: at(2) });
    failing.disabled = Some(DisabledBy::Failures);
    store.insert_webhook(failing.clone(), 10).await.unwrap();
    let enable = WebhookChange { disabled: Some(None), ..WebhookChange::default() };
    let enabled = store.change_webhook(&failing.id, enable).await.unwrap().unwrap();
    assert_eq!((enabled.disabled, enabled.failing), (None, None));
}

pub(crate) async fn a_new_address_clears_the_failures(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let mut failing = webhook(1, 1, &[WebhookEvent::FxUpdated]);
    failing.failing = Some(Failing { since: at(1), last: at(2) });
    store.insert_webhook(failing.clone(), 10).await.unwrap();
    let change = WebhookChange { url: Some("https://example.org/".to_owned()), ..WebhookChange::default() };
    assert_eq!(store.change_webhook(&failing.id, change).await.unwrap().unwrap().failing, None);
}

pub(crate) async fn the_owner_cannot_enable_what_the_operator_disabled(place: &impl Place) {
    let store = place.open().await;
    let kept = listening(&*store).await;
    let change = async |disabled: Option<DisabledBy>, by_owner: bool| {
        let change = WebhookChange { disabled: Some(disabled), by_owner, ..WebhookChange::default() };
        store.change_webhook(&kept.id, change).await.map(|changed| changed.unwrap().disabled)
    };
    assert_eq!(change(Some(DisabledBy::Operator), false).await, Ok(Some(DisabledBy::Operator)));
    for wish in [None, Some(DisabledBy::Owner)] {
        assert_eq!(change(wish, true).await, Err(StoreError::WebhookDisabledByOperator));
    }
    assert_eq!(change(None, false).await, Ok(None));
    assert_eq!(change(Some(DisabledBy::Owner), true).await, Ok(Some(DisabledBy::Owner)));
}

pub(crate) async fn deleting_a_webhook_deletes_its_deliveries(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    let sent = message(1, &webhook.id);
    store.record_delivery(sent.clone(), settlement_attempt(), true).await.unwrap();
    assert!(store.delete_webhook(&webhook.id).await.unwrap());
    assert!(!store.delete_webhook(&webhook.id).await.unwrap());
    assert_eq!(store.webhook(&webhook.id).await.unwrap(), None);
    assert_eq!(store.deliveries(&webhook.id, 10, 0).await.unwrap().total, 0);
    assert_eq!(store.redeliver(&webhook.id, &sent.id, at(1)).await.unwrap(), None);
}

pub(crate) async fn a_rotated_secret_signs_until_its_end(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    let rotate = async |seed: u8, now: i64| {
        let rotated =
            store.rotate_webhook_secret(&webhook.id, [seed; 16], at(now), at(now + 100)).await.unwrap();
        let secrets = rotated.unwrap().secrets;
        secrets.into_iter().map(|secret| (secret.seed[0], secret.ends_at)).collect::<Vec<_>>()
    };
    assert_eq!(rotate(2, 10).await, [(2, None), (1, Some(at(110)))]);
    assert_eq!(rotate(3, 50).await, [(3, None), (2, Some(at(150))), (1, Some(at(110)))]);
    assert_eq!(
        rotate(4, 110).await,
        [(4, None), (3, Some(at(210))), (2, Some(at(150)))],
        "the first has ended"
    );
}

pub(crate) async fn the_number_of_signing_secrets_is_limited(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    for seed in 2..20 {
        // All at the same instant, the hardest case for ordering by time.
        store.rotate_webhook_secret(&webhook.id, [seed; 16], at(100), at(200)).await.unwrap();
    }
    let secrets = store.webhook(&webhook.id).await.unwrap().unwrap().secrets;
    assert_eq!(secrets.len(), SECRETS_KEPT);
    assert_eq!((secrets[0].seed, secrets[0].ends_at), ([19; 16], None), "the newest is among them");
}

pub(crate) async fn the_newest_secret_is_first_after_a_clock_set_back(place: &impl Place) {
    let store = place.open().await;
    let webhook = listening(&*store).await;
    let rotated = store.rotate_webhook_secret(&webhook.id, [2; 16], at(-50), at(100)).await.unwrap();
    let seeds: Vec<u8> = rotated.unwrap().secrets.iter().map(|secret| secret.seed[0]).collect();
    assert_eq!(seeds, [2, 1]);
}

pub(crate) async fn unknown_webhooks_are_not_an_error(place: &impl Place) {
    let store = place.open().await;
    let unknown = webhook_id(44);
    assert_eq!(store.webhook(&unknown).await.unwrap(), None);
    assert_eq!(store.change_webhook(&unknown, WebhookChange::default()).await.unwrap(), None);
    assert_eq!(store.rotate_webhook_secret(&unknown, [1; 16], at(1), at(2)).await.unwrap(), None);
    assert_eq!(store.deliveries(&unknown, 10, 0).await.unwrap().total, 0);
    assert_eq!(store.redeliver_failed(&unknown, at(1)).await.unwrap(), 0);
}
