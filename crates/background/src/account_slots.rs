//! Limits on the concurrent work of each account.

use std::sync::Arc;

use hashbrown::HashMap;
use lastro_model::AccountId;
use parking_lot::Mutex;

/// The slots in use, by account.
#[derive(Debug, Default)]
pub struct AccountSlots(Mutex<HashMap<AccountId, usize>>);

/// A slot of an account, released on drop.
#[derive(Debug)]
pub struct AccountSlot {
    slots: Arc<AccountSlots>,
    account: AccountId,
}

impl AccountSlots {
    /// Takes a slot, unless the account has `most` of them already.
    pub fn take(self: &Arc<Self>, account: AccountId, most: usize) -> Option<AccountSlot> {
        let mut taken = self.0.lock();
        let count = taken.entry(account).or_insert(0);
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(AccountSlot { slots: Arc::clone(self), account })
    }

    /// The slots in use by all accounts.
    pub fn count(&self) -> usize {
        self.0.lock().values().sum()
    }
}

impl Drop for AccountSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.0.lock();
        if let Some(count) = taken.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::KeyId;

    #[test]
    fn an_account_has_as_many_slots_as_allowed() {
        let slots = Arc::new(AccountSlots::default());
        let take = |name| slots.take(AccountId(KeyId::parse(name).unwrap()), 4);
        let mut taken: Vec<AccountSlot> = (0..4).map(|_| take("aaaaaaaa").unwrap()).collect();
        assert!(take("aaaaaaaa").is_none());
        assert!(take("bbbbbbbb").is_some());
        taken.pop();
        assert!(take("aaaaaaaa").is_some());
        drop(taken);
        assert_eq!(slots.count(), 0);
    }
}
