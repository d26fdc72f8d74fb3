//! Files that the tests of one build share. Each test is a process, and some things take longer to make than most tests.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The place of a shared file or directory of this build.
pub(crate) fn kept(name: &str) -> PathBuf {
    let program = std::env::current_exe().and_then(std::fs::metadata).expect("this program");
    let built = program.modified().expect("its age").duration_since(UNIX_EPOCH).expect("a clock");
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", built.as_nanos()))
}
