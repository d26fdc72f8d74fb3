//! `lastro webhooks`: the operator's view of customers' webhooks. Standard output carries the result and nothing else.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use jiff::Timestamp;
use lastro_background::clock::SystemClock;
use lastro_background::replicas::StoreClock;
use lastro_config::{Common, WebhooksCommand};
use lastro_model::{Attempt, Clock, DisabledBy, Webhook, WebhookId};
use lastro_store::{Store, WebhookChange};
use serde_json::{Value, json};

use super::printable;
use crate::http::v1::webhooks::view::{DeliveryView, WebhookView, status};

/// Number of deliveries that `show` lists.
const DELIVERIES_SHOWN: usize = 20;

pub async fn run(common: &Common, command: WebhooksCommand, as_json: bool) -> anyhow::Result<()> {
    let store = common.open_existing_store().await?;
    match command {
        WebhooksCommand::List => list(&store.list_webhooks().await?, as_json),
        WebhooksCommand::Show { id } => show(&*store, &id, as_json).await?,
        WebhooksCommand::Retry { id } => {
            let now = StoreClock::of(&*store, Arc::new(SystemClock::start())).await?.now().timestamp();
            let webhook = change(&*store, &id, None).await?;
            let due = store.redeliver_failed(&webhook.id, now).await?;
            tracing::info!("{due} deliveries to {} are due now", webhook.id);
            list(&[webhook], as_json);
        }
        WebhooksCommand::Disable { id } => {
            list(&[change(&*store, &id, Some(DisabledBy::Operator)).await?], as_json);
        }
    }
    Ok(())
}

fn parse(id: &str) -> anyhow::Result<WebhookId> {
    WebhookId::parse(id).map_err(|reason| anyhow::anyhow!("ID {reason}; `lastro webhooks list` shows them"))
}

fn unknown() -> anyhow::Error {
    anyhow::anyhow!("there is no such webhook; `lastro webhooks list` shows them")
}

async fn change(store: &dyn Store, id: &str, disabled: Option<DisabledBy>) -> anyhow::Result<Webhook> {
    let change = WebhookChange { disabled: Some(disabled), ..WebhookChange::default() };
    store.change_webhook(&parse(id)?, change).await?.ok_or_else(unknown)
}

async fn show(store: &dyn Store, id: &str, as_json: bool) -> anyhow::Result<()> {
    let webhook = store.webhook(&parse(id)?).await?.ok_or_else(unknown)?;
    let log = store.deliveries(&webhook.id, DELIVERIES_SHOWN, 0).await?;
    if as_json {
        let mut value = described(&webhook);
        value["deliveries"] = log.page.iter().map(|delivery| json!(DeliveryView::of(delivery))).collect();
        println!("{value}");
        return Ok(());
    }
    list(std::slice::from_ref(&webhook), false);
    println!("\n{:<28}  {:<15}  {:<9}  {:<20}  LAST ATTEMPT", "DELIVERY", "EVENT", "STATUS", "CREATED");
    for delivery in &log.page {
        println!(
            "{:<28}  {:<15}  {:<9}  {:<20}  {}",
            delivery.message,
            delivery.event.name(),
            status(delivery),
            second(delivery.created_at),
            delivery.attempts.first().map_or_else(|| "none yet".to_owned(), outcome)
        );
    }
    println!("{} of {} deliveries", log.page.len(), log.total);
    Ok(())
}

fn outcome(attempt: &Attempt) -> String {
    let ended = attempt.error.as_deref().unwrap_or("delivered");
    format!("{}: {ended} ({} ms)", second(attempt.at), attempt.duration_ms)
}

fn second(at: Timestamp) -> impl std::fmt::Display {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn list(webhooks: &[Webhook], as_json: bool) {
    if as_json {
        println!("{}", webhooks.iter().map(described).collect::<Value>());
        return;
    }
    println!(
        "{:<27}  {:<8}  {:<20}  {:<8}  {:<20}  URL",
        "ID", "ACCOUNT", "CREATED", "STATUS", "FAILING SINCE"
    );
    for webhook in webhooks {
        println!(
            "{:<27}  {:<8}  {:<20}  {:<8}  {:<20}  {}",
            webhook.id,
            webhook.account,
            second(webhook.created_at),
            if webhook.disabled.is_some() { "disabled" } else { "enabled" },
            webhook.failing.map_or_else(|| "-".to_owned(), |run| second(run.since).to_string()),
            printable(&webhook.url)
        );
    }
}

/// The webhook's JSON as its owner sees it, plus the account.
fn described(webhook: &Webhook) -> Value {
    let mut value = json!(WebhookView::of(webhook));
    value["account"] = webhook.account.to_string().into();
    value
}
