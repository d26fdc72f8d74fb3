//! Claims of messages to be delivered now.

use lastro_model::{MessageId, Plan, Webhook};

use super::webhook::with_plans;
use crate::sql::webhook as sql;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{Claim, Claimed, Result};

/// The webhooks with a message that this claim may take.
pub(super) fn claimable(accounts: &dyn Reading, claim: &Claim) -> Result<Vec<Webhook>> {
    let values = values![claim.now, beyond(claim), plan_list(&claim.plans), claim.most];
    let found = with_plans(accounts, sql::CLAIMABLE, values)?;
    Ok(found.into_iter().map(|(webhook, _)| webhook).collect())
}

/// Claims the longest due message of each webhook, unless another process was faster.
pub(super) fn claim_due(accounts: &dyn Transaction, claim: &Claim) -> Result<Vec<Claimed>> {
    let mut claimed = Vec::new();
    for webhook in claimable(accounts, claim)? {
        if accounts.try_lock(Lock::Webhook(webhook.id.clone()))? {
            claimed.extend(claim_of(accounts, claim, &webhook)?);
        }
    }
    Ok(claimed)
}

/// Checks again: before the lock, the message may have been delivered or the lease taken.
fn claim_of(accounts: &dyn Transaction, claim: &Claim, webhook: &Webhook) -> Result<Option<Claimed>> {
    let due = values![&webhook.id, claim.now, beyond(claim)];
    let read = |row: &dyn Row| {
        Ok(Claimed {
            webhook: webhook.clone(),
            message: row.parsed(0, MessageId::parse)?,
            body: row.string(1)?,
            tries: row.number(2)?,
            due_at: row.time(3)?,
            asked: row.number(4)?,
        })
    };
    let Some(claimed) = accounts.first(sql::NEXT_DUE, due, read)? else { return Ok(None) };
    let lease = values![&claim.holder, claim.until, &webhook.id, claim.now, beyond(claim)];
    let is_ours = accounts.execute(sql::LEASE, lease)? > 0;
    Ok(is_ours.then_some(claimed))
}

/// The latest valid due time or lease end: neither the retry schedule nor a receiver delays a message over two days.
fn beyond(claim: &Claim) -> i64 {
    const LONGEST_MS: i64 = 2 * 24 * 3_600_000;
    claim.now.as_millisecond().saturating_add(LONGEST_MS)
}

/// The plans as the statement expects them: each with a comma before and after it.
fn plan_list(plans: &[Plan]) -> String {
    plans.iter().fold(",".to_owned(), |list, plan| list + plan.id() + ",")
}
