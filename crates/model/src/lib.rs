//! The vocabulary of Lastro: every value that crosses a room of the house has its type here.
//!
//! A value of these types has been checked once, by its `parse`; past that point nobody checks again.
//! This crate does no input or output, knows no HTTP and no SQL, and reads no clock.

mod account;
pub mod calendar;
mod clock;
mod cnpj;
mod company;
mod day;
mod filing;
pub mod hex;
mod panics;
mod rates;
mod series;
mod source;
pub mod text;
mod webhook;
mod withheld;

pub use account::{
    Account, AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Outcome, Plan, UsageCount,
};
pub use clock::{Clock, ManualClock, Now};
pub use cnpj::Cnpj;
pub use company::{Company, CompanyId, Standing};
pub use day::Day;
pub use filing::{Filing, FilingId};
pub use panics::panic_message;
pub use rates::{Currency, FxQuote, Pair, RatePoint};
pub use series::{About, BySeries, Frequency, Kind, Series, Topic, Unit};
pub use source::{BySource, Edition, ReadFile, Records, Reject, Source, Stamp};
pub use webhook::{
    Attempt, DisabledBy, Failing, MessageId, SecretSeed, Webhook, WebhookEvent, WebhookFilters, WebhookId,
};
pub use withheld::{Point, Withheld};

pub use rust_decimal::Decimal;

/// Why a text is not the value it should be. The sentence names the expected form, never the text itself:
/// the text may be a secret or somebody's attack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub &'static str);
