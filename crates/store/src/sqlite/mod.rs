//! SQLite: two files, nothing else to install.
//!
//! One file holds the published data, the other the latency-sensitive data: keys, usage, settings, leases, webhooks
//! and their messages. Each has one writer and several readers, so a publication of millions of rows, by this or
//! another process, does not block the accounts. With write-ahead logging, reads continue during a write, and
//! other processes (the command line, a synchronisation) may write the same files at the same time. No call blocks the
//! async runtime: every statement runs on a blocking thread.

mod connection;
mod failure;
mod file;
mod load;
mod pair;
mod readers;
mod row;
mod schema;
mod separation;
mod stamp;
mod transaction;
mod writer;

use std::path::PathBuf;
use std::time::SystemTime;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use lastro_model::{Edition, Source};

use crate::blocking::blocking;
use crate::calls::PoolState;
use crate::engine::{Change, Database, Engine, LargeChange, Presence, Question, Stamp};
use crate::{Loaded, Result};
use connection::OpenReader;
use pair::Paths;
use readers::Readers;
use writer::Writer;

#[derive(Debug)]
pub(crate) struct Sqlite {
    data: DatabaseFile,
    accounts: DatabaseFile,
}

/// One of the two files, with its writer and readers.
#[derive(Debug)]
struct DatabaseFile {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
}

impl DatabaseFile {
    fn new(path: PathBuf, writer: rusqlite::Connection, open_reader: OpenReader) -> Self {
        Self { writer: Writer::new(writer), readers: Readers::new(path.clone(), open_reader), path }
    }
}

impl Sqlite {
    pub(crate) async fn open(path: PathBuf, presence: Presence) -> Result<Self> {
        blocking(move || {
            let paths = Paths::of(path);
            let (opened, open_reader): (_, OpenReader) = match presence {
                Presence::Untouched => (pair::open_untouched(&paths)?, connection::open_untouched),
                _ => (pair::open(&paths, presence)?, connection::open_reader),
            };
            Ok(Self {
                data: DatabaseFile::new(paths.data, opened.data, open_reader),
                accounts: DatabaseFile::new(paths.accounts, opened.accounts, open_reader),
            })
        })
        .await
    }

    fn file(&self, database: Database) -> &DatabaseFile {
        match database {
            Database::Data => &self.data,
            Database::Accounts => &self.accounts,
        }
    }

    /// Moves a publication's writes from the log into the file. The data is safe without it, so a failure does not
    /// fail the publication; the next one retries.
    async fn fold_log(&self) {
        let path = self.data.path.clone();
        if let Err(error) = blocking(move || connection::fold_log(&path)).await {
            tracing::debug!(%error, "the write-ahead log could not be checkpointed");
        }
    }
}

#[async_trait]
impl Engine for Sqlite {
    async fn read(&self, database: Database, question: Question) -> Result<()> {
        self.file(database).readers.ask(question).await
    }

    fn read_both(&self, _: &'static str, _: Question) -> Option<BoxFuture<'_, Result<()>>> {
        None
    }

    async fn change(&self, database: Database, change: Change) -> Result<()> {
        self.file(database).writer.change(change).await
    }

    async fn publish(&self, publication: LargeChange) -> Result<()> {
        self.data.writer.publish(publication).await?;
        self.fold_log().await;
        Ok(())
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        load::whole(self.data.readers.idle(), source).await
    }

    async fn changed_filings(&self, since: Edition) -> Result<Option<Loaded>> {
        load::changed_filings(self.data.readers.idle(), since).await
    }

    async fn wipe_deleted_accounts(&self) -> Result<bool> {
        self.accounts.writer.rewrite().await
    }

    fn stamp(&self, database: Database) -> Option<Stamp> {
        stamp::stamp(&self.file(database).path, SystemTime::now())
    }

    fn clock(&self) -> Option<&'static str> {
        None
    }

    fn pool(&self) -> Option<PoolState> {
        None
    }
}
