//! Static files, compiled in by the build script.

/// A file compiled into the binary.
#[derive(Debug)]
pub struct Asset {
    pub name: &'static str,
    /// Path that our own pages link to. It contains a digest of the bytes.
    pub path: &'static str,
    pub content_type: &'static str,
    /// Digest of the bytes, for the `ETag`.
    pub digest: &'static str,
    pub bytes: &'static [u8],
    /// Position among all files, below [`COUNT`].
    pub position: usize,
}

// The pages' own files as `OWN`, the API description, the reference UI, the recipes, and the `COUNT` of all of them.
include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Path of one of our files for use in a page. A test opens every file that a page names.
pub(crate) fn path(name: &str) -> &'static str {
    OWN.iter().find(|asset| asset.name == name).map_or("", |asset| asset.path)
}
