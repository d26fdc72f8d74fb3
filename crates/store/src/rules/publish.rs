//! Writes a publication: rows, their revisions, files, edition number, source state and announcements in one
//! transaction.

use lastro_model::{Edition, FilingId, Records, Source};
use tokio::sync::mpsc;

use super::announce::{Announcer, Audience};
use super::change_writer::{self, ChangeWriter};
use super::edition::{self, CurrentEdition};
use super::recording::Recorder;
use super::tally::{Listeners, Tally};
use super::{filing_log, read_file, source_state, table, withheld};
use crate::transaction::{Query, Reading, Row, Transaction, values};
use crate::{Condition, Publication, PublicationItem, Published, Result, StoreError, sql};

/// The writes of a publication, some or all of them already received.
pub(super) struct Writes {
    here: std::vec::IntoIter<PublicationItem>,
    rest: Option<mpsc::Receiver<PublicationItem>>,
}

impl Writes {
    /// Waits for the first write, so that no lock is taken before there is something to write.
    pub(super) async fn begun(mut rows: mpsc::Receiver<PublicationItem>) -> Result<Self> {
        let first = rows.recv().await.ok_or(StoreError::Abandoned)?;
        Ok(Self { here: vec![first].into_iter(), rest: Some(rows) })
    }

    /// A complete publication of these rows.
    pub(super) fn whole(rows: Records) -> Self {
        Self { here: vec![PublicationItem::Rows(rows), PublicationItem::Commit].into_iter(), rest: None }
    }

    fn next(&mut self) -> Result<PublicationItem> {
        let rest = self.rest.as_mut();
        self.here.next().or_else(|| rest?.blocking_recv()).ok_or(StoreError::Abandoned)
    }
}

/// Locks the source and publishes.
pub(super) fn publish_alone(
    data: &dyn Transaction,
    publication: Publication,
    writes: Writes,
    audience: &Audience,
) -> Result<Published> {
    source_state::lock(data, [publication.source])?;
    publish(data, publication, writes, audience)
}

/// Publishes a source that is locked.
pub(super) fn publish(
    data: &dyn Transaction,
    publication: Publication,
    mut writes: Writes,
    audience: &Audience,
) -> Result<Published> {
    let source = publication.source;
    let current = CurrentEdition::of(data, source)?;
    if !holds(publication.condition, current) {
        return Ok(Published { edition: current.edition, added: 0, changed: 0, skipped: true });
    }
    let first = is_first(data, publication, current)?;
    let begins = first || publication.replace;
    let mut announcer = Announcer::of(publication, current, audience, begins);
    let recorder = Recorder::of(data, publication, current, begins)?;
    // Tickers are replaced every time, and logged as changes of their companies.
    let mut changes =
        ChangeWriter::of(data, publication, current, first || begins && source != Source::Tickers)?;
    if publication.replace {
        clear(data, source)?;
    }
    // First data is not compared with the rows of an interrupted first publication.
    let mut tally = Tally::of(!begins);
    let mut to = Listeners { announcer: &mut announcer, recorder: &recorder, changes: &mut changes };
    let whole = loop {
        match writes.next()? {
            PublicationItem::Rows(records) => tally.write(data, publication, &records, &mut to)?,
            PublicationItem::HeldBack(filings) => {
                filings.iter().for_each(|filing| tally.listing.note_filing(filing, None));
            }
            PublicationItem::UpToToday => tally.listing.end_today(data, publication)?,
            PublicationItem::EndOfList(file) => tally.listing.end(data, file)?,
            PublicationItem::File(file) => read_file::remember(data, source, &file)?,
            PublicationItem::Withheld(points) => withheld::replace(data, source, &points)?,
            PublicationItem::Commit => break true,
            PublicationItem::CommitPart => break false,
        }
    };
    tally.withdraw(data, publication.at, &mut to)?;
    let edition = settle(data, publication, current, &mut tally)?;
    recorder.finish(data, current.edition, edition)?;
    changes.finish(data, edition, source_state::rows_shown(data, change_writer::dataset(source))?)?;
    announcer.announce(data, edition)?;
    if whole && !publication.sample {
        source_state::note_attempt(data, source, publication.at, None)?;
    }
    Ok(Published { edition, added: tally.added, changed: tally.changed, skipped: false })
}

fn holds(condition: Condition, current: CurrentEdition) -> bool {
    match condition {
        Condition::None => true,
        Condition::NeverPublished => current.edition == Edition(0),
        Condition::NothingOfficial => current.edition == Edition(0) || current.sample,
    }
}

/// Whether the publication is made up, or part of the first data of a source, in however many parts it comes: no
/// comparable data existed before.
fn is_first(data: &dyn Reading, publication: Publication, current: CurrentEdition) -> Result<bool> {
    let first = publication.sample || current.sample || current.edition == Edition(0);
    Ok(first || !was_ever_whole(data, publication.source)?)
}

fn was_ever_whole(data: &dyn Reading, source: Source) -> Result<bool> {
    data.one(sql::EVER_WHOLE, values![source.name()], |row| row.flag(0))
}

fn clear(data: &dyn Transaction, source: Source) -> Result<()> {
    data.execute(table::whole(source).delete, table::scope(source).as_slice())?;
    if source == Source::Filings {
        data.execute(sql::withdrawal::FORGET_ALL_ELSEWHERE, &[])?;
        data.execute(sql::withdrawal::FORGET_UNREAD_YEARS, &[])?;
    }
    if let Some(beside) = table::beside(source) {
        data.execute(beside.delete, &[])?;
    }
    withheld::replace(data, source, &[])?;
    read_file::forget_all(data, source)
}

/// The edition after the rows were written: the next one, or the current one if nothing changed.
fn settle(
    data: &dyn Transaction,
    publication: Publication,
    current: CurrentEdition,
    tally: &mut Tally,
) -> Result<Edition> {
    let Publication { source, sample, replace, at, .. } = publication;
    if !replace && sample == current.sample && tally.is_empty() {
        return Ok(current.edition);
    }
    let grown = if replace { None } else { grown_extent(data, source, tally)? };
    let (rows, newest_day) = grown.map_or_else(|| extent(data, source), Ok)?;
    let edition = edition::next(data)?;
    data.execute(sql::PUBLISH, values![edition, at, sample, rows, newest_day, source.name()])?;
    if source == Source::Filings {
        // Replacing all rows, or ending a sample, changes every row.
        let changes = tally.filings.take().filter(|_| !replace && sample == current.sample);
        filing_log::write(data, current.edition, edition, at, changes)?;
    }
    Ok(edition)
}

/// The number of stored rows, and the latest day of those that are listed.
type Extent = (i64, Option<i64>);

/// The extent of the filings, if it follows from the writes: reading two million of them takes a second.
fn grown_extent(data: &dyn Reading, source: Source, tally: &Tally) -> Result<Option<Extent>> {
    if source != Source::Filings {
        return Ok(None);
    }
    let (held, newest_held) = data.one(sql::EXTENT_HELD, values![source.name()], read_extent)?;
    let rows = held.saturating_add_unsigned(tally.added);
    let newest = tally.newest_filing.map(|(day, id)| (i64::from(day.number()), id));
    match newest.filter(|(day, _)| newest_held.is_none_or(|held| *day >= held)) {
        // The filing may have been written again, with an earlier day.
        Some((day, id)) if day_of(data, id)? == Some(day) => Ok(Some((rows, Some(day)))),
        // No filing can have moved from the latest day to an earlier one.
        None if tally.changed == 0 => Ok(Some((rows, newest_held))),
        _ => Ok(None),
    }
}

/// The day of a filing that is listed.
fn day_of(data: &dyn Reading, filing: FilingId) -> Result<Option<i64>> {
    data.first(sql::DAY_OF_FILING, values![filing], |row| row.number(0))
}

fn extent(data: &dyn Reading, source: Source) -> Result<Extent> {
    data.one(table::whole(source).extent, table::scope(source).as_slice(), read_extent)
}

fn read_extent(row: &dyn Row) -> Result<Extent> {
    Ok((row.number(0)?, row.optional_number(1)?))
}
