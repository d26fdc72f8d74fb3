//! Plans, registration and usage.

use std::collections::BTreeMap;

use http::StatusCode;
use lastro_access::{
    ApiKey, Applicant, ClientAddr, Grant, IssuedKey, RegistrationRefusal, Terms, plans as plan_table, terms,
};
use lastro_background::access::Access;
use lastro_background::clock::fill_random;
use lastro_model::{Day, Now, Outcome, Plan, UsageCount};
use serde::Serialize;
use serde_json::value::RawValue;

use super::allowance;
use crate::error::ApiError;
use crate::http::handler::{Action, Question};
use crate::http::request::body;
use crate::http::request::query::Query;
use crate::http::response::reply::{Reply, Version};

#[derive(Serialize)]
struct Plans {
    plans: Vec<PlanItem>,
}

#[derive(Serialize)]
struct PlanItem {
    id: &'static str,
    name: &'static str,
    price: u32,
    currency: &'static str,
    rate_limit: u32,
    features: Vec<&'static str>,
    restrictions: Vec<&'static str>,
}

impl From<&Terms> for PlanItem {
    fn from(terms: &Terms) -> Self {
        Self {
            id: terms.plan.id(),
            name: terms.plan.name(),
            price: terms.price_usd,
            currency: "USD",
            rate_limit: terms.requests_per_minute,
            features: terms.features().iter().map(|text| text.en).collect(),
            restrictions: terms.restrictions.iter().map(|text| text.en).collect(),
        }
    }
}

pub fn list(_: &Question<'_>) -> Result<Reply, ApiError> {
    let plans = Plans { plans: plan_table().iter().map(PlanItem::from).collect() };
    // Built from the program's own table: it changes with the program, whose version is in every tag.
    Ok(Reply { version: Version::data([]), ..Reply::of(&plans)? })
}

#[derive(Serialize)]
struct Registered<'a> {
    message: &'static str,
    api_key: &'a str,
    plan: &'static str,
    rate_limit: u32,
}

pub async fn register(action: Action<'_>) -> Result<Reply, ApiError> {
    let body = action.body.whole().await?;
    let applicant = applicant_from_json(&body)?;
    let issued = issue(action.access, action.client, action.now, applicant).await?;
    let registered = Registered {
        message: "Your API key is ready. Keep it safe: it is shown only this once.",
        api_key: issued.key.reveal(),
        plan: issued.plan.id(),
        rate_limit: issued.rate_limit,
    };
    Ok(Reply::of(&registered)?.private(StatusCode::CREATED))
}

/// Parses the applicant from the body of a registration.
pub fn applicant_from_json(body: &[u8]) -> Result<Applicant, ApiError> {
    let otherwise = "the body must be a JSON object with `name` and `email`, once each";
    let members = body::object(body, &["name", "email"], otherwise)?;
    Ok(Applicant::new(&text_of("name", members.get("name"))?, &text_of("email", members.get("email"))?)?)
}

fn text_of(field: &str, value: Option<&RawValue>) -> Result<String, ApiError> {
    let value = value.ok_or_else(|| ApiError::BadRequest(format!("`{field}` is required").into()))?;
    serde_json::from_str(value.get())
        .map_err(|_| ApiError::BadRequest(format!("`{field}` must be a string").into()))
}

/// A key just created; it can be shown only now.
#[derive(Debug)]
pub struct Issued {
    pub key: ApiKey,
    pub plan: Plan,
    pub rate_limit: u32,
}

/// Creates a key of the Free plan. It is stored before it is shown.
pub async fn issue(
    access: &Access,
    client: ClientAddr,
    now: Now,
    applicant: Applicant,
) -> Result<Issued, ApiError> {
    let registration = allowance::take_registration(access, client, now).await.map_err(refused)?;
    let issued = IssuedKey::generate(access.keys.pepper(), &mut fill_random);
    let new = issued.for_new_account(applicant, Grant::REGISTRATION, now.timestamp());
    let inserted = access.store.insert_key(new).await;
    if inserted.is_err() {
        allowance::give_registration_back(access, client, now, &registration);
    }
    access.keys.upsert(inserted?, now.monotonic_ns);
    let plan = Grant::REGISTRATION.plan;
    Ok(Issued { key: issued.key, plan, rate_limit: terms(plan).requests_per_minute })
}

fn refused(refusal: RegistrationRefusal) -> ApiError {
    let (message, retry_after_seconds) = match refusal {
        RegistrationRefusal::Address { retry_after_seconds } => (
            "too many registrations from this address; wait as long as Retry-After says",
            retry_after_seconds,
        ),
        RegistrationRefusal::Network { retry_after_seconds } => (
            "too many registrations from this network; wait as long as Retry-After says",
            retry_after_seconds,
        ),
        RegistrationRefusal::InAll { retry_after_seconds } => {
            ("too many registrations at this moment; wait as long as Retry-After says", retry_after_seconds)
        }
    };
    ApiError::RateLimited { message, retry_after_seconds }
}

#[derive(Serialize)]
struct UsageReport {
    plan: &'static str,
    rate_limit: u32,
    from: String,
    to: String,
    total: u64,
    data: Vec<DayUsage>,
    endpoints: Vec<EndpointUsage>,
}

#[derive(Serialize)]
struct DayUsage {
    date: String,
    requests: u64,
    ok: u64,
    client_errors: u64,
    server_errors: u64,
    rate_limited: u64,
    upgrade_required: u64,
}

#[derive(Serialize)]
struct EndpointUsage {
    endpoint: String,
    requests: u64,
}

pub async fn usage(action: Action<'_>) -> Result<Reply, ApiError> {
    let key = action.caller.required_key()?;
    let (from, to) = reporting_days(&action.query, action.now.utc_day())?;
    // Counts not written yet are flushed first, so that the report includes the request made just before it.
    action.access.usage_flusher.flush().await?;
    let counts = action.access.store.usage(key.account, from, to).await?;
    let report = UsageReport {
        plan: key.plan.id(),
        rate_limit: key.limit,
        from: from.to_string(),
        to: to.to_string(),
        total: counts.iter().map(|count| count.requests).sum(),
        data: by_day(&counts),
        endpoints: by_endpoint(&counts),
    };
    Ok(Reply::of(&report)?.private(StatusCode::OK))
}

const DEFAULT_DAYS: i32 = 30;
const MOST_DAYS: i32 = 366;

/// The days of a report: by default the last thirty.
fn reporting_days(query: &Query<'_>, today: Day) -> Result<(Day, Day), ApiError> {
    let (from, to) = query.days()?;
    let to = to.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
    let from = from.unwrap_or_else(|| to.plus_days(1 - DEFAULT_DAYS).max(year_zero()));
    if to.number() - from.number() >= MOST_DAYS {
        return Err(ApiError::BadRequest(
            format!("`from` and `to` may span at most {MOST_DAYS} days, both included").into(),
        ));
    }
    Ok((from, to))
}

/// The first day that can be written as YYYY-MM-DD.
fn year_zero() -> Day {
    Day::from(jiff::civil::date(0, 1, 1))
}

fn by_day(counts: &[UsageCount]) -> Vec<DayUsage> {
    let mut days: BTreeMap<Day, BTreeMap<Outcome, u64>> = BTreeMap::new();
    for count in counts {
        *days.entry(count.day).or_default().entry(count.outcome).or_default() += count.requests;
    }
    let row = |(day, outcomes): (Day, BTreeMap<Outcome, u64>)| {
        let of = |outcome| outcomes.get(&outcome).copied().unwrap_or(0);
        DayUsage {
            date: day.to_string(),
            requests: outcomes.values().sum(),
            ok: of(Outcome::Ok),
            client_errors: of(Outcome::ClientError),
            server_errors: of(Outcome::ServerError),
            rate_limited: of(Outcome::RateLimited),
            upgrade_required: of(Outcome::UpgradeRequired),
        }
    };
    days.into_iter().rev().map(row).collect()
}

/// Sorts endpoints by requests, the busiest first, then by name.
fn by_endpoint(counts: &[UsageCount]) -> Vec<EndpointUsage> {
    let mut endpoints: BTreeMap<&str, u64> = BTreeMap::new();
    for count in counts {
        *endpoints.entry(&count.endpoint).or_default() += count.requests;
    }
    let row = |(endpoint, requests): (&str, u64)| EndpointUsage { endpoint: endpoint.to_owned(), requests };
    let mut rows: Vec<_> = endpoints.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.requests));
    rows
}
