//! A request on its way, with what has been found out about it.

use std::sync::Arc;

use http::request;
use lastro_access::{ClientAddr, Verdict};
use lastro_model::Now;

use crate::http::connections::connection::Connection;
use crate::http::handler::Meter;
use crate::http::request::caller::Caller;
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
    pub(super) verdict: Verdict,
}

impl<'a> RequestContext<'a> {
    /// A request of this caller, whose quota is charged for it.
    pub(super) fn new(
        app: &'a App,
        connection: &'a Arc<Connection>,
        head: &'a request::Parts,
        arrival: Arrival,
        caller: Caller,
    ) -> Self {
        let Arrival { now, meter, client, .. } = arrival;
        let verdict = match meter {
            Meter::Quota => caller.charge(app, client, now),
            Meter::Pages | Meter::Nothing => caller.peek(app, client, now),
        };
        Self { app, connection, head, arrival, caller, verdict }
    }
}
