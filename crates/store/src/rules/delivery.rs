//! Results of deliveries: attempts are recorded and read back.

use std::ops::Range;

use jiff::Timestamp;
use lastro_model::{Attempt, DisabledBy, MessageId, WebhookEvent, WebhookId};

use crate::sql::webhook as sql;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{ATTEMPTS_SHOWN, Deliveries, Delivery, Fate, Result, Settlement};

/// Settles claimed messages, webhook by webhook in the order of their locks.
pub(super) fn settle_all(accounts: &dyn Transaction, settled: &[Settlement]) -> Result<()> {
    let mut ordered: Vec<&Settlement> = settled.iter().collect();
    ordered.sort_by_key(|settlement| &settlement.webhook);
    ordered.into_iter().try_for_each(|settlement| settle(accounts, settlement))
}

/// Settles one message. A process that lost its lease still records the attempt, and changes nothing else. A message
/// whose redelivery was requested meanwhile stays due.
fn settle(accounts: &dyn Transaction, settlement: &Settlement) -> Result<()> {
    let Settlement { webhook, message, holder, failing, .. } = settlement;
    accounts.lock(Lock::Webhook(webhook.clone()))?;
    note(accounts, message, &settlement.attempt)?;
    let due_at = match settlement.fate {
        Fate::Due(at) => Some(at),
        Fate::Delivered | Fate::GivenUp => None,
    };
    let delivered = settlement.fate == Fate::Delivered;
    let settled = values![due_at, delivered, message, settlement.due_at, settlement.asked, holder];
    accounts.execute(sql::SETTLE_MESSAGE, settled)?;
    let released = values![
        settlement.leave_alone_until.map_or(0, Timestamp::as_millisecond),
        failing.map(|run| run.since),
        failing.map(|run| run.last),
        settlement.disable.map(DisabledBy::name),
        webhook,
        holder
    ];
    accounts.execute(sql::RELEASE, released)?;
    Ok(())
}

/// Records an attempt. Does nothing if the message is gone.
pub(super) fn note(accounts: &dyn Transaction, message: &MessageId, attempt: &Attempt) -> Result<()> {
    let Attempt { at, status, error, duration_ms } = attempt;
    accounts.execute(sql::INSERT_ATTEMPT, values![*at, *status, error, *duration_ms, message])?;
    Ok(())
}

pub(super) fn page(
    accounts: &dyn Reading,
    webhook: &WebhookId,
    created: &Range<Timestamp>,
    limit: usize,
    offset: usize,
) -> Result<Deliveries> {
    let Range { start, end } = *created;
    let total = accounts.number(sql::COUNT_DELIVERIES, values![webhook, start, end])?;
    let mut page = accounts.rows(sql::DELIVERIES, values![webhook, start, end, limit, offset], delivery)?;
    for delivery in &mut page {
        delivery.attempts = attempts(accounts, &delivery.message)?;
    }
    Ok(Deliveries { total, page })
}

pub(super) fn find(
    accounts: &dyn Reading,
    webhook: &WebhookId,
    message: &MessageId,
) -> Result<Option<Delivery>> {
    let found = accounts.first(sql::DELIVERY, values![webhook, message], delivery)?;
    let Some(delivery) = found else { return Ok(None) };
    Ok(Some(Delivery { attempts: attempts(accounts, message)?, ..delivery }))
}

/// Reads a delivery without its attempts.
fn delivery(row: &dyn Row) -> Result<Delivery> {
    Ok(Delivery {
        message: row.parsed(0, MessageId::parse)?,
        event: row.parsed(1, WebhookEvent::parse)?,
        created_at: row.time(2)?,
        due_at: row.optional_time(3)?,
        delivered: row.flag(4)?,
        attempts: Vec::new(),
    })
}

fn attempts(accounts: &dyn Reading, message: &MessageId) -> Result<Vec<Attempt>> {
    accounts.rows(sql::ATTEMPTS, values![message, ATTEMPTS_SHOWN], |row| {
        Ok(Attempt {
            at: row.time(0)?,
            status: row.optional_number(1)?,
            error: row.optional_string(2)?,
            duration_ms: row.number(3)?,
        })
    })
}
