//! The customer's view of webhooks: create, show, change, test, and inspect deliveries.
//!
//! A webhook belongs to the account, so all keys of one line of rotations share it. Another account's webhook gets the
//! same response as a missing one. [`lastro_background::webhooks`] sends the messages.

mod deliveries;
pub mod draft;
pub mod filters;
pub(crate) mod view;

use http::StatusCode;
use jiff::SignedDuration;
use lastro_background::clock::fill_random;
use lastro_background::webhooks::MOST_PER_ACCOUNT;
use lastro_background::webhooks::test_delivery::{self, TestError};
use lastro_background::webhooks::test_slots::SlotError;
use lastro_model::{AccountId, DisabledBy, Now, SecretSeed, Webhook, WebhookId};
use lastro_store::{Store, StoreError};

pub use deliveries::{list as deliveries, redeliver};

use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::response::reply::Reply;
use draft::{Change, Draft};
use view::{TestView, WebhookView};

const NO_SUCH_WEBHOOK: ApiError = ApiError::NotFound("you have no webhook with this id");
const ENOUGH: &str = "you have 10 webhooks, the maximum; delete one first";
const CLOSED: &str = "`status` cannot be changed: the operator of this service disabled this webhook";

const NO_TEST: &str = "nothing is sent to this webhook: the operator of this service disabled it";

/// Time that a rotated secret still signs.
const GRACE: SignedDuration = SignedDuration::from_hours(24);

pub async fn create(action: Action<'_>) -> Result<Reply, ApiError> {
    let (account, now) = (account(&action)?, action.now.timestamp());
    let body = action.body.whole().await?;
    let allow_private = action.webhooks.settings.allow_private();
    let Draft { url, description, events, filters } =
        Draft::from_json(&body, allow_private, &action.served.catalog.load())?;
    let webhook = Webhook {
        id: new_id(),
        account,
        url,
        description,
        events,
        filters,
        created_at: now,
        secrets: vec![SecretSeed { seed: new_seed(), ends_at: None }],
        disabled: None,
        failing: None,
    };
    if !action.access.store.insert_webhook(webhook.clone(), MOST_PER_ACCOUNT).await? {
        return Err(ApiError::BadRequest(ENOUGH.into()));
    }
    Ok(Reply::of(&WebhookView::with_secret(&webhook, action.access.keys.pepper()))?
        .private(StatusCode::CREATED))
}

#[derive(serde::Serialize)]
struct List<'a> {
    data: Vec<WebhookView<'a>>,
    total: usize,
}

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let (page, (from, to)) = (action.query.page()?, action.query.days()?);
    let mut webhooks = action.access.store.webhooks_of(account(&action)?).await?;
    webhooks.retain(|webhook| {
        let day = Now { monotonic_ns: 0, unix_ms: webhook.created_at.as_millisecond() }.utc_day();
        from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to)
    });
    let shown = &webhooks[page.of(webhooks.len())];
    let list = List { data: shown.iter().map(WebhookView::of).collect(), total: webhooks.len() };
    Ok(Reply::of(&list)?.private(StatusCode::OK))
}

pub async fn show(action: Action<'_>) -> Result<Reply, ApiError> {
    let webhook = owned(&action).await?;
    Ok(Reply::of(&WebhookView::of(&webhook))?.private(StatusCode::OK))
}

pub async fn change(action: Action<'_>) -> Result<Reply, ApiError> {
    let (store, account) = (&*action.access.store, account(&action)?);
    let body = action.body.whole().await?;
    let allow_private = action.webhooks.settings.allow_private();
    let change = Change::from_json(&body, allow_private, &action.served.catalog.load())?;
    let webhook = find(store, account, action.path.get("id")).await?;
    let changed = store.change_webhook(&webhook.id, change.0).await.map_err(|error| match error {
        StoreError::WebhookDisabledByOperator => ApiError::BadRequest(CLOSED.into()),
        other => other.into(),
    })?;
    let changed = changed.ok_or(NO_SUCH_WEBHOOK)?;
    Ok(Reply::of(&WebhookView::of(&changed))?.private(StatusCode::OK))
}

pub async fn remove(action: Action<'_>) -> Result<Reply, ApiError> {
    let webhook = owned(&action).await?;
    action.body.nothing().await?;
    action.access.store.delete_webhook(&webhook.id).await?;
    Ok(Reply::json(Vec::new()).private(StatusCode::NO_CONTENT))
}

pub async fn test(action: Action<'_>) -> Result<Reply, ApiError> {
    let webhook = owned(&action).await?;
    if webhook.disabled == Some(DisabledBy::Operator) {
        return Err(ApiError::BadRequest(NO_TEST.into()));
    }
    let head = action.head;
    action.body.nothing().await?;
    let tested = test_delivery::ping(action.webhooks, &webhook, head.trace_context().as_ref()).await;
    let (id, report) = tested.map_err(untested)?;
    Ok(Reply::of(&TestView::of(&id, &report))?.private(StatusCode::OK))
}

pub async fn rotate_secret(action: Action<'_>) -> Result<Reply, ApiError> {
    let (webhook, now) = (owned(&action).await?, action.webhooks.clock.now().timestamp());
    let old_end_at = now.checked_add(GRACE).map_err(|_| ApiError::Internal)?;
    action.body.nothing().await?;
    let store = &action.access.store;
    let rotated = store.rotate_webhook_secret(&webhook.id, new_seed(), now, old_end_at).await?;
    let rotated = rotated.ok_or(NO_SUCH_WEBHOOK)?;
    Ok(Reply::of(&WebhookView::with_secret(&rotated, action.access.keys.pepper()))?
        .private(StatusCode::CREATED))
}

const BUSY: ApiError = ApiError::Unavailable("too many tests run at this moment; please try again shortly");
/// The delay is the receiver's timeout, when a test ends.
const YOURS_RUN: ApiError = ApiError::RateLimited {
    message: "two tests of your webhooks run at this moment; wait for their outcome",
    retry_after_seconds: 15,
};

fn untested(error: TestError) -> ApiError {
    match error {
        TestError::NoSlot(SlotError::OfTheAccount) => YOURS_RUN,
        TestError::NoSlot(SlotError::InAll) => BUSY,
        TestError::Unwritable(error) => {
            tracing::error!(%error, "a ping could not be written");
            ApiError::Internal
        }
        TestError::Store(error) => error.into(),
    }
}

/// The webhook named in the path, if it is the caller's.
async fn owned(action: &Action<'_>) -> Result<Webhook, ApiError> {
    find(&*action.access.store, account(action)?, action.path.get("id")).await
}

async fn find(store: &dyn Store, account: AccountId, id: &str) -> Result<Webhook, ApiError> {
    let id = WebhookId::parse(id).map_err(|_| NO_SUCH_WEBHOOK)?;
    let webhook = store.webhook(&id).await?;
    webhook.filter(|webhook| webhook.account == account).ok_or(NO_SUCH_WEBHOOK)
}

fn account(action: &Action<'_>) -> Result<AccountId, ApiError> {
    Ok(action.caller.required_key()?.account)
}

fn new_id() -> WebhookId {
    let mut bytes = [0; 12];
    fill_random(&mut bytes);
    WebhookId::from_random(bytes)
}

fn new_seed() -> [u8; 16] {
    let mut seed = [0; 16];
    fill_random(&mut seed);
    seed
}
