//! Files of ours in a directory where somebody may have put something else: a link is not followed and a pipe not waited for,
//! so that neither makes us read or change a file that is not ours. The directory itself is the operator's word.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file to be read.
pub fn open(path: &Path) -> io::Result<File> {
    opened(File::options().read(true), path)
}

/// Opens a file to be locked, and makes it where there is none. What it holds stays as it is.
pub fn open_lock(path: &Path) -> io::Result<File> {
    opened(File::options().write(true).create(true).truncate(false).mode(0o600), path)
}

/// Makes a new file in the place of whatever has this name. What else that is called, or leads to, stays as it is.
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
