//! The binary. It sets the allocator; everything else is in the library, so that nothing is compiled twice.

use std::process::ExitCode;

/// Returns memory to the system some seconds after a load peak (decision 0005).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    lastro::commands::run::from_environment()
}
