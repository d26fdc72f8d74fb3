//! Webhooks in SQLite.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    AccountId, CompanyId, DisabledBy, Failing, KeyId, ParseError, Plan, SecretSeed, Webhook, WebhookEvent,
    WebhookFilters, WebhookId, hex,
};
use rusqlite::{Connection, Params, Row, Transaction, params};

use super::SqliteStore;
use super::column::{self, stored_count};
use crate::sql::webhook as sql;
use crate::{Result, SECRETS_KEPT, StoreError, WebhookChange, WebhookStore};

#[async_trait]
impl WebhookStore for SqliteStore {
    async fn insert_webhook(&self, webhook: Webhook, most: usize) -> Result<bool> {
        self.accounts.writer.change(move |transaction| insert(transaction, &webhook, most)).await
    }

    async fn webhook(&self, id: &WebhookId) -> Result<Option<Webhook>> {
        let id = id.clone();
        self.accounts.readers.ask(move |connection| find(connection, &id)).await
    }

    async fn webhooks_of(&self, account: AccountId) -> Result<Vec<Webhook>> {
        self.accounts
            .readers
            .ask(move |connection| webhooks(connection, sql::WEBHOOKS_OF, [account.0.as_str()]))
            .await
    }

    async fn list_webhooks(&self) -> Result<Vec<Webhook>> {
        self.accounts.readers.ask(|connection| webhooks(connection, sql::ALL_WEBHOOKS, [])).await
    }

    async fn change_webhook(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>> {
        let id = id.clone();
        self.accounts
            .writer
            .change(move |transaction| {
                let Some(webhook) = find(transaction, &id)? else { return Ok(None) };
                let is_closed = webhook.disabled == Some(DisabledBy::Operator);
                if is_closed && change.by_owner && change.disabled.is_some() {
                    return Err(StoreError::Conflict);
                }
                let is_another_chance = change.is_another_chance();
                let webhook = changed(webhook, change);
                update(transaction, &webhook)?;
                if is_another_chance {
                    transaction.execute(sql::LEAVE_ALONE_NO_LONGER, [webhook.id.as_str()])?;
                }
                Ok(Some(webhook))
            })
            .await
    }

    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool> {
        let id = id.clone();
        self.accounts
            .writer
            .change(move |transaction| Ok(transaction.execute(sql::DELETE_WEBHOOK, [id.as_str()])? > 0))
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
        self.accounts
            .writer
            .change(move |transaction| {
                if find(transaction, &id)?.is_some() {
                    rotate(transaction, &id, seed, at, old_end_at)?;
                }
                find(transaction, &id)
            })
            .await
    }
}

fn insert(transaction: &Transaction<'_>, webhook: &Webhook, most: usize) -> Result<bool> {
    let account = webhook.account.0;
    let held: u64 = transaction
        .query_row_and_then(sql::COUNT_WEBHOOKS_OF, [account.as_str()], |row| column::number(row, 0))?;
    if held >= most as u64 {
        return Ok(false);
    }
    transaction.execute(
        sql::INSERT_WEBHOOK,
        params![
            webhook.id.as_str(),
            account.as_str(),
            webhook.url,
            webhook.description,
            event_names(&webhook.events),
            filters_text(&webhook.filters)?,
            webhook.created_at.as_millisecond(),
            webhook.disabled.map(DisabledBy::name),
            webhook.failing.map(|run| run.since.as_millisecond()),
            webhook.failing.map(|run| run.last.as_millisecond())
        ],
    )?;
    for secret in &webhook.secrets {
        insert_secret(transaction, &webhook.id, *secret, webhook.created_at)?;
    }
    Ok(true)
}

fn insert_secret(
    transaction: &Transaction<'_>,
    webhook: &WebhookId,
    secret: SecretSeed,
    made_at: Timestamp,
) -> Result<()> {
    let ends_at = secret.ends_at.map(Timestamp::as_millisecond);
    let values = params![webhook.as_str(), hex::encode(&secret.seed), made_at.as_millisecond(), ends_at];
    transaction.execute(sql::INSERT_SECRET, values)?;
    Ok(())
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

fn update(transaction: &Transaction<'_>, webhook: &Webhook) -> Result<()> {
    transaction.execute(
        sql::UPDATE_WEBHOOK,
        params![
            webhook.url,
            webhook.description,
            event_names(&webhook.events),
            filters_text(&webhook.filters)?,
            webhook.disabled.map(DisabledBy::name),
            webhook.failing.map(|run| run.since.as_millisecond()),
            webhook.failing.map(|run| run.last.as_millisecond()),
            webhook.id.as_str()
        ],
    )?;
    Ok(())
}

fn rotate(
    transaction: &Transaction<'_>,
    id: &WebhookId,
    seed: [u8; 16],
    at: Timestamp,
    old_end_at: Timestamp,
) -> Result<()> {
    transaction.execute(sql::END_SECRETS, params![old_end_at.as_millisecond(), id.as_str()])?;
    insert_secret(transaction, id, SecretSeed { seed, ends_at: None }, at)?;
    let kept = stored_count(SECRETS_KEPT as u64);
    transaction.execute(sql::DROP_SECRETS, params![id.as_str(), at.as_millisecond(), kept])?;
    Ok(())
}

fn find(connection: &Connection, id: &WebhookId) -> Result<Option<Webhook>> {
    Ok(webhooks(connection, sql::WEBHOOK, [id.as_str()])?.pop())
}

fn webhooks(connection: &Connection, query: &str, parameters: impl Params) -> Result<Vec<Webhook>> {
    Ok(with_plans(connection, query, parameters)?.into_iter().map(|(webhook, _)| webhook).collect())
}

/// What one of the queries of webhooks finds, with the plan of each account.
pub(super) fn with_plans(
    connection: &Connection,
    query: &str,
    parameters: impl Params,
) -> Result<Vec<(Webhook, Plan)>> {
    let mut statement = connection.prepare_cached(query)?;
    let mut found: Vec<(Webhook, Plan)> =
        statement.query_and_then(parameters, webhook)?.collect::<Result<_>>()?;
    for (webhook, _) in &mut found {
        webhook.secrets = secrets(connection, &webhook.id)?;
    }
    Ok(found)
}

fn secrets(connection: &Connection, id: &WebhookId) -> Result<Vec<SecretSeed>> {
    connection.prepare_cached(sql::SECRETS)?.query_and_then([id.as_str()], secret)?.collect()
}

fn secret(row: &Row<'_>) -> Result<SecretSeed> {
    let seed = hex::decode(column::text(row, 0)?)
        .ok_or_else(|| StoreError::damaged("the seed of a secret cannot be read"))?;
    Ok(SecretSeed { seed, ends_at: column::optional_time(row, 1)? })
}

/// Its secrets are read apart.
fn webhook(row: &Row<'_>) -> Result<(Webhook, Plan)> {
    let webhook = Webhook {
        id: column::parsed(row, 0, WebhookId::parse)?,
        account: AccountId(column::parsed(row, 1, KeyId::parse)?),
        url: column::string(row, 2)?,
        description: column::optional_string(row, 3)?,
        events: events_of(row, 4)?,
        filters: column::parsed(row, 5, filters)?,
        created_at: column::time(row, 6)?,
        secrets: Vec::new(),
        disabled: column::optional_string(row, 7)?
            .map(|_| column::parsed(row, 7, DisabledBy::parse))
            .transpose()?,
        failing: column::optional_time(row, 8)?
            .zip(column::optional_time(row, 9)?)
            .map(|(since, last)| Failing { since, last }),
    };
    Ok((webhook, column::parsed(row, 10, Plan::parse)?))
}

fn event_names(events: &[WebhookEvent]) -> String {
    events.iter().map(|event| event.name()).collect::<Vec<_>>().join(",")
}

pub(super) fn events_of(row: &Row<'_>, place: usize) -> Result<Vec<WebhookEvent>> {
    column::parsed(row, place, |names| names.split(',').map(WebhookEvent::parse).collect())
}

fn filters_text(filters: &WebhookFilters) -> Result<String> {
    let companies: Vec<u32> = filters.company_ids.iter().map(|id| id.0).collect();
    serde_json::to_string(&(companies, &filters.categories))
        .map_err(|_| StoreError::Backend("the filters of a webhook could not be written down".to_owned()))
}

fn filters(text: &str) -> Result<WebhookFilters, ParseError> {
    let (companies, categories): (Vec<u32>, Vec<String>) =
        serde_json::from_str(text).map_err(|_| ParseError("must be two lists"))?;
    Ok(WebhookFilters { company_ids: companies.into_iter().map(CompanyId).collect(), categories })
}
