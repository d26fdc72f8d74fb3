//! Errors of the store, in sentences for operators. None contains SQL, a key or an address.

use std::path::PathBuf;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A database of another program. Nothing in it was changed.
    #[error("{database} is not a Lastro database; it was left as it is")]
    Foreign { database: String },

    #[error("there is no database at {database}")]
    Missing { database: String },

    /// The published data exists without the customers' keys. Starting without them would lock everybody out.
    #[error(
        "the file {} is missing, which holds the keys and accounts of this database; restore it from a backup, \
         or move the database away to start anew",
        path.display()
    )]
    AccountsMissing { path: PathBuf },

    #[error(
        "{} and {} are not of one database; restore both from backups of the same one",
        data.display(),
        accounts.display()
    )]
    ForeignPair { data: PathBuf, accounts: PathBuf },

    #[error("the database is damaged: {what}; restore it from a backup, or move the file away to start anew")]
    Corrupt { what: String },

    #[error(
        "the database was written by a newer version of Lastro (its schema is {found}, this version knows {known})"
    )]
    TooNew { found: u32, known: u32 },

    /// A database that must not be changed lacks migrations.
    #[error(
        "{database} has the schema of an older version of Lastro; start the service on it once with this version, \
         stop it, and try again"
    )]
    Outdated { database: String },

    /// The database is the target of a transfer that was interrupted.
    #[error(
        "the migration into this database has not finished; run the same `lastro migrate` again, or remove the \
         database to start anew"
    )]
    Unfinished,

    /// A transfer that cannot begin, or whose result is not the same as its source.
    #[error("{0}")]
    Transfer(String),

    /// An applied migration differs from the one compiled in.
    #[error("schema migration {version} differs from the one that this database was built with")]
    Altered { version: u32 },

    /// Another process or thread is writing. The same call may succeed later.
    #[error("the database is busy with another write; try again")]
    Busy,

    /// Retention has deleted changes that a reader of the log has not read.
    #[error("the log of changes no longer reaches back that far")]
    Forgotten,

    /// The database server does not reply. The same call may succeed later.
    #[error("the database cannot be reached ({why}); try again")]
    Unreachable { why: String },

    /// The database can be read, but it or its user may not be written. The same call may succeed later.
    #[error("the database cannot be written: {why}")]
    Unwritable { why: String },

    #[error("{0}")]
    Unsupported(String),

    #[error("there is no such key")]
    NotFound,

    #[error("the key id is taken")]
    KeyIdTaken,

    /// The key has an end already, so it cannot be rotated.
    #[error("the key has ended or is ending")]
    KeyEnded,

    /// The owner cannot enable a webhook that the operator disabled.
    #[error("the operator disabled the webhook")]
    WebhookDisabledByOperator,

    /// The rows of a publication ended without a commit. Nothing was changed.
    #[error("the publication was abandoned before its end; nothing was changed")]
    Abandoned,

    /// Rows of one kind were passed for a source of another kind.
    #[error("these rows are not rows of {source_name}")]
    Misplaced { source_name: &'static str },

    #[error("{0}")]
    Io(String),

    #[error("the database failed: {0}")]
    Backend(String),
}

impl StoreError {
    pub(crate) fn unwritable(why: impl Into<String>) -> Self {
        Self::Unwritable { why: why.into() }
    }

    /// Whether the database failed, as opposed to a rule that refused. Such failures are counted and logged as outages.
    pub const fn is_database_failure(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::Unreachable { .. }
                | Self::Unwritable { .. }
                | Self::Corrupt { .. }
                | Self::Io(_)
                | Self::Backend(_)
        )
    }

    /// Reports data that no version of this program can have written.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}
