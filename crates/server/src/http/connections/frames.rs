//! The frames that a client sends over HTTP/2, as far as the nine bytes before each of them tell.
//!
//! A connection earns frames and bytes by requests and by the pieces of answers that it takes. Whatever it sends beyond
//! that is counted: thousands of frames are a flood, and bytes are held against it, because h2 keeps more than they seem.

use super::LARGEST_HEAD;

/// Frames that a connection may have sent beyond what it has earned.
const MOST_UNEARNED_FRAMES: u32 = 4096;
/// Frames that a request or a taken piece of an answer earns: its own, window updates, acknowledgements.
const FRAMES_PER_STEP: u32 = 16;
/// Bytes that it earns, and how many of them can be saved up: a usual head, compressed, and little beside it.
const BYTES_PER_STEP: usize = 512;
const MOST_BYTES_SAVED: usize = 4096;
/// Bytes beyond those after which a client is asked to come again on another connection.
const MOST_UNEARNED_BYTES: usize = 256 * 1024;
/// Bytes of trailers, which nobody here reads and h2 keeps even for requests that were answered.
const MOST_TRAILERS: usize = 1024;
/// A one-byte reference of HPACK takes about this much as a header in memory.
const HEADER_EXPANSION: usize = 96;
/// A decoded header list is no larger than this: a reference counts 35 bytes or more towards the list's limit.
const LARGEST_HEADER_BLOCK: usize = LARGEST_HEAD / 35 * HEADER_EXPANSION;

const FRAME_HEAD: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

#[derive(Debug)]
pub(super) struct Frames {
    head: [u8; FRAME_HEAD],
    /// Bytes of the head that have come.
    filled: usize,
    /// Bytes of the payload that have come, and that are to come.
    come: usize,
    missing: usize,
    /// Bytes of a header block that has not ended, in whole frames.
    block: usize,
    /// The highest stream so far. Headers of one that is not higher are trailers.
    highest: u32,
    in_trailers: bool,
    trailers: usize,
    unearned_frames: u32,
    /// Bytes that were earned and not used, and those sent beyond that. h2 remembers parts of heads by keeping the whole
    /// buffer that they were read into, so these may lie in memory for as long as the connection does.
    saved_bytes: usize,
    unearned_bytes: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            head: [0; FRAME_HEAD],
            filled: 0,
            come: 0,
            missing: 0,
            block: 0,
            highest: 0,
            in_trailers: false,
            trailers: 0,
            unearned_frames: 0,
            saved_bytes: MOST_BYTES_SAVED,
            unearned_bytes: 0,
        }
    }
}

impl Frames {
    /// Requests came, or pieces of answers were taken.
    pub(super) fn earn(&mut self, steps: u32) {
        self.unearned_frames = self.unearned_frames.saturating_sub(steps.saturating_mul(FRAMES_PER_STEP));
        let earned = BYTES_PER_STEP.saturating_mul(steps as usize);
        self.saved_bytes = (self.saved_bytes + earned).min(MOST_BYTES_SAVED);
    }

    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        let unearned = bytes.len().saturating_sub(self.saved_bytes);
        self.saved_bytes = self.saved_bytes.saturating_sub(bytes.len());
        self.unearned_bytes = (self.unearned_bytes + unearned).min(MOST_UNEARNED_BYTES);
        while !bytes.is_empty() {
            let filling = (FRAME_HEAD - self.filled).min(bytes.len());
            self.head[self.filled..][..filling].copy_from_slice(&bytes[..filling]);
            self.filled += filling;
            bytes = &bytes[filling..];
            if self.filled < FRAME_HEAD {
                return;
            }
            if filling > 0 {
                self.begin();
            }
            let taken = self.missing.min(bytes.len());
            (self.come, self.missing) = (self.come + taken, self.missing - taken);
            bytes = &bytes[taken..];
            if self.missing == 0 {
                self.end();
            }
        }
    }

    /// The head of a frame is whole.
    fn begin(&mut self) {
        let [high, middle, low, kind, _, stream @ ..] = self.head;
        (self.come, self.missing) = (0, u32::from_be_bytes([0, high, middle, low]) as usize);
        self.unearned_frames = self.unearned_frames.saturating_add(1);
        if kind == HEADERS {
            let stream = u32::from_be_bytes(stream);
            self.in_trailers = stream <= self.highest;
            self.highest = self.highest.max(stream);
        }
        if self.in_trailers && matches!(kind, HEADERS | CONTINUATION) {
            self.trailers = self.trailers.saturating_add(self.missing);
        }
    }

    fn end(&mut self) {
        let [_, _, _, kind, flags, ..] = self.head;
        self.block = match kind {
            HEADERS | CONTINUATION if flags & END_HEADERS == 0 => self.block + self.come,
            _ => 0,
        };
        (self.filled, self.come) = (0, 0);
    }

    pub(super) fn is_flood(&self) -> bool {
        self.unearned_frames > MOST_UNEARNED_FRAMES || self.trailers > MOST_TRAILERS
    }

    /// Whether another connection would be lighter.
    pub(super) fn is_heavy(&self) -> bool {
        self.unearned_bytes == MOST_UNEARNED_BYTES
    }

    pub(super) fn unearned_bytes(&self) -> usize {
        self.unearned_bytes
    }

    /// About as many bytes as h2 holds of what has not come whole.
    pub(super) fn half_sent(&self) -> usize {
        self.come + (self.block * HEADER_EXPANSION).min(LARGEST_HEADER_BLOCK)
    }
}
