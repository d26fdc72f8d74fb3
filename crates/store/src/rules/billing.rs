//! The payments of accounts, written only over the version that was read.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, KeyId, KeyRecord, Plan, SubscriptionStatus};

use super::SqlStore;
use super::account::{plan_of, set_plan_of};
use crate::engine::Database;
use crate::sql::billing as sql;
use crate::transaction::{Lock, Query, Row, Transaction, values};
use crate::{BillingDue, BillingState, BillingStore, Result, StoreError};

#[async_trait]
impl BillingStore for SqlStore {
    async fn billing(&self, account: AccountId) -> Result<Option<BillingState>> {
        self.engine
            .read(Database::Accounts, move |accounts| accounts.first(sql::BILLING, values![&account], state))
            .await
    }

    async fn find_billing(&self, customer: &str, checkout: Option<&str>) -> Result<Option<BillingState>> {
        let (customer, checkout) = (customer.to_owned(), checkout.map(str::to_owned));
        self.engine
            .read(Database::Accounts, move |accounts| {
                accounts.first(sql::FIND_BILLING, values![&customer, &checkout], state)
            })
            .await
    }

    async fn list_billing(&self) -> Result<Vec<BillingState>> {
        self.engine.read(Database::Accounts, |accounts| accounts.rows(sql::ALL_BILLING, &[], state)).await
    }

    async fn billing_due(&self, due: BillingDue) -> Result<Vec<BillingState>> {
        self.engine
            .read(Database::Accounts, move |accounts| {
                let after = due.after.map(|account| account.to_string()).unwrap_or_default();
                let bounds = values![after, due.checkouts_before, due.subscriptions_before, due.limit];
                accounts.rows(sql::BILLING_DUE, bounds, state)
            })
            .await
    }

    async fn count_billing(&self) -> Result<Vec<(SubscriptionStatus, u64)>> {
        self.engine
            .read(Database::Accounts, |accounts| {
                accounts.rows(sql::COUNT_BILLING, &[], |row| {
                    Ok((row.parsed(0, SubscriptionStatus::parse)?, row.number(1)?))
                })
            })
            .await
    }

    async fn record_billing(
        &self,
        state: BillingState,
        plan: Option<Plan>,
    ) -> Result<Option<Vec<KeyRecord>>> {
        self.engine.change(Database::Accounts, move |accounts| record(accounts, &state, plan)).await
    }

    async fn knows_billing_event(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.engine
            .read(Database::Accounts, move |accounts| {
                Ok(accounts.number::<u32>(sql::KNOWS_BILLING_EVENT, values![&id])? > 0)
            })
            .await
    }

    async fn remember_billing_event(&self, id: &str, at: Timestamp) -> Result<()> {
        let id = id.to_owned();
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::REMEMBER_BILLING_EVENT, values![&id, at])?;
                Ok(())
            })
            .await
    }

    async fn forget_billing_events(&self, before: Timestamp) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_BILLING_EVENTS, values![before])
            })
            .await
    }
}

fn record(
    accounts: &dyn Transaction,
    state: &BillingState,
    plan: Option<Plan>,
) -> Result<Option<Vec<KeyRecord>>> {
    accounts.lock(Lock::Keys)?;
    let current = plan_of(accounts, state.account)?.ok_or(StoreError::NotFound)?;
    if !write(accounts, state)? {
        return Ok(None);
    }
    match plan {
        Some(plan) if plan != current => set_plan_of(accounts, state.account, plan).map(Some),
        _ => Ok(Some(Vec::new())),
    }
}

/// Returns whether the stored version is the one that was read.
fn write(accounts: &dyn Transaction, state: &BillingState) -> Result<bool> {
    let mut row = values![
        &state.customer,
        &state.checkout,
        &state.subscription,
        state.status.name(),
        &state.price,
        state.period_end,
        state.cancel_at_period_end,
        &state.applied,
        state.checked_at,
        &state.account,
    ]
    .to_vec();
    let rows = if state.version == 0 {
        accounts.execute(sql::INSERT_BILLING, &row)?
    } else {
        row.push(state.version.into());
        accounts.execute(sql::UPDATE_BILLING, &row)?
    };
    Ok(rows > 0)
}

fn state(row: &dyn Row) -> Result<BillingState> {
    Ok(BillingState {
        account: AccountId(row.parsed(0, KeyId::parse)?),
        customer: row.optional_string(1)?,
        checkout: row.optional_string(2)?,
        subscription: row.optional_string(3)?,
        status: row.parsed(4, SubscriptionStatus::parse)?,
        price: row.optional_string(5)?,
        period_end: row.optional_time(6)?,
        cancel_at_period_end: row.flag(7)?,
        applied: row.optional_string(8)?,
        checked_at: row.time(9)?,
        version: row.number(10)?,
    })
}
