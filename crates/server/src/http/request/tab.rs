//! Charges to the quota and to the pages of an address, with the errors of those that are used up.
//!
//! A [`Tab`] is for a handler that charges its request itself, because the cost depends on the body.

use std::sync::OnceLock;

use lastro_access::{ClientAddr, Verdict};
use lastro_background::access::Access;
use lastro_model::Now;
use lastro_quota::Charge;

use super::charge::Charging;
use crate::error::ApiError;

/// Pages and assets that one address may open in a minute.
const PAGES_PER_MINUTE: u32 = 600;

const QUOTA_USED_UP: &str =
    "too many requests: this minute's quota is used up; wait as long as Retry-After says";
const PAGES_USED_UP: &str = "too many pages from this address; wait as long as Retry-After says";

/// A request that is not charged yet.
#[derive(Debug)]
pub struct Tab<'a> {
    pub charging: Charging<'a>,
    /// The charge, once it is made: the edge counts it and shows it in the headers.
    pub taken: &'a OnceLock<Charge>,
}

impl Tab<'_> {
    /// Takes one unit of the caller's quota.
    pub async fn take_unit(&self) -> Result<(), ApiError> {
        let charge = self.charging.wait().await;
        admit_quota(self.taken.get_or_init(|| charge).verdict)
    }

    /// Takes one page of the address's allowance.
    pub fn take_page(&self) -> Result<(), ApiError> {
        let Charging { access, client, now, .. } = self.charging;
        take_page(access, client, now)
    }
}

pub fn take_page(access: &Access, client: ClientAddr, now: Now) -> Result<(), ApiError> {
    admit(access.pages.take(client, PAGES_PER_MINUTE, now.monotonic_ns), PAGES_USED_UP)
}

/// Rejects an address that has no page left, without taking one.
pub fn check_pages(access: &Access, client: ClientAddr, now: Now) -> Result<(), ApiError> {
    admit(access.pages.peek(client, PAGES_PER_MINUTE, now.monotonic_ns), PAGES_USED_UP)
}

pub fn admit_quota(verdict: Verdict) -> Result<(), ApiError> {
    admit(verdict, QUOTA_USED_UP)
}

fn admit(verdict: Verdict, message: &'static str) -> Result<(), ApiError> {
    if verdict.admitted {
        return Ok(());
    }
    Err(ApiError::RateLimited { message, retry_after_seconds: verdict.retry_after_seconds() })
}
