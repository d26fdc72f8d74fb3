//! Requests that are not answered yet, and the memory they hold until they are.
//!
//! A request that is answered at once costs nothing here. One that waits (for its body, for the store, for Redis, for
//! others to read their answers) is charged from its arrival on, to its connection, its address and all of them. The
//! charge is for the head as it lies in memory: over HTTP/2 a byte on the wire can be a hundred there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::request::Parts;
use lastro_access::ClientAddr;

use super::connection::{Connection, UnderWay};

/// The share of all pending bytes that one address may have: some hundred requests with usual heads fit.
const SHARE_OF_ONE: usize = 8;
/// Requests on one connection whose bodies may be awaited at once.
const BODIES_PER_CONNECTION: u32 = 16;
/// The same for one client over all its connections.
const BODIES_PER_CLIENT: u32 = 16;
/// A task, a stream and a future, beside the head.
const BESIDE_THE_HEAD: usize = 4096;
/// An entry of a map of headers, beside its name and value.
const BESIDE_A_HEADER: usize = 128;

/// The sender of a request, as far as that decides how much may be pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Anybody,
    /// A key, which pays with its quota for whatever it makes us hold: there is room left for it when strangers have
    /// taken theirs.
    Key,
}

/// The part of the pending bytes that is kept for keys, beside all of them.
const RESERVE_FOR_KEYS: usize = 4;

/// A request that waits for something. Its connection is not idle meanwhile.
#[derive(Debug)]
pub struct Pending {
    charge: Charge,
    _under_way: UnderWay,
}

impl Pending {
    /// Charges a request that is about to wait; `None` where its address or all of them hold too much already.
    pub fn begin(connection: &Arc<Connection>, head: &Parts, from: Sender) -> Option<Self> {
        let mut charge = Charge::of(connection, from);
        charge.grow(head_bytes(head)).then(|| Self { charge, _under_way: connection.under_way() })
    }

    /// Charges the head anew after it has shrunk.
    pub fn shrink_to(&mut self, head: &Parts) {
        self.charge.shrink_to(head_bytes(head));
    }
}

/// The right to await a body on behalf of a client, and the bytes that came of it.
#[derive(Debug)]
pub struct BodySlot {
    charge: Charge,
    client: ClientAddr,
}

impl BodySlot {
    /// `None` where the connection or the client has too many bodies under way. Proxies speak for many clients on one
    /// connection, so only those clients are counted.
    pub fn take(connection: &Arc<Connection>, client: ClientAddr) -> Option<Self> {
        let own = connection.bodies.fetch_add(1, Ordering::Relaxed);
        if !connection.trusted && own >= BODIES_PER_CONNECTION || !connection.count_body(client) {
            connection.bodies.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Self { charge: Charge::new(connection), client })
    }

    /// Charges bytes that came; `false` where there is no room for them.
    pub fn grow(&mut self, bytes: usize) -> bool {
        self.charge.grow(bytes)
    }
}

impl Drop for BodySlot {
    fn drop(&mut self) {
        let connection = &self.charge.connection;
        connection.bodies.fetch_sub(1, Ordering::Relaxed);
        let mut bodies = connection.totals.bodies.lock();
        if let Some(count) = bodies.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                bodies.remove(&self.client);
            }
        }
    }
}

impl Connection {
    fn count_body(&self, client: ClientAddr) -> bool {
        let mut bodies = self.totals.bodies.lock();
        let count = bodies.entry(client).or_insert(0);
        let admitted = *count < BODIES_PER_CLIENT;
        *count += u32::from(admitted);
        admitted
    }
}

/// Pending bytes of one request or one half-sent head, given back when dropped.
#[derive(Debug)]
pub(super) struct Charge {
    connection: Arc<Connection>,
    bytes: usize,
    from: Sender,
}

impl Charge {
    pub(super) fn new(connection: &Arc<Connection>) -> Self {
        Self::of(connection, Sender::Anybody)
    }

    fn of(connection: &Arc<Connection>, from: Sender) -> Self {
        Self { connection: Arc::clone(connection), bytes: 0, from }
    }

    /// Adds to the charge unless that exceeds what the address or all of them may hold.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let (connection, totals) = (&self.connection, &self.connection.totals);
        connection.pending.fetch_add(bytes, Ordering::Relaxed);
        let own = connection.of_address.pending.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let all = totals.pending.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.bytes += bytes;
        let most = totals.limits.client_memory.pending;
        let reserve = if self.from == Sender::Key { most / RESERVE_FOR_KEYS } else { 0 };
        let fits = all <= most + reserve && (own <= most / SHARE_OF_ONE || connection.trusted);
        if !fits {
            self.shrink_to(self.bytes - bytes);
        }
        fits
    }

    pub(super) fn shrink_to(&mut self, bytes: usize) {
        let freed = self.bytes.saturating_sub(bytes);
        self.connection.pending.fetch_sub(freed, Ordering::Relaxed);
        self.connection.of_address.pending.fetch_sub(freed, Ordering::Relaxed);
        self.connection.totals.pending.fetch_sub(freed, Ordering::Relaxed);
        self.bytes -= freed;
    }

    /// Makes the charge this large if it fits.
    pub(super) fn set(&mut self, bytes: usize) -> bool {
        if bytes == self.bytes {
            return true;
        }
        if bytes < self.bytes {
            self.shrink_to(bytes);
            return true;
        }
        self.grow(bytes - self.bytes)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

/// About as much memory as a head takes, with what is kept beside it.
fn head_bytes(head: &Parts) -> usize {
    let target = head.uri.path().len() + head.uri.query().map_or(0, str::len);
    head.headers.iter().fold(BESIDE_THE_HEAD + target, |sum, (name, value)| {
        sum + name.as_str().len() + value.len() + BESIDE_A_HEADER
    })
}
