//! A request being processed, and everything found out about it.

use std::sync::Arc;

use http::{HeaderMap, header, request};
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
    /// Whether the peer is a trusted proxy.
    pub(super) is_proxied: bool,
    pub(super) rare: RareHeaders,
}

/// Headers that few requests have. One pass over all costs less than a lookup for each of these.
#[derive(Clone, Copy, Default)]
pub(super) struct RareHeaders {
    pub(super) authorization: bool,
    pub(super) if_none_match: bool,
    pub(super) origin: bool,
}

impl RareHeaders {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        headers.keys().fold(Self::default(), |found, name| Self {
            authorization: found.authorization || *name == header::AUTHORIZATION,
            if_none_match: found.if_none_match || *name == header::IF_NONE_MATCH,
            origin: found.origin || *name == header::ORIGIN,
        })
    }
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
