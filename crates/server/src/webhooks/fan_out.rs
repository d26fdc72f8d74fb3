//! From announcements to messages: each announcement once, whoever else is at work on the same outbox.

use jiff::Timestamp;
use lastro_model::{MessageId, Plan, Webhook};
use lastro_store::{Announcement, NewMessage};

use super::{entitled_plans, payload};
use crate::clock::fill_random;
use crate::ingest::catalog::editions;
use crate::state::App;

/// Announcements taken at once: between two such bites deliveries go on.
const BITE: usize = 32;

/// Addresses the oldest announcements. Says whether there may be more.
///
/// What this process does not serve yet waits: whoever is told of something new and asks for it must find it.
pub async fn fan_out(app: &App, now: Timestamp) -> anyhow::Result<bool> {
    let mut announcements = app.store.announcements(BITE).await?;
    let shown = editions(&app.catalog.load());
    let is_early = |new: &Announcement| new.event.source().is_some_and(|source| new.edition > shown[source]);
    announcements.truncate(announcements.iter().position(is_early).unwrap_or(BITE));
    if announcements.is_empty() {
        return Ok(false);
    }
    let plans = entitled_plans();
    let entitled = |(webhook, plan): (Webhook, Plan)| plans.contains(&plan).then_some(webhook);
    let webhooks: Vec<Webhook> = app.store.subscribers(now).await?.into_iter().filter_map(entitled).collect();
    for announcement in &announcements {
        let messages = messages(announcement, &webhooks, now)?;
        app.store.fan_out(announcement.number, messages).await?;
    }
    Ok(announcements.len() == BITE)
}

fn messages(
    announcement: &Announcement,
    webhooks: &[Webhook],
    now: Timestamp,
) -> anyhow::Result<Vec<NewMessage>> {
    let Announcement { event, edition, at, rows, .. } = announcement;
    let items = payload::items(rows)?;
    let mut messages = Vec::new();
    for webhook in webhooks.iter().filter(|webhook| webhook.events.contains(event)) {
        if let Some(body) = payload::body(*event, *edition, *at, &items, &webhook.filters)? {
            let (id, webhook) = (new_id(), webhook.id.clone());
            messages.push(NewMessage { id, webhook, event: *event, body, created_at: now });
        }
    }
    Ok(messages)
}

pub fn new_id() -> MessageId {
    let mut bytes = [0; 12];
    fill_random(&mut bytes);
    MessageId::from_random(bytes)
}
