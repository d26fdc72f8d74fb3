//! Access control: plans, keys and their issuing, client addresses, rate limits, usage.
//!
//! The server calls this crate on every request: parse the key, find its holder (or the client's address), take one
//! unit of the quota, check in the plan table whether the feature is included, and count the outcome.
//!
//! It depends on no data set, no HTTP and no SQL. All of it is memory and arithmetic: the clock and the randomness are
//! arguments, nothing blocks on I/O, and every structure that a client can fill is bounded.

mod addresses;
mod calculation_code;
mod client;
mod holder;
mod issuing;
mod key;
mod keyring;
mod last_key;
mod ledger;
mod limiter;
mod lookups;
mod negative_cache;
mod page_work;
mod pepper;
mod plan;
mod registrations;
mod share;
mod usage;

pub use addresses::{AddressRings, Standing};
pub use calculation_code::CalculationCodes;
pub use client::{ClientAddr, TrustedProxies};
pub use holder::{Holder, ROTATIONS_PER_HOUR};
pub use issuing::{Applicant, ApplicantError, Grant, IssuedKey};
pub use key::ApiKey;
pub use keyring::{ActiveKey, KeyRing, Lookup};
pub use last_key::LastKey;
pub use limiter::{EXACT_LIMIT, Ring, Verdict};
pub use lookups::{LookupRefusal, Lookups};
pub use page_work::{PageWork, PageWorkRefusal};
pub use pepper::Pepper;
pub use plan::{Feature, HISTORY_MONTHS, Terms, Text, WINDOW_SECONDS, plans, terms};
pub use registrations::{RegistrationLimits, RegistrationRefusal, Registrations};
pub use share::Share;
pub use usage::{Batch, Usage};
