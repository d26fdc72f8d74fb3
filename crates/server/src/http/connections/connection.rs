//! One connection, as its requests, its bodies and the sweep see it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::task::Context;

use futures_util::task::AtomicWaker;
use lastro_access::ClientAddr;
use tokio::sync::Notify;

use super::ages::Ages;
use super::totals::{AddressTotals, Reason, Totals};

/// What is to become of a connection. It only ever moves down this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    Open,
    /// Finishes what is under way and takes no new request.
    Closing,
    /// Ends at once, whatever is under way.
    HungUp,
}

pub struct Connection {
    pub peer: IpAddr,
    pub(super) address: ClientAddr,
    /// Speaks for others, and may have any number of connections.
    pub(super) trusted: bool,
    pub(super) number: u64,
    pub(super) totals: Arc<Totals>,
    pub(super) of_address: Arc<AddressTotals>,
    state: AtomicU8,
    /// Wakes the task that speaks on this connection.
    task: AtomicWaker,
    last_active: AtomicU32,
    closing_since: AtomicU32,
    /// Requests that wait for somebody. Those that are answered at once are never seen here.
    under_way: AtomicU32,
    /// Requests among them that wait until others are read.
    pub(super) waiting: AtomicU32,
    pub(super) capacity: Notify,
    /// Requests among them whose bodies are being awaited.
    pub(super) bodies: AtomicU32,
    /// Bytes of what came and is not answered yet.
    pub(super) pending: AtomicUsize,
    /// Requests that came and pieces of answers that were taken, so far.
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
            totals: Arc::clone(totals),
            of_address: Arc::clone(of_address),
            state: AtomicU8::new(State::Open as u8),
            task: AtomicWaker::new(),
            last_active: AtomicU32::new(totals.second()),
            closing_since: AtomicU32::new(0),
            under_way: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            capacity: Notify::new(),
            bodies: AtomicU32::new(0),
            pending: AtomicUsize::new(0),
            progress: AtomicU32::new(0),
            unsent: AtomicUsize::new(0),
            ages: Ages::default(),
        }
    }

    /// What is to become of it; the task of `cx` is woken when that changes.
    pub fn poll_state(&self, cx: &Context<'_>) -> State {
        self.task.register(cx.waker());
        self.state()
    }

    pub fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Open,
            1 => State::Closing,
            _ => State::HungUp,
        }
    }

    /// Something was asked or taken.
    pub fn mark_active(&self) {
        self.last_active.store(self.second(), Ordering::Relaxed);
    }

    /// A request came, or a piece of an answer was taken.
    pub fn advance(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn progress(&self) -> u32 {
        self.progress.load(Ordering::Relaxed)
    }

    /// Keeps the connection from being idle until it is dropped.
    pub fn under_way(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(Arc::clone(self))
    }

    pub(super) fn second(&self) -> u32 {
        self.totals.second()
    }

    /// For how long nothing was asked and nothing was going out; `None` while something is.
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

    /// The service stops, or will soon.
    pub fn ask_to_close(&self) {
        self.move_to(State::Closing);
    }

    /// Nothing more is to be done for it.
    pub fn cut_off(&self) {
        self.move_to(State::HungUp);
    }

    /// Returns the state before.
    fn move_to(&self, state: State) -> State {
        let before = self.state();
        if before < state {
            self.closing_since.store(self.second(), Ordering::Relaxed);
            self.state.fetch_max(state as u8, Ordering::AcqRel);
            self.task.wake();
        }
        before
    }
}

/// A request that waits for somebody.
#[derive(Debug)]
pub struct UnderWay(Arc<Connection>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.mark_active();
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
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
