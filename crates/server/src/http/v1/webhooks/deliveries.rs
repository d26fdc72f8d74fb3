//! The delivery log of a webhook, and redelivery.

use http::StatusCode;
use jiff::Timestamp;
use lastro_model::{Day, MessageId};
use serde::Serialize;

use super::owned;
use super::view::DeliveryView;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::response::reply::Reply;

const NO_SUCH_DELIVERY: ApiError = ApiError::NotFound("this webhook has no delivery with this id");

#[derive(Serialize)]
struct Log<'a> {
    data: Vec<DeliveryView<'a>>,
    total: u64,
    limit: usize,
    offset: usize,
}

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let (page, (from, to)) = (action.query.page()?, action.query.days()?);
    let webhook = owned(&action).await?;
    let start = from.map_or(Timestamp::MIN, start_of);
    let end = to.map_or(Timestamp::MAX, |to| start_of(to.plus_days(1)));
    let store = &action.access.store;
    let found = store.deliveries_between(&webhook.id, start..end, page.limit, page.offset).await?;
    let data = found.page.iter().map(DeliveryView::of).collect();
    let log = Log { data, total: found.total, limit: page.limit, offset: page.offset };
    Ok(Reply::of(&log)?.private(StatusCode::OK))
}

/// The start of a day, UTC.
fn start_of(day: Day) -> Timestamp {
    Timestamp::from_second(i64::from(day.number()) * 86_400).unwrap_or(Timestamp::MAX)
}

pub async fn redeliver(action: Action<'_>) -> Result<Reply, ApiError> {
    let (webhook, now) = (owned(&action).await?, action.webhooks.clock.now().timestamp());
    let message = MessageId::parse(action.path.get("delivery")).map_err(|_| NO_SUCH_DELIVERY)?;
    action.body.nothing().await?;
    let delivery = action.access.store.redeliver(&webhook.id, &message, now).await?;
    let delivery = delivery.ok_or(NO_SUCH_DELIVERY)?;
    Ok(Reply::of(&DeliveryView::of(&delivery))?.private(StatusCode::ACCEPTED))
}
