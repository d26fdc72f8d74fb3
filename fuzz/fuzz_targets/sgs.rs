#![no_main]

use lastro_model::Series;
use lastro_sources::{Answer, sgs};

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    for series in [Series::Selic, Series::Ipca] {
        let _ = sgs::read(series, None, &Answer { file: "answer", status: 200, content_type: Some("application/json"), body });
    }
});
