//! The body of an export: one bounded unit of work (a turn) each time the client has room for more.
//!
//! Nothing runs while the client does not read: there is no task and no queue. After each turn it yields to other
//! requests, and it sleeps in proportion to the work done, so that exports stay in the background.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::body::Frame;
use lastro_catalog::Page;
use lastro_encoding::Encoder;
use lastro_model::Clock;

use super::Export;
use super::slots::Slot;
use crate::http::response::body::Broken;
use crate::http::response::csv::CsvWriter;

/// Bytes written in a turn: a fraction of a millisecond, compressed or not.
const TURN_BYTES: usize = 32 * 1024;
/// Rows read from the catalog at once.
const PAGE_ROWS: usize = 16;
/// Nanoseconds of sleep for each nanosecond of work: one export takes at most a sixth of one core.
const REST_PER_WORK: u64 = 5;
/// The timer's resolution; shorter sleeps are accumulated.
const SHORTEST_REST_NS: u64 = 1_000_000;

pub struct Stream {
    export: Export,
    total: usize,
    written: usize,
    /// `None` once everything is written.
    encoder: Option<Encoder>,
    slot: Slot,
    clock: Arc<dyn Clock>,
    cores: usize,
    /// Sleep accumulated and not taken yet.
    owed_ns: u64,
    rest: Option<BoxFuture<'static, ()>>,
}

impl Stream {
    pub fn new(export: Export, encoder: Encoder, slot: Slot, clock: Arc<dyn Clock>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let total = export.rows.total();
        Self { export, total, written: 0, encoder: Some(encoder), slot, clock, cores, owed_ns: 0, rest: None }
    }

    /// Produces the next chunk; `None` at the end.
    fn turn(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let Some(encoder) = &mut self.encoder else { return Ok(None) };
        let already = self.written;
        let mut piece = Vec::with_capacity(2 * TURN_BYTES);
        if let (0, Some(dialect)) = (already, self.export.dialect()) {
            let begun = CsvWriter::begin(dialect, self.export.rows.columns(), &mut piece);
            begun.and_then(CsvWriter::finish).map_err(|_| UNWRITABLE)?;
        }
        while self.written < self.total && piece.len() < TURN_BYTES {
            let page = Page { limit: PAGE_ROWS, offset: self.written };
            let rows = self.export.write(page, &mut piece).map_err(|_| UNWRITABLE)?;
            if rows == 0 {
                return Err(Broken("there were fewer rows than announced"));
            }
            self.written += rows;
        }
        self.slot.wrote(self.written - already);
        let mut ready = encoder.push(piece).map_err(|_| UNWRITABLE)?;
        if self.written == self.total
            && let Some(encoder) = self.encoder.take()
        {
            ready.append(&mut encoder.finish().map_err(|_| UNWRITABLE)?);
            self.slot.complete();
        }
        Ok(Some(ready))
    }

    /// Yields, or sleeps once enough is accumulated. The more exports run, the longer each of them sleeps.
    fn rest_after(&mut self, work_ns: u64) -> BoxFuture<'static, ()> {
        let running = self.slot.running().max(self.cores) as u64;
        self.owed_ns += work_ns.saturating_mul(REST_PER_WORK).saturating_mul(running) / self.cores as u64;
        if self.owed_ns < SHORTEST_REST_NS {
            return tokio::task::yield_now().boxed();
        }
        tokio::time::sleep(Duration::from_nanos(std::mem::take(&mut self.owed_ns))).boxed()
    }
}

const UNWRITABLE: Broken = Broken("a row could not be written");
const PANICKED: Broken = Broken("a row could not be rendered");

impl hyper::body::Body for Stream {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let stream = self.get_mut();
        loop {
            if let Some(rest) = &mut stream.rest {
                ready!(rest.poll_unpin(cx));
                stream.rest = None;
            }
            let began = stream.clock.now().monotonic_ns;
            let turned = catch_unwind(AssertUnwindSafe(|| stream.turn())).unwrap_or(Err(PANICKED));
            let worked = stream.clock.now().monotonic_ns.saturating_sub(began);
            match turned {
                Ok(None) => return Poll::Ready(None),
                Err(broken) => {
                    tracing::error!(%broken, export = stream.export.name, "an export was interrupted");
                    return Poll::Ready(Some(Err(broken)));
                }
                Ok(Some(ready)) => {
                    stream.rest = Some(stream.rest_after(worked));
                    if !ready.is_empty() {
                        return Poll::Ready(Some(Ok(Frame::data(ready.into()))));
                    }
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        false
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("export", &self.export)
            .field("written", &self.written)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}
