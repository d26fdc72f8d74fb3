//! Stripe's objects, as far as they are used here. Every id is checked before it becomes a part of a URL.

use jiff::Timestamp;
use lastro_config::is_stripe_id;
use lastro_model::{AccountId, KeyId, SubscriptionStatus};
use serde::{Deserialize, Deserializer, de};

#[derive(Debug, Deserialize)]
pub(crate) struct List<T> {
    pub data: Vec<T>,
    #[serde(default)]
    pub has_more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Price {
    pub active: bool,
    pub currency: String,
    /// In the currency's smallest unit; absent for prices in tiers.
    pub unit_amount: Option<i64>,
    pub recurring: Option<Recurring>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Recurring {
    pub interval: String,
    pub interval_count: u32,
}

#[derive(Debug, Deserialize)]
pub struct Checkout {
    #[serde(deserialize_with = "id")]
    pub id: String,
    pub url: Option<String>,
    /// `open`, `complete` or `expired`.
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default, deserialize_with = "optional_id")]
    pub customer: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Subscription {
    #[serde(deserialize_with = "id")]
    pub id: String,
    #[serde(deserialize_with = "status")]
    pub status: SubscriptionStatus,
    #[serde(default)]
    pub created: i64,
    #[serde(default)]
    pub cancel_at_period_end: bool,
    pub cancel_at: Option<i64>,
    pub items: Items,
    metadata: Option<Metadata>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Items {
    pub data: Vec<Item>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Item {
    pub price: ItemPrice,
    pub current_period_end: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct ItemPrice {
    pub id: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Metadata {
    account: Option<String>,
}

impl Subscription {
    /// The account that our checkout wrote into it.
    pub fn account(&self) -> Option<AccountId> {
        let account = self.metadata.as_ref()?.account.as_deref()?;
        KeyId::parse(account).ok().map(AccountId)
    }
}

impl Item {
    pub fn period_end(&self) -> Option<Timestamp> {
        self.current_period_end.and_then(|seconds| Timestamp::from_second(seconds).ok())
    }
}

fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is_stripe_id(&text) { Ok(text) } else { Err(de::Error::custom("not an id")) }
}

fn optional_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| is_stripe_id(text)))
}

/// A status that is unknown here changes nothing, like one that waits for the first payment.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SubscriptionStatus, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(SubscriptionStatus::parse(&text).unwrap_or_else(|_| {
        tracing::warn!(
            "a subscription has a status that this version does not know; the plan stays unchanged"
        );
        SubscriptionStatus::Incomplete
    }))
}
