use super::*;
use jiff::Timestamp;
use lastro_catalog::{FilingsBuilder, Page};
use lastro_model::{CompanyId, Day, Filing, FilingId, ManualClock};
use std::os::unix::fs::symlink;
use std::time::Duration;
use tempfile::TempDir;

/// An edition with so many changes that the file of the previous one is always replaced.
fn edition(number: u64, rows: u64) -> RememberedEdition {
    RememberedEdition {
        edition: Edition(number),
        rows,
        newest_day: None,
        published_at: Timestamp::from_second(number as i64).unwrap(),
        changes: MOST_CHANGES_BEHIND + 1,
    }
}

/// The stamp of [`edition`].
fn stamp(number: u64) -> Stamp {
    Stamp { edition: Edition(number), published_unix_ms: number as i64 * 1000 }
}

fn filings(edition: u64) -> Part<Filings> {
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
    Part { stamp: stamp(edition), sample: false, data: builder.finish().unwrap() }
}

fn snapshot_file(directory: &TempDir, database: &str) -> SnapshotFile {
    let (clock, metrics) = (Arc::new(ManualClock::starting_at(0)), Arc::new(Metrics::new([])));
    SnapshotFile::new(directory.path().join("made").join("here"), database.to_owned(), clock, metrics)
}

#[test]
fn finds_only_the_exact_saved_state() {
    let directory = TempDir::new().unwrap();
    let kept = snapshot_file(&directory, "one");
    assert!(kept.find(&[edition(7, 3)]).is_none());
    kept.keep(&[edition(7, 3)], &filings(7));
    let (found_stamp, found) = kept.find(&[edition(8, 3), edition(7, 3), edition(6, 3)]).unwrap();
    assert_eq!(found_stamp, stamp(7));
    assert_eq!(found.search("ata", Page { limit: 1, offset: 0 }).total, WORTH_KEEPING);
    assert!(kept.find(&[edition(8, 3)]).is_none(), "another edition");
    assert!(kept.find(&[edition(7, 4)]).is_none(), "as many rows as there never were");
    let at_another_time = RememberedEdition { published_at: Timestamp::UNIX_EPOCH, ..edition(7, 3) };
    assert!(kept.find(&[at_another_time]).is_none(), "the same number by another way");
    assert!(snapshot_file(&directory, "two").find(&[edition(7, 3)]).is_none(), "another database");
    kept.keep(&[edition(8, 3)], &filings(8));
    assert!(kept.find(&[edition(7, 3)]).is_none() && kept.find(&[edition(8, 3)]).is_some());
    let mut names: Vec<_> =
        fs::read_dir(&kept.directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["filings", "filings.lock"], "nothing old stays behind");
}

#[test]
fn an_older_edition_does_not_replace_a_newer_one() {
    let directory = TempDir::new().unwrap();
    let kept = snapshot_file(&directory, "one");
    kept.keep(&[edition(8, 3)], &filings(8));
    kept.clone().keep(&[edition(7, 3)], &filings(7));
    assert!(kept.find(&[edition(8, 3)]).is_some());
}

#[test]
fn the_file_is_replaced_only_after_many_changes() {
    let directory = TempDir::new().unwrap();
    let kept = snapshot_file(&directory, "one");
    let mut remembered = vec![edition(1, 3)];
    let mut keep = |number, changes| {
        remembered.insert(0, RememberedEdition { changes, ..edition(number, 3) });
        kept.keep(&remembered, &filings(number));
        kept.find(&remembered).map(|(stamp, _)| stamp.edition.0)
    };
    assert_eq!(keep(2, 1), Some(2));
    assert_eq!(keep(3, MOST_CHANGES_BEHIND), Some(2));
    assert_eq!(keep(4, 1), Some(4), "many changes");
    let after: Vec<_> = (5..).map(|number| keep(number, 1)).take(MOST_EDITIONS_BEHIND + 1).collect();
    assert_eq!(after.iter().filter(|kept| **kept == Some(4)).count(), MOST_EDITIONS_BEHIND, "many editions");
    assert_ne!(after.last(), Some(&Some(4)));
}

#[test]
fn a_file_of_a_forgotten_edition_is_replaced() {
    let directory = TempDir::new().unwrap();
    let kept = snapshot_file(&directory, "one");
    kept.keep(&[edition(1, 3)], &filings(1));
    let second = RememberedEdition { changes: 0, ..edition(2, 3) };
    kept.keep(&[second], &filings(2));
    assert!(kept.find(&[second]).is_some());
}

#[test]
fn waits_for_the_draft_of_another_process() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    fs::create_dir_all(&snapshot_file.directory).unwrap();
    let draft = snapshot_file.directory.join("filings.draft");
    let turn = File::create(snapshot_file.directory.join("filings.lock")).unwrap();
    turn.lock().unwrap();
    fs::write(&draft, "half of it").unwrap();
    let filings = filings(1);
    std::thread::scope(|scope| {
        scope.spawn(|| snapshot_file.keep(&[edition(1, 3)], &filings));
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(fs::read(&draft).unwrap(), b"half of it");
        turn.unlock().unwrap();
    });
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some());
}

#[test]
fn the_draft_of_a_killed_writer_is_ignored_and_overwritten() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    let whole = fs::read(snapshot_file.path()).unwrap();
    fs::write(snapshot_file.directory.join("filings.draft"), &whole[..whole.len() / 2]).unwrap();
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some());
    fs::write(snapshot_file.path(), &whole[..whole.len() / 2]).unwrap();
    assert!(snapshot_file.find(&[edition(1, 3)]).is_none(), "cut short");
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert_eq!(fs::read(snapshot_file.path()).unwrap(), whole);
}

#[test]
fn a_draft_that_cannot_be_finished_is_deleted() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    fs::create_dir_all(snapshot_file.path().join("in the way")).unwrap();
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(!snapshot_file.draft().exists());
    fs::remove_dir_all(snapshot_file.path()).unwrap();
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some(), "a failure is not the last attempt");
}

#[test]
fn an_abandoned_draft_is_deleted_at_the_next_start() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    fs::create_dir_all(&snapshot_file.directory).unwrap();
    fs::write(snapshot_file.draft(), "half of it").unwrap();
    let turn = File::create(snapshot_file.directory.join("filings.lock")).unwrap();
    turn.lock().unwrap();
    assert!(snapshot_file.find(&[]).is_none() && snapshot_file.draft().exists(), "somebody writes it");
    turn.unlock().unwrap();
    assert!(snapshot_file.find(&[]).is_none() && !snapshot_file.draft().exists());
}

#[test]
fn a_file_with_flipped_bits_is_rejected() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    let whole = fs::read(snapshot_file.path()).unwrap();
    for seed in 0..60 {
        let (mut bytes, mut random) = (whole.clone(), fastrand::Rng::with_seed(seed));
        for _ in 0..random.usize(1..9) {
            let place = random.usize(..bytes.len());
            bytes[place] ^= 1 << random.u8(..8);
        }
        fs::write(snapshot_file.path(), &bytes).unwrap();
        assert!(bytes == whole || snapshot_file.find(&[edition(1, 3)]).is_none(), "seed {seed}");
    }
}

#[test]
fn a_pipe_in_place_of_the_file_does_not_block() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    fs::create_dir_all(&snapshot_file.directory).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(snapshot_file.path()).status().unwrap().success());
    assert!(snapshot_file.find(&[edition(1, 3)]).is_none());
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some());
}

#[test]
fn symlinks_are_neither_read_nor_written_through() {
    let directory = TempDir::new().unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    let (kept, elsewhere) = (snapshot_file.path(), directory.path().join("elsewhere"));
    fs::rename(&kept, &elsewhere).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    symlink(&elsewhere, &kept).unwrap();
    assert!(snapshot_file.find(&[edition(1, 3)]).is_none(), "another file is not read as ours");
    symlink(&elsewhere, kept.with_file_name("filings.draft")).unwrap();
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some(), "links are replaced");
    let lock = kept.with_file_name("filings.lock");
    fs::remove_file(&lock).unwrap();
    symlink(&elsewhere, &lock).unwrap();
    snapshot_file.keep(&[edition(2, 3)], &filings(2));
    assert!(snapshot_file.find(&[edition(1, 3)]).is_some(), "nobody knows who else holds that lock");
    assert!(fs::read(&elsewhere).unwrap() == before, "another file was written to");
}

#[test]
fn the_label_includes_the_version() {
    let label = snapshot_file(&TempDir::new().unwrap(), "one").label(&edition(1, 3));
    assert!(label.contains(&format!("lastro {} ", env!("CARGO_PKG_VERSION"))), "{label}");
}

#[test]
fn an_unwritable_directory_is_not_an_error() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("made"), "a file where a directory should be").unwrap();
    let snapshot_file = snapshot_file(&directory, "one");
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(snapshot_file.find(&[edition(1, 3)]).is_none());
    assert_eq!(snapshot_file.metrics.index_save_failures.load(Ordering::Relaxed), 1);
    assert!(snapshot_file.metrics.index_unsaved.load(Ordering::Relaxed));
    fs::remove_file(directory.path().join("made")).unwrap();
    snapshot_file.keep(&[edition(1, 3)], &filings(1));
    assert!(!snapshot_file.metrics.index_unsaved.load(Ordering::Relaxed), "there is room again");
}
