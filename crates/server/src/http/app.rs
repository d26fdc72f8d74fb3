//! The running service, in parts: the data served, the clients, the state that the operator watches.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrayvec::ArrayString;
use lastro_background::access::Access;
use lastro_background::changes::Changes;
use lastro_background::operations::Operations;
use lastro_background::served::Served;
use lastro_background::webhooks::Webhooks;
use lastro_model::Clock;

use super::certificate::Certificate;
use super::connections::Connections;
use super::response::compression_cache::CompressionCache;
use super::response::export::files::ExportFiles;
use super::response::export::slots::Exports;
use super::site::Site;
use lastro_billing::Billing;

/// The id of one request.
pub type RequestId = ArrayString<32>;

/// One running service. Only the edge and the listeners have all of it; handlers get the parts that they need.
pub struct App {
    pub clock: Arc<dyn Clock>,
    pub served: Arc<Served>,
    pub access: Arc<Access>,
    pub operations: Operations,
    pub webhooks: Arc<Webhooks>,
    /// The log of changes, as far as it is in service.
    pub changes: Arc<Changes>,
    /// Payments; `None` where they are off.
    pub billing: Option<Arc<Billing>>,
    /// Settings for the pages, and the caches of rendered pages.
    pub site: Site,
    pub connections: Arc<Connections>,
    /// The TLS certificate; `None` with plain HTTP.
    pub certificate: Option<Arc<Certificate>>,
    /// Compressed bodies of the most frequent responses.
    pub compression_cache: CompressionCache,
    /// Running bulk exports.
    pub exports: Arc<Exports>,
    pub export_files: Arc<ExportFiles>,
    /// Identifies the database, so that an `ETag` of another one never matches.
    pub database: String,
    pub request_number: AtomicU64,
}

impl App {
    /// The id for the next request, unique across restarts.
    pub fn next_request_id(&self) -> RequestId {
        let (boot, number) =
            (self.operations.replicas.boot(), self.request_number.fetch_add(1, Ordering::Relaxed));
        let mut id = RequestId::new();
        for piece in [&boot[..8.min(boot.len())], "-", itoa::Buffer::new().format(number)] {
            let fits = id.try_push_str(piece).is_ok();
            debug_assert!(fits, "eight letters, a dash and twenty digits do");
        }
        id
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("operations", &self.operations).finish_non_exhaustive()
    }
}
