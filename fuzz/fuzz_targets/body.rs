#![no_main]

use lastro::http::v1::plans::applicant_from_json;
use lastro::http::v1::webhooks::draft::{Change, Draft};
use lastro::http::v1::keys::grace;
use lastro_catalog::Catalog;

// Every JSON body accepted from clients.
libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    let _ = (applicant_from_json(body), grace(body));
    let catalog = Catalog::empty();
    for allow_private in [false, true] {
        let _ = (Draft::from_json(body, allow_private, &catalog), Change::from_json(body, allow_private, &catalog));
    }
});
