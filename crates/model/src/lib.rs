//! The domain types of Lastro: every value that passes between crates has its type here.
//!
//! A value of these types has been validated once, by its `parse`, and is not checked again. This crate does no input
//! or output, has no HTTP or SQL, and reads no clock.

mod account;
pub mod age;
mod api_words;
pub mod calendar;
mod clock;
mod cnpj;
mod company;
mod day;
mod digest;
mod feed;
mod filing;
pub mod hex;
mod histogram;
mod history;
mod outage;
mod panics;
mod random_id;
mod rates;
mod series;
mod source;
mod source_state;
mod subscription;
pub mod text;
mod ticker;
mod webhook;
mod withheld;

pub use account::{
    Account, AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Outcome, Plan, UsageCount,
};
pub use clock::{Clock, ManualClock, Now, brasilia_day, brasilia_minute};
pub use cnpj::Cnpj;
pub use company::{Company, CompanyId, FormerName, Standing, latest_first};
pub use day::Day;
pub use digest::{digest_of, digest_of_stamps};
pub use feed::{FeedId, SavedFeed};
pub use filing::{Filing, FilingId};
pub use histogram::{BOUNDS_US, Distribution, Histogram};
pub use history::History;
pub use outage::{Outage, OutageChange, OutageExtent};
pub use panics::panic_message;
pub use rates::{Currency, FxQuote, Pair, RatePoint};
pub use series::{About, BySeries, Frequency, Kind, PAIRS, Series, Topic, Unit};
pub use source::{BySource, Edition, Mark, ReadFile, Records, Reject, Source, Stamp};
pub use source_state::SourceState;
pub use subscription::SubscriptionStatus;
pub use ticker::{Ticker, TradedSecurity, current_holders};
pub use webhook::{
    Attempt, DisabledBy, Failing, MessageId, SecretSeed, Webhook, WebhookEvent, WebhookFilters, WebhookId,
};
pub use withheld::{Point, Withheld};

pub use rust_decimal::{Decimal, RoundingStrategy};

/// The reason why a text is invalid. The message names the expected form, never the text itself, which may be a
/// secret or an attack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub &'static str);
