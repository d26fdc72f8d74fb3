//! Reads settings that hold a password, such as a database URL, from files, as containers and systemd provide them.
//!
//! No message shows the content of such a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use clap::ArgMatches;
use clap::parser::ValueSource;

/// Maximum file size: longer than any URL, and small enough that a wrong file does no harm.
const LARGEST: u64 = 64 * 1024;

/// The value of a setting from its secret file, unless the setting itself was given explicitly. Giving both explicitly
/// is an error. Values from the `--config` file are not explicit.
pub(super) fn chosen(matches: &ArgMatches, id: &str, file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = file else { return Ok(None) };
    let aloud = |id: &str| matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue);
    match (aloud(id), aloud(&format!("{id}_file"))) {
        (true, true) => bail!("--{id} and --{id}-file say the same; give one of them"),
        (true, false) => Ok(None),
        (false, _) => secret_from_file(path).with_context(|| format!("--{id}-file")).map(Some),
    }
}

/// The first line of the file, trimmed.
pub fn secret_from_file(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > LARGEST {
        bail!("{shown} is too large: it should hold one line");
    }
    // The conversion error is not passed on, because it contains the bytes.
    let Ok(text) = String::from_utf8(bytes) else { bail!("{shown} is not text") };
    match text.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => bail!("{shown} is empty: its first line should be the value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> Result<String, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        secret_from_file(file.path()).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn reads_the_first_line_trimmed() {
        for content in ["postgres://a:b@c/d", "postgres://a:b@c/d\n", "  postgres://a:b@c/d \r\n# a note\n"] {
            assert_eq!(read(content.as_bytes()).as_deref(), Ok("postgres://a:b@c/d"));
        }
    }

    #[test]
    fn invalid_files_are_rejected_without_showing_their_content() {
        let large = "hunter2".repeat(10_000);
        for (content, reason) in [
            (&b""[..], "is empty"),
            (b"\nhunter2\n", "is empty"),
            (b" \t \n", "is empty"),
            (b"hunter2\xff", "is not text"),
            (large.as_bytes(), "is too large"),
        ] {
            let refusal = read(content).unwrap_err();
            assert!(refusal.contains(reason), "{refusal}");
            assert!(!refusal.contains("hunter2"), "{refusal}");
        }
        let missing = secret_from_file(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(format!("{missing:#}").starts_with("cannot read /nowhere/at/all"), "{missing:#}");
        assert!(secret_from_file(Path::new("/")).is_err());
    }
}
