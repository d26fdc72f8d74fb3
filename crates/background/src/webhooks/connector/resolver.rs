//! Name resolution for receivers. The connector decides which of the addresses may be connected to.
//!
//! The system's resolver cannot be interrupted: it hangs as long as a customer's name servers are silent, and a caller
//! that times out leaves a thread behind. To delay no other delivery, lookups run on their own threads. There are more
//! of these than concurrent deliveries, and concurrent lookups of one name share a single thread.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Twice the number of concurrent deliveries, to leave room for lookups whose deliveries have timed out.
pub(super) const LOOKUPS_AT_ONCE: usize = 512;
/// Stack of a lookup thread: small, because there may be many.
const STACK: usize = 512 * 1024;

pub(super) trait Resolver: Send + Sync {
    /// Returns at least one address, or an error.
    fn look_up(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// A blocking lookup.
type Ask = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;
/// The result shared by all who wait for a name; `None` while the lookup is pending.
type Found = Option<Result<Vec<IpAddr>, io::ErrorKind>>;

/// The system's resolver, with its pending lookups by name.
#[derive(Clone)]
pub(super) struct SystemResolver {
    ask: Arc<Ask>,
    asked: Arc<Mutex<HashMap<String, watch::Receiver<Found>>>>,
    places: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::asking(|name| Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()))
    }
}

impl Resolver for SystemResolver {
    fn look_up(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let (resolver, name) = (self.clone(), name.to_owned());
        async move {
            let mut answer = resolver.found_for(name).await?;
            let found = answer.wait_for(Option::is_some).await.map_err(io::Error::other)?.clone();
            found.unwrap_or(Err(io::ErrorKind::Other)).map_err(io::Error::from)
        }
        .boxed()
    }
}

impl SystemResolver {
    pub(super) fn asking(ask: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        let places = Arc::new(Semaphore::new(LOOKUPS_AT_ONCE));
        Self { ask: Arc::new(ask), asked: Arc::default(), places }
    }

    /// Joins a pending lookup of this name, or starts one.
    async fn found_for(&self, name: String) -> io::Result<watch::Receiver<Found>> {
        let known = self.asked.lock().get(&name).cloned();
        if let Some(answer) = known {
            return Ok(answer);
        }
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
        let (sender, answer) = watch::channel(None);
        match self.asked.lock().entry(name.clone()) {
            // Another caller started this lookup meanwhile.
            Entry::Occupied(known) => return Ok(known.get().clone()),
            Entry::Vacant(free) => free.insert(answer.clone()),
        };
        self.begin(LookUp { name, asked: Arc::clone(&self.asked), _place: place }, sender)?;
        Ok(answer)
    }

    fn begin(&self, look_up: LookUp, sender: watch::Sender<Found>) -> io::Result<()> {
        let ask = Arc::clone(&self.ask);
        let thread = std::thread::Builder::new().name("look-up".to_owned()).stack_size(STACK);
        thread.spawn(move || {
            let found = ask(&look_up.name).map_err(|error| error.kind());
            drop(look_up);
            sender.send_replace(Some(found));
        })?;
        Ok(())
    }
}

/// A pending lookup. Dropping it, also after a panic, frees its place and allows a new lookup of the name.
struct LookUp {
    name: String,
    asked: Arc<Mutex<HashMap<String, watch::Receiver<Found>>>>,
    _place: OwnedSemaphorePermit,
}

impl Drop for LookUp {
    fn drop(&mut self) {
        self.asked.lock().remove(&self.name);
    }
}
