#![no_main]

use http::Method;
use lastro::http::request::path::PathParams;
use lastro::http::routes::{Target, resolve};

// The table of routes, and the path segments passed to a handler.
libfuzzer_sys::fuzz_target!(|path: &str| {
    for method in [Method::GET, Method::POST, Method::PATCH, Method::DELETE] {
        if let Target::Found { route, .. } = resolve(&method, path) {
            let _ = PathParams::read(route.path(), path);
        }
    }
});
