//! A request on its way, with what has been found out about it.

use std::sync::Arc;

use http::request;
use lastro_access::ClientAddr;
use lastro_model::Now;
use lastro_quota::Charge;

use crate::http::connections::connection::Connection;
use crate::http::handler::Meter;
use crate::http::request::caller::Caller;
use crate::http::request::charge::Charging;
use crate::http::routes::Target;
use crate::state::App;

/// What is known before it is known who asks.
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
    /// What the quota says; taken from only if that is what the request is counted against.
    pub(super) charge: Charge,
}

impl Arrival {
    /// What the request costs this caller.
    pub(super) fn charging<'a>(&self, app: &'a App, caller: &'a Caller) -> Charging<'a> {
        let Self { now, meter, client, .. } = *self;
        Charging { app, caller, client, now, takes_unit: meter == Meter::Quota }
    }
}
