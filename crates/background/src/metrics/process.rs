//! The process as the system sees it, by the names that Prometheus' own libraries use.

use std::fs;

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::prometheus::{Exposition, Kind};

/// Writes the metrics. What the system does not tell is left out.
pub fn render(started_unix_seconds: i64, out: &mut Exposition) {
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let cpu_seconds = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
    out.counter("process_cpu_seconds_total", "Processor time used, of the system too.", cpu_seconds);
    let help = "Start time, Unix seconds.";
    out.gauge("process_start_time_seconds", help, started_unix_seconds);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let measured = [
        ("process_resident_memory_bytes", "Memory in use.", memory(&status, "VmRSS:")),
        ("process_virtual_memory_bytes", "Address space in use.", memory(&status, "VmSize:")),
        ("process_open_fds", "Open file descriptors.", open_descriptors()),
        ("process_max_fds", "Limit of open file descriptors.", getrlimit(Resource::Nofile).current),
    ];
    for (name, help, value) in measured {
        let mut family = out.family(name, Kind::Gauge, help);
        if let Some(value) = value {
            family.sample(&[], value);
        }
    }
}

/// A line of `/proc/self/status`, such as `VmRSS:     12345 kB`, in bytes.
fn memory(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The entries of the directory, without the one that reading it opens.
fn open_descriptors() -> Option<u64> {
    let entries = fs::read_dir("/proc/self/fd").ok()?.count();
    u64::try_from(entries.saturating_sub(1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_lines_of_the_kernel() {
        let status = "Name:\tlastro\nVmSize:\t  204800 kB\nVmRSS:\t     512 kB\nThreads:\t4\n";
        assert_eq!(memory(status, "VmRSS:"), Some(524_288));
        assert_eq!(memory(status, "VmSize:"), Some(209_715_200));
        assert_eq!((memory(status, "Threads:"), memory("", "VmRSS:")), (None, None));
    }
}
