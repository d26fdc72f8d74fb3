//! The data in service: the catalog, and the state of its sources.

use arc_swap::ArcSwap;
use lastro_catalog::Catalog;
use lastro_model::SourceState;

#[derive(Debug)]
pub struct Served {
    /// Replaced as a whole when a part is rebuilt. A request uses one catalog to its end.
    pub catalog: ArcSwap<Catalog>,
    /// The state of each source for `/health`, as last read from the store.
    pub freshness: ArcSwap<Vec<SourceState>>,
}

impl Default for Served {
    fn default() -> Self {
        Self {
            catalog: ArcSwap::from_pointee(Catalog::empty()),
            freshness: ArcSwap::from_pointee(Vec::new()),
        }
    }
}
