//! Statements on a SQLite connection. They stay prepared, so each is parsed once.

use std::cell::RefCell;
use std::ops::ControlFlow;

use rusqlite::{CachedStatement, Connection, TransactionBehavior, params_from_iter};

use crate::Result;
use crate::sql::{Each, Upsert};
use crate::transaction::{Lock, Reading, Row, Transaction, Upserted, Value, checksum};

impl Reading for Connection {
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            if each(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn keeps_checksums(&self) -> bool {
        true
    }
}

/// Runs a rule on one state of the database, that of its first statement.
pub(super) fn reading(
    connection: &Connection,
    question: impl FnOnce(&dyn Reading) -> Result<()>,
) -> Result<()> {
    let reading = connection.unchecked_transaction()?;
    question(&*reading)
}

/// Takes the lock at once rather than at the first write, so that a transaction never fails halfway for lack of it.
pub(super) fn changing(
    connection: &mut Connection,
    change: impl FnOnce(&dyn Transaction) -> Result<()>,
) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    change(&Writing { connection: &transaction, last_lock: RefCell::default() })?;
    Ok(transaction.commit()?)
}

/// A transaction that holds the write lock of its file, which implies every other lock.
struct Writing<'c> {
    connection: &'c Connection,
    last_lock: RefCell<Option<Lock>>,
}

impl Reading for Writing<'_> {
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.connection.visit(sql, values, each)
    }
}

impl Transaction for Writing<'_> {
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        Ok(self.connection.prepare_cached(sql)?.execute(params_from_iter(values))? as u64)
    }

    fn execute_each(&self, each: &Each, rows: &[Value<'_>]) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(each.one)?;
        let mut changed = 0;
        for row in rows.chunks_exact(each.columns.len().max(1)) {
            changed += statement.execute(params_from_iter(row))? as u64;
        }
        Ok(changed)
    }

    fn lock(&self, lock: Lock) -> Result<()> {
        let before = self.last_lock.replace(Some(lock));
        debug_assert!(before <= *self.last_lock.borrow(), "{:?} is taken after {before:?}", self.last_lock);
        Ok(())
    }

    fn try_lock(&self, _: Lock) -> Result<bool> {
        Ok(true)
    }

    fn upsert(
        &self,
        upsert: &Upsert,
        rows: &[Value<'_>],
        replaced: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<Vec<Upserted>> {
        let mut writer = RowWriter {
            insert: self.connection.prepare_cached(upsert.insert)?,
            stored: self.connection.prepare_cached(upsert.stored)?,
            update: self.connection.prepare_cached(upsert.update)?,
            unchecked: upsert.unchecked,
        };
        let rows = rows.chunks_exact(upsert.columns.len().max(1)).enumerate();
        rows.map(|(place, row)| writer.put(row, &mut |stored| replaced(place, stored))).collect()
    }
}

/// The statements that write a row.
struct RowWriter<'c> {
    insert: CachedStatement<'c>,
    stored: CachedStatement<'c>,
    update: CachedStatement<'c>,
    unchecked: usize,
}

impl RowWriter<'_> {
    /// Reads and updates only a row that exists, so the first filling of a table needs only the insert.
    fn put(
        &mut self,
        row: &[Value<'_>],
        replaced: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<Upserted> {
        let checksum = Value::from(checksum(&row[self.unchecked..]));
        let values = || params_from_iter(row.iter().chain([&checksum]));
        if self.insert.execute(values())? > 0 {
            return Ok(Upserted::Added);
        }
        let mut found = self.stored.query(values())?;
        let Some(stored) = found.next()? else { return Ok(Upserted::Known) };
        replaced(stored)?;
        drop(found);
        self.update.execute(values())?;
        Ok(Upserted::Changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::Source;

    fn locks(locks: &[Lock; 2]) {
        let mut connection = Connection::open_in_memory().unwrap();
        changing(&mut connection, |data| locks.iter().try_for_each(|lock| data.lock(lock.clone()))).unwrap();
    }

    #[test]
    fn locks_may_be_taken_in_their_order() {
        locks(&[Lock::Source(Source::Fx), Lock::Keys]);
    }

    #[test]
    #[should_panic(expected = "is taken after")]
    fn locks_taken_out_of_order_panic() {
        locks(&[Lock::Keys, Lock::Source(Source::Fx)]);
    }
}
