#![no_main]

use lastro::http::parameters::FILINGS;
use lastro::http::request::query::{Query, SERIES_LIMIT};

// Every way a handler may read a query string.
libfuzzer_sys::fuzz_target!(|raw: &str| {
    for query in [Query::of_page(raw), Query::of_api(raw, FILINGS)].into_iter().flatten() {
        let _ = (query.page_of(SERIES_LIMIT), query.days(), query.list("company_id", 100), query.get("category"));
        let _ = query.decimals_as_strings();
    }
    if let Ok(query) = Query::of_page(raw) {
        let _ = (query.search(), query.get("pair"));
    }
});
