//! The log of changes, written along with a publication.
//!
//! Every edition has an entry, and the rows that it changed, as JSON in batches: each with the row before and the row
//! after. An edition that cannot be logged row by row, or only with too many rows, is logged as one replacement. Changes
//! stay in memory until the edition has its number, which blocks other publications; a large publication writes them
//! under a provisional number.

use lastro_model::{Edition, Source};

use super::edition::CurrentEdition;
use super::logged;
use super::shown_companies::ShownCompanies;
use super::table::Table;
use crate::sql::change as sql;
use crate::transaction::{Transaction, values};
use crate::{MOST_CHANGES_LOGGED, Publication, Result};

/// Maximum number of changes in one row of the database.
const CHANGES_PER_BATCH: usize = 100;

/// Size of the changes in memory from which on they are written.
const BYTES_IN_MEMORY: usize = 4 << 20;

pub(super) struct ChangeWriter {
    publication: Publication,
    before: Edition,
    /// Whether the edition is logged as one replacement.
    is_replacement: bool,
    /// The companies as they were shown before, if the publication may change that.
    companies: Option<ShownCompanies>,
    pending: Vec<String>,
    pending_bytes: usize,
    written: usize,
}

impl ChangeWriter {
    /// Logs a replacement if the source `begins` with this publication, or if the log lacks its current edition.
    pub(super) fn of(
        data: &dyn Transaction,
        publication: Publication,
        current: CurrentEdition,
        begins: bool,
    ) -> Result<Self> {
        let is_replacement = begins || !logged::is_logged(data, current.edition)?;
        let shows_companies =
            matches!(Table::of(publication.source), Table::Companies | Table::TradedSecurities);
        let companies =
            if shows_companies && !is_replacement { Some(ShownCompanies::of(data)?) } else { None };
        Ok(Self {
            publication,
            before: current.edition,
            is_replacement,
            companies,
            pending: Vec::new(),
            pending_bytes: 0,
            written: 0,
        })
    }

    /// Adds a row, as JSON before and after. Companies and tickers are compared as a whole instead.
    pub(super) fn note(
        &mut self,
        data: &dyn Transaction,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<()> {
        if self.is_replacement {
            return Ok(());
        }
        if self.written + self.pending.len() >= MOST_CHANGES_LOGGED {
            return self.give_up(data);
        }
        let change = logged::row_change(old, new);
        self.pending_bytes += change.len();
        self.pending.push(change);
        if self.pending_bytes < BYTES_IN_MEMORY {
            return Ok(());
        }
        self.write_pending(data, self.draft())
    }

    /// Whether rows are compared one by one.
    pub(super) fn wants_rows(&self) -> bool {
        !self.is_replacement && self.companies.is_none()
    }

    /// Writes the rest, and the entry of the edition. The rows of the publication are written by now.
    pub(super) fn finish(mut self, data: &dyn Transaction, edition: Edition, rows: u64) -> Result<()> {
        if edition == self.before {
            return Ok(());
        }
        if let Some(before) = self.companies.take() {
            let after = ShownCompanies::of(data)?;
            before.differences(&after).try_for_each(|(old, new)| self.note(data, old, new))?;
        }
        if self.is_replacement {
            self.pending = vec![logged::replacement(dataset(self.publication.source), rows)];
        }
        if self.written > 0 {
            data.execute(sql::ISSUE_BATCHES, values![edition, self.draft()])?;
        }
        let number = i64::try_from(edition.0).unwrap_or(i64::MAX);
        self.write_pending(data, number)?;
        let Publication { source, at, .. } = self.publication;
        data.execute(sql::INSERT_EDITION, values![source.name(), at, self.written, edition]).map(drop)
    }

    /// Drops all changes: they are too many to log.
    fn give_up(&mut self, data: &dyn Transaction) -> Result<()> {
        if self.written > 0 {
            data.execute(sql::FORGET_BATCHES_OF, values![self.draft()])?;
        }
        (self.pending, self.pending_bytes, self.written) = (Vec::new(), 0, 0);
        self.is_replacement = true;
        Ok(())
    }

    fn write_pending(&mut self, data: &dyn Transaction, edition: i64) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        for batch in pending.chunks(CHANGES_PER_BATCH) {
            self.written += batch.len();
            data.execute(sql::INSERT_BATCH, values![logged::list(batch), edition, self.written])?;
        }
        self.pending_bytes = 0;
        Ok(())
    }

    /// A number that no other publication has: an edition belongs to one source, with one publication at a time.
    fn draft(&self) -> i64 {
        i64::try_from(self.before.0).map_or(i64::MIN, |before| -before - 1)
    }
}

/// The source that the rows shown belong to: tickers are shown with their companies.
pub(super) fn dataset(source: Source) -> Source {
    if source == Source::Tickers { Source::Companies } else { source }
}
