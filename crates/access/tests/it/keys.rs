use lastro_access::{ApiKey, Pepper};
use proptest::prelude::*;

use crate::{randomness, some_key};

const ALPHABET: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

#[test]
fn a_key_has_the_form_of_the_contract() {
    let key = some_key(1);
    let text = key.reveal();
    let parts: Vec<_> = text.split('_').collect();
    assert_eq!(parts.len(), 3);
    assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("lastro", 8, 38));
    assert_eq!(parts[1], key.id().as_str());
    let (body, checksum) = text.split_at(48);
    let value = checksum.chars().fold(0, |n, c| n * 62 + ALPHABET.find(c).unwrap() as u64);
    assert_eq!(value, u64::from(crc32fast::hash(body.as_bytes())));
}

#[test]
fn a_published_key_stays_readable() {
    // Must never change: another format would lock every holder out.
    let text = "lastro_00000000_000000000000000000000000000000002z59AA";
    assert_eq!(ApiKey::generate(&mut |bytes| bytes.fill(0)).reveal(), text);
    assert!(ApiKey::parse(text).is_ok());
}

#[test]
fn every_letter_is_equally_likely() {
    let mut random = randomness(5);
    let mut seen = [0u32; 128];
    for _ in 0..10_000 {
        let key = ApiKey::generate(&mut random);
        let text = key.reveal().as_bytes();
        for letter in text[7..15].iter().chain(&text[16..48]) {
            seen[usize::from(*letter)] += 1;
        }
    }
    let counts = ALPHABET.bytes().map(|letter| f64::from(seen[usize::from(letter)]));
    let (least, most) = counts.fold((f64::MAX, 0.0f64), |(least, most), n| (least.min(n), most.max(n)));
    // A byte modulo 62 would make eight letters a quarter more likely.
    assert!(most / least < 1.12, "{least}..{most}");
}

#[test]
fn a_digest_depends_on_key_and_pepper() {
    let (one, other) = (Pepper::from_bytes([1; 32]), Pepper::from_bytes([2; 32]));
    let key = some_key(1);
    assert_eq!(one.digest(&key), one.digest(&key));
    assert_ne!(one.digest(&some_key(2)), one.digest(&key));
    assert_ne!(other.digest(&key), one.digest(&key));
    assert_ne!(one.fingerprint(), other.fingerprint());
    assert_eq!(one.fingerprint(), Pepper::parse(&one.to_hex()).unwrap().fingerprint());
}

/// Every bit is compared, from the first to the last.
#[test]
fn digests_that_differ_in_one_bit_are_not_the_same() {
    let digest = Pepper::from_bytes([1; 32]).digest(&some_key(1));
    for bit in 0..256 {
        let mut other = digest;
        other.0[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(other, digest, "{bit}");
    }
}

#[test]
fn the_digest_is_hmac_sha256() {
    // Computed with another implementation: Python's hmac and zlib
    let key = ApiKey::generate(&mut |bytes| bytes.fill(0));
    let digest = Pepper::from_bytes([1; 32]).digest(&key).0;
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "6177ea648802d6f81fdacb2da4e071be055bf15ac895ffd8ba41837df4173e8f");
}

#[test]
fn a_pepper_is_read_as_it_was_written() {
    let pepper = Pepper::generate(&mut randomness(3));
    let again = Pepper::parse(&format!(" {}\n", pepper.to_hex().to_uppercase())).unwrap();
    assert_eq!(again.to_hex(), pepper.to_hex());
    for bad in ["", "00", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66), &"é".repeat(32)] {
        assert!(Pepper::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn debug_shows_neither_key_nor_pepper() {
    let (key, pepper) = (some_key(9), Pepper::from_bytes([0xab; 32]));
    assert_eq!(format!("{key:?}"), format!("lastro_{}_…", key.id()));
    assert_eq!(format!("{pepper:?}"), "Pepper(…)");
    assert!(!format!("{:?}", pepper.digest(&key)).contains(char::is_numeric));
}

proptest! {
    #[test]
    fn generated_keys_parse(seed: u64) {
        let key = some_key(seed);
        prop_assert_eq!(&ApiKey::parse(key.reveal()).unwrap(), &key);
    }

    #[test]
    fn any_one_changed_character_is_refused(seed: u64, place in 0usize..54, letter in "[ -~]") {
        let key = some_key(seed);
        let mut text = key.reveal().to_owned();
        text.replace_range(place..=place, &letter);
        prop_assert_eq!(ApiKey::parse(&text).is_ok(), text == key.reveal());
    }

    #[test]
    fn a_longer_or_shorter_text_is_refused(seed: u64, cut in 0usize..54, more in "[0-9A-Za-z ]{1,3}") {
        let key = some_key(seed);
        prop_assert!(ApiKey::parse(&key.reveal()[..cut]).is_err());
        prop_assert!(ApiKey::parse(&key.reveal()[cut + 1..]).is_err());
        prop_assert!(ApiKey::parse(&(key.reveal().to_owned() + &more)).is_err());
        prop_assert!(ApiKey::parse(&(more + key.reveal())).is_err());
    }

    #[test]
    fn no_text_panics(text in ".{0,60}", tail in "[^0-9]{0,47}") {
        prop_assert!(ApiKey::parse(&text).is_err());
        prop_assert!(ApiKey::parse(&("lastro_".to_owned() + &tail)).is_err());
        let _ = Pepper::parse(&text);
    }

    #[test]
    fn a_refusal_never_repeats_the_text(secret in "[0-9A-Za-z]{38}") {
        let error = ApiKey::parse(&format!("lastro_abcdefgh_{secret}")).unwrap_err();
        prop_assert!(!error.to_string().contains(&secret));
    }
}

#[test]
fn a_webhook_has_another_secret_for_every_seed_pepper_and_name() {
    let peppers = [Pepper::from_bytes([1; 32]), Pepper::from_bytes([2; 32])];
    let webhooks = [1, 2].map(|byte| lastro_model::WebhookId::from_random([byte; 12]));
    let mut secrets = std::collections::BTreeSet::new();
    for pepper in &peppers {
        for webhook in &webhooks {
            for seed in [[1; 16], [2; 16]] {
                let secret = pepper.webhook_secret(webhook, &seed);
                assert_eq!(secret, pepper.webhook_secret(webhook, &seed));
                assert!(secrets.insert(secret));
            }
        }
    }
}
