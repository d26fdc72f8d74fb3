#![no_main]

use lastro_access::ApiKey;

// A parsed key reveals the same text.
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(key) = ApiKey::parse(text) {
        assert_eq!(key.reveal(), text);
    }
});
