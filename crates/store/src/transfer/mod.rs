//! Moves everything that a database holds to another one, of the same kind or not.
//!
//! The target is marked as unfinished first, and no service starts on it before the mark is removed. Rows are copied in
//! the order of their keys, in transactions of their own, so that an interrupted transfer goes on after the last key
//! that the target holds. The mark is removed when the tables of both databases were read again and are the same. The
//! source is only read. Both databases must be out of service.

mod copying;
mod page;
mod statements;

use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use lastro_model::Clock;

pub use copying::{TransferProgress, TransferStep, TransferredTable};

use crate::engine::{Database, Presence};
use crate::rules::SqlStore;
use crate::setting::UNFINISHED;
use crate::sql::account as sql;
use crate::transaction::{Query, Reading, Transaction, values};
use crate::{
    ClockStore, DATABASE_ID, LONGEST_LEASE, LeaseStore, Options, Replica, ReplicaStore, Result, SettingStore,
    StoreError, opening,
};
use copying::{Ends, Report};

/// The lease on the target, so that two transfers do not write to it at once.
const LEASE: &str = "migration";

/// Time a killed transfer keeps its lease.
const LEASE_DURATION: Duration = Duration::from_secs(20);

const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// Knowledge that the store does not have.
#[derive(Debug, Clone, Copy)]
pub struct TransferContext<'a> {
    /// A readable name, unique to the process.
    pub holder: &'a str,
    /// The time of a database without a clock of its own.
    pub clock: &'a dyn Clock,
    pub is_alive: fn(&Replica, Timestamp) -> bool,
}

/// Moves everything from one database to another, or goes on where an interrupted call ended. Returns the tables that
/// were compared.
///
/// Not an async function: its code would be compiled again in each crate that calls it.
pub fn transfer<'a>(
    from: &'a str,
    to: &'a str,
    options: &'a Options,
    context: TransferContext<'a>,
    report: Report<'a>,
) -> BoxFuture<'a, Result<Vec<TransferredTable>>> {
    Box::pin(async move {
        let source = SqlStore::finished(opening::engine(from, options, Presence::Untouched).await?).await?;
        check_idle(&source, "source", context).await?;
        let target = SqlStore::new(opening::engine(to, options, Presence::Optional).await?);
        let transfer = Transfer { source, target, context, report };
        transfer.run().await
    })
}

struct Transfer<'a> {
    source: SqlStore,
    target: SqlStore,
    context: TransferContext<'a>,
    report: Report<'a>,
}

impl Transfer<'_> {
    async fn run(&self) -> Result<Vec<TransferredTable>> {
        let source = self.source.setting(DATABASE_ID).await?;
        let source = source.ok_or_else(|| StoreError::damaged("it has no name"))?;
        if self.target.setting(DATABASE_ID).await?.as_ref() == Some(&source) {
            return refuse("the source and the target are the same database".to_owned());
        }
        self.take_lease().await?;
        let outcome = tokio::select! {
            outcome = self.copy_and_compare(&source) => outcome,
            error = self.keep_lease() => Err(error),
        };
        // It ends by itself if it cannot be released.
        let _ = self.target.release_lease(LEASE, self.context.holder).await;
        outcome
    }

    async fn copy_and_compare(&self, source: &str) -> Result<Vec<TransferredTable>> {
        check_idle(&self.target, "target", self.context).await?;
        self.begin(source).await?;
        let ends = Ends { source: &self.source.engine, target: &self.target.engine, report: self.report };
        for table in statements::copied() {
            ends.copy(table).await?;
        }
        let mut compared = Vec::new();
        for table in statements::copied() {
            compared.push(ends.compare(table).await?);
        }
        check_idle(&self.source, "source", self.context).await?;
        self.target.engine.change(Database::Accounts, finish).await?;
        Ok(compared)
    }

    /// Marks an empty target. One that was marked for the same source is left as it is.
    async fn begin(&self, source: &str) -> Result<()> {
        match self.target.setting(UNFINISHED).await? {
            Some(begun) if begun == source => return Ok(()),
            Some(_) => {
                return refuse("the target holds an unfinished migration of another database".to_owned());
            }
            None => {}
        }
        for table in statements::copied() {
            let is_used = move |target: &dyn Reading| page::is_used(target, table);
            if self.target.engine.read(table.database, is_used).await? {
                return refuse(format!(
                    "the target is not empty (see its table {}): nothing was changed",
                    table.name
                ));
            }
        }
        self.target.setting_or(UNFINISHED, source).await.map(drop)
    }

    async fn take_lease(&self) -> Result<()> {
        let now = time(&self.target, self.context.clock).await?;
        let lease = self.target.take_lease(LEASE, self.context.holder, now, end(now)).await?;
        if lease.holder == self.context.holder {
            return Ok(());
        }
        refuse(format!(
            "{} is migrating into this database; if it was killed, try again in {} seconds",
            lease.holder,
            LEASE_DURATION.as_secs()
        ))
    }

    /// Renews the lease until another process has taken it. Other failures show in the transfer itself.
    async fn keep_lease(&self) -> StoreError {
        loop {
            tokio::time::sleep(RENEWED_EVERY).await;
            let Ok(now) = time(&self.target, self.context.clock).await else { continue };
            if self.target.renew_lease(LEASE, self.context.holder, end(now)).await == Ok(false) {
                return StoreError::Transfer("another migration has taken over this database".to_owned());
            }
        }
    }
}

fn refuse<T>(sentence: String) -> Result<T> {
    Err(StoreError::Transfer(sentence))
}

fn finish(accounts: &dyn Transaction) -> Result<()> {
    accounts.execute(sql::DELETE_SETTING, values![UNFINISHED]).map(drop)
}

/// Fails if a server or another process works on a database.
async fn check_idle(store: &SqlStore, which: &str, context: TransferContext<'_>) -> Result<()> {
    let now = time(store, context.clock).await?;
    let servers = store.replicas().await?.into_iter().filter(|server| (context.is_alive)(server, now));
    let servers: Vec<String> = servers.map(|server| server.name).collect();
    if !servers.is_empty() {
        return refuse(format!(
            "the {which} is in service ({}): stop every server first; one that was killed counts for ten seconds",
            servers.join(", ")
        ));
    }
    let latest = now.saturating_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX);
    let holder = context.holder.to_owned();
    let others = move |accounts: &dyn Reading| {
        let mut holders = accounts.rows(sql::LEASE_HOLDERS, values![now, latest], |row| row.string(0))?;
        holders.retain(|other| *other != holder);
        Ok(holders)
    };
    let holders = store.engine.read(Database::Accounts, others).await?;
    if holders.is_empty() {
        return Ok(());
    }
    refuse(format!(
        "{} works on the {which}: let it finish first; one that was killed counts until its lease ends",
        holders.join(", ")
    ))
}

async fn time(store: &SqlStore, clock: &dyn Clock) -> Result<Timestamp> {
    Ok(store.time().await?.unwrap_or_else(|| clock.now().timestamp()))
}

fn end(now: Timestamp) -> Timestamp {
    now.saturating_add(LEASE_DURATION).unwrap_or(now)
}
