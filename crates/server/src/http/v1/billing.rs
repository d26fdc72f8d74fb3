//! Payments: the state of the caller's subscription, the addresses of checkout and portal, and Stripe's events.

use http::{HeaderName, StatusCode};
use lastro_billing::{Billing, BillingError};
use lastro_model::{Plan, SubscriptionStatus};
use lastro_store::BillingState;
use serde::Serialize;

use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::body;
use crate::http::request::caller::KEY_REQUIRED;
use crate::http::request::query::bad;
use crate::http::response::reply::Reply;

const SIGNATURE: HeaderName = HeaderName::from_static("stripe-signature");

const NO_CUSTOMER: ApiError = ApiError::NotFound(
    "this account has no subscription; POST /api/v1/billing/checkout begins a subscription",
);

const UNAVAILABLE: ApiError = ApiError::Unavailable(
    "payments are not available right now; nothing was charged, please try again shortly",
);
const CONTENDED: ApiError = ApiError::Unavailable(
    "other requests about the payments of this account are under way; nothing was charged, please try again shortly",
);
/// Not a matter of time: the key or the portal of the Stripe account has the wrong settings, for example.
const REFUSED: ApiError = ApiError::Unavailable(
    "Stripe refuses this request; nothing was charged, and the operator of this service finds the reason in its log",
);
const BUSY: ApiError = ApiError::Unavailable(
    "too many requests about payments are under way; nothing was charged, please try again shortly",
);
const UNDER_WAY: ApiError = ApiError::RateLimited {
    message: "another request about the payments of this account is under way; wait as long as Retry-After says",
    retry_after_seconds: 5,
};

impl From<BillingError> for ApiError {
    fn from(error: BillingError) -> Self {
        match error {
            BillingError::Store(error) => error.into(),
            BillingError::NotSold => {
                Self::BadRequest("`plan` must be one of the plans that are sold here".into())
            }
            BillingError::BadSignature | BillingError::NotAnEvent => {
                Self::BadRequest(error.to_string().into())
            }
            BillingError::UnderWay => UNDER_WAY,
            BillingError::TooMany { retry_after_seconds } => Self::RateLimited {
                message: "too many requests about the payments of this account; wait as long as Retry-After says",
                retry_after_seconds,
            },
            BillingError::Busy => BUSY,
            BillingError::Contended => CONTENDED,
            BillingError::NotReady => UNAVAILABLE,
            BillingError::Stripe(_) | BillingError::Price { .. } | BillingError::Check { .. } => {
                tracing::warn!(%error, "a payment request failed");
                if error.is_refusal() { REFUSED } else { UNAVAILABLE }
            }
        }
    }
}

#[derive(Serialize)]
struct BillingView {
    plan: &'static str,
    status: &'static str,
    current_period_end: Option<String>,
    cancel_at_period_end: bool,
}

#[derive(Serialize)]
struct Address<'a> {
    url: &'a str,
}

pub async fn show(action: Action<'_>) -> Result<Reply, ApiError> {
    on(&action)?;
    let held = action.caller.required_key()?;
    // Both from the store, because this replica may not have heard of a change yet. They are written together, so a plan
    // that is read second is never older than the status.
    let state = action.access.store.billing(held.account).await?;
    let record = action.access.store.key(held.id).await?.ok_or(KEY_REQUIRED)?;
    Ok(Reply::of(&view(record.account.plan, state.as_ref()))?.private(StatusCode::OK))
}

fn view(plan: Plan, state: Option<&BillingState>) -> BillingView {
    let status = state.map_or(SubscriptionStatus::None, |state| state.status);
    // To the customer, a subscription whose first payment never came has ended like any other.
    let shown =
        if status == SubscriptionStatus::IncompleteExpired { SubscriptionStatus::Canceled } else { status };
    let end = state.and_then(|state| state.period_end);
    BillingView {
        plan: plan.id(),
        status: shown.name(),
        current_period_end: end.map(|end| end.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        cancel_at_period_end: state.is_some_and(|state| state.cancel_at_period_end),
    }
}

pub async fn checkout(action: Action<'_>) -> Result<Reply, ApiError> {
    let billing = on(&action)?;
    let held = action.caller.required_key()?;
    let plan = asked_plan(&action.body.whole().await?)?;
    // A key that was revoked elsewhere a moment ago begins no checkout: its account may be about to be erased.
    let record = action.access.store.key(held.id).await?.filter(|key| !key.revoked).ok_or(KEY_REQUIRED)?;
    let url = billing.checkout_url(held.account, &record.account.email, plan).await?;
    Ok(Reply::of(&Address { url: &url })?.private(StatusCode::CREATED))
}

pub async fn portal(action: Action<'_>) -> Result<Reply, ApiError> {
    let billing = on(&action)?;
    let held = action.caller.required_key()?;
    action.body.nothing().await?;
    let url = billing.portal_url(held.account).await?.ok_or(NO_CUSTOMER)?;
    Ok(Reply::of(&Address { url: &url })?.private(StatusCode::CREATED))
}

/// Stripe's events. Nothing is done before the signature was checked.
pub async fn stripe_event(action: Action<'_>) -> Result<Reply, ApiError> {
    let billing = action.billing.ok_or(ApiError::NO_SUCH_PATH)?;
    let signature = action.head.header(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = action.body.whole().await?;
    billing.receive(signature, &body, action.now.unix_seconds()).await?;
    Ok(Reply::json(b"{\"received\":true}".to_vec()).private(StatusCode::OK))
}

/// The payments, if they are on and possible.
fn on<'a>(action: &Action<'a>) -> Result<&'a Billing, ApiError> {
    Ok(action.billing.ok_or(ApiError::NO_SUCH_PATH)?.ready()?)
}

fn asked_plan(body: &[u8]) -> Result<Plan, ApiError> {
    let members = body::object(body, &["plan"], "the body must be a JSON object with `plan`")?;
    let plan = members.get("plan").and_then(|plan| serde_json::from_str::<String>(plan.get()).ok());
    Plan::paid().find(|paid| Some(paid.id()) == plan.as_deref()).ok_or_else(|| {
        let paid: Vec<&str> = Plan::paid().map(Plan::id).collect();
        bad("plan", &format!("must be one of {}", paid.join(", ")))
    })
}
