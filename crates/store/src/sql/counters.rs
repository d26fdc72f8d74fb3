//! The one read that every running server repeats twice a second: what has changed, and what there is to do.
//!
//! [`COUNTERS`] is the only statement over both databases, for engines that keep them in one.

/// Columns of the published data, one row for each source.
macro_rules! of_data {
    () => {
        "source, edition, last_attempt, last_error IS NOT NULL,
        (SELECT COALESCE(MAX(number), 0) FROM announcement WHERE number > 0)"
    };
}

/// Columns of the accounts, the same in every row.
macro_rules! of_accounts {
    () => {
        "(SELECT value FROM counter WHERE name = 'key_revision'),
        (SELECT value FROM counter WHERE name = 'addressed'),
        EXISTS (SELECT 1 FROM message WHERE due_at IS NOT NULL),
        EXISTS (SELECT 1 FROM api_key WHERE revoked = 0 AND ends_at IS NOT NULL)"
    };
}

/// Number of the columns of [`DATA_COUNTERS`], after which [`COUNTERS`] has those of [`ACCOUNT_COUNTERS`].
pub(crate) const DATA_COLUMNS: usize = 5;

pub(crate) const DATA_COUNTERS: &str = concat!("SELECT ", of_data!(), " FROM source_state");

pub(crate) const ACCOUNT_COUNTERS: &str = concat!("SELECT ", of_accounts!());

pub(crate) const COUNTERS: &str = concat!("SELECT ", of_data!(), ", ", of_accounts!(), " FROM source_state");
