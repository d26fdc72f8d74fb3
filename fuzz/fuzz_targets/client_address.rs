#![no_main]

use lastro_access::TrustedProxies;

// Lines of X-Forwarded-For, behind proxies that all are trusted.
libfuzzer_sys::fuzz_target!(|lines: Vec<&[u8]>| {
    if let Ok(trusted) = TrustedProxies::parse("0.0.0.0/0, ::/0") {
        trusted.client([127, 0, 0, 1].into(), lines.iter().copied());
    }
});
