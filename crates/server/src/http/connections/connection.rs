//! One connection: the state shared by its requests, its bodies and the sweep.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::task::{Context, Waker};

use lastro_access::{ClientAddr, LastKey};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::ages::Ages;
use super::last_head::LastHead;
use super::totals::{AddressTotals, Reason, Totals};

/// The state of a connection. It only ever moves down this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    Open,
    /// Finishes the requests under way and accepts no new one.
    Closing,
    /// Ends at once, even with requests under way.
    HungUp,
}

pub struct Connection {
    pub peer: IpAddr,
    pub(super) address: ClientAddr,
    /// A trusted proxy, which may have any number of connections.
    pub(super) trusted: bool,
    pub(super) number: u64,
    /// The key of the latest request with a valid one.
    pub last_key: LastKey,
    pub last_head: Mutex<Option<LastHead>>,
    pub(super) totals: Arc<Totals>,
    pub(super) of_address: Arc<AddressTotals>,
    state: AtomicU8,
    /// Wakes the task that serves this connection.
    task: Mutex<Waker>,
    last_active: AtomicU32,
    closing_since: AtomicU32,
    /// Pending requests. Those that are answered at once never count.
    under_way: AtomicU32,
    /// Requests among them whose response may have nothing to send for long.
    following: AtomicU32,
    /// Whether the stream was flushed while a response waited: hyper does so when it has written everything.
    is_flushed: AtomicBool,
    /// Requests among them that wait for other clients to read their responses.
    pub(super) waiting: AtomicU32,
    pub(super) capacity: Notify,
    /// Requests among them whose bodies are being awaited.
    pub(super) bodies: AtomicU32,
    /// Bytes of requests received and not answered yet.
    pub(super) pending: AtomicUsize,
    /// Number of requests received and response chunks read so far.
    progress: AtomicU32,
    pub(super) unsent: AtomicUsize,
    pub(super) ages: Ages,
}

impl Connection {
    pub(super) fn new(
        totals: &Arc<Totals>,
        of_address: &Arc<AddressTotals>,
        peer: IpAddr,
        trusted: bool,
        number: u64,
    ) -> Self {
        Self {
            peer,
            address: peer.into(),
            trusted,
            number,
            last_key: LastKey::default(),
            last_head: Mutex::new(None),
            totals: Arc::clone(totals),
            of_address: Arc::clone(of_address),
            state: AtomicU8::new(State::Open as u8),
            task: Mutex::new(Waker::noop().clone()),
            last_active: AtomicU32::new(totals.second()),
            closing_since: AtomicU32::new(0),
            under_way: AtomicU32::new(0),
            following: AtomicU32::new(0),
            is_flushed: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
            capacity: Notify::new(),
            bodies: AtomicU32::new(0),
            pending: AtomicUsize::new(0),
            progress: AtomicU32::new(0),
            unsent: AtomicUsize::new(0),
            ages: Ages::default(),
        }
    }

    /// The state; the task of `cx` is woken when it changes.
    pub fn poll_state(&self, cx: &Context<'_>) -> State {
        // Before the state is read: a change after it wakes the task. Nearly always it is the same task.
        self.task.lock().clone_from(cx.waker());
        self.state()
    }

    pub fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Open,
            1 => State::Closing,
            _ => State::HungUp,
        }
    }

    /// Records a request received or a response sent.
    pub fn mark_active(&self) {
        self.last_active.store(self.second(), Ordering::Relaxed);
    }

    /// Counts a request received or a response chunk read.
    pub fn advance(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn progress(&self) -> u32 {
        self.progress.load(Ordering::Relaxed)
    }

    /// Keeps the connection from counting as idle until the guard is dropped.
    pub fn under_way(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(Arc::clone(self))
    }

    /// Like [`Connection::under_way`], for a response that may have nothing to send for long.
    pub fn follows(self: &Arc<Self>) -> Following {
        self.following.fetch_add(1, Ordering::Relaxed);
        Following(self.under_way())
    }

    pub(super) fn is_following(&self) -> bool {
        self.following.load(Ordering::Relaxed) > 0
    }

    pub(super) fn note_flush(&self) {
        self.is_flushed.store(true, Ordering::Relaxed);
    }

    /// Whether there was a flush since this was last called.
    pub fn take_flush(&self) -> bool {
        self.is_flushed.load(Ordering::Relaxed) && self.is_flushed.swap(false, Ordering::Relaxed)
    }

    pub(super) fn second(&self) -> u32 {
        self.totals.second()
    }

    /// Seconds without a request or an unsent response; `None` while there is one.
    pub(super) fn idle_for(&self, second: u32) -> Option<u32> {
        let quiet = self.under_way.load(Ordering::Relaxed) == 0 && self.unsent.load(Ordering::Relaxed) == 0;
        quiet.then(|| second.saturating_sub(self.last_active.load(Ordering::Relaxed)))
    }

    /// Whether it was asked to close so long ago that it will not do so by itself.
    pub(super) fn lingers(&self, second: u32, timeout: u32) -> bool {
        self.state() == State::Closing
            && second.saturating_sub(self.closing_since.load(Ordering::Relaxed)) > timeout
    }

    pub(super) fn close(&self, reason: Reason) {
        if self.move_to(State::Closing) == State::Open {
            self.totals.count_closed(reason);
        }
    }

    pub(super) fn hang_up(&self, reason: Reason) {
        if self.move_to(State::HungUp) == State::Open {
            self.totals.count_closed(reason);
        }
    }

    /// Closes the connection before a shutdown.
    pub fn ask_to_close(&self) {
        self.move_to(State::Closing);
    }

    /// Ends the connection without counting a reason.
    pub fn cut_off(&self) {
        self.move_to(State::HungUp);
    }

    /// Returns the previous state.
    fn move_to(&self, state: State) -> State {
        let before = self.state();
        if before < state {
            self.closing_since.store(self.second(), Ordering::Relaxed);
            self.state.fetch_max(state as u8, Ordering::AcqRel);
            self.task.lock().wake_by_ref();
        }
        before
    }
}

/// A guard that marks a request as pending.
#[derive(Debug)]
pub struct UnderWay(Arc<Connection>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.mark_active();
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A guard that marks a response as waiting for something to send.
#[derive(Debug)]
pub struct Following(UnderWay);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.0.following.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("number", &self.number)
            .field("state", &self.state())
            .field("unsent", &self.unsent)
            .finish_non_exhaustive()
    }
}
