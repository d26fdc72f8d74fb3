//! Limits on the concurrent work of each account.

use std::sync::Arc;

use hashbrown::HashMap;
use lastro_model::AccountId;
use parking_lot::Mutex;

/// The slots in use, by account, each with the time by which it is released if that is known.
#[derive(Debug, Default)]
pub struct AccountSlots(Mutex<HashMap<AccountId, Vec<Option<u64>>>>);

/// A slot of an account, released on drop.
#[derive(Debug)]
pub struct AccountSlot {
    slots: Arc<AccountSlots>,
    account: AccountId,
    end: Option<u64>,
}

/// An account without a free slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoneFree {
    /// The earliest time by which a slot is released, if any is known.
    pub until: Option<u64>,
}

impl AccountSlots {
    /// Takes a slot, unless the account has `most` of them already.
    pub fn take(self: &Arc<Self>, account: AccountId, most: usize) -> Option<AccountSlot> {
        self.take_until(account, most, None).ok()
    }

    /// Takes a slot that is released by a time, on a scale of the caller's.
    pub fn take_until(
        self: &Arc<Self>,
        account: AccountId,
        most: usize,
        end: Option<u64>,
    ) -> Result<AccountSlot, NoneFree> {
        let mut taken = self.0.lock();
        let ends = taken.entry(account).or_default();
        if ends.len() >= most {
            return Err(NoneFree { until: ends.iter().flatten().min().copied() });
        }
        ends.push(end);
        Ok(AccountSlot { slots: Arc::clone(self), account, end })
    }

    /// The slots in use by all accounts.
    pub fn count(&self) -> usize {
        self.0.lock().values().map(Vec::len).sum()
    }
}

impl Drop for AccountSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.0.lock();
        if let Some(ends) = taken.get_mut(&self.account) {
            if let Some(place) = ends.iter().position(|end| *end == self.end) {
                ends.swap_remove(place);
            }
            if ends.is_empty() {
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

    #[test]
    fn a_full_account_knows_its_earliest_end() {
        let slots = Arc::new(AccountSlots::default());
        let take = |end| slots.take_until(AccountId(KeyId::parse("aaaaaaaa").unwrap()), 3, end);
        let mut taken: Vec<AccountSlot> = [None, Some(7), Some(5)].map(|end| take(end).unwrap()).into();
        assert_eq!(take(None).unwrap_err(), NoneFree { until: Some(5) });
        drop(taken.pop());
        taken.push(take(Some(9)).unwrap());
        assert_eq!(take(None).unwrap_err(), NoneFree { until: Some(7) });
        drop(taken);
        assert_eq!(slots.count(), 0);
    }
}
