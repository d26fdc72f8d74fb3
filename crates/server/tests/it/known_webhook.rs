//! A webhook with a fixed id, for tests that request every route.

use lastro_model::{Attempt, MessageId, SecretSeed, Webhook, WebhookEvent, WebhookFilters, WebhookId};
use lastro_store::NewMessage;

use crate::app::{TestApp, id_of};

pub(crate) const WEBHOOK: &str = "wh_000000000000000000000000";
pub(crate) const DELIVERY: &str = "msg_000000000000000000000000";

/// Creates the webhook anew, with a delivery, for the account of this key.
pub(crate) async fn give(app: &TestApp, key: &str) {
    let (store, now) = (&app.plain, app.timestamp());
    let key = store.key(id_of(key)).await.unwrap().expect("somebody's key");
    let id = WebhookId::parse(WEBHOOK).unwrap();
    store.delete_webhook(&id).await.unwrap();
    let webhook = Webhook {
        id: id.clone(),
        account: key.account.id,
        // Rejected before any connection is made.
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
