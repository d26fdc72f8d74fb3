#![no_main]

use lastro_sources::cvm::companies;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let _ = companies::read(file, "cad.csv");
});
