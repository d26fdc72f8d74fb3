//! What a publication has to announce, written down as its rows are written.
//!
//! Memory holds one announcement's rows of each event at most. Nothing is noted where nobody listens: a first filling of
//! millions of rows costs one question.

use lastro_model::{Edition, Source, WebhookEvent};
use rusqlite::{Connection, Transaction, params};

use super::column::{self, stored_count};
use super::load::Standing;
use super::table::Put;
use super::webhook::events_of;
use crate::sql::{self, webhook};
use crate::{Publication, ROWS_ANNOUNCED, Result};

pub(super) struct News<'t> {
    transaction: &'t Transaction<'t>,
    publication: Publication,
    batches: Vec<Batch>,
}

/// The rows of one event that are not written yet.
struct Batch {
    event: WebhookEvent,
    rows: Vec<String>,
}

impl<'t> News<'t> {
    /// The first data of a source, in however many parts it comes, and data that is made up are no news.
    pub(super) fn of(
        transaction: &'t Transaction<'t>,
        publication: Publication,
        standing: Standing,
        audience: Audience,
    ) -> Result<Self> {
        transaction.execute(sql::FORGET_ANNOUNCEMENTS, [audience.addressed])?;
        let first = publication.replace
            || standing.sample
            || standing.edition == Edition(0)
            || !was_ever_whole(transaction, publication.source)?;
        let wanted = if first || publication.sample { Vec::new() } else { audience.wanted };
        let batches = wanted.into_iter().map(|event| Batch { event, rows: Vec::new() }).collect();
        Ok(Self { transaction, publication, batches })
    }

    /// Takes note of a row, if that is news to anybody.
    pub(super) fn note(&mut self, put: Put, row: impl FnOnce() -> Result<String>) -> Result<()> {
        let event = match put {
            Put::Added => WebhookEvent::of_new_row(self.publication.source),
            Put::Changed => WebhookEvent::of_changed_row(self.publication.source),
            Put::Known => None,
        };
        let Some(batch) = self.batches.iter_mut().find(|batch| Some(batch.event) == event) else {
            return Ok(());
        };
        batch.rows.push(row()?);
        if batch.rows.len() < ROWS_ANNOUNCED {
            return Ok(());
        }
        let rows = std::mem::take(&mut batch.rows);
        let event = batch.event;
        self.write(event, &rows)
    }

    /// Writes the rest, and puts the edition under all of it.
    pub(super) fn announce(mut self, edition: Edition) -> Result<()> {
        if self.batches.is_empty() {
            return Ok(());
        }
        for Batch { event, rows } in std::mem::take(&mut self.batches) {
            if !rows.is_empty() {
                self.write(event, &rows)?;
            }
        }
        self.transaction.execute(sql::DATE_ANNOUNCEMENTS, [stored_count(edition.0)])?;
        Ok(())
    }

    fn write(&self, event: WebhookEvent, rows: &[String]) -> Result<()> {
        let number: i64 =
            self.transaction.query_row_and_then(sql::NEXT_ANNOUNCEMENT, [], |row| column::number(row, 0))?;
        let Publication { source, at, .. } = self.publication;
        let list = format!("[{}]", rows.join(","));
        self.transaction.prepare_cached(sql::INSERT_ANNOUNCEMENT)?.execute(params![
            number,
            source.name(),
            event.name(),
            at.as_millisecond(),
            list
        ])?;
        Ok(())
    }
}

fn was_ever_whole(transaction: &Transaction<'_>, source: Source) -> Result<bool> {
    let whole: i64 =
        transaction.query_row_and_then(sql::EVER_WHOLE, [source.name()], |row| column::number(row, 0))?;
    Ok(whole != 0)
}

/// Whom a publication has something to tell, as of a moment before it.
pub(super) struct Audience {
    /// The events of the source that some enabled webhook asks for.
    wanted: Vec<WebhookEvent>,
    /// Announcements up to this number have become messages: the next publication clears them away, so that whoever
    /// addresses them need not wait for one that runs.
    addressed: i64,
}

impl Audience {
    pub(super) fn of(accounts: &Connection, source: Source) -> Result<Self> {
        Ok(Self { wanted: wanted(accounts, source)?, addressed: addressed(accounts)? })
    }
}

/// The number of the announcement that was addressed last.
pub(super) fn addressed(accounts: &Connection) -> Result<i64> {
    accounts.query_row_and_then(webhook::ADDRESSED, [], |row| column::number(row, 0))
}

fn wanted(accounts: &Connection, source: Source) -> Result<Vec<WebhookEvent>> {
    let mut events: Vec<WebhookEvent> = Vec::new();
    let mut statement = accounts.prepare_cached(webhook::EVENTS_WANTED)?;
    for asked in statement.query_and_then([], |row| events_of(row, 0))? {
        events.extend(asked?);
    }
    let of_source = [WebhookEvent::of_new_row(source), WebhookEvent::of_changed_row(source)];
    events.retain(|event| of_source.contains(&Some(*event)));
    events.sort_unstable();
    events.dedup();
    Ok(events)
}
