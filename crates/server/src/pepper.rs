//! The secret used to hash keys. It is stored outside the database, so that stealing one does not yield the other.
//!
//! It is read from `--pepper-file`, or created on first use beside the SQLite database, readable by its owner only.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lastro_access::Pepper;
use lastro_background::clock::{fill_random, random_hex};
use lastro_config::Common;
use lastro_store::Store;

const FINGERPRINT: &str = "pepper_fingerprint";

/// The default path of a database's pepper; `None` for PostgreSQL.
pub fn default_path(database: &str) -> Option<PathBuf> {
    lastro_store::sqlite_path(database).map(|path| {
        let mut name = path.into_os_string();
        name.push(".pepper");
        PathBuf::from(name)
    })
}

/// The path of the pepper according to the settings.
pub fn path_of(common: &Common) -> anyhow::Result<PathBuf> {
    lastro_store::check_address(&common.database)?;
    let named = common.pepper_file.clone();
    named.or_else(|| default_path(&common.database)).context(
        "a PostgreSQL database has no place beside it for the pepper that keys are hashed with: \
         name its file with --pepper-file, the same for every replica",
    )
}

/// Fails if the file cannot be used, or if it is missing and could not be created: before anything else is created.
pub fn check_file(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return load(path).map(drop);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if directory.is_dir() {
        return Ok(());
    }
    bail!("the pepper file {} is missing, and so is its directory", path.display())
}

/// The pepper of this database, read from its file, or created if the database has never had one.
///
/// Rejects a missing pepper, and one that did not make this database's hashes: no key would work, without a reason.
pub async fn of(store: &dyn Store, path: &Path) -> anyhow::Result<Pepper> {
    // The database is read first, because another process starting now writes the file before the database.
    if let Some(fingerprint) = store.setting(FINGERPRINT).await? {
        return existing(path, &fingerprint);
    }
    let pepper = load_or_create(path)?;
    existing(path, &store.setting_or(FINGERPRINT, &pepper.fingerprint()).await?)
}

/// Fails if the file does not hold the pepper of this database. Writes nothing.
pub async fn check(store: &dyn Store, path: &Path) -> anyhow::Result<()> {
    match store.setting(FINGERPRINT).await? {
        Some(fingerprint) => existing(path, &fingerprint).map(drop),
        // Without a fingerprint there is no key.
        None => Ok(()),
    }
}

/// The pepper in the file, if it has this fingerprint.
fn existing(path: &Path, fingerprint: &str) -> anyhow::Result<Pepper> {
    if !path.exists() {
        bail!(
            "the pepper file {} is missing, and the keys of this database need it; restore it, or name it with --pepper-file",
            path.display()
        );
    }
    let pepper = load(path)?;
    if pepper.fingerprint() != fingerprint {
        bail!(
            "the keys of this database were hashed with another pepper; \
             restore the pepper file that belongs to it, or name it with --pepper-file"
        );
    }
    Ok(pepper)
}

fn load_or_create(path: &Path) -> anyhow::Result<Pepper> {
    if !path.exists() {
        create(path).with_context(|| format!("cannot write the pepper file {}", path.display()))?;
    }
    load(path)
}

fn load(path: &Path) -> anyhow::Result<Pepper> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read the pepper file {}", path.display()))?;
    match Pepper::parse(text.trim()) {
        Ok(pepper) => Ok(pepper),
        Err(_) => bail!("the pepper file {} does not hold 64 hexadecimal digits", path.display()),
    }
}

/// Writes a complete file or none and never overwrites one, so that two processes starting at once share one pepper.
fn create(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", random_hex(8)));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file.write_all(Pepper::generate(&mut fill_random).to_hex().as_bytes());
    let linked = written.and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use lastro_config::Cli;

    fn of(database: &str, more: &[&str]) -> anyhow::Result<PathBuf> {
        let named = ["lastro", "--database", database].into_iter().chain(more.iter().copied());
        path_of(&Cli::parse_from(named).common)
    }

    #[test]
    fn a_postgres_database_needs_a_pepper_file() {
        let database = "postgres://ana:hunter2@db/lastro";
        let refusal = of(database, &[]).unwrap_err().to_string();
        assert!(refusal.contains("--pepper-file") && !refusal.contains("hunter2"), "{refusal}");
        assert_eq!(of(database, &["--pepper-file", "p"]).unwrap(), PathBuf::from("p"));
    }

    #[test]
    fn an_invalid_database_address_is_reported_as_such() {
        for database in ["lastro.db", "/var/lib/lastro.db", "mysql://ana:hunter2@db/lastro"] {
            let refusal = of(database, &[]).unwrap_err().to_string();
            assert!(refusal.contains("sqlite:lastro.db") && !refusal.contains("hunter2"), "{refusal}");
        }
    }
}
