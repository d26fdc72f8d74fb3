//! Downloads of publishers' files to disk.

use std::fs::File;
use std::io::{self, Seek};

use http::StatusCode;
use http::header::{CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use lastro_model::{Source, hex};
use lastro_sources::Fault;
use lastro_sources::request::Request;
use lastro_store::RememberedFile;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;

use super::failure::{Failure, retry_after, text_of, too_large, unreachable};
use crate::spool::{Kept, Metadata, Spool};

/// The real registry has 1.5 MB, a year of filings 2 MB compressed.
const LARGEST_FILE: u64 = 128 * 1024 * 1024;

/// The response to a file request.
#[derive(Debug)]
pub enum FileAnswer {
    Fresh(Download),
    /// The same bytes as last time.
    Unchanged,
    /// The publisher does not have the file (now).
    Absent,
}

/// A downloaded file without a name: it vanishes when this is dropped, or the process is killed.
#[derive(Debug)]
pub struct Download {
    file: File,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub sha256: String,
}

impl Download {
    /// The bytes from their start, for one reader at a time.
    pub fn bytes(&self) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        Ok(file)
    }
}

impl From<Kept> for Download {
    fn from(Kept { metadata, bytes }: Kept) -> Self {
        let Metadata { etag, last_modified, sha256, .. } = metadata;
        Self { file: bytes, etag, last_modified, sha256 }
    }
}

/// Makes the request conditional on a change from the remembered file.
pub(super) fn conditional(
    mut asking: reqwest::RequestBuilder,
    remembered: Option<&RememberedFile>,
) -> reqwest::RequestBuilder {
    let Some(file) = remembered else { return asking };
    for (name, value) in [(IF_NONE_MATCH, &file.etag), (IF_MODIFIED_SINCE, &file.last_modified)] {
        if let Some(value) = value {
            asking = asking.header(name, value);
        }
    }
    asking
}

/// Interprets the status; the body goes to disk.
pub(super) async fn receive(
    request: &Request,
    response: reqwest::Response,
    remembered: Option<&RememberedFile>,
    spool: Option<(&Spool, Source)>,
) -> Result<FileAnswer, Failure> {
    match response.status() {
        StatusCode::OK => {
            let download = stream_to_disk(request, response, spool).await?;
            Ok(unless_remembered(download, remembered))
        }
        StatusCode::NOT_MODIFIED if remembered.is_some() => Ok(FileAnswer::Unchanged),
        StatusCode::NOT_FOUND | StatusCode::GONE => Ok(FileAnswer::Absent),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Err(Failure::Passing {
                sentence: format!("{}: the publisher answered status {}", request.what, status.as_u16()),
                wait: retry_after(response.headers()),
            })
        }
        status => Err(Failure::Lasting(Fault::Internal(format!(
            "{}: the publisher answered status {}",
            request.what,
            status.as_u16()
        )))),
    }
}

/// Compares digests: equal bytes are unchanged, whatever the tags say.
pub(super) fn unless_remembered(download: Download, remembered: Option<&RememberedFile>) -> FileAnswer {
    match remembered {
        Some(file) if file.sha256 == download.sha256 => FileAnswer::Unchanged,
        _ => FileAnswer::Fresh(download),
    }
}

async fn stream_to_disk(
    request: &Request,
    mut response: reqwest::Response,
    spool: Option<(&Spool, Source)>,
) -> Result<Download, Failure> {
    let (file, draft) = place(spool).map_err(|error| no_room(&error))?;
    let mut writer = tokio::fs::File::from_std(file.try_clone().map_err(|error| no_room(&error))?);
    let (mut digest, mut length) = (Sha256::new(), 0u64);
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(request, &error))? {
        length += chunk.len() as u64;
        if length > LARGEST_FILE {
            return Err(too_large(request));
        }
        digest.update(&chunk);
        writer.write_all(&chunk).await.map_err(|error| no_room(&error))?;
    }
    writer.flush().await.map_err(|error| no_room(&error))?;
    let metadata = Metadata {
        status: response.status().as_u16(),
        content_type: text_of(response.headers(), CONTENT_TYPE),
        etag: text_of(response.headers(), ETAG),
        last_modified: text_of(response.headers(), LAST_MODIFIED),
        sha256: hex::encode(&digest.finalize()),
    };
    if let (Some((spool, source)), Some(draft)) = (spool, draft)
        && let Err(error) = spool.keep(source, &request.url, draft, metadata.clone())
    {
        tracing::debug!(%error, "a file could not be kept for the next attempt");
    }
    Ok(Kept { metadata, bytes: file }.into())
}

/// Opens the destination: a draft in the spool, or an unnamed file.
fn place(spool: Option<(&Spool, Source)>) -> io::Result<(File, Option<NamedTempFile>)> {
    match spool.map(|(spool, source)| spool.draft(source)) {
        Some(Ok(draft)) => return Ok((draft.reopen()?, Some(draft))),
        Some(Err(error)) => tracing::debug!(%error, "the spool cannot be written to; nothing is kept in it"),
        None => {}
    }
    Ok((tempfile::tempfile()?, None))
}

/// Reports only the error's kind: the error itself may contain a path of this machine.
fn no_room(error: &io::Error) -> Failure {
    Failure::Lasting(Fault::Internal(format!("cannot write a temporary file: {}", error.kind())))
}
