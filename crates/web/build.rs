//! Compiles the static files of the pages into the binary: our own assets, and the reference UI from its crate.
//!
//! Third-party front-end files are taken from a registry dependency here; none is kept in the repository.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let description = root.join("../../openapi.yaml");
    let recipes = root.join("../../docs/recipes.md");
    println!("cargo::rerun-if-changed={}", description.display());
    println!("cargo::rerun-if-changed={}", recipes.display());
    println!("cargo::rerun-if-changed={}", root.join("assets").display());
    println!("cargo::rerun-if-changed=build.rs");

    let mut files: Vec<PathBuf> =
        fs::read_dir(root.join("assets"))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let own = files.len();
    let mut table = format!("pub const COUNT: usize = {};\npub static OWN: [Asset; {own}] = [\n", own + 3);
    for (position, file) in files.iter().enumerate() {
        table.push_str(&entry(file, position)?);
        table.push_str(",\n");
    }
    table.push_str("];\n");
    let _ = writeln!(table, "pub static DESCRIPTION: Asset = {};", entry(&description, own)?);
    let reference = out.join("scalar.js");
    fs::write(&reference, scalar()?)?;
    let _ = writeln!(table, "pub static SCALAR: Asset = {};", entry(&reference, own + 1)?);
    let _ = writeln!(table, "pub static RECIPES: Asset = {};", entry(&recipes, own + 2)?);
    fs::write(out.join("assets.rs"), table)
}

/// The bundle, but for the secret that it makes up for examples: they show the form of our keys instead.
fn scalar() -> io::Result<Vec<u8>> {
    let bundle = scalar_api_reference::get_asset("scalar.js")
        .ok_or_else(|| io::Error::other("the reference UI carries no scalar.js"))?;
    let bundle = String::from_utf8(bundle).map_err(io::Error::other)?;
    if !bundle.contains(PLACEHOLDER) {
        return Err(io::Error::other("the reference UI no longer has the placeholder that is replaced here"));
    }
    Ok(bundle.replace(PLACEHOLDER, "lastro_…").into_bytes())
}

const PLACEHOLDER: &str = "YOUR_SECRET_TOKEN";

/// One line of the table: name, type, digest for the `ETag`, bytes.
fn entry(file: &Path, position: usize) -> io::Result<String> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("ico") => "image/x-icon",
        Some("yaml") => "application/yaml",
        // Browsers show a plain text, and offer Markdown as a download.
        Some("md") => "text/plain; charset=utf-8",
        _ => return Err(io::Error::other(format!("{name}: what is its content type?"))),
    };
    let plain = fs::read(file)?;
    let digest: String = Sha256::digest(&plain).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let path = file.canonicalize()?;
    // A linked file has its digest in its name, so that clients cache it for good.
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let path_of_digest = format!("/assets/{stem}.{digest}.{extension}");
    Ok(format!(
        "Asset {{ name: {name:?}, path: {path_of_digest:?}, content_type: {kind:?}, digest: {digest:?}, bytes: include_bytes!({path:?}), \
         position: {position} }}"
    ))
}
