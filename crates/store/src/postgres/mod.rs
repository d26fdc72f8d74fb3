//! PostgreSQL: one database for any number of replicas.
//!
//! Both sides of the store lie in it. Where SQLite has one writer, several write here at once: a rule names what it needs
//! for itself, and this engine locks the row that stands for it; a transaction that lost against another is run again.
//! Small questions and changes share a few connections, and at most so many threads wait for the server. Publications and
//! whole editions take long and have a connection of their own.

mod address;
mod arrays;
mod failure;
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
use lastro_model::{Edition, Source};
use tokio::runtime::Handle;

use crate::blocking::blocking;
use crate::engine::{Change, Engine, LargeChange, Presence, Question, Side, Stamp};
use crate::rules::load::Selection;
use crate::{Loaded, Options, Result, StoreError};
use failure::Cause;
use server::Server;
use session::{Kind, Line, Session, Undone};

/// As of the statement, and not of the transaction: what is measured is one round trip.
const STORE_TIME: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// A change that loses against others this often is told that they are too many.
const TRIES: u32 = 5;

/// A rule on a connection. It may be run again.
type Work = Box<dyn Fn(&Session<'_>) -> Result<()> + Send>;

pub(crate) struct Postgres {
    server: Server,
}

/// The driver's own form would tell more than the place.
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

    /// Runs something small on a shared connection, again where that may help.
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

/// What was tried already.
struct Patience {
    kind: Kind,
    tries: u32,
    reconnected: bool,
}

impl Patience {
    /// Comes back when it is worth another try, or with the error to tell.
    async fn again(&mut self, server: &Server, undone: Undone) -> Result<()> {
        match undone.failure.cause {
            Cause::Contention if self.tries + 1 < TRIES => {
                self.tries += 1;
                // Those that lost together do not meet again together.
                let longest = 10_u64 << self.tries;
                tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=longest))).await;
                Ok(())
            }
            // A connection that died while nobody looked. What may have been written is not written again.
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
    async fn read(&self, _: Side, question: Question) -> Result<()> {
        self.run(Kind::Read, Box::new(move |session| question(session))).await
    }

    async fn change(&self, _: Side, change: Change) -> Result<()> {
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

    fn stamp(&self, _: Side) -> Option<Stamp> {
        None
    }

    fn clock(&self) -> Option<&'static str> {
        Some(STORE_TIME)
    }

    /// When the bytes of deleted rows are written over is the server's business: its vacuum does, and its backups and
    /// logs are not ours to clean.
    async fn wipe_deleted_accounts(&self) -> Result<bool> {
        Ok(true)
    }
}
