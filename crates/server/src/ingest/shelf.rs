//! Where the built filings are kept between runs, so that a restart need not build them again.
//!
//! One file, replaced whole: written aside, forced to disk, then renamed, so that whoever dies while writing leaves the
//! old one or none. It is never the truth: what does not belong to the store's edition to the byte is set aside in one
//! sentence and built anew, and a directory that cannot be written to costs nothing but the time of the next start.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;

use lastro_catalog::{Filings, SnapshotError};
use lastro_model::Edition;
use lastro_store::SourceState;
use parking_lot::Mutex;

/// Fewer filings are built faster than a file is worth.
const WORTH_KEEPING: usize = 5_000;

#[derive(Debug, Clone)]
pub struct Shelf {
    directory: PathBuf,
    /// Which database this is: a file of another one is foreign.
    database: String,
    /// The newest edition that this process has kept: builds may end in another order than they began.
    newest: Arc<Mutex<Edition>>,
}

impl Shelf {
    pub fn new(directory: PathBuf, database: String) -> Self {
        Self { directory, database, newest: Arc::default() }
    }

    /// The directory that goes with a database that is a file.
    pub fn beside(database: &str) -> Option<PathBuf> {
        let mut directory = lastro_store::sqlite_path(database)?.into_os_string();
        directory.push(".index");
        Some(directory.into())
    }

    /// The filings of this state of the source, if they are here.
    pub fn find(&self, state: &SourceState) -> Option<Filings> {
        match self.read(&self.label(state)) {
            Ok(filings) => Some(filings),
            Err(SnapshotError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(reason) => {
                tracing::info!("the kept index of the filings is not used and will be built anew: {reason}");
                None
            }
        }
    }

    /// Keeps the filings of this state in the place of what was here, unless that is newer.
    pub fn keep(&self, state: &SourceState, filings: &Filings) {
        if filings.len() < WORTH_KEEPING {
            return;
        }
        let mut newest = self.newest.lock();
        if state.edition < *newest {
            return;
        }
        *newest = state.edition;
        if let Err(error) = self.write(&self.label(state), filings) {
            let directory = self.directory.display();
            tracing::warn!(%error, "the index of the filings cannot be kept in {directory}; the next start takes longer");
        }
    }

    /// The edition says which state this is. The version is there because another one may cut texts into other words.
    /// The rest guards against a database that was restored from a copy and has come to the same edition by another way.
    fn label(&self, state: &SourceState) -> String {
        let newest = state.newest_day.map_or(0, lastro_model::Day::number);
        let (edition, sample, rows) = (state.edition.0, state.sample, state.rows);
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "lastro {version} database {} edition {edition} sample {sample} rows {rows} newest {newest}",
            self.database
        )
    }

    fn read(&self, label: &str) -> Result<Filings, SnapshotError> {
        let about = fs::metadata(self.path())?;
        // Opening a pipe would wait for somebody to write into it.
        if !about.is_file() {
            return Err(io::Error::other("it is no regular file").into());
        }
        let file = File::open(self.path())?;
        Filings::restore(label, BufReader::with_capacity(1 << 20, file), about.len())
    }

    fn write(&self, label: &str, filings: &Filings) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        // Two processes may share a database: they write one after the other, and the lock ends with its holder. So all
        // drafts can have one name, and what a killed process left is written over by the next.
        let turn = File::create(self.directory.join("filings.lock"))?;
        turn.lock()?;
        let draft = self.directory.join("filings.draft");
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&draft)?);
        filings.save(label, &mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&draft, self.path())?;
        // The rename itself is on disk when the directory is.
        File::open(&self.directory)?.sync_all()
    }

    fn path(&self) -> PathBuf {
        self.directory.join("filings")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_catalog::{FilingsBuilder, Page};
    use lastro_model::{CompanyId, Day, Filing, FilingId, Source};
    use std::time::Duration;
    use tempfile::TempDir;

    fn state(edition: u64, rows: u64) -> SourceState {
        SourceState {
            source: Source::Filings,
            edition: Edition(edition),
            sample: false,
            rows,
            newest_day: None,
            last_success: None,
            last_attempt: None,
            last_error: None,
            rejects: 0,
        }
    }

    fn filings() -> Filings {
        let mut builder = FilingsBuilder::new();
        for number in 0..WORTH_KEEPING as u64 {
            builder.push(Filing {
                id: FilingId::Protocol(number),
                company_id: CompanyId(1),
                company_name: "Aurora".to_owned(),
                category: "Ata".to_owned(),
                kind: None,
                delivered_on: Day::from_number(20_000).unwrap(),
                reference_day: None,
                description: String::new(),
                version: 1,
                url: String::new(),
            });
        }
        builder.finish().unwrap()
    }

    fn shelf(directory: &TempDir, database: &str) -> Shelf {
        Shelf::new(directory.path().join("made").join("here"), database.to_owned())
    }

    #[test]
    fn only_the_very_state_that_was_kept_is_found() {
        let directory = TempDir::new().unwrap();
        let kept = shelf(&directory, "one");
        assert!(kept.find(&state(7, 3)).is_none());
        kept.keep(&state(7, 3), &filings());
        let found = kept.find(&state(7, 3)).unwrap();
        assert_eq!(found.search("ata", Page { limit: 1, offset: 0 }).total, WORTH_KEEPING);
        assert!(kept.find(&state(8, 3)).is_none(), "another edition");
        assert!(kept.find(&state(7, 4)).is_none(), "as many rows as there never were");
        assert!(shelf(&directory, "two").find(&state(7, 3)).is_none(), "another database");
        kept.keep(&state(8, 3), &filings());
        assert!(kept.find(&state(7, 3)).is_none() && kept.find(&state(8, 3)).is_some());
        let mut names: Vec<_> =
            fs::read_dir(&kept.directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["filings", "filings.lock"], "nothing old stays behind");
    }

    #[test]
    fn an_older_edition_that_comes_late_does_not_replace_a_newer() {
        let directory = TempDir::new().unwrap();
        let kept = shelf(&directory, "one");
        kept.keep(&state(8, 3), &filings());
        kept.clone().keep(&state(7, 3), &filings());
        assert!(kept.find(&state(8, 3)).is_some());
    }

    #[test]
    fn a_draft_that_another_process_is_writing_is_left_alone_until_it_is_done() {
        let directory = TempDir::new().unwrap();
        let shelf = shelf(&directory, "one");
        fs::create_dir_all(&shelf.directory).unwrap();
        let draft = shelf.directory.join("filings.draft");
        let turn = File::create(shelf.directory.join("filings.lock")).unwrap();
        turn.lock().unwrap();
        fs::write(&draft, "half of it").unwrap();
        let filings = filings();
        std::thread::scope(|scope| {
            scope.spawn(|| shelf.keep(&state(1, 3), &filings));
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(fs::read(&draft).unwrap(), b"half of it");
            turn.unlock().unwrap();
        });
        assert!(shelf.find(&state(1, 3)).is_some());
    }

    #[test]
    fn what_a_killed_writer_left_is_neither_read_nor_in_the_way() {
        let directory = TempDir::new().unwrap();
        let shelf = shelf(&directory, "one");
        shelf.keep(&state(1, 3), &filings());
        let whole = fs::read(shelf.path()).unwrap();
        fs::write(shelf.directory.join("filings.draft"), &whole[..whole.len() / 2]).unwrap();
        assert!(shelf.find(&state(1, 3)).is_some());
        fs::write(shelf.path(), &whole[..whole.len() / 2]).unwrap();
        assert!(shelf.find(&state(1, 3)).is_none(), "cut short");
        shelf.keep(&state(1, 3), &filings());
        assert_eq!(fs::read(shelf.path()).unwrap(), whole);
    }

    #[test]
    fn a_pipe_in_its_place_is_not_waited_for() {
        let directory = TempDir::new().unwrap();
        let shelf = shelf(&directory, "one");
        fs::create_dir_all(&shelf.directory).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(shelf.path()).status().unwrap().success());
        assert!(shelf.find(&state(1, 3)).is_none());
        shelf.keep(&state(1, 3), &filings());
        assert!(shelf.find(&state(1, 3)).is_some());
    }

    #[test]
    fn the_label_names_the_version_because_another_may_cut_texts_into_other_words() {
        let label = shelf(&TempDir::new().unwrap(), "one").label(&state(1, 3));
        assert!(label.contains(&format!("lastro {} ", env!("CARGO_PKG_VERSION"))), "{label}");
    }

    #[test]
    fn a_place_that_cannot_be_written_to_is_no_failure() {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("made"), "a file where a directory should be").unwrap();
        let shelf = shelf(&directory, "one");
        shelf.keep(&state(1, 3), &filings());
        assert!(shelf.find(&state(1, 3)).is_none());
    }
}
