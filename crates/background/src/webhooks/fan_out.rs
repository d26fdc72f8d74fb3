//! Turns each announcement into messages exactly once, even when several processes share the outbox.

use jiff::Timestamp;
use lastro_catalog::Catalog;
use lastro_model::{MessageId, Now, Plan, Webhook};
use lastro_store::{Announcement, NewMessage};

use super::served_everywhere::Waiting;
use super::{Webhooks, entitled_plans, payload};
use crate::clock::fill_random;

/// Announcements per batch. Deliveries continue between two batches.
const BITE: usize = 32;

/// Fans out the oldest announcements. Returns whether there may be more.
///
/// An announcement waits until this process serves its edition, and for a limited time until the other replicas do:
/// a customer who is notified and requests the new data must find it.
pub async fn fan_out(webhooks: &Webhooks, waiting: &mut Waiting, now: Now) -> anyhow::Result<bool> {
    let announcements = served(webhooks, waiting, now.monotonic_ns).await?;
    if announcements.is_empty() {
        return Ok(false);
    }
    let now = now.timestamp();
    let plans = entitled_plans();
    let entitled = |(webhook, plan): (Webhook, Plan)| plans.contains(&plan).then_some(webhook);
    let subscribers: Vec<Webhook> =
        webhooks.store.subscribers(now).await?.into_iter().filter_map(entitled).collect();
    let catalog = webhooks.served.catalog.load_full();
    for announcement in &announcements {
        let messages = messages(announcement, &subscribers, &catalog, now)?;
        webhooks.store.fan_out(announcement.number, messages).await?;
    }
    Ok(announcements.len() == BITE)
}

/// The oldest announcements, up to the first whose edition is not served everywhere.
async fn served(
    webhooks: &Webhooks,
    waiting: &mut Waiting,
    now_ns: u64,
) -> anyhow::Result<Vec<Announcement>> {
    let mut announcements = webhooks.store.announcements(BITE).await?;
    waiting.see(&announcements, now_ns);
    let shown = webhooks.served.catalog.load().editions();
    let is_early = |new: &Announcement| new.edition > shown[new.source];
    announcements.truncate(announcements.iter().position(is_early).unwrap_or(BITE));
    if announcements.is_empty() {
        return Ok(announcements);
    }
    // Read now, not cached, so that a replica that has just started is waited for too.
    let others = webhooks.replicas.others().await?;
    let held = announcements.iter().position(|new| waiting.holds(new, &others, now_ns));
    announcements.truncate(held.unwrap_or(BITE));
    Ok(announcements)
}

fn messages(
    announcement: &Announcement,
    subscribers: &[Webhook],
    catalog: &Catalog,
    now: Timestamp,
) -> anyhow::Result<Vec<NewMessage>> {
    let event = announcement.event;
    let items = payload::items(event, &announcement.rows, catalog)?;
    let mut messages = Vec::new();
    for webhook in subscribers.iter().filter(|webhook| webhook.events.contains(&event)) {
        if let Some(body) = payload::body(announcement, &items, &webhook.filters)? {
            let (id, webhook) = (new_id(), webhook.id.clone());
            messages.push(NewMessage { id, webhook, event, body, created_at: now });
        }
    }
    Ok(messages)
}

pub fn new_id() -> MessageId {
    let mut bytes = [0; 12];
    fill_random(&mut bytes);
    MessageId::from_random(bytes)
}
