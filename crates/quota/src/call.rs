//! The call that decides about one request, and the accounting for a reply that arrives too late.

use std::sync::Arc;

use lastro_access::EXACT_LIMIT;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::batch::BatchEntry;
use crate::block::BUCKET_US;
use crate::names::RingName;
use crate::reply::Reply;
use crate::{Claim, Quota, scripts};

/// No reply in time. The reply to a ring may still arrive.
pub(crate) struct NoReply(Option<oneshot::Receiver<Reply>>);

impl Quota {
    /// Asks Redis for a unit, or with 0 only for the state of the ring.
    pub(crate) async fn ask(&self, claim: &Claim<'_>, units: u32) -> Result<Reply, NoReply> {
        let reply = if claim.limit > EXACT_LIMIT {
            self.ask_for_block(claim, units).await.ok_or(NoReply(None))?
        } else {
            self.ask_in_batch(claim, units).await?
        };
        Ok(self.known.put(claim.name, reply, units))
    }

    async fn ask_in_batch(&self, claim: &Claim<'_>, units: u32) -> Result<Reply, NoReply> {
        let Claim { name, limit, window_ns, .. } = *claim;
        let (client, (reply, mut replied)) = (self.client(name.class()), oneshot::channel());
        let entry = BatchEntry { name, units, limit, window_ns, reply };
        client.queue.sender.try_send(entry).map_err(|_| NoReply(None))?;
        // The call before may take the whole budget, and its own too.
        match timeout(2 * client.budget, &mut replied).await {
            Ok(reply) => reply.map_err(|_| NoReply(None)),
            Err(_) => Err(NoReply(Some(replied))),
        }
    }

    /// A late reply is ignored: the units of its block expire with their bucket.
    async fn ask_for_block(&self, claim: &Claim<'_>, units: u32) -> Option<Reply> {
        let Claim { name, limit, window_ns, .. } = *claim;
        let (client, sent_ns) = (self.client(name.class()), self.clock.monotonic_ns());
        let times = (sent_ns, sent_ns.saturating_add(client.budget.as_nanos() as u64));
        let block = self.known.block_request(name, units, self.share().replicas(), times);
        let key = format!("{}:block", name.key(&client.prefix));
        let mut command = client.command(&scripts::BLOCK, [key].iter());
        command.arg(block.units).arg(limit).arg(window_ns / 1_000).arg(client.known_epoch());
        command.arg(BUCKET_US).arg(block.unused).arg(block.earlier);
        let numbers = client.call(command).await.ok()?;
        client.replied(&numbers);
        Reply::read(&numbers, 0, limit, block.units, (sent_ns, self.clock.monotonic_ns()))
    }

    /// Gives back the unit of a late reply to a request that the share has refused. An admitted one keeps it.
    pub(crate) fn give_back_late(self: &Arc<Self>, name: RingName, no_reply: NoReply) {
        let Some(late) = no_reply.0 else { return };
        let quota = Arc::clone(self);
        tokio::spawn(async move {
            if let Ok(Reply { granted: 1, place, .. }) = late.await {
                quota.return_unit(name, place).await;
            }
        });
    }

    /// Removes a unit from its ring in Redis. If that fails, a unit too many stays charged, never one too few.
    pub(crate) async fn return_unit(&self, name: RingName, at_us: u64) {
        let client = self.client(name.class());
        let mut command = client.command(&scripts::GIVE_BACK, [name.key(&client.prefix)].iter());
        command.arg(at_us);
        let _ = client.call(command).await;
    }
}
