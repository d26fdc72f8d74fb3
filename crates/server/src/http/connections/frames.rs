//! The HTTP/2 frames that a client sends, tracked by their nine-byte headers.
//!
//! A connection earns frames and bytes by requests and by reading chunks of responses. The excess is counted:
//! thousands of frames are a flood, and bytes are charged to it, because h2 keeps more memory than they suggest.

use super::LARGEST_HEAD;

/// Frames a connection may send beyond the earned ones.
const MOST_UNEARNED_FRAMES: u32 = 4096;
/// Frames earned by a request or a chunk read: its own, window updates, acknowledgements.
const FRAMES_PER_STEP: u32 = 16;
/// Bytes earned by the same, and the most that can be saved up: a usual compressed head, and little more.
const BYTES_PER_STEP: usize = 512;
const MOST_BYTES_SAVED: usize = 4096;
/// Bytes beyond the earned ones after which the connection is closed, so that the client opens a new one.
const MOST_UNEARNED_BYTES: usize = 256 * 1024;
/// Bytes of trailers, which we never read and h2 keeps even for answered requests.
const MOST_TRAILERS: usize = 1024;
/// Approximate memory of a header sent as a one-byte HPACK reference.
const HEADER_EXPANSION: usize = 96;
/// Largest memory of a decoded header list: a reference counts at least 35 bytes towards the list's limit.
const LARGEST_HEADER_BLOCK: usize = LARGEST_HEAD / 35 * HEADER_EXPANSION;

const FRAME_HEAD: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

#[derive(Debug)]
pub(super) struct Frames {
    head: [u8; FRAME_HEAD],
    /// Bytes of the frame header received.
    filled: usize,
    /// Bytes of the payload received, and missing.
    come: usize,
    missing: usize,
    /// Bytes of an unfinished header block, in whole frames.
    block: usize,
    /// The highest stream so far. Headers of a stream that is not higher are trailers.
    highest: u32,
    in_trailers: bool,
    trailers: usize,
    unearned_frames: u32,
    /// Bytes earned and not used, and bytes sent beyond that. h2 keeps the whole read buffer for the parts of heads
    /// that it remembers, so these may stay in memory as long as the connection does.
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
    /// Credits requests received and chunks read.
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

    /// Handles a complete frame header.
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

    /// Whether a new connection would use less memory.
    pub(super) fn is_heavy(&self) -> bool {
        self.unearned_bytes == MOST_UNEARNED_BYTES
    }

    pub(super) fn unearned_bytes(&self) -> usize {
        self.unearned_bytes
    }

    /// The approximate bytes that h2 holds of incomplete frames and header blocks.
    pub(super) fn half_sent(&self) -> usize {
        self.come + (self.block * HEADER_EXPANSION).min(LARGEST_HEADER_BLOCK)
    }
}
