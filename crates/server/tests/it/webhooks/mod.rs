//! Webhooks, from a publication to a receiver on this machine.
//!
//! This module has the setup: a server that polls its outbox constantly and may deliver to loopback, a customer with
//! webhooks, and publications as another process makes them.

mod api;
mod documentation;
mod events;
mod faults;
mod replicas;
mod retries;
mod test_deliveries;

use std::time::Duration;

use lastro::setup::Setup;
use lastro_config::{Switch, WebhookSettings};
use lastro_model::{CompanyId, Day, Filing, FilingId, Plan, Records, Source};
use lastro_store::{Condition, Publication, PublicationItem, Store};
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::receiver::Receiver;

/// Polls often, waits briefly, has no jitter, and may deliver to this machine.
fn eager(setup: &mut Setup) {
    // An edition is announced only once it is served.
    setup.settings.poll_interval = Duration::from_millis(20);
    setup.settings.webhooks = WebhookSettings {
        webhooks_allow_private: Switch::On,
        poll_interval: Duration::from_millis(5),
        state_interval: Duration::from_millis(50),
        delivery_timeout: Duration::from_secs(10),
        jitter: || 0.0,
    };
}

/// Polls until the condition holds. The limit is long, for many small steps on busy machines.
async fn soon(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
    panic!("it did not come true within fifteen seconds");
}

/// A server, and the key of a customer on Platinum.
struct Stage {
    app: TestApp,
    key: String,
}

/// A webhook as its owner sees it.
#[derive(Debug, Clone)]
struct Registered {
    id: String,
    secret: String,
}

impl Stage {
    /// Starts with existing data, so that the next publication is news.
    async fn set() -> Self {
        let app = TestApp::start_with(eager).await;
        let key = app.ample_key(Plan::Platinum).await;
        for source in Source::ALL {
            let rows = match source {
                Source::Fx => Records::Fx(Vec::new()),
                Source::Companies => Records::Companies(Vec::new()),
                Source::Filings => Records::Filings(Vec::new()),
                Source::Tickers => Records::Tickers(Vec::new()),
                _ => Records::Rates(Vec::new()),
            };
            let replacing = Publication {
                source,
                sample: false,
                replace: true,
                at: app.timestamp(),
                condition: Condition::None,
            };
            publish(&*app.plain, replacing, rows).await;
        }
        Self { app, key }
    }

    async fn register(&self, receiver: &Receiver, events: &[&str]) -> Registered {
        self.register_with(receiver, events, json!({})).await
    }

    async fn register_with(&self, receiver: &Receiver, events: &[&str], filters: Value) -> Registered {
        let body = json!({ "url": receiver.url(), "events": events, "filters": filters });
        let answer =
            self.app.post("/api/v1/webhooks", body.to_string()).key(&self.key).send().await.expect(201);
        let webhook = answer.json();
        let text = |name: &str| webhook[name].as_str().unwrap().to_owned();
        Registered { id: text("id"), secret: text("secret") }
    }

    /// Publishes rows of a source as a synchronisation does.
    async fn publish(&self, source: Source, rows: Records) {
        let publication = Publication {
            source,
            sample: false,
            replace: false,
            at: self.app.timestamp(),
            condition: Condition::None,
        };
        publish(&*self.app.plain, publication, rows).await;
    }

    async fn publish_filings(&self, ids: std::ops::Range<u64>) {
        self.publish(Source::Filings, Records::Filings(ids.map(filing).collect())).await;
    }

    async fn webhook(&self, webhook: &Registered) -> Value {
        self.app.get(&path(webhook, "")).key(&self.key).send().await.expect(200).json()
    }

    async fn deliveries(&self, webhook: &Registered) -> Vec<Value> {
        let log =
            self.app.get(&path(webhook, "/deliveries?limit=1000")).key(&self.key).send().await.expect(200);
        log.json()["data"].as_array().unwrap().clone()
    }

    /// Waits until every attempt due now has been made and recorded.
    async fn settled(&self) {
        soon(async || {
            let idle = self.app.plain.announcements(1).await.unwrap().is_empty();
            let now = self.app.timestamp();
            let mut waiting = 0;
            for webhook in self.app.plain.list_webhooks().await.unwrap() {
                let log = self.app.plain.deliveries(&webhook.id, 2_000, 0).await.unwrap().page;
                let due = log.iter().filter(|delivery| delivery.due_at.is_some_and(|due| due <= now));
                waiting += if webhook.disabled.is_none() { due.count() } else { 0 };
            }
            idle && waiting == 0
        })
        .await;
    }

    /// Advances the clock and waits for the attempts that fall due.
    async fn pass(&self, seconds: u64) {
        self.app.advance_seconds(seconds);
        self.settled().await;
    }
}

fn path(webhook: &Registered, rest: &str) -> String {
    format!("/api/v1/webhooks/{}{rest}", webhook.id)
}

async fn publish(store: &dyn Store, publication: Publication, rows: Records) {
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(rows)).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    store.publish(publication, receiver).await.unwrap();
}

fn filing(number: u64) -> Filing {
    Filing {
        id: FilingId::Protocol(number),
        company_id: CompanyId((number % 3) as u32 + 1),
        company_name: "Açúcar \"& Álcool\" S.A.".to_owned(),
        category: if number.is_multiple_of(2) { "Fato Relevante" } else { "Comunicado ao Mercado" }
            .to_owned(),
        kind: None,
        delivered_on: Day::parse("2026-10-30").unwrap(),
        reference_day: None,
        description: format!("Aquisição {number}"),
        version: 1,
        url: format!("https://sample.invalid/{number}"),
    }
}

/// This member of all items in a receiver's messages.
fn items(receiver: &Receiver, name: &str) -> Vec<String> {
    let text = |item: &Value| item[name].as_str().map_or_else(|| item[name].to_string(), str::to_owned);
    let of = |body: Value| body["data"]["items"].as_array().unwrap().iter().map(text).collect::<Vec<_>>();
    receiver.got().iter().flat_map(|got| of(got.json())).collect()
}
