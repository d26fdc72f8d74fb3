//! Data already fetched by an unfinished synchronisation, kept beside the database so that the next attempt does not
//! fetch it again.
//!
//! There is one folder per source. An entry is two files named by the hash of its URL: the bytes, and a head with
//! their digest, which is written last, so that an entry is either complete or absent. Only final responses are
//! stored, and never the registry, which names people. The fetcher writes and reads entries; a source's folder is
//! deleted once the source is published or rejected.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lastro_model::{Clock, Source, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::regular_file;

/// Lifetime of an entry: publishers rebuild their files every night or week.
const KEPT_FOR_MS: i64 = 24 * 3_600_000;
/// All sources together need about 100 MB.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct Spool {
    directory: PathBuf,
    /// Whether the directory was created here and may be removed.
    is_ours: bool,
    clock: Arc<dyn Clock>,
}

/// Response metadata of the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    pub status: u16,
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Hash of the bytes.
    pub sha256: String,
}

/// An entry, opened so that it can be read even if the folder is cleared.
#[derive(Debug)]
pub struct Kept {
    pub metadata: Metadata,
    pub bytes: File,
}

#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    kept_at_ms: i64,
    /// The name in files of earlier versions.
    #[serde(rename = "about")]
    metadata: Metadata,
}

impl Spool {
    /// The spool in the named directory, or else beside the database. Without either there is none, and an
    /// interrupted synchronisation starts over.
    pub fn of(named: Option<PathBuf>, database: &str, clock: Arc<dyn Clock>) -> Option<Self> {
        match named {
            Some(directory) => Some(Self { directory, is_ours: false, clock }),
            None => Self::beside(database, clock),
        }
    }

    /// The spool beside a database file; created on the first write.
    pub fn beside(database: &str, clock: Arc<dyn Clock>) -> Option<Self> {
        let mut directory = lastro_store::sqlite_path(database)?.into_os_string();
        directory.push(".spool");
        Some(Self { directory: directory.into(), is_ours: true, clock })
    }

    /// The entry of this URL, if it is complete and not too old.
    pub fn find(&self, source: Source, url: &str) -> Option<Kept> {
        let path = self.entry(source, url);
        if is_link(&self.folder(source)) {
            return None;
        }
        let head: Head =
            serde_json::from_reader(BufReader::new(regular_file::open(&head_of(&path)).ok()?)).ok()?;
        let age_ms = self.clock.now().unix_ms - head.kept_at_ms;
        if head.url != url || !(0..KEPT_FOR_MS).contains(&age_ms) {
            return None;
        }
        let mut bytes = regular_file::open(&path).ok()?;
        let whole = sha256_of(&mut bytes).ok()? == head.metadata.sha256;
        whole.then_some(Kept { metadata: head.metadata, bytes })
    }

    /// Creates a temporary file, which is deleted unless kept.
    pub fn draft(&self, source: Source) -> io::Result<NamedTempFile> {
        let folder = self.folder(source);
        // Spool files stay in the spool's own folder, never in a link's target.
        if is_link(&folder) {
            fs::remove_file(&folder)?;
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        NamedTempFile::new_in(folder)
    }

    /// Stores a complete draft. A full spool stores nothing more.
    pub fn keep(
        &self,
        source: Source,
        url: &str,
        draft: NamedTempFile,
        metadata: Metadata,
    ) -> io::Result<()> {
        if size_of(&self.directory)? > MOST_BYTES {
            return Err(io::Error::other("the spool is full"));
        }
        let head = Head { url: url.to_owned(), kept_at_ms: self.clock.now().unix_ms, metadata };
        let path = self.entry(source, url);
        let mut head_draft = self.draft(source)?;
        head_draft.write_all(&serde_json::to_vec(&head)?)?;
        draft.persist(&path)?;
        head_draft.persist(head_of(&path))?;
        Ok(())
    }

    /// Deletes all entries of a source.
    pub fn clear(&self, source: Source) {
        // Leftovers expire in a day; the parent is removed with its last folder.
        let _ = fs::remove_dir_all(self.folder(source));
        if self.is_ours {
            let _ = fs::remove_dir(&self.directory);
        }
    }

    fn folder(&self, source: Source) -> PathBuf {
        self.directory.join(source.name())
    }

    fn entry(&self, source: Source, url: &str) -> PathBuf {
        self.folder(source).join(hex::encode(&Sha256::digest(url)[..16]))
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

fn head_of(entry: &Path) -> PathBuf {
    entry.with_extension("head")
}

/// Total size of all files in a directory, two levels deep like the spool.
fn size_of(directory: &Path) -> io::Result<u64> {
    let mut total = 0;
    for folder in fs::read_dir(directory)? {
        // Another process may be clearing it.
        let Ok(entries) = fs::read_dir(folder?.path()) else { continue };
        total +=
            entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum::<u64>();
    }
    Ok(total)
}

/// Hashes a file and rewinds it.
fn sha256_of(file: &mut File) -> io::Result<String> {
    let (mut digest, mut chunk) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            length => digest.update(&chunk[..length]),
        }
    }
    io::Seek::rewind(file)?;
    Ok(hex::encode(&digest.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::ManualClock;
    use lastro_model::Series;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::Duration;

    const URL: &str = "https://example.test/a";

    struct Home {
        directory: tempfile::TempDir,
        clock: Arc<ManualClock>,
        spool: Spool,
    }

    fn home() -> Home {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::starting_at(1_793_620_800_000));
        let database = format!("sqlite:{}", directory.path().join("x.db").display());
        let spool = Spool::beside(&database, Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        Home { directory, clock, spool }
    }

    fn keep(spool: &Spool, source: Source, body: &[u8]) {
        let mut draft = spool.draft(source).unwrap();
        draft.write_all(body).unwrap();
        let sha256 = hex::encode(&Sha256::digest(body));
        let metadata = Metadata { status: 200, content_type: None, etag: None, last_modified: None, sha256 };
        spool.keep(source, URL, draft, metadata).unwrap();
    }

    fn found(spool: &Spool, source: Source) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        spool.find(source, URL)?.bytes.read_to_end(&mut body).unwrap();
        Some(body)
    }

    #[test]
    fn an_entry_is_written_as_earlier_versions_read_it() {
        let home = home();
        keep(&home.spool, Source::Fx, b"body");
        let head = head_of(&home.spool.entry(Source::Fx, URL));
        let written = format!(
            r#"{{"url":"{URL}","kept_at_ms":1793620800000,"about":{{"status":200,"content_type":null,"etag":null,"last_modified":null,"sha256":"{}"}}}}"#,
            hex::encode(&Sha256::digest(b"body"))
        );
        assert_eq!(fs::read_to_string(&head).unwrap(), written);
    }

    #[test]
    fn entries_are_found_for_a_day() {
        let home = home();
        assert_eq!(found(&home.spool, Source::Fx), None);
        keep(&home.spool, Source::Fx, b"first");
        keep(&home.spool, Source::Fx, b"second");
        assert_eq!(found(&home.spool, Source::Fx).unwrap(), b"second");
        assert_eq!(found(&home.spool, Source::Series(Series::Cdi)), None, "another source");
        home.clock.advance(Duration::from_secs(86_399));
        assert!(found(&home.spool, Source::Fx).is_some());
        home.clock.advance(Duration::from_secs(1));
        assert_eq!(found(&home.spool, Source::Fx), None);
    }

    #[test]
    fn damaged_entry_is_ignored() {
        let home = home();
        keep(&home.spool, Source::Fx, b"whole");
        let entry = home.spool.entry(Source::Fx, URL);
        fs::write(&entry, b"whol").unwrap();
        assert_eq!(found(&home.spool, Source::Fx), None);
        fs::write(&entry, b"whole").unwrap();
        assert!(found(&home.spool, Source::Fx).is_some());
        fs::write(head_of(&entry), b"{").unwrap();
        assert_eq!(found(&home.spool, Source::Fx), None);
    }

    /// Moves a file away and replaces it by a link to it.
    fn put_link_in_place_of(path: &Path) -> PathBuf {
        let elsewhere = path.with_extension("elsewhere");
        fs::rename(path, &elsewhere).unwrap();
        symlink(&elsewhere, path).unwrap();
        elsewhere
    }

    #[test]
    fn link_in_place_of_an_entry_is_ignored_and_replaced() {
        let home = home();
        let entry = home.spool.entry(Source::Fx, URL);
        for path in [&entry, &head_of(&entry)] {
            keep(&home.spool, Source::Fx, b"ours");
            let elsewhere = put_link_in_place_of(path);
            assert_eq!(found(&home.spool, Source::Fx), None);
            let before = fs::read(&elsewhere).unwrap();
            keep(&home.spool, Source::Fx, b"anew");
            assert_eq!(found(&home.spool, Source::Fx).unwrap(), b"anew");
            assert_eq!(fs::read(&elsewhere).unwrap(), before, "what it led to was not written");
        }
    }

    #[test]
    fn a_link_in_place_of_a_folder_is_not_followed() {
        let home = home();
        keep(&home.spool, Source::Fx, b"ours");
        let elsewhere = put_link_in_place_of(&home.spool.folder(Source::Fx));
        let held = || fs::read_dir(&elsewhere).unwrap().count();
        assert_eq!(found(&home.spool, Source::Fx), None);
        home.spool.clear(Source::Fx);
        assert_eq!(held(), 2, "clearing leaves what it led to");
        symlink(&elsewhere, home.spool.folder(Source::Fx)).unwrap();
        keep(&home.spool, Source::Series(Series::Cdi), b"other");
        keep(&home.spool, Source::Fx, b"anew");
        assert_eq!(found(&home.spool, Source::Fx).unwrap(), b"anew");
        assert_eq!(held(), 2);
    }

    #[test]
    fn a_pipe_in_place_of_an_entry_is_not_waited_for() {
        let home = home();
        let entry = home.spool.entry(Source::Fx, URL);
        for path in [&entry, &head_of(&entry)] {
            keep(&home.spool, Source::Fx, b"ours");
            fs::remove_file(path).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            assert_eq!(found(&home.spool, Source::Fx), None);
        }
    }

    #[test]
    fn named_directory_is_used_and_not_removed() {
        let home = home();
        let clock = Arc::clone(&home.clock) as Arc<dyn Clock>;
        let named = home.directory.path().join("named");
        let spool = Spool::of(Some(named.clone()), "postgres://host/lastro", Arc::clone(&clock)).unwrap();
        keep(&spool, Source::Fx, b"a");
        assert_eq!(found(&spool, Source::Fx).unwrap(), b"a");
        spool.clear(Source::Fx);
        assert!(named.exists() && fs::read_dir(&named).unwrap().next().is_none());
        assert!(
            Spool::of(None, "postgres://host/lastro", Arc::clone(&clock)).is_none(),
            "no file to be beside"
        );
        assert!(Spool::of(None, "sqlite:x.db", clock).is_some());
    }

    #[test]
    fn spool_is_private_and_cleared_completely() {
        let home = home();
        let spool = home.directory.path().join("x.db.spool");
        assert!(!spool.exists(), "made before it is needed");
        keep(&home.spool, Source::Fx, b"a");
        keep(&home.spool, Source::Series(Series::Cdi), b"b");
        for path in [&spool, &home.spool.entry(Source::Fx, URL), &spool.join("fx")] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
        }
        let kept = home.spool.find(Source::Fx, URL).unwrap();
        home.spool.clear(Source::Fx);
        assert_eq!(found(&home.spool, Source::Fx), None);
        assert!(found(&home.spool, Source::Series(Series::Cdi)).is_some());
        let mut body = String::new();
        { kept.bytes }.read_to_string(&mut body).unwrap();
        assert_eq!(body, "a", "whoever reads it can end");
        home.spool.clear(Source::Series(Series::Cdi));
        assert!(!spool.exists());
    }
}
