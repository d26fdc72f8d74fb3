//! Whether a server could start with these settings, as far as the settings alone show: nothing is opened, asked or created.
//!
//! Settings that parse one by one may still be unusable together. The start, SIGHUP and `lastro check` share these checks,
//! so that none of them accepts what another refuses.

use lastro_config::{Common, Serve};

use crate::pepper;
use lastro_billing::client::Stripe;

pub(super) fn check(common: &Common, serve: &Serve) -> anyhow::Result<()> {
    serve.trusted_proxies()?;
    serve.tls.files()?;
    serve.redis.checked()?;
    stripe(serve)?;
    pepper::path_of(common).map(drop)
}

/// A client of Stripe, after all settings of payments have proved usable; `None` if payments are off.
pub(super) fn stripe(serve: &Serve) -> anyhow::Result<Option<Stripe>> {
    let settings = &serve.billing;
    let Some(secrets) = settings.secrets(serve.pages.public_url.is_some())? else { return Ok(None) };
    Stripe::new(&settings.stripe.stripe_url, &secrets.key, settings.timeout).map(Some)
}
