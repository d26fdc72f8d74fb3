//! Measures the memory of a key in the ring: fills rings of growing size and reads the memory of the process.
//!
//! ```sh
//! cargo run --release -p lastro-access --example key_memory
//! ```
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use lastro_access::{ApiKey, KeyRing, Lookup, Pepper};
use lastro_model::{Account, AccountId, KeyRecord, Now, Plan};

const NOW: Now = Now { monotonic_ns: 0, unix_ms: 1_790_000_000_000 };

fn main() {
    let mut number = 0u64;
    let mut random = |bytes: &mut [u8]| {
        for byte in bytes {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            *byte = (number >> 56) as u8;
        }
    };
    println!("{:>9}  {:>14}  {:>22}", "keys", "bytes of a key", "with a request counted");
    for keys in [100_000, 400_000] {
        let ring = KeyRing::new(Pepper::from_bytes([7; 32]), keys);
        let made: Vec<ApiKey> = (0..keys).map(|_| ApiKey::generate(&mut random)).collect();
        let before = resident();
        made.iter().for_each(|key| ring.upsert(record(ring.pepper(), key), 0));
        let held = resident();
        for key in &made {
            if let Lookup::Found(key) = ring.find(key, NOW) {
                key.holder.take(key.limit, NOW.monotonic_ns);
            }
        }
        let per_key = |bytes: u64| bytes.saturating_sub(before) / keys as u64;
        println!("{keys:>9}  {:>14}  {:>22}", per_key(held), per_key(resident()));
        assert_eq!(ring.len(), keys);
    }
}

fn record(pepper: &Pepper, key: &ApiKey) -> KeyRecord {
    let account = Account {
        id: AccountId(key.id()),
        name: "Ana Souza de Oliveira".into(),
        email: "ana.souza@example.com".into(),
        plan: Plan::Free,
        rate_limit: None,
    };
    KeyRecord {
        id: key.id(),
        digest: pepper.digest(key),
        account,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        ends_at: None,
        revoked: false,
        revision: 1,
    }
}

/// Resident bytes of the process.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}
