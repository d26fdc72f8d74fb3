//! Announcements and messages. Claims are in [`claim`], results of deliveries in [`delivery`].

use std::ops::Range;

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Attempt, Edition, MessageId, Plan, Source, Webhook, WebhookEvent, WebhookId};

use super::webhook::with_plans;
use super::{SqlStore, addressed, claim, delivery, row_json};
use crate::engine::Database;
use crate::sql::{ANNOUNCEMENTS, COUNT_ANNOUNCEMENTS, SET_ANNOUNCEMENT_ASIDE, webhook as sql};
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{
    Announcement, Claim, Claimed, Deliveries, Delivery, NewMessage, OutboxState, OutboxStore, Result,
    Settlement,
};

#[async_trait]
impl OutboxStore for SqlStore {
    async fn announcements(&self, limit: usize) -> Result<Vec<Announcement>> {
        let addressed = self.engine.read(Database::Accounts, addressed).await?;
        let waiting = move |data: &dyn Reading| waiting_announcements(data, addressed, limit);
        let (read, unreadable) = self.engine.read(Database::Data, waiting).await?;
        if !unreadable.is_empty() {
            self.engine.change(Database::Data, move |data| set_aside(data, &unreadable)).await?;
        }
        Ok(read)
    }

    async fn subscribers(&self, at: Timestamp) -> Result<Vec<(Webhook, Plan)>> {
        self.engine
            .read(Database::Accounts, move |accounts| with_plans(accounts, sql::SUBSCRIBERS, values![at]))
            .await
    }

    async fn fan_out(&self, announcement: u64, messages: Vec<NewMessage>) -> Result<bool> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                // Not deleted here: that would write to the data, and wait for a running publication.
                if accounts.execute(sql::ADDRESS, values![announcement])? == 0 {
                    return Ok(false);
                }
                for message in &messages {
                    insert(accounts, message, Some(message.created_at), false)?;
                }
                Ok(true)
            })
            .await
    }

    async fn settle_and_claim(&self, settled: Vec<Settlement>, claim: Claim) -> Result<Vec<Claimed>> {
        // Called often while messages wait, and mostly finds none that is due: no write lock is needed for that.
        if settled.is_empty() {
            let asked = claim.clone();
            let claimable = move |accounts: &dyn Reading| claim::claimable(accounts, &asked);
            if self.engine.read(Database::Accounts, claimable).await?.is_empty() {
                return Ok(Vec::new());
            }
        }
        self.engine
            .change(Database::Accounts, move |accounts| {
                delivery::settle_all(accounts, &settled)?;
                claim::claim_due(accounts, &claim)
            })
            .await
    }

    async fn record_delivery(&self, message: NewMessage, attempt: Attempt, delivered: bool) -> Result<()> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                insert(accounts, &message, None, delivered)?;
                delivery::note(accounts, &message.id, &attempt)
            })
            .await
    }

    async fn deliveries_between(
        &self,
        webhook: &WebhookId,
        created: Range<Timestamp>,
        limit: usize,
        offset: usize,
    ) -> Result<Deliveries> {
        let webhook = webhook.clone();
        self.engine
            .read(Database::Accounts, move |accounts| {
                delivery::page(accounts, &webhook, &created, limit, offset)
            })
            .await
    }

    async fn redeliver(
        &self,
        webhook: &WebhookId,
        message: &MessageId,
        at: Timestamp,
    ) -> Result<Option<Delivery>> {
        let (webhook, message) = (webhook.clone(), message.clone());
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Webhook(webhook.clone()))?;
                if accounts.execute(sql::REDELIVER, values![at, &webhook, &message])? > 0 {
                    accounts.execute(sql::LEAVE_ALONE_NO_LONGER, values![&webhook])?;
                }
                delivery::find(accounts, &webhook, &message)
            })
            .await
    }

    async fn redeliver_failed(&self, webhook: &WebhookId, at: Timestamp) -> Result<u64> {
        let webhook = webhook.clone();
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Webhook(webhook.clone()))?;
                accounts.execute(sql::LEAVE_ALONE_NO_LONGER, values![&webhook])?;
                accounts.execute(sql::REDELIVER_FAILED, values![at, &webhook])
            })
            .await
    }

    async fn outbox_state(&self) -> Result<OutboxState> {
        let addressed = self.engine.read(Database::Accounts, addressed).await?;
        let waiting = move |data: &dyn Reading| data.number(COUNT_ANNOUNCEMENTS, values![addressed]);
        let announcements = self.engine.read(Database::Data, waiting).await?;
        let messages = |accounts: &dyn Reading| accounts.one(sql::OUTBOX_STATE, &[], state);
        Ok(OutboxState { announcements, ..self.engine.read(Database::Accounts, messages).await? })
    }

    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_DELIVERIES, values![before])
            })
            .await
    }
}

/// The readable announcements, and the numbers of the unreadable ones.
fn waiting_announcements(
    data: &dyn Reading,
    addressed: u64,
    limit: usize,
) -> Result<(Vec<Announcement>, Vec<u64>)> {
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    let found =
        data.rows(ANNOUNCEMENTS, values![addressed, limit], |row| Ok((row.number(0)?, announcement(row))))?;
    for (number, announcement) in found {
        match announcement {
            Ok(announcement) => read.push(announcement),
            Err(error) => {
                tracing::error!(number, %error, "an announcement cannot be read; it is set aside and not delivered");
                unreadable.push(number);
            }
        }
    }
    Ok((read, unreadable))
}

fn set_aside(data: &dyn Transaction, announcements: &[u64]) -> Result<()> {
    for number in announcements {
        data.execute(SET_ANNOUNCEMENT_ASIDE, values![*number])?;
    }
    Ok(())
}

fn announcement(row: &dyn Row) -> Result<Announcement> {
    let source = row.parsed(1, Source::parse)?;
    Ok(Announcement {
        source,
        number: row.number(0)?,
        event: row.parsed(2, WebhookEvent::parse)?,
        edition: Edition(row.number(3)?),
        at: row.time(4)?,
        rows: row_json::read(source, row.text(5)?)?,
    })
}

fn insert(
    accounts: &dyn Transaction,
    message: &NewMessage,
    due_at: Option<Timestamp>,
    delivered: bool,
) -> Result<()> {
    let number: u64 = accounts.number(sql::NEXT_MESSAGE, &[])?;
    let NewMessage { id, webhook, event, body, created_at } = message;
    let values = values![id, number, event.name(), body, *created_at, due_at, delivered, webhook];
    accounts.execute(sql::INSERT_MESSAGE, values)?;
    Ok(())
}

/// Leaves out the announcements, which are counted in the database of published data.
fn state(row: &dyn Row) -> Result<OutboxState> {
    Ok(OutboxState {
        announcements: 0,
        pending: row.number(0)?,
        oldest_pending: row.optional_time(1)?,
        disabled_webhooks: row.number(2)?,
    })
}
