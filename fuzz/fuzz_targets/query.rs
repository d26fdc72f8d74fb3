#![no_main]

use lastro::http::request::query::{Query, SERIES_LIMIT};

// Every way a handler may read a query string.
libfuzzer_sys::fuzz_target!(|raw: &str| {
    if let Ok(query) = Query::of_page(raw) {
        let _ = (query.page(), query.limit(SERIES_LIMIT), query.days(), query.search(), query.get("pair"));
    }
});
