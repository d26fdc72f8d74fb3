#![no_main]

use http::Method;
use lastro::http::query::decode_segment;
use lastro::http::routes::{Target, resolve};

// The table of routes, and the segments that a handler is given.
libfuzzer_sys::fuzz_target!(|path: &str| {
    for method in [Method::GET, Method::POST, Method::PATCH, Method::DELETE] {
        if let Target::Found { raw_id, raw_delivery, .. } = resolve(&method, path) {
            let _ = (decode_segment(raw_id), decode_segment(raw_delivery));
        }
    }
});
