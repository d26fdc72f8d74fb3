//! The zip that a year of filings comes in.

use std::io::{Read, Seek};

use super::FilingsReader;
use crate::Fault;
use crate::cvm::archive::Archive;

/// More than this is no year of filings: real ones have 16 to 18 MB.
pub const UNPACKED_CAP: u64 = 64 << 20;

/// An opened zip of one year.
#[derive(Debug)]
pub struct YearArchive<R> {
    archive: Archive<R>,
    year: i16,
}

impl<R: Read + Seek> YearArchive<R> {
    /// Reads the directory. `unpacked_cap` bounds the bytes that [`YearArchive::filings`] will unpack.
    pub fn open(input: R, year: i16, unpacked_cap: u64) -> Result<Self, Fault> {
        let archive = Archive::open(input, &format!("ipe_cia_aberta_{year}.zip"), unpacked_cap)?;
        Ok(Self { archive, year })
    }

    /// The filings of the member that has the year's name; other members are left alone.
    pub fn filings(&mut self) -> Result<FilingsReader<impl Read>, Fault> {
        let name = format!("ipe_cia_aberta_{}.csv", self.year);
        FilingsReader::new(self.archive.member(&name)?, &name, self.year)
    }
}
