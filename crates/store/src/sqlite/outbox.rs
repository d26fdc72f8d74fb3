//! Announcements and messages in SQLite. What receivers made of them is in [`delivery`].

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Attempt, Edition, MessageId, Plan, Source, Webhook, WebhookEvent, WebhookId};
use rusqlite::{Connection, Row, Transaction, params};

use super::column::{self, stored_count};
use super::webhook::with_plans;
use super::{SqliteStore, announce, delivery};
use crate::sql::{ANNOUNCEMENTS, COUNT_ANNOUNCEMENTS, SET_ANNOUNCEMENT_ASIDE, webhook as sql};
use crate::{
    Announcement, Claim, Claimed, Deliveries, Delivery, NewMessage, OutboxState, OutboxStore, Result,
    Settlement, row_json,
};

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn announcements(&self, limit: usize) -> Result<Vec<Announcement>> {
        let addressed = self.addressed().await?;
        let (read, unreadable) = self
            .data
            .readers
            .ask(move |connection| waiting_announcements(connection, addressed, limit))
            .await?;
        if !unreadable.is_empty() {
            self.data.writer.change(move |transaction| set_aside(transaction, &unreadable)).await?;
        }
        Ok(read)
    }

    async fn subscribers(&self, at: Timestamp) -> Result<Vec<(Webhook, Plan)>> {
        self.accounts
            .readers
            .ask(move |connection| with_plans(connection, sql::SUBSCRIBERS, [at.as_millisecond()]))
            .await
    }

    async fn fan_out(&self, announcement: u64, messages: Vec<NewMessage>) -> Result<bool> {
        self.accounts
            .writer
            .change(move |transaction| {
                // Not deleted here: that would be a write to the data, and wait for a publication that runs.
                if transaction.execute(sql::ADDRESS, [stored_count(announcement)])? == 0 {
                    return Ok(false);
                }
                for message in &messages {
                    let due = Some(message.created_at.as_millisecond());
                    insert(transaction, message, due, false)?;
                }
                Ok(true)
            })
            .await
    }

    async fn settle_and_claim(&self, settled: Vec<Settlement>, claim: Claim) -> Result<Vec<Claimed>> {
        // Asked all the time, and mostly for nothing: only a reader's time is taken then.
        if settled.is_empty() {
            let wish = claim.clone();
            if self.accounts.readers.ask(move |connection| claimable(connection, &wish)).await?.is_empty() {
                return Ok(Vec::new());
            }
        }
        self.accounts
            .writer
            .change(move |transaction| {
                for settlement in &settled {
                    delivery::settle(transaction, settlement)?;
                }
                claim_due(transaction, &claim)
            })
            .await
    }

    async fn record_delivery(&self, message: NewMessage, attempt: Attempt, delivered: bool) -> Result<()> {
        self.accounts
            .writer
            .change(move |transaction| {
                insert(transaction, &message, None, delivered)?;
                delivery::note(transaction, &message.id, &attempt)
            })
            .await
    }

    async fn deliveries(&self, webhook: &WebhookId, limit: usize, offset: usize) -> Result<Deliveries> {
        let webhook = webhook.clone();
        self.accounts.readers.ask(move |connection| delivery::page(connection, &webhook, limit, offset)).await
    }

    async fn redeliver(
        &self,
        webhook: &WebhookId,
        message: &MessageId,
        at: Timestamp,
    ) -> Result<Option<Delivery>> {
        let (webhook, message) = (webhook.clone(), message.clone());
        self.accounts
            .writer
            .change(move |transaction| {
                let values = params![at.as_millisecond(), webhook.as_str(), message.as_str()];
                if transaction.execute(sql::REDELIVER, values)? > 0 {
                    transaction.execute(sql::LEAVE_ALONE_NO_LONGER, [webhook.as_str()])?;
                }
                delivery::find(transaction, &webhook, &message)
            })
            .await
    }

    async fn redeliver_failed(&self, webhook: &WebhookId, at: Timestamp) -> Result<u64> {
        let webhook = webhook.clone();
        self.accounts
            .writer
            .change(move |transaction| {
                transaction.execute(sql::LEAVE_ALONE_NO_LONGER, [webhook.as_str()])?;
                let values = params![at.as_millisecond(), webhook.as_str()];
                Ok(transaction.execute(sql::REDELIVER_FAILED, values)? as u64)
            })
            .await
    }

    async fn outbox_state(&self) -> Result<OutboxState> {
        let addressed = self.addressed().await?;
        let waiting = move |data: &Connection| {
            data.query_row_and_then(COUNT_ANNOUNCEMENTS, [addressed], |row| column::number(row, 0))
        };
        let announcements = self.data.readers.ask(waiting).await?;
        let state = |accounts: &Connection| accounts.query_row_and_then(sql::OUTBOX_STATE, [], state);
        Ok(OutboxState { announcements, ..self.accounts.readers.ask(state).await? })
    }

    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64> {
        let before = [before.as_millisecond()];
        self.accounts
            .writer
            .change(move |transaction| Ok(transaction.execute(sql::FORGET_DELIVERIES, before)? as u64))
            .await
    }
}

impl SqliteStore {
    async fn addressed(&self) -> Result<i64> {
        self.accounts.readers.ask(announce::addressed).await
    }
}

/// Those that can be read, and the numbers of those that cannot.
fn waiting_announcements(
    connection: &Connection,
    addressed: i64,
    limit: usize,
) -> Result<(Vec<Announcement>, Vec<u64>)> {
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    let mut statement = connection.prepare_cached(ANNOUNCEMENTS)?;
    let mut rows = statement.query([addressed, stored_count(limit as u64)])?;
    while let Some(row) = rows.next()? {
        let number = column::number(row, 0)?;
        match announcement(row) {
            Ok(announcement) => read.push(announcement),
            Err(error) => {
                tracing::error!(number, %error, "an announcement cannot be read; it is set aside and told to nobody");
                unreadable.push(number);
            }
        }
    }
    Ok((read, unreadable))
}

fn set_aside(transaction: &Transaction<'_>, announcements: &[u64]) -> Result<()> {
    for number in announcements {
        transaction.execute(SET_ANNOUNCEMENT_ASIDE, [stored_count(*number)])?;
    }
    Ok(())
}

fn announcement(row: &Row<'_>) -> Result<Announcement> {
    let source = column::parsed(row, 1, Source::parse)?;
    Ok(Announcement {
        number: column::number(row, 0)?,
        event: column::parsed(row, 2, WebhookEvent::parse)?,
        edition: Edition(column::number(row, 3)?),
        at: column::time(row, 4)?,
        rows: row_json::read(source, column::text(row, 5)?)?,
    })
}

fn insert(
    transaction: &Transaction<'_>,
    message: &NewMessage,
    due_at: Option<i64>,
    delivered: bool,
) -> Result<()> {
    let number: i64 = transaction.query_row_and_then(sql::NEXT_MESSAGE, [], |row| column::number(row, 0))?;
    transaction.prepare_cached(sql::INSERT_MESSAGE)?.execute(params![
        message.id.as_str(),
        number,
        message.event.name(),
        message.body,
        message.created_at.as_millisecond(),
        due_at,
        i64::from(delivered),
        message.webhook.as_str()
    ])?;
    Ok(())
}

/// The webhooks that a claim may get a message of.
fn claimable(connection: &Connection, claim: &Claim) -> Result<Vec<Webhook>> {
    if claim.most == 0 {
        return Ok(Vec::new());
    }
    let found = with_plans(connection, sql::CLAIMABLE, [claim.now.as_millisecond(), beyond(claim)])?;
    let entitled = found.into_iter().filter(|(_, plan)| claim.plans.contains(plan));
    Ok(entitled.map(|(webhook, _)| webhook).take(claim.most).collect())
}

/// Nothing is put off for longer than two days: neither by the schedule of retries nor by what a receiver asks for.
fn beyond(claim: &Claim) -> i64 {
    const LONGEST_MS: i64 = 2 * 24 * 3_600_000;
    claim.now.as_millisecond().saturating_add(LONGEST_MS)
}

fn claim_due(transaction: &Transaction<'_>, claim: &Claim) -> Result<Vec<Claimed>> {
    let mut next = transaction.prepare_cached(sql::NEXT_DUE)?;
    let mut lease = transaction.prepare_cached(sql::LEASE)?;
    let mut claimed = Vec::new();
    for webhook in claimable(transaction, claim)? {
        let values = params![webhook.id.as_str(), claim.now.as_millisecond(), beyond(claim)];
        claimed.push(next.query_row(values, |row| Ok(due(row, &webhook)))??);
        lease.execute(params![claim.holder, claim.until.as_millisecond(), webhook.id.as_str()])?;
    }
    Ok(claimed)
}

fn due(row: &Row<'_>, webhook: &Webhook) -> Result<Claimed> {
    Ok(Claimed {
        webhook: webhook.clone(),
        message: column::parsed(row, 0, MessageId::parse)?,
        body: column::string(row, 1)?,
        tries: column::number(row, 2)?,
        due_at: column::time(row, 3)?,
        asked: column::number(row, 4)?,
    })
}

/// Announcements are counted where they lie.
fn state(row: &Row<'_>) -> Result<OutboxState> {
    Ok(OutboxState {
        announcements: 0,
        pending: column::number(row, 0)?,
        oldest_pending: column::optional_time(row, 1)?,
        disabled_webhooks: column::number(row, 2)?,
    })
}
