//! What a publication has to announce, written down as its rows are written.
//!
//! Memory holds one announcement's rows of each event at most; what is full goes into the database as a draft. Drafts get
//! their numbers when all rows are written: whoever takes numbers keeps every other publication from its own until it
//! ends. Nothing is noted where nobody listens: a first filling of millions of rows costs one question.

use lastro_model::{Edition, Source, WebhookEvent};

use super::edition::CurrentEdition;
use super::webhook;
use crate::sql::{self, webhook as webhook_sql};
use crate::transaction::{Query, Reading, Transaction, Upserted, values};
use crate::{Publication, ROWS_ANNOUNCED, Result};

pub(super) struct Announcer {
    publication: Publication,
    before: Edition,
    addressed: u64,
    pending: Vec<Pending>,
    drafts: Drafts,
}

/// The rows of one event that are not written yet.
struct Pending {
    event: WebhookEvent,
    rows: Vec<String>,
}

impl Announcer {
    /// Data that a source begins with is no news.
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

    /// Takes note of a row, if that is news to anybody.
    pub(super) fn note(
        &mut self,
        data: &dyn Transaction,
        upserted: Upserted,
        row: impl Fn() -> Result<String>,
    ) -> Result<()> {
        let events = match upserted {
            Upserted::Added => WebhookEvent::of_new_row(self.publication.source),
            Upserted::Changed => WebhookEvent::of_changed_row(self.publication.source),
            Upserted::Known => return Ok(()),
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

    /// Writes the rest, and makes announcements of this edition of all drafts. What had its turn is cleared away: only by
    /// whoever has the number of a new edition, so that no two delete the same rows and one waits for the other.
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

/// Announcements without a number of their own. Until the end of the transaction nobody else sees them.
struct Drafts {
    /// The provisional number of the first one.
    first: i64,
    count: i64,
}

/// Far below the numbers of announcements, and of those that were set aside.
const LOWEST_DRAFT: i64 = -(1 << 62);

/// The drafts that one publication may have: over a thousand million rows.
const DRAFTS_OF_ONE: i64 = 1 << 24;

impl Drafts {
    /// No other publication has drafts of these numbers: each edition is of one source, which is published by one at a time.
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

/// Whom a publication has something to tell, as of a moment before it.
pub(super) struct Audience {
    /// The events of the source that some enabled webhook asks for.
    wanted: Vec<WebhookEvent>,
    /// Announcements up to this number have become messages: the next publication clears them away, so that whoever
    /// addresses them need not wait for one that runs.
    addressed: u64,
}

impl Audience {
    pub(super) fn of(accounts: &dyn Reading, source: Source) -> Result<Self> {
        Ok(Self { wanted: wanted(accounts, source)?, addressed: addressed(accounts)? })
    }
}

/// The number of the announcement that was addressed last.
pub(crate) fn addressed(accounts: &dyn Reading) -> Result<u64> {
    accounts.number(webhook_sql::ADDRESSED, &[])
}

fn wanted(accounts: &dyn Reading, source: Source) -> Result<Vec<WebhookEvent>> {
    let asked = accounts.rows(webhook_sql::EVENTS_WANTED, &[], |row| row.parsed(0, webhook::events))?;
    let mut events: Vec<WebhookEvent> = asked.into_iter().flatten().collect();
    let of_source = [WebhookEvent::of_new_row(source), WebhookEvent::of_changed_row(source)].concat();
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
