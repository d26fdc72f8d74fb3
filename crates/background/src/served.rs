//! The data in service: the catalog, the state of its sources, and the counters last read from the store.

use arc_swap::ArcSwap;
use lastro_catalog::Catalog;
use lastro_model::SourceState;
use lastro_store::Counters;
use tokio::sync::watch;

#[derive(Debug)]
pub struct Served {
    /// Replaced as a whole when a part is rebuilt. A request uses one catalog to its end.
    pub catalog: ArcSwap<Catalog>,
    /// The state of each source for `/health`, as last read from the store.
    pub freshness: ArcSwap<Vec<SourceState>>,
    /// The counters last read from the store; `None` before the first read. One job reads them for all others, which
    /// do not ask the store while these show that there is nothing to do.
    pub counters: watch::Sender<Option<Counters>>,
}

impl Served {
    /// Whether something may be to do: the last counters show it, or there are none yet.
    pub fn may_have(&self, shown: impl FnOnce(&Counters) -> bool) -> bool {
        self.counters.borrow().as_ref().is_none_or(shown)
    }
}

impl Default for Served {
    fn default() -> Self {
        Self {
            catalog: ArcSwap::from_pointee(Catalog::empty()),
            freshness: ArcSwap::from_pointee(Vec::new()),
            counters: watch::Sender::default(),
        }
    }
}
