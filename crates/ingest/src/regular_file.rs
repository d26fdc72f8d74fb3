//! Our files in a directory where others may have placed something else: links are not followed and pipes do not
//! block, so that neither makes us read or change a foreign file. The directory itself is trusted.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    opened(File::options().read(true), path)
}

/// Opens a file for locking and creates it if missing. Its content is kept.
pub fn open_lock(path: &Path) -> io::Result<File> {
    opened(File::options().write(true).create(true).truncate(false).mode(0o600), path)
}

/// Replaces whatever has this name by a new file. Other links to it, or its link target, are left untouched.
pub fn replace(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits() as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}
