//! One statement without a transaction around it: a single round trip, and no thread that waits for it.
//!
//! It is for the read that every server repeats twice a second. A transaction would take three round trips and wake a
//! thread for each, which is most of what an idle server costs.

use std::ops::ControlFlow;

use tokio_postgres::Row as PostgresRow;

use super::failure::{Cause, Failure};
use super::server::Server;
use super::session::Kind;
use crate::transaction::{Reading, Row, Value};
use crate::{Result, StoreError};

/// Fetches the rows of a statement without values. A connection that died while idle is replaced once.
pub(super) async fn rows(server: &Server, statement: &'static str) -> Result<Vec<PostgresRow>> {
    let mut reconnected = false;
    loop {
        let lent = server.lend().await?;
        let asking = lent.client()?.query_typed(statement, &[]);
        let answered = tokio::time::timeout(server.answers_within(Kind::Read), asking).await;
        match answered.map_err(|_| Failure::silence()).and_then(|rows| Ok(rows?)) {
            Ok(rows) => {
                lent.give_back(true);
                return Ok(rows);
            }
            Err(failure) => {
                lent.give_back(failure.cause != Cause::Lost);
                if failure.cause != Cause::Lost || reconnected {
                    return Err(failure.error);
                }
                reconnected = true;
                server.distrust();
            }
        }
    }
}

/// The rows of a statement, for a rule that uses no other.
pub(super) struct Fetched {
    pub(super) statement: &'static str,
    pub(super) rows: Vec<PostgresRow>,
}

impl Reading for Fetched {
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        if sql != self.statement || !values.is_empty() {
            return Err(StoreError::Backend("a rule of one statement used another".to_owned()));
        }
        for row in &self.rows {
            if each(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
