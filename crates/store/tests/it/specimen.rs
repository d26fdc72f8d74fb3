//! Test rows and keys, and helpers to publish and load them.

use jiff::Timestamp;
use lastro_model::{
    Account, AccountId, Attempt, Cnpj, Company, CompanyId, Day, Decimal, Edition, Failing, Filing, FilingId,
    FormerName, FxQuote, KeyDigest, KeyId, MessageId, NewKey, Pair, Plan, RatePoint, ReadFile, Records,
    Reject, SecretSeed, Series, Source, SourceState, Ticker, TradedSecurity, Webhook, WebhookEvent,
    WebhookFilters, WebhookId,
};
use lastro_store::{
    Claim, Claimed, Condition, Fate, Loaded, NewMessage, Publication, PublicationItem, Published, Result,
    Settlement, Store, StoreError,
};
use tokio::sync::mpsc;

pub(crate) async fn state_of(store: &dyn Store, source: Source) -> SourceState {
    let states = store.source_states().await.unwrap();
    states.into_iter().find(|state| state.source == source).unwrap()
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

pub(crate) fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub(crate) fn rate(on: &str, value: &str) -> RatePoint {
    RatePoint { day: day(on), value: decimal(value) }
}

pub(crate) fn quote(on: &str, pair: &str, buy: &str, sell: &str) -> FxQuote {
    FxQuote { day: day(on), pair: Pair::parse(pair).unwrap(), buy: decimal(buy), sell: decimal(sell) }
}

pub(crate) fn company(id: u32) -> Company {
    Company {
        id: CompanyId(id),
        name: format!("Açúcar & \"Álcool\" {id}"),
        cnpj: Cnpj::parse("12.ABC.345/01DE-35").unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: Some(String::new()),
        registered_on: Some(day("1968-02-29")),
    }
}

pub(crate) fn filing(id: u64, delivered_on: &str) -> Filing {
    Filing {
        id: FilingId::Protocol(id),
        company_id: CompanyId(9512),
        company_name: "Companhia Inventada".to_owned(),
        category: "Fato Relevante".to_owned(),
        kind: None,
        delivered_on: day(delivered_on),
        reference_day: None,
        description: "Aquisição de ações; 𝛑 'e' \"aspas\"\n".to_owned(),
        version: 1,
        url: format!("https://sample.invalid/{id}"),
    }
}

pub(crate) fn former_name(company: u32, name: &str) -> FormerName {
    FormerName { company_id: CompanyId(company), name: name.to_owned(), until: day("2026-01-01") }
}

pub(crate) fn traded_security(ticker: &str, company: u32) -> TradedSecurity {
    TradedSecurity {
        ticker: Ticker::parse(ticker).unwrap(),
        company_id: CompanyId(company),
        kind: "Ações Preferenciais".to_owned(),
        class: Some("PNA".to_owned()),
        segment: None,
        trading_from: Some(day("1977-07-20")),
        trading_to: None,
        reference_day: day("2026-01-01"),
        version: 3,
    }
}

pub(crate) fn publication(source: Source) -> Publication {
    Publication { source, sample: false, replace: false, at: at(0), condition: Condition::None }
}

/// A file with this number of rejects, on every second line from line two.
pub(crate) fn read_file(url: &str, rejects: u64) -> ReadFile {
    let reject = |n| Reject {
        file: url.rsplit('/').next().unwrap().to_owned(),
        line: 2 * n,
        reason: format!("row {n}: DT_REG não é um dia"),
    };
    ReadFile {
        url: url.to_owned(),
        etag: Some("\"5f3-61a\"".to_owned()),
        last_modified: None,
        sha256: "0f".repeat(32),
        rows: 2_604,
        rejects: (1..=rejects).map(reject).collect(),
        withheld: Vec::new(),
        read_at: at(7),
    }
}

pub(crate) async fn publish(
    store: &dyn Store,
    publication: Publication,
    records: Records,
) -> Result<Published> {
    send(store, publication, vec![PublicationItem::Rows(records), PublicationItem::Commit]).await
}

pub(crate) async fn send(
    store: &dyn Store,
    publication: Publication,
    writes: Vec<PublicationItem>,
) -> Result<Published> {
    let (sender, rows) = mpsc::channel(1);
    let sending = async move {
        for write in writes {
            // The store may stop early; its result then gives the reason.
            let _ = sender.send(write).await;
        }
    };
    tokio::join!(sending, store.publish(publication, rows)).1
}

/// Loads a whole source, as its batches.
pub(crate) async fn all(store: &dyn Store, source: Source) -> Result<(Edition, Vec<Records>)> {
    let mut loaded = store.load(source).await?;
    let mut batches = Vec::new();
    while let Some(batch) = loaded.rows.recv().await {
        batches.push(batch?.rows);
    }
    Ok((loaded.edition, batches))
}

pub(crate) async fn rates(store: &dyn Store, source: Source) -> Vec<(Day, String)> {
    let (_, batches) = all(store, source).await.unwrap();
    batches
        .into_iter()
        .flat_map(|batch| match batch {
            Records::Rates(rows) => rows,
            other => panic!("not rates: {other:?}"),
        })
        .map(|row| (row.day, row.value.to_string()))
        .collect()
}

/// Loads all filings, sorted by id: the store guarantees no order.
pub(crate) async fn filings(store: &dyn Store) -> Vec<Filing> {
    let (_, batches) = all(store, Source::Filings).await.unwrap();
    let rows = batches.into_iter().flat_map(|batch| match batch {
        Records::Filings(rows) => rows,
        other => panic!("not filings: {other:?}"),
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|row| row.id);
    rows
}

/// The filings changed since an edition, sorted by id, and the edition that they lead to.
pub(crate) async fn changes(store: &dyn Store, since: Edition) -> Option<(Edition, Vec<Filing>)> {
    let loaded = store.changes(Source::Filings, since).await.unwrap()?;
    Some(gathered(loaded).await)
}

pub(crate) async fn gathered(mut loaded: Loaded) -> (Edition, Vec<Filing>) {
    let mut rows = Vec::new();
    while let Some(batch) = loaded.rows.recv().await {
        let Records::Filings(batch) = batch.unwrap().rows else { panic!("not filings") };
        rows.extend(batch);
    }
    rows.sort_by_key(|row| row.id);
    (loaded.edition, rows)
}

pub(crate) fn key_id(number: u32) -> KeyId {
    KeyId::parse(&format!("Key{number:05}")).unwrap()
}

pub(crate) fn new_key(number: u32) -> NewKey {
    NewKey {
        id: key_id(number),
        digest: KeyDigest([number as u8; 32]),
        account: Account {
            id: AccountId(key_id(number)),
            name: "Maria da Conceição".to_owned(),
            email: "maria@example.com".to_owned(),
            plan: Plan::Free,
            rate_limit: None,
        },
        created_at: at(i64::from(number)),
        self_registered: false,
    }
}

/// Inserts a key, retrying while the store is busy, as every caller would.
pub(crate) async fn insert_patiently(store: &dyn Store, key: NewKey) {
    loop {
        match store.insert_key(key.clone()).await {
            Err(StoreError::Busy) => {}
            outcome => {
                outcome.unwrap();
                return;
            }
        }
    }
}

pub(crate) fn webhook_id(number: u8) -> WebhookId {
    WebhookId::from_random([number; 12])
}

/// A webhook of the account of [`new_key`] with this number, which must exist.
pub(crate) fn webhook(number: u8, account: u32, events: &[WebhookEvent]) -> Webhook {
    Webhook {
        id: webhook_id(number),
        account: AccountId(key_id(account)),
        url: format!("https://example.com/{number}"),
        description: Some("Avisos — \"ação\"".to_owned()),
        events: events.to_vec(),
        filters: WebhookFilters {
            company_ids: vec![CompanyId(9512)],
            categories: vec!["Fato Relevante, e mais".to_owned()],
            series_ids: vec!["ibc-br-sa".to_owned(), "of-a-later-version".to_owned()],
            q: Some("dividendos".to_owned()),
        },
        created_at: at(i64::from(number)),
        secrets: vec![SecretSeed { seed: [number; 16], ends_at: None }],
        disabled: None,
        failing: None,
    }
}

/// Adds one key and one webhook that subscribes to every event.
pub(crate) async fn listening(store: &dyn Store) -> Webhook {
    store.insert_key(new_key(1)).await.unwrap();
    let webhook = webhook(1, 1, &WebhookEvent::offered().collect::<Vec<_>>());
    assert!(store.insert_webhook(webhook.clone(), 10).await.unwrap());
    webhook
}

pub(crate) fn message(number: u8, webhook: &WebhookId) -> NewMessage {
    NewMessage {
        id: MessageId::from_random([number; 12]),
        webhook: webhook.clone(),
        event: WebhookEvent::SeriesUpdated(Series::Selic),
        body: format!("{{\"number\":{number}}}"),
        created_at: at(0),
    }
}

pub(crate) fn claim(second: i64, holder: &str) -> Claim {
    Claim {
        now: at(second),
        holder: holder.to_owned(),
        until: at(second + 20),
        most: 10,
        plans: Plan::ALL.to_vec(),
    }
}

pub(crate) fn settlement(claimed: &Claimed, holder: &str, fate: Fate) -> Settlement {
    let error = (fate != Fate::Delivered).then(|| "no answer in time".to_owned());
    Settlement {
        webhook: claimed.webhook.id.clone(),
        message: claimed.message.clone(),
        holder: holder.to_owned(),
        due_at: claimed.due_at,
        asked: claimed.asked,
        attempt: Attempt { at: at(0), status: None, error, duration_ms: 15_000 },
        fate,
        failing: (fate != Fate::Delivered).then(|| Failing { since: at(0), last: at(0) }),
        disable: None,
        leave_alone_until: None,
    }
}

pub(crate) fn settlement_attempt() -> Attempt {
    Attempt {
        at: at(3),
        status: Some(503),
        error: Some("the receiver answered 503".to_owned()),
        duration_ms: 12,
    }
}
