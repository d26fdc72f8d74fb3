//! The delivery log of a webhook, and redelivery.

use http::StatusCode;
use lastro_model::MessageId;
use serde::Serialize;

use super::owned;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::response::reply::Reply;
use crate::webhooks::view::DeliveryView;

const NO_SUCH_DELIVERY: ApiError = ApiError::NotFound("this webhook has no delivery with this id");

#[derive(Serialize)]
struct Log<'a> {
    data: Vec<DeliveryView<'a>>,
    total: u64,
    limit: usize,
    offset: usize,
}

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let page = action.query.page()?;
    let webhook = owned(&action).await?;
    let found = action.access.store.deliveries(&webhook.id, page.limit, page.offset).await?;
    let data = found.page.iter().map(DeliveryView::of).collect();
    let log = Log { data, total: found.total, limit: page.limit, offset: page.offset };
    Ok(Reply::of(&log)?.private(StatusCode::OK))
}

pub async fn redeliver(action: Action<'_>) -> Result<Reply, ApiError> {
    let (webhook, now) = (owned(&action).await?, action.webhooks.clock.now().timestamp());
    let message = MessageId::parse(action.path.get("delivery")).map_err(|_| NO_SUCH_DELIVERY)?;
    let delivery = action.access.store.redeliver(&webhook.id, &message, now).await?;
    let delivery = delivery.ok_or(NO_SUCH_DELIVERY)?;
    Ok(Reply::of(&DeliveryView::of(&delivery))?.private(StatusCode::ACCEPTED))
}
