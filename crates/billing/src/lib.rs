//! Payments through Stripe: from a key of any plan to the plan that its subscription pays for.
//!
//! Off unless configured. Its only effect is the plan of an account; the rest of the service knows nothing of it
//! (decision 0019). [`client`] and [`answers`]: Stripe's API. [`signature`] and [`event`]: its events. [`verdict`]: the
//! plan that subscriptions give. [`reconcile`]: from Stripe to the database, in one order. [`checkout`]: opening a
//! checkout or the portal. [`turns`]: who may. [`offers`]: the prices. [`job`]: what must not depend on events.
//! [`counts`]: the metrics.
//!
//! Futures are boxed where other crates await them, so that their code is compiled here, and once.

mod answers;
mod checkout;
pub mod client;
mod counts;
mod error;
mod event;
mod job;
mod offers;
mod reconcile;
mod signature;
mod turns;
mod verdict;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use arc_swap::ArcSwap;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_background::access::Access;
use lastro_background::jobs::supervisor::Supervisor;
use lastro_config::{BillingSecrets, BillingSettings, PlanPrices};
use lastro_model::{AccountId, Clock, KeyRecord, Outage};
use lastro_store::{BillingState, Store, StoreError};
use parking_lot::Mutex;

pub use checkout::cancel_everything;
use client::Stripe;
use counts::Counts;
pub use counts::render;
pub use error::BillingError;
pub use offers::{Offer, Offers};
use signature::SigningSecret;
use turns::Turns;

/// Attempts to write a result while others write theirs.
const ATTEMPTS: u64 = 12;

pub struct Billing {
    stripe: Stripe,
    secret: ArcSwap<SigningSecret>,
    prices: PlanPrices,
    /// Known once Stripe has been asked.
    offers: OnceLock<Offers>,
    public_url: String,
    settings: BillingSettings,
    store: Arc<dyn Store>,
    access: Arc<Access>,
    /// The clock for times that are compared between machines.
    clock: Arc<dyn Clock>,
    boot: String,
    turns: Turns,
    counts: Counts,
    /// Failures of the background job, logged when they begin and end.
    outage: Mutex<Outage>,
    /// The account at which the last round of checks gave up. The next one begins after it, so that the same few
    /// accounts never keep the others from their check.
    given_up_at: Mutex<Option<AccountId>>,
}

/// The parts of the service that payments use.
#[derive(Debug)]
pub struct Surroundings {
    pub access: Arc<Access>,
    pub clock: Arc<dyn Clock>,
    pub boot: String,
}

impl Billing {
    pub fn new(
        settings: &BillingSettings,
        secrets: &BillingSecrets,
        public_url: &str,
        surroundings: Surroundings,
    ) -> anyhow::Result<Self> {
        let Surroundings { access, clock, boot } = surroundings;
        Ok(Self {
            stripe: Stripe::new(&settings.stripe.stripe_url, &secrets.key, settings.timeout)?,
            secret: ArcSwap::from_pointee(SigningSecret::new(&secrets.webhook_secret)?),
            prices: settings.stripe_prices.clone(),
            offers: OnceLock::new(),
            public_url: public_url.to_owned(),
            settings: settings.clone(),
            store: Arc::clone(&access.store),
            access,
            clock,
            boot,
            turns: Turns::new(),
            counts: Counts::default(),
            outage: Mutex::default(),
            given_up_at: Mutex::default(),
        })
    }

    /// Reads the key and the signing secret again, which may have been replaced in their files. A new key must know the
    /// prices: for that of another Stripe account nobody here is a customer, and everybody would lose the plan.
    pub fn read_secrets_again(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        let reading = async {
            let Some(secrets) = self.settings.secrets(true)? else { return Ok(()) };
            let secret = SigningSecret::new(&secrets.webhook_secret)?;
            if !self.stripe.has_key(&secrets.key) {
                let renewed = self.stripe.with_key(&secrets.key)?;
                let read = Offers::read(&renewed, &self.prices).await;
                read.context(
                    "--stripe-key-file: the prices cannot be read with the new key, so the old one stays",
                )?;
                self.stripe.take_key_of(&renewed);
            }
            self.secret.store(Arc::new(secret));
            Ok(())
        };
        reading.boxed()
    }

    /// The prices, once read from Stripe.
    pub fn offers(&self) -> Option<&Offers> {
        self.offers.get()
    }

    /// An error until the prices are known.
    pub fn ready(&self) -> Result<&Self, BillingError> {
        if self.offers.get().is_some() { Ok(self) } else { Err(BillingError::NotReady) }
    }

    /// Starts the job of payments.
    pub fn start_job(self: &Arc<Self>, jobs: &mut Supervisor) {
        jobs.start("billing", self, job::run);
    }

    /// The state of an account, or a new one.
    async fn state_of(&self, account: AccountId) -> Result<BillingState, StoreError> {
        let state = self.store.billing(account).await?;
        Ok(state.unwrap_or_else(|| BillingState::new(account, self.clock.now().timestamp())))
    }
}

/// Lets another replica finish that has just written to the same account.
async fn pause(attempt: u64) {
    tokio::time::sleep(Duration::from_millis(fastrand::u64(5..=25) * (attempt + 1))).await;
}

impl fmt::Debug for Billing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Billing").field("prices", &self.prices).finish_non_exhaustive()
    }
}

/// Whether an account has a subscription that has not ended, and no key that lasts. One that ends soon does not count:
/// it was replaced, and is gone before anybody is told again.
pub fn pays_without_a_key(store: &dyn Store, account: AccountId) -> BoxFuture<'_, Result<bool, StoreError>> {
    let looking = async move {
        let state = store.billing(account).await?;
        if state.is_none_or(|state| state.status.has_ended()) {
            return Ok(false);
        }
        let lasts = |key: &KeyRecord| !key.revoked && key.ends_at.is_none();
        Ok(!store.keys_of(account).await?.iter().any(lasts))
    };
    looking.boxed()
}
