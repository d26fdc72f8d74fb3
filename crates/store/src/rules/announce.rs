//! Announcements of a publication, written along with its rows.
//!
//! Memory holds at most one announcement's rows per event; a full one is written to the database as a draft. Drafts
//! get their numbers after all rows, because taking numbers blocks every other publication's until the transaction
//! ends. Nothing is written without subscribers: a first filling of millions of rows costs one query.

use lastro_model::{Edition, Source, WebhookEvent};

use super::edition::CurrentEdition;
use super::webhook;
use crate::sql::{self, webhook as webhook_sql};
use crate::transaction::{Query, Reading, Transaction, values};
use crate::{Publication, ROWS_ANNOUNCED, Result};

/// A change of a row, as announced. A withdrawn row that is listed again is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowChange {
    Created,
    Updated,
    Removed,
}

pub(super) struct Announcer {
    publication: Publication,
    before: Edition,
    addressed: u64,
    pending: Vec<Pending>,
    drafts: Drafts,
}

/// The rows of one event that are not yet written.
struct Pending {
    event: WebhookEvent,
    rows: Vec<String>,
}

impl Announcer {
    /// Announces nothing if the source `begins`: first data is not news.
    pub(super) fn of(
        publication: Publication,
        current: CurrentEdition,
        audience: &Audience,
        begins: bool,
    ) -> Self {
        let wanted: &[WebhookEvent] = if begins { &[] } else { &audience.wanted };
        let pending = wanted.iter().map(|event| Pending { event: *event, rows: Vec::new() }).collect();
        let (before, addressed) = (current.edition, audience.addressed);
        Self { publication, before, addressed, pending, drafts: Drafts::after(before) }
    }

    /// Adds a row to the events that are wanted for it.
    pub(super) fn note(
        &mut self,
        data: &dyn Transaction,
        change: RowChange,
        row: impl Fn() -> Result<String>,
    ) -> Result<()> {
        let source = self.publication.source;
        let events = match change {
            RowChange::Created => WebhookEvent::of_new_row(source),
            RowChange::Updated => WebhookEvent::of_changed_row(source),
            RowChange::Removed => [WebhookEvent::of_removed_row(source), None],
        };
        for pending in self.pending.iter_mut().filter(|pending| events.contains(&Some(pending.event))) {
            pending.rows.push(row()?);
            if pending.rows.len() >= ROWS_ANNOUNCED {
                let rows = std::mem::take(&mut pending.rows);
                self.drafts.write(data, self.publication, pending.event, &rows)?;
            }
        }
        Ok(())
    }

    /// Writes the rest, and turns all drafts into announcements of this edition. Deletes those already fanned out, but
    /// only with a new edition number: two publications must not delete the same rows.
    pub(super) fn announce(mut self, data: &dyn Transaction, edition: Edition) -> Result<()> {
        if edition != self.before {
            data.execute(sql::FORGET_ANNOUNCEMENTS, values![self.addressed])?;
        }
        for Pending { event, rows } in &self.pending {
            if !rows.is_empty() {
                self.drafts.write(data, self.publication, *event, rows)?;
            }
        }
        self.drafts.issue(data, edition)
    }
}

/// Announcements without a final number, invisible to others until the transaction ends.
struct Drafts {
    /// The provisional number of the first one.
    first: i64,
    count: i64,
}

/// Far below the numbers of announcements, including those set aside.
const LOWEST_DRAFT: i64 = -(1 << 62);

/// Maximum number of drafts of one publication: over a thousand million rows.
const DRAFTS_OF_ONE: i64 = 1 << 24;

impl Drafts {
    /// Draft numbers of this publication only: an edition belongs to one source, with one publication at a time.
    fn after(current: Edition) -> Self {
        let place = i64::try_from(current.0).unwrap_or(i64::MAX);
        Self { first: LOWEST_DRAFT.saturating_add(place.saturating_mul(DRAFTS_OF_ONE)), count: 0 }
    }

    fn write(
        &mut self,
        data: &dyn Transaction,
        Publication { source, at, .. }: Publication,
        event: WebhookEvent,
        rows: &[String],
    ) -> Result<()> {
        let list = format!("[{}]", rows.join(","));
        let values = values![self.first + self.count, source.name(), event.name(), at, list];
        data.execute(sql::INSERT_ANNOUNCEMENT, values)?;
        self.count += 1;
        Ok(())
    }

    fn issue(self, data: &dyn Transaction, edition: Edition) -> Result<()> {
        let Self { first, count } = self;
        if count == 0 {
            return Ok(());
        }
        let last_number: i64 = data.number(sql::NEXT_ANNOUNCEMENTS, values![count])?;
        let last = first + count - 1;
        data.execute(sql::ISSUE_ANNOUNCEMENTS, values![last_number - last, edition, first, last])?;
        Ok(())
    }
}

/// The subscribers of a publication, read just before it.
pub(super) struct Audience {
    /// The events of the source that some enabled webhook subscribes to.
    wanted: Vec<WebhookEvent>,
    /// Announcements up to this number have become messages. The next publication deletes them, so that fanning out
    /// need not wait for a running publication.
    addressed: u64,
}

impl Audience {
    pub(super) fn of(accounts: &dyn Reading, source: Source) -> Result<Self> {
        Ok(Self { wanted: wanted(accounts, source)?, addressed: addressed(accounts)? })
    }
}

/// The number of the last announcement that was fanned out.
pub(crate) fn addressed(accounts: &dyn Reading) -> Result<u64> {
    accounts.number(webhook_sql::ADDRESSED, &[])
}

fn wanted(accounts: &dyn Reading, source: Source) -> Result<Vec<WebhookEvent>> {
    let asked =
        accounts.rows(webhook_sql::EVENTS_WANTED, &[], |row| Ok(webhook::known_events(row.text(0)?)))?;
    let mut events: Vec<WebhookEvent> = asked.into_iter().flatten().collect();
    let [new, changed] = [WebhookEvent::of_new_row(source), WebhookEvent::of_changed_row(source)];
    let of_source = [&new[..], &changed, &[WebhookEvent::of_removed_row(source)]].concat();
    events.retain(|event| of_source.contains(&Some(*event)));
    if let Source::Series(series) = source
        && webhook::is_series_wanted(accounts, series)?
    {
        events.push(WebhookEvent::AnySeriesUpdated);
    }
    events.sort_unstable();
    events.dedup();
    Ok(events)
}
