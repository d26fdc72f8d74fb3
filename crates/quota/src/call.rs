//! The call that decides about one request, and the accounting for a reply that arrives too late.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use lastro_access::EXACT_LIMIT;
use redis::Script;

use crate::block::BUCKET_US;
use crate::client::NoReply;
use crate::names::RingName;
use crate::reply::Reply;
use crate::{Claim, Quota, scripts};

/// Time to wait for a late reply in the background.
const LATEST_REPLY: Duration = Duration::from_secs(2);

impl Quota {
    /// Asks Redis for a unit, or with 0 only for the state of the ring.
    pub(crate) async fn ask(&self, claim: &Claim<'_>, units: u32) -> Result<Reply, NoReply> {
        let Claim { name, limit, window_ns, .. } = *claim;
        let (client, sent_ns) = (self.client(name.class()), self.clock.monotonic_ns());
        let command = |script: &Script, key: &dyn Display, units: u32| {
            let mut command = scripts::command(script, &[key, &client.epoch_key]);
            command.arg(units).arg(limit).arg(window_ns / 1_000).arg(client.known_epoch());
            command
        };
        let key = name.key(&self.prefix);
        let (asked, command) = if limit > EXACT_LIMIT {
            let times = (sent_ns, sent_ns.saturating_add(client.budget.as_nanos() as u64));
            let block = self.known.block_request(name, units, self.share().replicas(), times);
            let mut command = command(&scripts::BLOCK, &format_args!("{key}:block"), block.units);
            command.arg(BUCKET_US).arg(block.unused).arg(block.earlier);
            (block.units, command)
        } else {
            (units, command(&scripts::RING, &key, units))
        };
        let numbers = client.call(command).await?;
        let reply = Reply::read(&numbers, limit, asked, sent_ns, self.clock.monotonic_ns());
        let reply = reply.ok_or_else(NoReply::default)?;
        client.replied(reply.epoch, reply.epoch_age_us);
        Ok(self.known.put(name, reply, units))
    }

    /// Accounts for a reply that arrives after its request was decided by the share. An admitted request keeps the unit;
    /// that of a refused one is given back. Units of a late block expire with their bucket.
    pub(crate) fn account_later(self: &Arc<Self>, claim: &Claim<'_>, no_reply: NoReply, admitted: bool) {
        let Some(pending) = no_reply.0 else { return };
        let (quota, name, is_ring) = (Arc::clone(self), claim.name, claim.limit <= EXACT_LIMIT);
        tokio::spawn(async move {
            let Ok(Ok(numbers)) = tokio::time::timeout(LATEST_REPLY, pending).await else { return };
            let granted = Reply::read(&numbers, 0, 1, 0, 0).filter(|reply| reply.granted == 1);
            if let Some(reply) = granted.filter(|_| is_ring && !admitted) {
                quota.return_unit(name, reply.place).await;
            }
        });
    }

    /// Removes a unit from its ring in Redis. If that fails, a unit too many stays charged, never one too few.
    pub(crate) async fn return_unit(&self, name: RingName, at_us: u64) {
        let mut command = scripts::command(&scripts::GIVE_BACK, &[&name.key(&self.prefix)]);
        command.arg(at_us);
        let _ = self.client(name.class()).call(command).await;
    }
}
