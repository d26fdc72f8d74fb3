//! The changes in service, as sent to clients.
//!
//! The store's log is the truth. [`tail`] has its newest part in memory, rendered by [`entry`]; [`filter`] selects changes,
//! [`cursor`] names places in the log, [`waiting`] holds requests until there is a change for them. [`shape`] distinguishes
//! versions that show rows differently.

pub mod cursor;
pub mod entry;
pub mod filter;
pub mod shape;
pub mod tail;
pub mod waiting;

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use lastro_model::{Clock, Edition, Mark};
use lastro_store::{ChangePosition, LoggedChange, Store, StoreError};

use cursor::{CompaniesDigest, Cursor, LogIdentity, Parsed};
use entry::Entry;
use filter::{ChangeFilter, ShownChange};
use tail::{Tail, end_of, place};
use waiting::Wakeups;

use crate::account_slots::AccountSlots;

/// Batches of the log that are read at once: at most 800 changes.
const BATCHES_AT_ONCE: usize = 8;
/// Changes that one request looks at. With a filter that matches few of them it returns early, and more follow.
const MOST_EXAMINED: usize = 10_000;
/// Editions that are read at once.
const EDITIONS_AT_ONCE: usize = 5_000;

pub struct Changes {
    store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub log: LogIdentity,
    tail: ArcSwap<Tail>,
    pub wakeups: Wakeups,
    pub slots: Arc<AccountSlots>,
}

/// Some of the changes after a place.
#[derive(Debug)]
pub struct ChangePage {
    pub entries: Vec<Arc<Entry>>,
    /// The place to continue from.
    pub next: Mark,
    /// Whether more changes are in service.
    pub more: bool,
}

/// The reason why a place cannot be continued from.
#[derive(Debug)]
pub enum ReadError {
    /// The log does not reach back to it, or never had it. Holds the cursor from which on it can be followed.
    Expired {
        oldest: String,
    },
    Malformed,
    Store(StoreError),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Changes {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, log_name: &str) -> Self {
        Self {
            store,
            clock,
            log: LogIdentity::of(log_name),
            tail: ArcSwap::default(),
            wakeups: Wakeups::default(),
            slots: Arc::default(),
        }
    }

    /// The cursor of a place, for a filter that names companies by ticker or CNPJ with their digest.
    pub fn cursor(&self, mark: Mark, companies: Option<CompaniesDigest>) -> String {
        cursor::written(self.log, Cursor { mark, companies })
    }

    /// The end of the changes in service.
    pub fn mark(&self) -> Mark {
        self.tail.load().mark
    }

    /// Adds the changes up to a mark now in service, and wakes the requests that wait for them.
    pub async fn advance_to(&self, mark: Mark) -> Result<(), StoreError> {
        let before = self.tail.load_full();
        if before.mark == mark {
            return Ok(());
        }
        let tail = if before.mark == Mark::default() {
            Tail::after(mark)
        } else {
            let mut tail = (*before).clone();
            match self.extend(&mut tail, mark).await {
                // A reader that has not read them yet learns so from the store.
                Err(StoreError::Forgotten) => Tail::after(mark),
                extended => extended.map(|()| tail)?,
            }
        };
        self.tail.store(Arc::new(tail));
        self.wakeups.wake_all();
        Ok(())
    }

    async fn extend(&self, tail: &mut Tail, mark: Mark) -> Result<(), StoreError> {
        loop {
            let from = tail.mark.stamp.edition;
            let mut editions = self.store.change_editions(from, EDITIONS_AT_ONCE).await?;
            editions.retain(|edition| edition.edition <= mark.stamp.edition);
            if editions.is_empty() {
                return Ok(());
            }
            if place(self.oldest().await?) > place(tail.mark) {
                return Err(StoreError::Forgotten);
            }
            for edition in editions {
                let mut after = ChangePosition { edition: edition.edition, position: 0 };
                while after.position < edition.changes {
                    let logged = self.store.logged_changes(after, edition.edition, BATCHES_AT_ONCE).await?;
                    let Some(last) = logged.last() else { break };
                    after.position = last.position;
                    tail.push(self.rendered(&logged));
                }
                tail.end_edition(end_of(&edition));
            }
        }
    }

    fn rendered(&self, logged: &[LoggedChange]) -> Vec<Arc<Entry>> {
        logged.iter().map(|logged| Entry::of(self.log, logged)).collect()
    }

    /// Reads the place that a request names: a cursor, or `oldest` for the start of the log.
    pub async fn place_of(&self, text: &str) -> Result<Cursor, ReadError> {
        if text == "oldest" {
            return Ok(Cursor { mark: self.oldest().await?, companies: None });
        }
        let cursor = match cursor::parsed(self.log, text) {
            Parsed::Place(cursor) => cursor,
            Parsed::Foreign => return Err(self.expired().await),
            Parsed::Malformed => return Err(ReadError::Malformed),
        };
        let mark = cursor.mark;
        if self.tail.load().entries_after(mark).is_some() {
            return Ok(cursor);
        }
        let held = self.store.change_edition(mark.stamp.edition).await?;
        let is_held = held.is_some_and(|edition| {
            let end = end_of(&edition);
            end.stamp == mark.stamp && mark.position <= end.position
        });
        // The changes of the edition that the log starts after are gone.
        let oldest = self.oldest().await?;
        if is_held && place(mark) >= place(oldest) { Ok(cursor) } else { Err(self.expired().await) }
    }

    /// The refusal of a cursor that cannot be continued from.
    pub async fn expired(&self) -> ReadError {
        match self.oldest().await {
            Ok(oldest) => ReadError::Expired { oldest: self.cursor(oldest, None) },
            Err(error) => error.into(),
        }
    }

    async fn oldest(&self) -> Result<Mark, StoreError> {
        Ok(self.store.oldest_change_edition().await?.as_ref().map(end_of).unwrap_or_default())
    }

    /// The changes after a place that pass a filter, at most `limit`, if they are all in memory.
    pub fn page_in_memory(&self, after: Mark, filter: &ChangeFilter, limit: usize) -> Option<ChangePage> {
        let tail = self.tail.load();
        let mut page = Gathering::after(after, limit);
        if place(after) < place(tail.mark) {
            for entry in tail.entries_after(after)? {
                if !page.take(entry, filter) {
                    break;
                }
            }
        }
        Some(page.end(tail.mark))
    }

    /// Like [`Changes::page_in_memory`], with changes from the store where they are older. A reader whose place is
    /// no longer kept gets an error.
    pub async fn page(
        &self,
        after: Mark,
        filter: &ChangeFilter,
        limit: usize,
    ) -> Result<ChangePage, ReadError> {
        let mut gathering = Gathering::after(after, limit);
        loop {
            let tail = self.tail.load_full();
            let from = gathering.next;
            if place(from) >= place(tail.mark) {
                return Ok(gathering.end(tail.mark));
            }
            let entries = match tail.entries_after(from) {
                Some(entries) => entries.cloned().collect(),
                None => match self.read(from, tail.mark.stamp.edition).await {
                    Err(StoreError::Forgotten) => return Err(self.expired().await),
                    read => read?,
                },
            };
            let is_the_end = entries.is_empty();
            if is_the_end || !entries.iter().all(|entry| gathering.take(entry, filter)) {
                return Ok(gathering.end(tail.mark));
            }
        }
    }

    async fn read(&self, after: Mark, up_to: Edition) -> Result<Vec<Arc<Entry>>, StoreError> {
        let after = ChangePosition { edition: after.stamp.edition, position: after.position };
        let logged = self.store.logged_changes(after, up_to, BATCHES_AT_ONCE).await?;
        Ok(self.rendered(&logged))
    }

    /// Whether there is anything after a place.
    pub fn has_more(&self, after: Mark) -> bool {
        place(after) < place(self.mark())
    }
}

/// A page being filled.
struct Gathering {
    entries: Vec<Arc<Entry>>,
    next: Mark,
    limit: usize,
    examined: usize,
    is_full: bool,
}

impl Gathering {
    fn after(next: Mark, limit: usize) -> Self {
        Self { entries: Vec::new(), next, limit, examined: 0, is_full: false }
    }

    /// Looks at the next change. Returns whether there is room for more.
    fn take(&mut self, entry: &Arc<Entry>, filter: &ChangeFilter) -> bool {
        if filter.shown(entry).is_some() {
            self.entries.push(Arc::clone(entry));
        }
        self.next = entry.mark;
        self.examined += 1;
        self.is_full = self.entries.len() >= self.limit || self.examined >= MOST_EXAMINED;
        !self.is_full
    }

    /// The page, if all changes up to `mark` were looked at or there was no more room.
    fn end(mut self, mark: Mark) -> ChangePage {
        let at_end = !self.is_full || place(self.next) >= place(mark);
        if at_end && place(self.next) < place(mark) {
            self.next = mark;
        }
        ChangePage { entries: self.entries, next: self.next, more: !at_end }
    }
}

impl ChangePage {
    /// The changes as a filter shows them.
    pub fn shown<'a>(&'a self, filter: &'a ChangeFilter) -> impl Iterator<Item = ShownChange<'a>> {
        self.entries.iter().filter_map(|entry| filter.shown(entry))
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").field("mark", &self.mark()).finish_non_exhaustive()
    }
}
