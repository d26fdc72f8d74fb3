#![no_main]

use std::io::Cursor;

use lastro_sources::cvm::filings::{FilingsReader, YearArchive};

// A year of filings, as a table and as its archive.
libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    if let Ok(reader) = FilingsReader::new(file, "ipe.csv", 2025) {
        reader.for_each(drop);
    }
    if let Ok(mut archive) = YearArchive::open(Cursor::new(file), 2025, 1 << 20)
        && let Ok(reader) = archive.filings()
    {
        reader.for_each(drop);
    }
});
