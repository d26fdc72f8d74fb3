//! The zip archive of a year of filings.

use std::io::{Read, Seek};

use super::FilingsReader;
use crate::Fault;
use crate::cvm::archive::Archive;

/// Most unpacked bytes: real years have 16 to 18 MB.
pub const UNPACKED_CAP: u64 = 64 << 20;

/// An opened zip of one year.
#[derive(Debug)]
pub struct YearArchive<R> {
    archive: Archive<R>,
    year: i16,
}

impl<R: Read + Seek> YearArchive<R> {
    /// Reads the directory. `unpacked_cap` bounds the bytes that [`YearArchive::filings`] unpacks.
    pub fn open(input: R, year: i16, unpacked_cap: u64) -> Result<Self, Fault> {
        let archive = Archive::open(input, &format!("ipe_cia_aberta_{year}.zip"), unpacked_cap)?;
        Ok(Self { archive, year })
    }

    /// The filings of the member named after the year; other members are not opened.
    pub fn filings(&mut self) -> Result<FilingsReader<impl Read>, Fault> {
        let name = format!("ipe_cia_aberta_{}.csv", self.year);
        FilingsReader::new(self.archive.member(&name)?, &name, self.year)
    }
}
