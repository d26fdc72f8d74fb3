//! The current edition of a source, and the number of the next.

use jiff::Timestamp;
use lastro_model::{Edition, Source};

use crate::transaction::{Query, Reading, Row, Transaction, values};
use crate::{Result, sql};

#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentEdition {
    pub(crate) edition: Edition,
    pub(crate) published_at: Timestamp,
    /// The rows are made up.
    pub(crate) sample: bool,
}

impl CurrentEdition {
    pub(crate) fn of(data: &dyn Reading, source: Source) -> Result<Self> {
        data.one(sql::EDITION_OF, values![source.name()], read)
    }

    /// The current edition; edition zero if the source has no state yet.
    pub(super) fn or_none(data: &dyn Reading, source: Source) -> Result<Self> {
        let none = Self { edition: Edition(0), published_at: Timestamp::UNIX_EPOCH, sample: false };
        Ok(data.first(sql::EDITION_OF, values![source.name()], read)?.unwrap_or(none))
    }
}

fn read(row: &dyn Row) -> Result<CurrentEdition> {
    Ok(CurrentEdition { edition: Edition(row.number(0)?), published_at: row.time(1)?, sample: row.flag(2)? })
}

/// Takes the next edition number. All sources share one sequence.
pub(super) fn next(data: &dyn Transaction) -> Result<Edition> {
    data.number(sql::NEXT_EDITION, &[]).map(Edition)
}
