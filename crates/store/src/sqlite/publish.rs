//! Writes a publication: rows, files, edition number, source state and announcements in one transaction.

use lastro_model::{Edition, FilingId, Source};
use rusqlite::{Row, Transaction, params, params_from_iter};
use tokio::sync::mpsc;

use super::announce::{Audience, News};
use super::change_log;
use super::column::{self, stored_count};
use super::load::{self, Standing};
use super::table::{self, Tally};
use super::{read_file, withheld};
use crate::{Condition, Publication, Published, Result, StoreError, Write, sql};

/// The messages of a publication, the first of which is already here.
pub(super) struct Inbox {
    first: Option<Write>,
    rest: mpsc::Receiver<Write>,
}

impl Inbox {
    /// Waits for the first message, so that the write lock is not taken before there is something to write.
    pub(super) async fn opened(mut rows: mpsc::Receiver<Write>) -> Result<Self> {
        let first = rows.recv().await.ok_or(StoreError::Abandoned)?;
        Ok(Self { first: Some(first), rest: rows })
    }

    fn next(&mut self) -> Result<Write> {
        self.first.take().or_else(|| self.rest.blocking_recv()).ok_or(StoreError::Abandoned)
    }
}

pub(super) fn publish(
    transaction: &Transaction<'_>,
    publication: Publication,
    mut inbox: Inbox,
    audience: Audience,
) -> Result<Published> {
    let source = publication.source;
    let standing = load::standing(transaction, source)?;
    if !holds(publication.condition, standing) {
        return Ok(Published { edition: standing.edition, added: 0, changed: 0, skipped: true });
    }
    let mut news = News::of(transaction, publication, standing, audience)?;
    if publication.replace {
        clear(transaction, source)?;
    }
    let mut tally = Tally::default();
    let whole = loop {
        match inbox.next()? {
            Write::Rows(records) => tally.write(transaction, source, &records, &mut news)?,
            Write::File(file) => read_file::remember(transaction, source, &file)?,
            Write::Withheld(points) => withheld::replace(transaction, source, &points)?,
            Write::Commit => break true,
            Write::CommitPart => break false,
        }
    };
    let edition = settle(transaction, publication, standing, &mut tally)?;
    news.announce(edition)?;
    if whole && !publication.sample {
        transaction.execute(sql::SUCCEED, params![publication.at.as_millisecond(), source.name()])?;
    }
    Ok(Published { edition, added: tally.added, changed: tally.changed, skipped: false })
}

fn holds(condition: Condition, standing: Standing) -> bool {
    match condition {
        Condition::None => true,
        Condition::NeverPublished => standing.edition == Edition(0),
        Condition::NothingOfficial => standing.edition == Edition(0) || standing.sample,
    }
}

fn clear(transaction: &Transaction<'_>, source: Source) -> Result<()> {
    transaction.execute(table::whole(source).delete, params_from_iter(table::scope(source)))?;
    withheld::replace(transaction, source, &[])?;
    read_file::forget_all(transaction, source)
}

/// The edition after the rows were written: the next one, or the standing one where all is as it was.
fn settle(
    transaction: &Transaction<'_>,
    publication: Publication,
    standing: Standing,
    tally: &mut Tally,
) -> Result<Edition> {
    let Publication { source, sample, replace, at, .. } = publication;
    if !replace && sample == standing.sample && tally.is_empty() {
        return Ok(standing.edition);
    }
    let edition = next_edition(transaction)?;
    let told = if replace { None } else { grown_extent(transaction, source, tally)? };
    let (rows, newest_day) = told.map_or_else(|| extent(transaction, source), Ok)?;
    transaction.execute(
        sql::PUBLISH,
        params![
            stored_count(edition.0),
            at.as_millisecond(),
            i64::from(sample),
            rows,
            newest_day,
            source.name()
        ],
    )?;
    if source == Source::Filings {
        // What replaces all rows, or says of all of them that they are no longer made up, changes every one.
        let changes = tally.filings.take().filter(|_| !replace && sample == standing.sample);
        change_log::write(transaction, standing.edition, edition, at, changes)?;
    }
    Ok(edition)
}

fn next_edition(transaction: &Transaction<'_>) -> Result<Edition> {
    transaction.query_row_and_then(sql::NEXT_EDITION, [], |row| Ok(Edition(column::number(row, 0)?)))
}

/// How many rows, and the latest day.
type Extent = (i64, Option<i64>);

/// The extent of the filings, where it follows from what was written: reading two million of them takes a second.
fn grown_extent(transaction: &Transaction<'_>, source: Source, tally: &Tally) -> Result<Option<Extent>> {
    if source != Source::Filings {
        return Ok(None);
    }
    let (held, newest_held) =
        transaction.query_row_and_then(sql::EXTENT_HELD, [source.name()], read_extent)?;
    let rows = held.saturating_add(stored_count(tally.added));
    let newest = tally.newest_filing.map(|(day, id)| (i64::from(day.number()), id));
    match newest.filter(|(day, _)| newest_held.is_none_or(|held| *day >= held)) {
        // It may have been written again, with an earlier day.
        Some((day, id)) if day_of(transaction, id)? == Some(day) => Ok(Some((rows, Some(day)))),
        // None was on the latest day and is on an earlier one now.
        None if tally.changed == 0 => Ok(Some((rows, newest_held))),
        _ => Ok(None),
    }
}

fn day_of(transaction: &Transaction<'_>, filing: FilingId) -> Result<Option<i64>> {
    transaction
        .query_row_and_then(sql::DAY_OF_FILING, [filing.to_string()], |row| column::optional_integer(row, 0))
}

fn extent(transaction: &Transaction<'_>, source: Source) -> Result<Extent> {
    let query = table::whole(source).extent;
    transaction.query_row_and_then(query, params_from_iter(table::scope(source)), read_extent)
}

fn read_extent(row: &Row<'_>) -> Result<Extent> {
    Ok((column::number(row, 0)?, column::optional_integer(row, 1)?))
}
