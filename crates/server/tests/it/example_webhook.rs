//! A webhook with a name known beforehand, so that tests of every route can ask for one.

use jiff::Timestamp;
use lastro_access::ApiKey;
use lastro_model::{Attempt, MessageId, SecretSeed, Webhook, WebhookEvent, WebhookFilters, WebhookId};
use lastro_store::{NewMessage, Store};

pub(crate) const WEBHOOK: &str = "wh_000000000000000000000000";
pub(crate) const DELIVERY: &str = "msg_000000000000000000000000";

/// Gives it, with a delivery, to the account of this key, if the key is anybody's. Whoever had it has it no more.
pub(crate) async fn give_to(store: &dyn Store, key: &str, now: Timestamp) {
    let Ok(key) = ApiKey::parse(key) else { return };
    let Some(key) = store.key(key.id()).await.unwrap() else { return };
    let id = WebhookId::parse(WEBHOOK).unwrap();
    store.delete_webhook(&id).await.unwrap();
    let webhook = Webhook {
        id: id.clone(),
        account: key.account.id,
        // Refused before any connection.
        url: "https://127.0.0.1:9/".to_owned(),
        description: None,
        events: vec![WebhookEvent::FilingCreated],
        filters: WebhookFilters::default(),
        created_at: now,
        secrets: vec![SecretSeed { seed: [0; 16], ends_at: None }],
        disabled: None,
        failing: None,
    };
    store.insert_webhook(webhook, usize::MAX).await.unwrap();
    let delivery = NewMessage {
        id: MessageId::parse(DELIVERY).unwrap(),
        webhook: id,
        event: WebhookEvent::FilingCreated,
        body: "{}".to_owned(),
        created_at: now,
    };
    let attempt = Attempt { at: now, status: Some(200), error: None, duration_ms: 1 };
    store.record_delivery(delivery, attempt, true).await.unwrap();
}
