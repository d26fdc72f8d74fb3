//! Whole data sets as files: each made at its first request, kept until the data changes, and sent in any parts.
//!
//! The files have no names: the system deletes them with the process, and nobody else can change them. A reader of
//! columns asks for many small ranges, so one request pays for those of a file that follow it.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, HeaderValue};
use hyper::body::{Frame, SizeHint};
use lastro_encoding::parquet;
use lastro_model::AccountId;
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::Export;
use super::range::Part;
use crate::error::ApiError;
use crate::http::response::body::{Body, Broken};
use crate::http::response::envelope;
use crate::http::response::reply::Reply;

/// Longest time a request waits for its file to be made.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of ranges that a charged request pays for: as a multiple of the file's length, and at minimum.
const PAID_LENGTHS: u64 = 2;
const LEAST_PAID: u64 = 2 * 1024 * 1024;
/// Bytes that a range counts at least: a request is work, however little it asks for.
const LEAST_RANGE: u64 = 64 * 1024;
/// Payments that are remembered, of all accounts.
const MOST_PAYMENTS: usize = 4096;
/// Bytes read from a file at once.
const CHUNK: u64 = 128 * 1024;

const BEING_MADE: ApiError =
    ApiError::Unavailable("the file of this edition is being made; please try again shortly");
const UNWRITABLE: ApiError =
    ApiError::Unavailable("the file cannot be written right now; format=ndjson works");

/// The files made so far.
#[derive(Debug, Default)]
pub struct ExportFiles {
    directory: PathBuf,
    kept: Mutex<HashMap<&'static str, Arc<KeptFile>>>,
    /// Held while a file is made: one at a time, for any client.
    making: Arc<tokio::sync::Mutex<()>>,
    payments: Mutex<Payments>,
}

/// A file of one edition of a data set.
#[derive(Debug)]
pub struct KeptFile {
    digest: u64,
    file: File,
    pub length: u64,
}

/// The rest of what the last charged request pays for, by account and data set: a reader may have several files open.
#[derive(Debug, Default)]
struct Payments {
    by_file: HashMap<(AccountId, &'static str), Payment>,
    /// Payments ever made.
    made: u64,
}

#[derive(Debug)]
struct Payment {
    digest: u64,
    bytes_left: u64,
    /// The number of this payment, to forget the oldest first.
    number: u64,
}

impl Payments {
    /// Records that a charged request pays for the ranges of this file that follow.
    fn pay(&mut self, account: AccountId, dataset: &'static str, file: &KeptFile) {
        let key = (account, dataset);
        if self.by_file.len() >= MOST_PAYMENTS && !self.by_file.contains_key(&key) {
            let oldest = self.by_file.iter().min_by_key(|(_, payment)| payment.number);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.by_file.remove(&oldest);
            }
        }
        self.made += 1;
        let bytes_left = (PAID_LENGTHS * file.length).max(LEAST_PAID);
        let payment = Payment { digest: file.digest, bytes_left, number: self.made };
        self.by_file.insert(key, payment);
    }

    /// Whether an earlier request has paid for this range, which it then pays for.
    fn take(
        &mut self,
        account: AccountId,
        dataset: &'static str,
        file: &KeptFile,
        range: &Range<u64>,
    ) -> bool {
        let bytes = (range.end - range.start).max(LEAST_RANGE);
        let known = self.by_file.get_mut(&(account, dataset)).filter(|paid| paid.digest == file.digest);
        let left = known.and_then(|paid| Some((paid.bytes_left.checked_sub(bytes)?, paid)));
        left.map(|(left, paid)| paid.bytes_left = left).is_some()
    }
}

impl ExportFiles {
    /// Files are made in this directory.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, ..Self::default() }
    }

    /// The file of this export, if it is made already.
    pub fn kept(&self, export: &Export) -> Option<Arc<KeptFile>> {
        let kept = self.kept.lock();
        kept.get(export.name).filter(|file| file.digest == export.digest()).cloned()
    }

    /// Makes the file of this export, or waits for the request that does. Once begun, it is finished even if every
    /// client leaves.
    pub async fn make(self: &Arc<Self>, export: Export) -> Result<Arc<KeptFile>, ApiError> {
        let making = async {
            let turn = Arc::clone(&self.making).lock_owned().await;
            if let Some(file) = self.kept(&export) {
                return Ok(file);
            }
            let files = Arc::clone(self);
            let made = tokio::task::spawn_blocking(move || {
                let made = files.make_now(&export);
                drop(turn);
                made
            });
            made.await.unwrap_or_else(|error| Err(anyhow::Error::new(error))).map_err(|error| {
                tracing::warn!(error = format!("{error:#}"), "the file of an export could not be made");
                UNWRITABLE
            })
        };
        tokio::time::timeout(PATIENCE, making).await.unwrap_or(Err(BEING_MADE))
    }

    fn make_now(&self, export: &Export) -> anyhow::Result<Arc<KeptFile>> {
        let file = nameless(&self.directory)?;
        parquet::write(&*export.rows, file.try_clone()?)?;
        let length = file.metadata()?.len();
        tracing::info!(dataset = export.name, length, "made the file of an export");
        let made = Arc::new(KeptFile { digest: export.digest(), file, length });
        self.kept.lock().insert(export.name, Arc::clone(&made));
        Ok(made)
    }

    /// The reply with the requested part of the file; `reply` has the headers of the whole.
    pub fn reply(&self, reply: Reply, kept: &KeptFileOf<'_>, part: Part) -> Result<Reply, ApiError> {
        let KeptFileOf { dataset, file, account } = *kept;
        let mut reply = reply;
        reply.headers.push((ACCEPT_RANGES, HeaderValue::from_static("bytes")));
        let length = file.length;
        let range = match part {
            Part::All => 0..length,
            Part::Some(range) => {
                reply.status = StatusCode::PARTIAL_CONTENT;
                reply.is_paid = self.payments.lock().take(account, dataset, file, &range);
                let sent = format!("bytes {}-{}/{length}", range.start, range.end - 1);
                reply.headers.push((CONTENT_RANGE, envelope::text(&sent)));
                range
            }
            Part::Nothing => return Err(ApiError::RangeNotSatisfiable { length }),
        };
        if !reply.is_paid {
            self.payments.lock().pay(account, dataset, file);
        }
        reply.headers.push((CONTENT_LENGTH, (range.end - range.start).into()));
        reply.body = Body::Stream(Box::new(FileBody::new(Arc::clone(file), range)));
        Ok(reply)
    }
}

/// A file, its data set, and the account that asks for it.
#[derive(Debug, Clone, Copy)]
pub struct KeptFileOf<'a> {
    pub dataset: &'static str,
    pub file: &'a Arc<KeptFile>,
    pub account: AccountId,
}

/// A new file that has no name. Its directory is made if need be.
fn nameless(directory: &Path) -> io::Result<File> {
    std::fs::create_dir_all(directory)?;
    tempfile::tempfile_in(directory)
}

/// A part of a file as a body, read as the client takes it.
struct FileBody {
    file: Arc<KeptFile>,
    range: Range<u64>,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl FileBody {
    fn new(file: Arc<KeptFile>, range: Range<u64>) -> Self {
        Self { file, range, reading: None }
    }

    /// Reads the next bytes on a thread that may wait for the disk.
    fn read_on(&mut self) -> JoinHandle<io::Result<Vec<u8>>> {
        let (file, from) = (Arc::clone(&self.file), self.range.start);
        let mut bytes = vec![0; (self.range.end - from).min(CHUNK) as usize];
        self.range.start += bytes.len() as u64;
        tokio::task::spawn_blocking(move || file.file.read_exact_at(&mut bytes, from).map(|()| bytes))
    }
}

impl hyper::body::Body for FileBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let body = self.get_mut();
        if body.reading.is_none() && body.range.is_empty() {
            return Poll::Ready(None);
        }
        if body.reading.is_none() {
            body.reading = Some(body.read_on());
        }
        let Some(reading) = &mut body.reading else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(cx));
        body.reading = None;
        let read = read.unwrap_or_else(|error| Err(io::Error::other(error)));
        Poll::Ready(Some(read.map(|bytes| Frame::data(bytes.into())).map_err(|error| {
            tracing::error!(%error, "the file of an export could not be read");
            Broken("the file could not be read")
        })))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.range.end - self.range.start)
    }
}

impl fmt::Debug for FileBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileBody").field("range", &self.range).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::KeyId;

    #[test]
    fn only_the_oldest_payment_makes_place_for_a_new_one() {
        let file = KeptFile { digest: 1, file: tempfile::tempfile().unwrap(), length: 10 };
        let account = |number: usize| AccountId(KeyId::parse(&format!("{number:08}")).unwrap());
        let mut payments = Payments::default();
        for number in 0..MOST_PAYMENTS {
            payments.pay(account(number), "fx", &file);
        }
        payments.pay(account(0), "fx", &file);
        payments.pay(account(0), "filings", &file);
        assert_eq!(payments.by_file.len(), MOST_PAYMENTS);
        let paid = |number, dataset| payments.by_file.contains_key(&(account(number), dataset));
        assert!(paid(0, "fx") && paid(0, "filings") && paid(2, "fx") && !paid(1, "fx"));
    }
}
