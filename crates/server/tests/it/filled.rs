//! A database with the sample, filled once per build because hundreds of tests start with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lastro_background::clock::fill_random;
use lastro_sample::Shape;
use lastro_store::DATABASE_ID;
use tempfile::TempDir;

use crate::app::{START_UNIX_MS, database};
use crate::this_build;

/// Half the filings of the sample, because each start indexes them, but more than one page.
pub(crate) const SHAPE: Shape = Shape { filings: 1_200, ..Shape::SAMPLE };

/// Copies the files of a database that holds the sample into a directory.
pub(crate) async fn copy_into(directory: &Path) {
    // Another build may have another sample or schema.
    let template = this_build::kept("filled");
    if !template.exists() {
        make(&template).await;
    }
    let mut files = Vec::new();
    for file in template.read_dir().expect("a template") {
        let file = file.expect("a file");
        let copy = directory.join(file.file_name());
        std::fs::copy(file.path(), &copy).expect("a copy");
        files.push(copy);
    }
    name_anew(&files);
}

/// Gives the copy a new id. Ids distinguish databases, also those that share a Redis.
fn name_anew(files: &[PathBuf]) {
    let mut name = [0; 16];
    fill_random(&mut name);
    for file in files {
        let file = rusqlite::Connection::open(file).expect("a database");
        let renamed = "UPDATE setting SET value = ?1 WHERE name = ?2";
        file.execute(renamed, (hex(&name), DATABASE_ID)).expect("a name");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn make(template: &Path) {
    let folder = template.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    let made = TempDir::new_in(folder).expect("a temporary directory");
    let store = lastro_store::open(&database(&made)).await.expect("a store");
    let at = jiff::Timestamp::from_millisecond(START_UNIX_MS).expect("a time");
    lastro::sample::publish(&*store, SHAPE, at, Arc::new(|_, _| {})).await.expect("the sample");
    drop(store);
    while !is_closed(made.path()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Another test may have been quicker; its files are equally good.
    if std::fs::rename(made.path(), template).is_ok() {
        let _ = made.keep();
    }
}

/// Whether the write-ahead log is gone: the last connection to close merges it into the file.
fn is_closed(files: &Path) -> bool {
    let mut files = files.read_dir().expect("files").map(|file| file.expect("a file").file_name());
    !files.any(|name| name.to_string_lossy().ends_with("-wal"))
}
