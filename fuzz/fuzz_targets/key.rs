#![no_main]

use lastro_access::ApiKey;

// What is read as a key is read back as the same.
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(key) = ApiKey::parse(text) {
        assert_eq!(key.reveal(), text);
    }
});
