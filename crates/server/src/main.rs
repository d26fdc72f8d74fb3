//! The one binary. It names the allocator; all else is the library's, so that nothing is compiled twice.

use std::process::ExitCode;

/// Gives memory back to the system some seconds after a flood has passed (decision 0005).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    lastro::commands::run::from_environment()
}
