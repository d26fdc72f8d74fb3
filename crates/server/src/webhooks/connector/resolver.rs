//! Where the addresses of a receiver's name come from. What may be connected to is decided by the connector.
//!
//! The system's resolver cannot be interrupted: it hangs for as long as a customer's name servers are silent, and whoever
//! gives up waiting leaves a thread behind. So that this delays nobody else, look-ups have threads of their own, more of them
//! than there can be deliveries at once, and a name that hangs holds one of them however often it is asked for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Twice the deliveries that can run at once: for as many names again whose deliveries have been given up.
pub(super) const LOOKUPS_AT_ONCE: usize = 512;
/// A resolver needs little, and there may be many.
const STACK: usize = 512 * 1024;

pub(super) trait Resolver: Send + Sync {
    /// At least one, or an error.
    fn look_up(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Asks, and waits for the answer.
type Ask = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;
/// What was found, for all who wait for it; nothing yet while the resolver is asked.
type Found = Option<Result<Vec<IpAddr>, io::ErrorKind>>;

/// The names that the system's resolver is being asked for.
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

    /// Joins those who wait for this name already, or has it looked up.
    async fn found_for(&self, name: String) -> io::Result<watch::Receiver<Found>> {
        let known = self.asked.lock().get(&name).cloned();
        if let Some(answer) = known {
            return Ok(answer);
        }
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
        let (sender, answer) = watch::channel(None);
        match self.asked.lock().entry(name.clone()) {
            // Somebody else was let in first.
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

/// A name that is being asked for. However that ends, it can be asked for anew, and its place is free.
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
