//! Webhooks and the seeds of their secrets.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    AccountId, CompanyId, DisabledBy, Failing, KeyId, ParseError, Plan, SecretSeed, Series, Webhook,
    WebhookEvent, WebhookFilters, WebhookId, hex,
};
use serde::Serialize;

use super::SqlStore;
use crate::engine::Database;
use crate::sql::webhook as sql;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, Value, values};
use crate::{Result, SECRETS_KEPT, StoreError, WebhookChange, WebhookStore};

#[async_trait]
impl WebhookStore for SqlStore {
    async fn insert_webhook(&self, webhook: Webhook, most: usize) -> Result<bool> {
        self.engine.change(Database::Accounts, move |accounts| insert(accounts, &webhook, most)).await
    }

    async fn webhook(&self, id: &WebhookId) -> Result<Option<Webhook>> {
        let id = id.clone();
        self.engine.read(Database::Accounts, move |accounts| find(accounts, &id)).await
    }

    async fn webhooks_of(&self, account: AccountId) -> Result<Vec<Webhook>> {
        self.engine
            .read(Database::Accounts, move |accounts| webhooks(accounts, sql::WEBHOOKS_OF, values![&account]))
            .await
    }

    async fn list_webhooks(&self) -> Result<Vec<Webhook>> {
        self.engine.read(Database::Accounts, |accounts| webhooks(accounts, sql::ALL_WEBHOOKS, &[])).await
    }

    async fn change_webhook(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>> {
        let id = id.clone();
        self.engine.change(Database::Accounts, move |accounts| apply(accounts, &id, &change)).await
    }

    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool> {
        let id = id.clone();
        self.engine
            .change(Database::Accounts, move |accounts| {
                Ok(accounts.execute(sql::DELETE_WEBHOOK, values![&id])? > 0)
            })
            .await
    }

    async fn rotate_webhook_secret(
        &self,
        id: &WebhookId,
        seed: [u8; 16],
        at: Timestamp,
        old_end_at: Timestamp,
    ) -> Result<Option<Webhook>> {
        let id = id.clone();
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Webhook(id.clone()))?;
                if find(accounts, &id)?.is_some() {
                    rotate(accounts, &id, seed, at, old_end_at)?;
                }
                find(accounts, &id)
            })
            .await
    }
}

fn insert(accounts: &dyn Transaction, webhook: &Webhook, most: usize) -> Result<bool> {
    accounts.lock(Lock::Account(webhook.account))?;
    let held: u64 = accounts.number(sql::COUNT_WEBHOOKS_OF, values![&webhook.account])?;
    if held >= most as u64 {
        return Ok(false);
    }
    let values = values![
        &webhook.id,
        &webhook.account,
        &webhook.url,
        &webhook.description,
        event_names(&webhook.events),
        filters_text(&webhook.filters)?,
        webhook.events.contains(&WebhookEvent::AnySeriesUpdated),
        series_text(&webhook.filters)?,
        more_event_names(&webhook.events),
        &webhook.filters.q,
        webhook.created_at,
        webhook.disabled.map(DisabledBy::name),
        webhook.failing.map(|run| run.since),
        webhook.failing.map(|run| run.last)
    ];
    accounts.execute(sql::INSERT_WEBHOOK, values)?;
    for secret in &webhook.secrets {
        insert_secret(accounts, &webhook.id, *secret, webhook.created_at)?;
    }
    Ok(true)
}

fn insert_secret(
    accounts: &dyn Transaction,
    webhook: &WebhookId,
    secret: SecretSeed,
    made_at: Timestamp,
) -> Result<()> {
    let values = values![webhook, hex::encode(&secret.seed), made_at, secret.ends_at];
    accounts.execute(sql::INSERT_SECRET, values)?;
    Ok(())
}

fn apply(accounts: &dyn Transaction, id: &WebhookId, change: &WebhookChange) -> Result<Option<Webhook>> {
    accounts.lock(Lock::Webhook(id.clone()))?;
    let Some(webhook) = find(accounts, id)? else { return Ok(None) };
    let is_closed = webhook.disabled == Some(DisabledBy::Operator);
    if is_closed && change.by_owner && change.disabled.is_some() {
        return Err(StoreError::WebhookDisabledByOperator);
    }
    let webhook = changed(webhook, change.clone());
    update(accounts, &webhook)?;
    if let Some(events) = &change.events {
        set_events(accounts, id, events)?;
    }
    if change.is_another_chance() {
        accounts.execute(sql::LEAVE_ALONE_NO_LONGER, values![id])?;
    }
    Ok(Some(webhook))
}

fn changed(webhook: Webhook, change: WebhookChange) -> Webhook {
    let failing = if change.is_another_chance() { None } else { webhook.failing };
    Webhook {
        url: change.url.unwrap_or(webhook.url),
        description: change.description.unwrap_or(webhook.description),
        events: change.events.unwrap_or(webhook.events),
        filters: change.filters.unwrap_or(webhook.filters),
        disabled: change.disabled.unwrap_or(webhook.disabled),
        failing,
        ..webhook
    }
}

/// Writes everything but the events.
fn update(accounts: &dyn Transaction, webhook: &Webhook) -> Result<()> {
    let values = values![
        &webhook.url,
        &webhook.description,
        filters_text(&webhook.filters)?,
        series_text(&webhook.filters)?,
        &webhook.filters.q,
        webhook.disabled.map(DisabledBy::name),
        webhook.failing.map(|run| run.since),
        webhook.failing.map(|run| run.last),
        &webhook.id
    ];
    accounts.execute(sql::UPDATE_WEBHOOK, values)?;
    Ok(())
}

/// Separate from other changes, which so keep the events that only later versions know.
fn set_events(accounts: &dyn Transaction, id: &WebhookId, events: &[WebhookEvent]) -> Result<()> {
    let any_series = events.contains(&WebhookEvent::AnySeriesUpdated);
    let values = values![event_names(events), any_series, more_event_names(events), id];
    accounts.execute(sql::SET_EVENTS, values)?;
    Ok(())
}

fn rotate(
    accounts: &dyn Transaction,
    id: &WebhookId,
    seed: [u8; 16],
    at: Timestamp,
    old_end_at: Timestamp,
) -> Result<()> {
    accounts.execute(sql::END_SECRETS, values![old_end_at, id])?;
    insert_secret(accounts, id, SecretSeed { seed, ends_at: None }, at)?;
    accounts.execute(sql::DROP_SECRETS, values![id, at, SECRETS_KEPT])?;
    Ok(())
}

fn find(accounts: &dyn Reading, id: &WebhookId) -> Result<Option<Webhook>> {
    Ok(webhooks(accounts, sql::WEBHOOK, values![id])?.pop())
}

fn webhooks(accounts: &dyn Reading, query: &'static str, values: &[Value<'_>]) -> Result<Vec<Webhook>> {
    Ok(with_plans(accounts, query, values)?.into_iter().map(|(webhook, _)| webhook).collect())
}

/// The webhooks found by a query, with the plan of each account.
pub(super) fn with_plans(
    accounts: &dyn Reading,
    query: &'static str,
    values: &[Value<'_>],
) -> Result<Vec<(Webhook, Plan)>> {
    let mut found = accounts.rows(query, values, webhook)?;
    for (webhook, _) in &mut found {
        webhook.secrets = accounts.rows(sql::SECRETS, values![&webhook.id], secret)?;
    }
    Ok(found)
}

fn secret(row: &dyn Row) -> Result<SecretSeed> {
    let seed = hex::decode(row.text(0)?)
        .ok_or_else(|| StoreError::damaged("the seed of a secret cannot be read"))?;
    Ok(SecretSeed { seed, ends_at: row.optional_time(1)? })
}

/// Reads a webhook without its secrets.
fn webhook(row: &dyn Row) -> Result<(Webhook, Plan)> {
    let webhook = Webhook {
        id: row.parsed(0, WebhookId::parse)?,
        account: AccountId(row.parsed(1, KeyId::parse)?),
        url: row.string(2)?,
        description: row.optional_string(3)?,
        events: wanted_events(row)?,
        filters: WebhookFilters {
            series_ids: row.parsed(12, series_ids)?,
            q: row.optional_string(14)?,
            ..row.parsed(5, filters)?
        },
        created_at: row.time(6)?,
        secrets: Vec::new(),
        disabled: row.optional_parsed(7, DisabledBy::parse)?,
        failing: row
            .optional_time(8)?
            .zip(row.optional_time(9)?)
            .map(|(since, last)| Failing { since, last }),
    };
    Ok((webhook, row.parsed(10, Plan::parse)?))
}

/// The names that earlier versions parse. They reject an empty list, so it becomes a ping, which is never announced.
fn event_names(events: &[WebhookEvent]) -> String {
    let known = events.iter().filter(|event| event.is_of_first_version());
    let names: Vec<&str> = known.map(|event| event.name()).collect();
    if names.is_empty() { WebhookEvent::Ping.name().to_owned() } else { names.join(",") }
}

/// The names of the events that earlier versions do not know. The event shared by all series has a column of its own.
fn more_event_names(events: &[WebhookEvent]) -> String {
    let later = events.iter().filter(|event| !event.is_of_first_version());
    let names: Vec<&str> =
        later.filter(|event| **event != WebhookEvent::AnySeriesUpdated).map(|event| event.name()).collect();
    names.join(",")
}

fn wanted_events(row: &dyn Row) -> Result<Vec<WebhookEvent>> {
    let mut wanted = known_events(row.text(4)?);
    wanted.retain(|event| *event != WebhookEvent::Ping);
    wanted.extend(known_events(row.text(13)?));
    if row.flag(11)? {
        wanted.push(WebhookEvent::AnySeriesUpdated);
    }
    wanted.sort_unstable();
    Ok(wanted)
}

/// The events of a list of names. Others are of a later version, whose replicas may run beside this one.
pub(super) fn known_events(names: &str) -> Vec<WebhookEvent> {
    names.split(',').filter_map(|name| WebhookEvent::parse(name).ok()).collect()
}

/// Whether some enabled webhook wants this series through the event shared by all series.
pub(super) fn is_series_wanted(accounts: &dyn Reading, series: Series) -> Result<bool> {
    let lists = accounts.rows(sql::SERIES_WANTED, &[], |row| row.parsed(0, series_ids))?;
    let wants = |series_ids| WebhookFilters { series_ids, ..WebhookFilters::default() }.want_series(series);
    Ok(lists.into_iter().any(wants))
}

fn filters_text(filters: &WebhookFilters) -> Result<String> {
    let companies: Vec<u32> = filters.company_ids.iter().map(|id| id.0).collect();
    json(&(companies, &filters.categories))
}

fn series_text(filters: &WebhookFilters) -> Result<String> {
    json(&filters.series_ids)
}

fn json(lists: &impl Serialize) -> Result<String> {
    serde_json::to_string(lists)
        .map_err(|_| StoreError::Backend("the filters of a webhook could not be written down".to_owned()))
}

fn filters(text: &str) -> Result<WebhookFilters, ParseError> {
    let (companies, categories): (Vec<u32>, Vec<String>) =
        serde_json::from_str(text).map_err(|_| ParseError("must be two lists"))?;
    let company_ids = companies.into_iter().map(CompanyId).collect();
    Ok(WebhookFilters { company_ids, categories, ..WebhookFilters::default() })
}

fn series_ids(text: &str) -> Result<Vec<String>, ParseError> {
    serde_json::from_str(text).map_err(|_| ParseError("must be a list"))
}
