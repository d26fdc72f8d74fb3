#![no_main]

use lastro_model::{Currency, Day};
use lastro_sources::{Answer, ptax};

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    let answer = Answer { file: "answer", status: 200, content_type: Some("application/json"), body };
    let _ = ptax::read_currencies(&answer);
    if let Ok(last) = Day::parse("2026-12-31") {
        let _ = ptax::read(Currency::BRL, (ptax::first_day(), last), &answer);
    }
});
