//! `lastro billing`: the operator's view of payments. Standard output carries the result and nothing else.
#![allow(clippy::print_stdout)]

use anyhow::Context;
use jiff::Timestamp;
use lastro_config::{BillingCommand, Common};
use lastro_model::KeyId;
use lastro_store::{BillingState, Store};
use serde_json::{Value, json};

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
