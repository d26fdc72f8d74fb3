//! `lastro keys`: the operator's key management. Standard output carries the result and nothing else.
#![allow(clippy::print_stdout)]

use jiff::Timestamp;
use lastro_access::{ApiKey, Applicant, Grant, IssuedKey, Pepper, terms};
use lastro_background::clock::{SystemClock, fill_random};
use lastro_config::{Common, KeysCommand};
use lastro_model::{Clock, KeyId, KeyRecord};
use lastro_store::{Erased, Store, StoreError};
use serde_json::{Value, json};

use super::{erasure, printable};
use crate::pepper;
use lastro_billing::pays_without_a_key;

pub async fn run(common: &Common, command: KeysCommand, as_json: bool) -> anyhow::Result<()> {
    let now = SystemClock::start().now().timestamp();
    match command {
        KeysCommand::Create { plan, name, email, rate_limit } => {
            let (applicant, grant) = (Applicant::new(&name, &email)?, Grant::by_operator(plan, rate_limit));
            create(common, applicant, grant, now, as_json).await?;
        }
        KeysCommand::List => {
            list(&common.open_existing_store().await?.list_keys().await?, now, as_json);
        }
        KeysCommand::SetPlan { id, plan, rate_limit } => {
            let store = common.open_existing_store().await?;
            let rate_limit = rate_limit.map(|limit| (limit > 0).then_some(limit));
            show(&store.set_plan(key_id(&id)?, plan, rate_limit).await?, now, as_json);
        }
        KeysCommand::Rotate { id, grace_seconds } => {
            let ends_at = now + jiff::SignedDuration::from_secs(i64::from(grace_seconds));
            rotate(common, key_id(&id)?, now, ends_at, as_json).await?;
        }
        KeysCommand::Revoke { id } => {
            let store = common.open_existing_store().await?;
            let revoked = store.revoke(key_id(&id)?, now).await?;
            tell_of_subscription(&*store, &revoked).await?;
            show(&[revoked], now, as_json);
        }
        KeysCommand::Erase { id, stripe } => {
            let store = common.open_existing_store().await?;
            let key = store.key(key_id(&id)?).await?.ok_or(StoreError::NotFound)?;
            let email = key.account.email.clone();
            show_erased(&erasure::erase(&*store, &key, &stripe, now).await?, as_json);
            tell_of_other_accounts(&store.list_keys().await?, &email);
        }
    }
    Ok(())
}

async fn create(
    common: &Common,
    applicant: Applicant,
    grant: Grant,
    now: Timestamp,
    as_json: bool,
) -> anyhow::Result<()> {
    let store = common.open_store().await?;
    let pepper = pepper_of(common, &*store).await?;
    let issued = IssuedKey::generate(&pepper, &mut fill_random);
    let record = store.insert_key(issued.for_new_account(applicant, grant, now)).await?;
    show_new(&issued.key, &record, as_json);
    Ok(())
}

async fn rotate(
    common: &Common,
    old: KeyId,
    now: Timestamp,
    ends_at: Timestamp,
    as_json: bool,
) -> anyhow::Result<()> {
    let store = common.open_existing_store().await?;
    let pepper = pepper_of(common, &*store).await?;
    let issued = IssuedKey::generate(&pepper, &mut fill_random);
    let new = match store.rotate(old, issued.key.id(), issued.digest, now, ends_at).await {
        Err(StoreError::KeyEnded) => reissue(&*store, old, &issued, now).await?,
        rotated => rotated?.new,
    };
    show_new(&issued.key, &new, as_json);
    Ok(())
}

/// Gives an account whose last key was revoked or has ended a new one. Holders cannot do that through the API: only the
/// operator can know them without a key that works.
async fn reissue(
    store: &dyn Store,
    old: KeyId,
    issued: &IssuedKey,
    now: Timestamp,
) -> anyhow::Result<KeyRecord> {
    match store.reissue(old, issued.key.id(), issued.digest, now).await {
        Err(StoreError::KeyEnded) => {
            anyhow::bail!(
                "key {old} has ended or is ending, and its account has a newer one: rotate that (`lastro keys list`)"
            )
        }
        reissued => Ok(reissued?),
    }
}

async fn pepper_of(common: &Common, store: &dyn Store) -> anyhow::Result<Pepper> {
    pepper::of(store, &pepper::path_of(common)?).await
}

fn key_id(text: &str) -> anyhow::Result<KeyId> {
    KeyId::parse(text).map_err(|reason| anyhow::anyhow!("ID {reason}; `lastro keys list` shows them"))
}

fn show_new(key: &ApiKey, record: &KeyRecord, as_json: bool) {
    if as_json {
        let mut value = described(record, record.created_at);
        value["api_key"] = key.reveal().into();
        println!("{value}");
    } else {
        println!("{}", key.reveal());
    }
}

fn show(records: &[KeyRecord], now: Timestamp, as_json: bool) {
    if as_json {
        records.iter().for_each(|record| println!("{}", described(record, now)));
    } else {
        list(records, now, false);
    }
}

/// Warns if the account still pays but has no key left that lasts.
async fn tell_of_subscription(store: &dyn Store, revoked: &KeyRecord) -> anyhow::Result<()> {
    let (id, account) = (revoked.id, revoked.account.id);
    if pays_without_a_key(store, account).await? {
        tracing::warn!(
            "account {account} has no key left and still pays: give it a new one (`lastro keys rotate {id}`), or \
             cancel its subscription in Stripe's dashboard (`lastro billing show {id}` names it)"
        );
    }
    Ok(())
}

/// Warns of other accounts with the same e-mail address. Addresses are not verified, so the operator decides.
fn tell_of_other_accounts(keys: &[KeyRecord], email: &str) {
    let same = |key: &&KeyRecord| key.account.email.eq_ignore_ascii_case(email);
    let others: Vec<String> = keys.iter().filter(same).map(|key| key.id.to_string()).collect();
    if !others.is_empty() {
        tracing::warn!("other accounts have the same e-mail address; their keys are {}", others.join(", "));
    }
}

fn show_erased(erased: &Erased, as_json: bool) {
    let Erased { account, keys, webhooks, wiped } = erased;
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    if as_json {
        println!(
            "{}",
            json!({ "account": account.to_string(), "keys": keys, "webhooks": webhooks, "wiped": wiped })
        );
    } else {
        println!(
            "removed account {account}, its name and address, {webhooks} webhooks, and the keys {}",
            keys.join(", ")
        );
    }
    if !wiped {
        tracing::warn!(
            "the database was busy: its files may contain the name and address until the next `keys erase`"
        );
    }
}

fn described(record: &KeyRecord, now: Timestamp) -> Value {
    json!({
        "id": record.id.as_str(),
        "account": record.account.id.to_string(),
        "name": record.account.name,
        "email": record.account.email,
        "plan": record.account.plan.id(),
        "rate_limit": limit_of(record),
        "created_at": record.created_at.to_string(),
        "ends_at": record.ends_at.map(|at| at.to_string()),
        "status": status(record, now),
    })
}

fn limit_of(record: &KeyRecord) -> u32 {
    record.account.rate_limit.unwrap_or(terms(record.account.plan).requests_per_minute)
}

fn status(record: &KeyRecord, now: Timestamp) -> &'static str {
    match record.ends_at {
        _ if record.revoked => "revoked",
        None => "active",
        Some(at) if at <= now => "ended",
        Some(_) => "ending",
    }
}

fn list(records: &[KeyRecord], now: Timestamp, as_json: bool) {
    if as_json {
        let all: Vec<Value> = records.iter().map(|record| described(record, now)).collect();
        println!("{}", Value::from(all));
        return;
    }
    println!(
        "{:<8}  {:<8}  {:>9}  {:<7}  {:<20}  NAME <EMAIL>",
        "ID", "PLAN", "PER MIN", "STATUS", "CREATED"
    );
    for record in records {
        let account = &record.account;
        let created = record.created_at.strftime("%Y-%m-%dT%H:%M:%SZ");
        println!(
            "{:<8}  {:<8}  {:>9}  {:<7}  {:<20}  {} <{}>",
            record.id,
            account.plan.id(),
            limit_of(record),
            status(record, now),
            created,
            printable(&account.name),
            printable(&account.email)
        );
    }
}
