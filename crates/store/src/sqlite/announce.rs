//! What a publication has to announce, written down as its rows are written.
//!
//! Memory holds one announcement's rows of each event at most. Nothing is noted where nobody listens: a first filling of
//! millions of rows costs one question.

use lastro_model::{Edition, Source, WebhookEvent};
use rusqlite::{Transaction, params};

use super::column::{self, stored_count};
use super::load;
use super::table::Put;
use super::webhook::events_of;
use crate::sql::{EVER_WHOLE, webhook as sql};
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
    pub(super) fn of(transaction: &'t Transaction<'t>, publication: Publication) -> Result<Self> {
        let (standing, was_sample) = load::standing(transaction, publication.source)?;
        let first = publication.replace
            || was_sample
            || standing == Edition(0)
            || !was_ever_whole(transaction, publication.source)?;
        let wanted =
            if first || publication.sample { Vec::new() } else { wanted(transaction, publication.source)? };
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
        transaction.query_row_and_then(EVER_WHOLE, [source.name()], |row| column::number(row, 0))?;
    Ok(whole != 0)
}

/// The events of a source that some enabled webhook asks for.
fn wanted(transaction: &Transaction<'_>, source: Source) -> Result<Vec<WebhookEvent>> {
    let mut events: Vec<WebhookEvent> = Vec::new();
    let mut statement = transaction.prepare_cached(sql::EVENTS_WANTED)?;
    for asked in statement.query_and_then([], |row| events_of(row, 0))? {
        events.extend(asked?);
    }
    let of_source = [WebhookEvent::of_new_row(source), WebhookEvent::of_changed_row(source)];
    events.retain(|event| of_source.contains(&Some(*event)));
    events.sort_unstable();
    events.dedup();
    Ok(events)
}
