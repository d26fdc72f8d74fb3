//! The regulator's zip archives. The unpacked size of a member is bounded, whatever the directory claims, and only
//! members requested by name are opened.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use super::table::unreadable;
use crate::Fault;

const MAGIC: [u8; 4] = *b"PK\x03\x04";

#[derive(Debug)]
pub(super) struct Archive<R> {
    zip: ZipArchive<R>,
    unpacked_cap: u64,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory. `unpacked_cap` bounds the unpacked bytes of a member; `file` is the zip's name in faults.
    pub(super) fn open(mut input: R, file: &str, unpacked_cap: u64) -> Result<Self, Fault> {
        check_magic(&mut input, file)?;
        let zip = ZipArchive::new(input).map_err(|error| not_a_zip(file, error))?;
        Ok(Self { zip, unpacked_cap })
    }

    pub(super) fn has_member(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Opens the member with this name.
    pub(super) fn member<'a>(&'a mut self, name: &str) -> Result<impl Read + use<'a, R>, Fault> {
        let member = self.zip.by_name(name).map_err(|error| not_a_zip(name, error))?;
        if member.size() > self.unpacked_cap {
            return Err(Fault::NotData(format!(
                "{name}: unpacks to {} bytes, more than {}",
                member.size(),
                self.unpacked_cap
            )));
        }
        Ok(Capped { input: member, left: self.unpacked_cap })
    }
}

fn check_magic<R: Read + Seek>(input: &mut R, file: &str) -> Result<(), Fault> {
    let mut start = Vec::with_capacity(MAGIC.len());
    input
        .by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut start)
        .and_then(|_| input.rewind())
        .map_err(|error| unreadable(file, &error))?;
    if start == MAGIC {
        return Ok(());
    }
    let what = if start.trim_ascii_start().starts_with(b"<") {
        "a page for a browser, not a zip"
    } else {
        "not a zip"
    };
    Err(Fault::NotData(format!("{file}: is {what}")))
}

fn not_a_zip(file: &str, error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => unreadable(file, &error),
        ZipError::FileNotFound => Fault::NotData(format!("{file}: is not in the zip")),
        other => Fault::NotData(format!("{file}: is a broken zip: {other}")),
    }
}

/// A reader that fails past its cap, where `Read::take` would silently end. The size in a zip's directory is only a
/// claim.
#[derive(Debug)]
struct Capped<R> {
    input: R,
    left: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it unpacks to more bytes than allowed",
                ));
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_may_not_exceed_its_cap() {
        let unpack = |size: u64| {
            io::copy(&mut Capped { input: io::repeat(b'x').take(size), left: 10_000 }, &mut io::sink())
        };
        assert_eq!(unpack(10_000).unwrap(), 10_000);
        assert_eq!(unpack(10_001).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(unpack(u64::MAX).is_err());
    }
}
