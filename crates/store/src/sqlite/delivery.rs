//! How messages fared, in SQLite: attempts written down, and read back.

use jiff::Timestamp;
use lastro_model::{Attempt, DisabledBy, MessageId, WebhookEvent, WebhookId};
use rusqlite::{Connection, Row, Transaction, params};

use super::column::{self, stored_count};
use crate::sql::webhook as sql;
use crate::{ATTEMPTS_SHOWN, Deliveries, Delivery, Fate, Result, Settlement};

/// A process that lost its lease to another still tells what happened, and changes nothing else. A message that was asked
/// for again meanwhile stays due.
pub(super) fn settle(transaction: &Transaction<'_>, settlement: &Settlement) -> Result<()> {
    note(transaction, &settlement.message, &settlement.attempt)?;
    let due_at = match settlement.fate {
        Fate::Due(at) => Some(at.as_millisecond()),
        Fate::Delivered | Fate::GivenUp => None,
    };
    let delivered = i64::from(settlement.fate == Fate::Delivered);
    let holder = &settlement.holder;
    transaction.prepare_cached(sql::SETTLE_MESSAGE)?.execute(params![
        due_at,
        delivered,
        settlement.message.as_str(),
        settlement.due_at.as_millisecond(),
        stored_count(settlement.asked),
        holder
    ])?;
    transaction.prepare_cached(sql::RELEASE)?.execute(params![
        settlement.leave_alone_until.map_or(0, Timestamp::as_millisecond),
        settlement.failing.map(|run| run.since.as_millisecond()),
        settlement.failing.map(|run| run.last.as_millisecond()),
        settlement.disable.map(DisabledBy::name),
        settlement.webhook.as_str(),
        holder
    ])?;
    Ok(())
}

/// Does nothing where the message is gone.
pub(super) fn note(transaction: &Transaction<'_>, message: &MessageId, attempt: &Attempt) -> Result<()> {
    transaction.prepare_cached(sql::INSERT_ATTEMPT)?.execute(params![
        attempt.at.as_millisecond(),
        attempt.status,
        attempt.error,
        stored_count(attempt.duration_ms),
        message.as_str()
    ])?;
    Ok(())
}

pub(super) fn page(
    connection: &Connection,
    webhook: &WebhookId,
    limit: usize,
    offset: usize,
) -> Result<Deliveries> {
    let total = connection
        .query_row_and_then(sql::COUNT_DELIVERIES, [webhook.as_str()], |row| column::number(row, 0))?;
    let bounds = params![webhook.as_str(), stored_count(limit as u64), stored_count(offset as u64)];
    let mut statement = connection.prepare_cached(sql::DELIVERIES)?;
    let mut page: Vec<Delivery> = statement.query_and_then(bounds, delivery)?.collect::<Result<_>>()?;
    for delivery in &mut page {
        delivery.attempts = attempts(connection, &delivery.message)?;
    }
    Ok(Deliveries { total, page })
}

pub(super) fn find(
    connection: &Connection,
    webhook: &WebhookId,
    message: &MessageId,
) -> Result<Option<Delivery>> {
    let mut statement = connection.prepare_cached(sql::DELIVERY)?;
    let mut rows = statement.query(params![webhook.as_str(), message.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(Delivery { attempts: attempts(connection, message)?, ..delivery(row)? }))
}

/// Its attempts are read apart.
fn delivery(row: &Row<'_>) -> Result<Delivery> {
    let delivered: i64 = column::number(row, 4)?;
    Ok(Delivery {
        message: column::parsed(row, 0, MessageId::parse)?,
        event: column::parsed(row, 1, WebhookEvent::parse)?,
        created_at: column::time(row, 2)?,
        due_at: column::optional_time(row, 3)?,
        delivered: delivered != 0,
        attempts: Vec::new(),
    })
}

fn attempts(connection: &Connection, message: &MessageId) -> Result<Vec<Attempt>> {
    let bounds = params![message.as_str(), stored_count(ATTEMPTS_SHOWN as u64)];
    connection.prepare_cached(sql::ATTEMPTS)?.query_and_then(bounds, attempt)?.collect()
}

fn attempt(row: &Row<'_>) -> Result<Attempt> {
    Ok(Attempt {
        at: column::time(row, 0)?,
        status: column::optional_number(row, 1)?,
        error: column::optional_string(row, 2)?,
        duration_ms: column::number(row, 3)?,
    })
}
