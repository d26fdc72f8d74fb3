//! Pending requests, and the memory they hold.
//!
//! A request that is answered at once costs nothing here. One that waits (for its body, the store, Redis, or other
//! clients to read their responses) is charged on arrival, to its connection, its address and the service as a whole.
//! The charge is the head's size in memory: over HTTP/2, one byte on the wire can be a hundred there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::request::Parts;
use lastro_access::ClientAddr;

use super::connection::{Connection, UnderWay};

/// Divisor of the pending limit for one address: some hundred requests with usual heads fit.
const SHARE_OF_ONE: usize = 8;
/// Bodies that may be awaited at once on one connection.
const BODIES_PER_CONNECTION: u32 = 16;
/// Bodies that may be awaited at once from one client, over all its connections.
const BODIES_PER_CLIENT: u32 = 16;
/// Bytes of a task, a stream and a future, beside the head.
const BESIDE_THE_HEAD: usize = 4096;
/// Bytes of a header map entry, beside its name and value.
const BESIDE_A_HEADER: usize = 128;

/// The kind of sender, which decides how much may be pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Anybody,
    /// A client with a key, whose quota pays for the memory it holds: it may use a reserve when others have filled the
    /// rest.
    Key,
}

/// Divisor of the pending limit for the extra reserve of clients with a key.
const RESERVE_FOR_KEYS: usize = 4;

/// A pending request. Its connection does not count as idle.
#[derive(Debug)]
pub struct Pending {
    charge: Charge,
    _under_way: UnderWay,
}

impl Pending {
    /// Charges a request before it waits; `None` if its address or the service holds too much already.
    pub fn begin(connection: &Arc<Connection>, head: &Parts, from: Sender) -> Option<Self> {
        let mut charge = Charge::of(connection, from);
        charge.grow(head_bytes(head)).then(|| Self { charge, _under_way: connection.under_way() })
    }

    /// Reduces the charge after the head has shrunk.
    pub fn shrink_to(&mut self, head: &Parts) {
        self.charge.shrink_to(head_bytes(head));
    }
}

/// Permission to await a client's body, and the charge for the bytes received.
#[derive(Debug)]
pub struct BodySlot {
    charge: Charge,
    client: ClientAddr,
}

impl BodySlot {
    /// Takes a slot; `None` if the connection or the client has too many bodies under way. A proxy's connection carries
    /// many clients, so only the clients are counted there.
    pub fn take(connection: &Arc<Connection>, client: ClientAddr) -> Option<Self> {
        let own = connection.bodies.fetch_add(1, Ordering::Relaxed);
        if !connection.trusted && own >= BODIES_PER_CONNECTION || !connection.count_body(client) {
            connection.bodies.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Self { charge: Charge::new(connection), client })
    }

    /// Charges received bytes; `false` if there is no room for them.
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

/// Pending bytes of one request or one incomplete head, released when dropped.
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

    /// Adds to the charge unless the address or the service would exceed its limit.
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

    /// Sets the charge to this size if it fits.
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

/// The approximate memory of a head and everything kept with it.
fn head_bytes(head: &Parts) -> usize {
    let target = head.uri.path().len() + head.uri.query().map_or(0, str::len);
    head.headers.iter().fold(BESIDE_THE_HEAD + target, |sum, (name, value)| {
        sum + name.as_str().len() + value.len() + BESIDE_A_HEADER
    })
}
