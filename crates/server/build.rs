//! Names the commit that the binary is built from: `SOURCE_COMMIT` of the environment, else that of the git checkout,
//! else `unknown`, as in a source archive.
//!
//! Cargo runs this again when the variable changes or another commit is checked out or made, and at no other time.
//!
//! It also asks the linker for packed relocations, where they can be read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const VARIABLE: &str = "SOURCE_COMMIT";
/// Digits of a commit that are shown, and the longest name that the variable may give.
const DIGITS: usize = 12;
const LONGEST: usize = 40;
/// The first glibc that reads packed relocations. Every start reads all relocations; packed, they take 2 MB less
/// (docs/decisions/0017).
const PACKED_RELOCATIONS: (u32, u32) = (2, 36);

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let commit = match env::var(VARIABLE).ok().filter(|name| !name.is_empty()) {
        Some(name) => named(&name)?,
        None => checked_out().unwrap_or_else(|| "unknown".to_owned()),
    };
    println!("cargo::rustc-env={VARIABLE}={commit}");
    if glibc_here() >= Some(PACKED_RELOCATIONS) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    Ok(())
}

/// The version of this machine's glibc, if the program is built for it.
fn glibc_here() -> Option<(u32, u32)> {
    let target = env::var("TARGET").ok()?;
    if env::var("HOST").ok()? != target || !target.ends_with("-linux-gnu") {
        return None;
    }
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?.stdout;
    let (major, minor) = std::str::from_utf8(&answer).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The given name; a full hash is shortened like one that git reports.
fn named(name: &str) -> io::Result<String> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_plain || name.len() > LONGEST {
        return Err(io::Error::other(format!("{VARIABLE} is not the name of a commit")));
    }
    let is_hash = name.len() == LONGEST && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(if is_hash { name[..DIGITS].to_owned() } else { name.to_owned() })
}

/// The commit of the checkout that this package belongs to. `None` without git, and for a source archive that happens to
/// lie inside another checkout.
fn checked_out() -> Option<String> {
    let root = fs::canonicalize(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..")).ok()?;
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(&root).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    if fs::canonicalize(git(&["rev-parse", "--show-toplevel"])?).ok()? != root {
        return None;
    }
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"])?;
    // A commit is written to the log of HEAD, and without one to the file of the branch.
    for name in ["HEAD", "logs/HEAD", &branch, "packed-refs"] {
        let path = PathBuf::from(git(&["rev-parse", "--path-format=absolute", "--git-path", name])?);
        if path.is_file() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])
}
