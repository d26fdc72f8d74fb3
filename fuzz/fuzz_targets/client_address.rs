#![no_main]

use lastro_access::TrustedProxies;

// Lines of X-Forwarded-For, with every proxy trusted.
libfuzzer_sys::fuzz_target!(|lines: Vec<&[u8]>| {
    if let Ok(trusted) = TrustedProxies::parse("0.0.0.0/0, ::/0") {
        trusted.client([127, 0, 0, 1].into(), lines.iter().copied());
    }
});
