//! The processes that serve the database. Each writes only its own row, so no lock is needed.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{BySource, Edition, Source};

use super::SqlStore;
use crate::engine::Database;
use crate::sql::account::NOTE_USAGE_FLUSH;
use crate::sql::replica as sql;
use crate::transaction::{Query, Reading, Row, values};
use crate::{ClockStore, Replica, ReplicaStore, Result, StoreError};

#[async_trait]
impl ReplicaStore for SqlStore {
    async fn beat(&self, replica: Replica) -> Result<Vec<Replica>> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                let Replica { boot, name, version, started_at, seen_at, editions } = &replica;
                let editions = written(editions);
                accounts
                    .execute(sql::BEAT, values![name, version, *started_at, *seen_at, &editions, boot])?;
                all(accounts)
            })
            .await
    }

    async fn replicas(&self) -> Result<Vec<Replica>> {
        self.engine.read(Database::Accounts, all).await
    }

    async fn leave(&self, boot: &str) -> Result<()> {
        let boot = boot.to_owned();
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::LEAVE, values![&boot])?;
                Ok(())
            })
            .await
    }

    async fn forget_replicas(&self, before: Timestamp) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_REPLICAS, values![before])
            })
            .await
    }
}

impl SqlStore {
    /// Writes a heartbeat and a batch of usage, and takes both back. Fails if they cannot be written.
    pub(crate) async fn rehearse_write(&self) -> Result<()> {
        let rehearsed = self.engine.change(Database::Accounts, |accounts| {
            let (boot, at) = ("rehearsal", Timestamp::UNIX_EPOCH);
            accounts.execute(sql::BEAT, values![boot, boot, at, at, "", boot])?;
            accounts.execute(NOTE_USAGE_FLUSH, values![boot, 0_u64, at])?;
            Err::<(), _>(StoreError::Abandoned)
        });
        match rehearsed.await {
            Err(StoreError::Abandoned) => Ok(()),
            other => other,
        }
    }
}

#[async_trait]
impl ClockStore for SqlStore {
    async fn time(&self) -> Result<Option<Timestamp>> {
        let Some(clock) = self.engine.backend.clock() else { return Ok(None) };
        let time =
            self.engine.read(Database::Data, move |data| data.one(clock, values![], |row| row.time(0)));
        time.await.map(Some)
    }
}

fn all(accounts: &dyn Reading) -> Result<Vec<Replica>> {
    accounts.rows(sql::REPLICAS, &[], replica)
}

fn replica(row: &dyn Row) -> Result<Replica> {
    Ok(Replica {
        boot: row.string(0)?,
        name: row.string(1)?,
        version: row.string(2)?,
        started_at: row.time(3)?,
        seen_at: row.time(4)?,
        editions: parsed(row.text(5)?),
    })
}

/// Formats editions like `selic=4 cdi=7`.
fn written(editions: &BySource<Option<Edition>>) -> String {
    let served = editions.iter().filter_map(|(source, edition)| edition.map(|edition| (source, edition)));
    let words: Vec<String> = served.map(|(source, edition)| format!("{source}={}", edition.0)).collect();
    words.join(" ")
}

/// Parses editions. Another version may have written them, so unknown parts are skipped.
fn parsed(text: &str) -> BySource<Option<Edition>> {
    let mut editions = BySource::default();
    for (name, number) in text.split(' ').filter_map(|word| word.split_once('=')) {
        if let (Ok(source), Ok(number)) = (Source::parse(name), number.parse()) {
            editions[source] = Some(Edition(number));
        }
    }
    editions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unknown_parts_of_editions_are_skipped() {
        let editions =
            parsed("fx=7 gold=3 filings=many cdi companies= =4 selic=-1  ipca=18446744073709551616");
        let known: Vec<_> = editions.iter().filter(|(_, edition)| edition.is_some()).collect();
        assert_eq!(known, [(Source::Fx, &Some(Edition(7)))]);
    }

    proptest! {
        #[test]
        fn editions_survive_a_round_trip(numbers in proptest::collection::vec(any::<Option<u64>>(), Source::ALL.len())) {
            let mut numbers = numbers.into_iter();
            let editions = BySource::new(|_| numbers.next().flatten().map(Edition));
            prop_assert_eq!(parsed(&written(&editions)), editions);
        }

        #[test]
        fn no_text_panics(text in ".*") {
            parsed(&text);
        }
    }
}
