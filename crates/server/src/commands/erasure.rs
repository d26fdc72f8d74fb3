//! Erasing a person, after everything that could still charge them was ended: afterwards nobody would know whom to
//! cancel.

use anyhow::Context;
use jiff::Timestamp;
use lastro_config::{STRIPE_TIMEOUT, StripeAccess};
use lastro_model::KeyRecord;
use lastro_store::{BillingState, Erased, Store};

use lastro_billing::cancel_everything;
use lastro_billing::client::Stripe;

/// Attempts while a running service writes to the payments of the same account, as it does when it hears of the
/// cancellation.
const ATTEMPTS: usize = 10;

/// Revokes the keys first, so that no new checkout begins. Then erases the account only with the state of payments that
/// was canceled: what a request under way has begun meanwhile is canceled, too.
pub(super) async fn erase(
    store: &dyn Store,
    key: &KeyRecord,
    access: &StripeAccess,
    now: Timestamp,
) -> anyhow::Result<Erased> {
    let (account, stripe) = (key.account.id, open(access)?);
    let refuse = |state: &BillingState| stripe.is_none() && may_be_charged(state);
    if store.billing(account).await?.as_ref().is_some_and(refuse) {
        anyhow::bail!("{NEEDS_STRIPE}; nothing was erased");
    }
    for key in store.keys_of(account).await? {
        store.revoke(key.id, now).await?;
    }
    for _ in 0..ATTEMPTS {
        let state = store.billing(account).await?;
        if let Some(state) = &state {
            cancel(stripe.as_ref(), state).await?;
        }
        let version = state.map_or(0, |state| state.version);
        if let Some(erased) = store.erase_if_billing_is(key.id, now, version).await? {
            return Ok(erased);
        }
    }
    anyhow::bail!(
        "the payments of this account change again and again; its keys are revoked and nothing was erased, so repeat \
         this command"
    )
}

const NEEDS_STRIPE: &str = "this account may still be charged, so its subscription is canceled first, for which \
                            --stripe-key-file is needed";

fn open(access: &StripeAccess) -> anyhow::Result<Option<Stripe>> {
    let key = access.key()?;
    key.map(|key| Stripe::new(&access.stripe_url, &key, STRIPE_TIMEOUT)).transpose()
}

fn may_be_charged(state: &BillingState) -> bool {
    state.checkout.is_some() || !state.status.has_ended()
}

async fn cancel(stripe: Option<&Stripe>, state: &BillingState) -> anyhow::Result<()> {
    let Some(stripe) = stripe else {
        anyhow::ensure!(
            !may_be_charged(state),
            "{NEEDS_STRIPE}; its keys are revoked and nothing was erased"
        );
        return Ok(());
    };
    let canceled = cancel_everything(stripe, state).await.context(
        "the subscription of this account could not be canceled; its keys are revoked and nothing was erased, so \
         repeat this command",
    )?;
    if canceled > 0 {
        tracing::info!("{canceled} subscriptions of account {} were canceled", state.account);
    }
    Ok(())
}
