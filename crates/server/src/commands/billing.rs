//! `lastro billing`: the operator's view of payments. Standard output carries the result and nothing else.
#![allow(clippy::print_stdout)]

use anyhow::Context;
use jiff::Timestamp;
use lastro_model::{AccountId, KeyId};
use lastro_store::{BillingState, Store};
use serde_json::{Value, json};

use crate::billing::cancel_everything;
use crate::billing::client::Stripe;
use crate::config::{BillingCommand, Common, STRIPE_TIMEOUT, StripeAccess};

pub async fn run(common: &Common, command: BillingCommand, as_json: bool) -> anyhow::Result<()> {
    let store = common.open_existing_store().await?;
    match command {
        BillingCommand::List => list(&store.list_billing().await?, as_json),
        BillingCommand::Show { id } => show(&*store, &id, as_json).await?,
    }
    Ok(())
}

async fn show(store: &dyn Store, id: &str, as_json: bool) -> anyhow::Result<()> {
    let id =
        KeyId::parse(id).map_err(|reason| anyhow::anyhow!("ID {reason}; `lastro keys list` shows them"))?;
    let key = store.key(id).await?.context("there is no such key; `lastro keys list` shows them")?;
    let state = store.billing(key.account.id).await?.context("this account has no payments")?;
    let mut value = described(&state);
    value["plan"] = key.account.plan.id().into();
    if as_json {
        println!("{value}");
        return Ok(());
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        println!("{name:<22}{}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    Ok(())
}

fn list(states: &[BillingState], as_json: bool) {
    if as_json {
        println!("{}", states.iter().map(described).collect::<Value>());
        return;
    }
    println!(
        "{:<8}  {:<18}  {:<20}  {:<7}  {:<22}  CUSTOMER",
        "ACCOUNT", "STATUS", "PERIOD ENDS", "CANCELS", "PRICE"
    );
    for state in states {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        println!(
            "{:<8}  {:<18}  {:<20}  {:<7}  {:<22}  {}",
            state.account,
            state.status.name(),
            text(&state.period_end.map(second)),
            if state.cancel_at_period_end { "yes" } else { "no" },
            text(&state.price),
            text(&state.customer),
        );
    }
}

fn second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn described(state: &BillingState) -> Value {
    json!({
        "account": state.account.to_string(),
        "status": state.status.name(),
        "customer": state.customer,
        "subscription": state.subscription,
        "price": state.price,
        "current_period_end": state.period_end.map(second),
        "cancel_at_period_end": state.cancel_at_period_end,
        "open_checkout": state.checkout,
        "checked_at": second(state.checked_at),
    })
}

/// Ends what an account pays, before it is erased: afterwards nobody would know whom to cancel.
pub(super) async fn cancel_before_erasure(
    store: &dyn Store,
    account: AccountId,
    access: &StripeAccess,
) -> anyhow::Result<()> {
    let Some(state) = store.billing(account).await? else { return Ok(()) };
    let key = access.key()?;
    if key.is_none() && state.checkout.is_none() && state.status.has_ended() {
        return Ok(());
    }
    let key = key.context(
        "this account may still be charged, so its subscription is canceled first, for which --stripe-key-file is \
         needed; nothing was erased",
    )?;
    let stripe = Stripe::new(&access.stripe_url, &key, STRIPE_TIMEOUT)?;
    let canceled = cancel_everything(&stripe, &state)
        .await
        .context("the subscription of this account could not be canceled; nothing was erased")?;
    tracing::info!("{canceled} subscriptions of account {account} were canceled");
    Ok(())
}
