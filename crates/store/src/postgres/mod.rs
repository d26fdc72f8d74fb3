//! PostgreSQL: one database for any number of replicas.
//!
//! It holds both sides of the store. Unlike SQLite it has several writers at once: a rule names the locks it needs,
//! and this engine locks the rows that represent them; a transaction that lost a conflict is retried. Small reads and
//! changes share a few connections, which also limits the threads that wait for the server. Publications and whole
//! editions take long and have their own connections.

mod address;
mod arrays;
mod failure;
mod glance;
mod load;
mod lock;
mod row;
mod schema;
mod server;
mod session;
mod tls;
mod upsert;

use std::fmt;
use std::time::Duration;

pub(crate) use address::ServerAddress;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use lastro_model::{Edition, Source};
use tokio::runtime::Handle;

use crate::blocking::blocking;
use crate::calls::PoolState;
use crate::engine::{Change, Database, Engine, LargeChange, Presence, Question, Stamp};
use crate::rules::load::Selection;
use crate::{Loaded, Options, Result, StoreError};
use failure::Cause;
use server::Server;
use session::{Kind, Line, Session, Undone};

/// Time of the statement, not of the transaction, so that one round trip is measured.
const STORE_TIME: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Maximum number of tries of a change that conflicts with others. It then fails.
const TRIES: u32 = 5;

/// A rule to run on a connection. It may be retried.
type Work = Box<dyn Fn(&Session<'_>) -> Result<()> + Send>;

pub(crate) struct Postgres {
    server: Server,
}

/// Prints only the address: the driver's own output would reveal more.
impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Postgres").field(&self.server.address).finish()
    }
}

impl Postgres {
    pub(crate) async fn open(address: ServerAddress, options: &Options, presence: Presence) -> Result<Self> {
        let server = Server::at(address.with(options), options)?;
        let connection = server.connect().await?;
        schema::bring_up_to_date(&connection, &server.address.to_string(), presence).await?;
        Ok(Self { server })
    }

    /// Runs a small rule on a shared connection, with retries that may help.
    async fn run(&self, kind: Kind, mut work: Work) -> Result<()> {
        let mut patience = Patience { kind, tries: 0, reconnected: false };
        loop {
            let lent = self.server.lend().await?;
            let (runtime, answered_within) = (Handle::current(), self.server.answers_within(kind));
            let attempt = blocking(move || {
                let line = Line { client: lent.client()?, runtime: &runtime, answered_within };
                let outcome = Session::run(line, kind, &work);
                lent.give_back(outcome.as_ref().map_or_else(|undone| undone.clean, |()| true));
                Ok((work, outcome))
            });
            let (back, outcome) = attempt.await?;
            match outcome {
                Ok(()) => return Ok(()),
                Err(undone) => patience.again(&self.server, undone).await?,
            }
            work = back;
        }
    }
}

/// The retries so far.
struct Patience {
    kind: Kind,
    tries: u32,
    reconnected: bool,
}

impl Patience {
    /// Returns if another try is worthwhile, or fails with the error to report.
    async fn again(&mut self, server: &Server, undone: Undone) -> Result<()> {
        match undone.failure.cause {
            Cause::Contention if self.tries + 1 < TRIES => {
                self.tries += 1;
                // A random delay, so that conflicting transactions do not collide again.
                let longest = 10_u64 << self.tries;
                tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=longest))).await;
                Ok(())
            }
            // The connection died while idle. Anything that may have been written is not written again.
            Cause::Lost if !self.reconnected && (self.kind == Kind::Read || !undone.begun) => {
                self.reconnected = true;
                server.distrust();
                Ok(())
            }
            _ => Err(undone.failure.error),
        }
    }
}

#[async_trait]
impl Engine for Postgres {
    async fn read(&self, _: Database, question: Question) -> Result<()> {
        self.run(Kind::Read, Box::new(move |session| question(session))).await
    }

    fn read_both(&self, statement: &'static str, question: Question) -> Option<BoxFuture<'_, Result<()>>> {
        Some(Box::pin(async move {
            let rows = glance::rows(&self.server, statement).await?;
            question(&glance::Fetched { statement, rows })
        }))
    }

    async fn change(&self, _: Database, change: Change) -> Result<()> {
        self.run(Kind::Change, Box::new(move |session| change(session))).await
    }

    async fn publish(&self, publication: LargeChange) -> Result<()> {
        let connection = self.server.connect().await?;
        let (runtime, answered_within) = (Handle::current(), self.server.answers_within(Kind::Publication));
        blocking(move || {
            let line = Line { client: &connection, runtime: &runtime, answered_within };
            Session::run(line, Kind::Publication, |session| publication(session))
                .map_err(|undone| undone.failure.error)
        })
        .await
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        let loaded = load::begin(&self.server, source, Selection::Whole).await?;
        loaded.ok_or_else(|| StoreError::Backend("an edition was not found".to_owned()))
    }

    async fn changed_filings(&self, since: Edition) -> Result<Option<Loaded>> {
        load::begin(&self.server, Source::Filings, Selection::ChangedSince(since)).await
    }

    fn stamp(&self, _: Database) -> Option<Stamp> {
        None
    }

    fn clock(&self) -> Option<&'static str> {
        Some(STORE_TIME)
    }

    fn pool(&self) -> Option<PoolState> {
        Some(self.server.pool_state())
    }

    /// The server overwrites the bytes of deleted rows by its vacuum; its backups and logs are outside our control.
    async fn wipe_deleted_accounts(&self) -> Result<bool> {
        Ok(true)
    }
}
