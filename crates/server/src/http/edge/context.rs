//! A request being processed, and everything found out about it.

use std::sync::Arc;

use http::request;
use lastro_access::ClientAddr;
use lastro_model::Now;
use lastro_quota::Charge;

use crate::http::app::App;
use crate::http::connections::connection::Connection;
use crate::http::handler::Meter;
use crate::http::request::caller::Caller;
use crate::http::request::charge::Charging;
use crate::http::routes::Target;

/// Facts about a request before its caller is identified.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) now: Now,
    pub(super) target: Target,
    pub(super) meter: Meter,
    pub(super) client: ClientAddr,
}

pub(super) struct RequestContext<'a> {
    pub(super) app: &'a App,
    pub(super) connection: &'a Arc<Connection>,
    pub(super) head: &'a request::Parts,
    pub(super) arrival: Arrival,
    pub(super) caller: Caller,
    /// The quota's verdict; a unit is taken only if the request is counted against the quota.
    pub(super) charge: Charge,
}

impl Arrival {
    /// The charge for this caller, not made yet.
    pub(super) fn charging<'a>(&self, app: &'a App, caller: &'a Caller) -> Charging<'a> {
        let Self { now, meter, client, .. } = *self;
        Charging { access: &app.access, caller, client, now, takes_unit: meter == Meter::Quota }
    }
}
