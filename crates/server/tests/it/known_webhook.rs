//! A webhook with a fixed id, for tests that request every route.

use lastro_model::{
    AccountId, Attempt, FeedId, MessageId, SavedFeed, SecretSeed, Webhook, WebhookEvent, WebhookFilters,
    WebhookId,
};
use lastro_store::{FeedLookup, NewMessage};

use crate::app::{TestApp, id_of};

pub(crate) const WEBHOOK: &str = "wh_000000000000000000000000";
pub(crate) const DELIVERY: &str = "msg_000000000000000000000000";

pub(crate) const FEED: &str = "feed_000000000000000000000000";
/// The token in the address of the feed.
pub(crate) const FEED_TOKEN: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

/// Creates a feed anew for an account.
async fn give_feed(app: &TestApp, account: AccountId) {
    let id = FeedId::parse(FEED).unwrap();
    let digest = lastro::feeds::token_digest(FEED_TOKEN);
    if let FeedLookup::Found(known, _) = app.plain.feed_by_token(&digest).await.unwrap() {
        app.plain.delete_feed(known.account, &id, app.timestamp()).await.unwrap();
    }
    let (name, created_at) = ("Dividendos".to_owned(), app.timestamp());
    let (company_ids, categories) = (Vec::new(), Vec::new());
    let feed = SavedFeed { id, account, name, q: None, company_ids, categories, created_at };
    app.plain.insert_feed(feed, digest, usize::MAX).await.unwrap();
}

/// Creates the webhook anew, with a delivery, and a feed, for the account of this key.
pub(crate) async fn give(app: &TestApp, key: &str) {
    let (store, now) = (&app.plain, app.timestamp());
    let key = store.key(id_of(key)).await.unwrap().expect("somebody's key");
    give_feed(app, key.account.id).await;
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
