//! The zip that a year of filings comes in. What it unpacks to is bounded, whatever its directory claims.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use super::FilingsReader;
use crate::Fault;
use crate::cvm::table::unreadable;

/// More than this is no year of filings: real ones have 16 to 18 MB.
pub const UNPACKED_CAP: u64 = 64 << 20;

const MAGIC: [u8; 4] = *b"PK\x03\x04";

/// An opened zip of one year.
#[derive(Debug)]
pub struct YearArchive<R> {
    zip: ZipArchive<R>,
    year: i16,
    unpacked_cap: u64,
}

impl<R: Read + Seek> YearArchive<R> {
    /// Reads the directory. `unpacked_cap` bounds the bytes that [`YearArchive::filings`] will unpack.
    pub fn open(mut input: R, year: i16, unpacked_cap: u64) -> Result<Self, Fault> {
        let file = format!("ipe_cia_aberta_{year}.zip");
        check_magic(&mut input, &file)?;
        let zip = ZipArchive::new(input).map_err(|error| not_a_zip(&file, error))?;
        Ok(Self { zip, year, unpacked_cap })
    }

    /// The filings of the member that has the year's name; other members are left alone.
    pub fn filings(&mut self) -> Result<FilingsReader<impl Read>, Fault> {
        let name = format!("ipe_cia_aberta_{}.csv", self.year);
        let member = self.zip.by_name(&name).map_err(|error| not_a_zip(&name, error))?;
        if member.size() > self.unpacked_cap {
            return Err(Fault::NotData(format!(
                "{name}: unpacks to {} bytes, more than {}",
                member.size(),
                self.unpacked_cap
            )));
        }
        FilingsReader::new(Capped { input: member, left: self.unpacked_cap }, &name, self.year)
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

/// Fails past its cap, where `Read::take` would end the file quietly. The size in a zip's directory is only a claim.
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
    fn a_member_may_have_as_many_bytes_as_allowed_and_not_one_more() {
        let unpack = |size: u64| {
            io::copy(&mut Capped { input: io::repeat(b'x').take(size), left: 10_000 }, &mut io::sink())
        };
        assert_eq!(unpack(10_000).unwrap(), 10_000);
        assert_eq!(unpack(10_001).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(unpack(u64::MAX).is_err());
    }
}
