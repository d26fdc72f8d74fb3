//! Tests of the crate's public interface, one file for each subject.

// The helpers below are test code too, but the lint only exempts functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod addresses;
mod clients;
mod issuing;
mod keyring;
mod keys;
mod limiter;
mod lookups;
mod page_work;
mod plans;
mod registrations;
mod usage;

use lastro_access::{ApiKey, Pepper};
use lastro_model::{Account, AccountId, Day, KeyId, KeyRecord, Plan};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;

/// Splitmix64: a repeatable stream of bytes for each seed.
fn randomness(mut seed: u64) -> impl FnMut(&mut [u8]) {
    move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(8) {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

fn some_key(seed: u64) -> ApiKey {
    ApiKey::generate(&mut randomness(seed))
}

fn some_pepper() -> Pepper {
    Pepper::from_bytes([7; 32])
}

fn account_id(text: &str) -> AccountId {
    AccountId(KeyId::parse(text).unwrap())
}

/// The first key of its own account.
fn record_of(key: &ApiKey, plan: Plan, revision: u64) -> KeyRecord {
    let account = Account {
        id: AccountId(key.id()),
        name: "Ana".into(),
        email: "ana@example.com".into(),
        plan,
        rate_limit: None,
    };
    KeyRecord {
        id: key.id(),
        digest: some_pepper().digest(key),
        account,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        ends_at: None,
        revoked: false,
        revision,
    }
}

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}
