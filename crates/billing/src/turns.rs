//! Turns of customers to make us call Stripe. An account has one request under way and a small allowance; all together
//! have a number of places. So few accounts cannot hold up the others, whatever they send.

use std::collections::HashMap;
use std::time::Duration;

use lastro_access::Ring;
use lastro_model::AccountId;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::BillingError;

/// Requests of all accounts that call Stripe at the same time, so that they do not use up its limits.
const PLACES: usize = 16;
/// The longest wait for a place.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// Requests of one account in a window: more than anybody needs who can decide.
const ALLOWANCE: u32 = 10;
const WINDOW_NS: u64 = 600_000_000_000;
/// Accounts that are remembered for their window: some megabytes.
const MOST_ACCOUNTS: usize = 10_000;

pub(crate) struct Turns {
    accounts: Mutex<HashMap<AccountId, Account>>,
    places: Semaphore,
}

#[derive(Default)]
struct Account {
    ring: Ring,
    is_under_way: bool,
}

/// A turn, which ends when this is dropped.
pub(crate) struct Turn<'a> {
    _under_way: UnderWay<'a>,
    _place: SemaphorePermit<'a>,
}

struct UnderWay<'a> {
    turns: &'a Turns,
    account: AccountId,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { accounts: Mutex::default(), places: Semaphore::new(PLACES) }
    }

    pub(crate) async fn take(&self, account: AccountId, now_ns: u64) -> Result<Turn<'_>, BillingError> {
        let under_way = self.begin(account, now_ns)?;
        match tokio::time::timeout(LONGEST_WAIT, self.places.acquire()).await {
            Ok(Ok(place)) => {
                // Only now, so that waiting in vain costs nothing. Nobody else can have taken it since.
                self.accounts.lock().entry(account).or_default().ring.take(ALLOWANCE, WINDOW_NS, now_ns);
                Ok(Turn { _under_way: under_way, _place: place })
            }
            Ok(Err(_)) | Err(_) => Err(BillingError::Busy),
        }
    }

    fn begin(&self, account: AccountId, now_ns: u64) -> Result<UnderWay<'_>, BillingError> {
        let mut accounts = self.accounts.lock();
        if accounts.len() >= MOST_ACCOUNTS && !accounts.contains_key(&account) {
            accounts.retain(|_, known| known.is_under_way || !known.ring.is_idle(WINDOW_NS, now_ns));
            if accounts.len() >= MOST_ACCOUNTS {
                return Err(BillingError::Busy);
            }
        }
        let known = accounts.entry(account).or_default();
        if known.is_under_way {
            return Err(BillingError::UnderWay);
        }
        let verdict = known.ring.peek(ALLOWANCE, WINDOW_NS, now_ns);
        if !verdict.admitted {
            return Err(BillingError::TooMany { retry_after_seconds: verdict.retry_after_seconds() });
        }
        known.is_under_way = true;
        Ok(UnderWay { turns: self, account })
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if let Some(known) = self.turns.accounts.lock().get_mut(&self.account) {
            known.is_under_way = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::KeyId;

    fn account(number: usize) -> AccountId {
        AccountId(KeyId::parse(&format!("{number:08}")).unwrap())
    }

    #[tokio::test]
    async fn an_account_has_one_request_under_way() {
        let turns = Turns::new();
        let first = turns.take(account(1), 0).await.ok().unwrap();
        assert!(matches!(turns.take(account(1), 0).await, Err(BillingError::UnderWay)));
        assert!(turns.take(account(2), 0).await.is_ok(), "another account is not held up");
        drop(first);
        assert!(turns.take(account(1), 0).await.is_ok());
    }

    #[tokio::test]
    async fn an_account_has_an_allowance() {
        let turns = Turns::new();
        for _ in 0..ALLOWANCE {
            assert!(turns.take(account(1), 0).await.is_ok());
        }
        assert!(matches!(
            turns.take(account(1), 1).await,
            Err(BillingError::TooMany { retry_after_seconds: 600 })
        ));
        assert!(turns.take(account(2), 1).await.is_ok());
        assert!(turns.take(account(1), WINDOW_NS + 1).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_place_in_vain_costs_nothing() {
        let turns = Turns::new();
        let mut held = Vec::new();
        for number in 0..PLACES {
            held.push(turns.take(account(number), 0).await.ok().unwrap());
        }
        for _ in 0..=ALLOWANCE {
            assert!(matches!(turns.take(account(PLACES), 0).await, Err(BillingError::Busy)));
        }
        let (waiting, ()) = tokio::join!(turns.take(account(PLACES), 0), async { held.clear() });
        assert!(waiting.is_ok());
    }

    #[tokio::test]
    async fn remembered_accounts_are_bounded() {
        let turns = Turns::new();
        for number in 0..MOST_ACCOUNTS {
            assert!(turns.take(account(number), 0).await.is_ok());
        }
        assert!(matches!(turns.take(account(MOST_ACCOUNTS), 1).await, Err(BillingError::Busy)));
        assert!(turns.take(account(0), 1).await.is_ok());
        assert!(turns.take(account(MOST_ACCOUNTS), 2 * WINDOW_NS).await.is_ok());
        assert_eq!(turns.accounts.lock().len(), 1);
    }
}
