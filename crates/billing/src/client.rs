//! The calls to Stripe. No message and no log line holds the key, or text from an answer other than an error's code.

use std::fmt;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::{HeaderValue, Method, StatusCode};
use lastro_background::clock::random_hex;
use lastro_background::tls;
use lastro_model::AccountId;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answers::{Checkout, List, Price, Subscription};

/// The version of the API that the types of `answers.rs` were written for.
const VERSION: &str = "2025-03-31.basil";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const ATTEMPTS: u32 = 2;
const RETRY_DELAY: Duration = Duration::from_millis(300);
const LARGEST_ANSWER: usize = 2 * 1024 * 1024;
/// Most pages of subscriptions of one customer, a hundred each.
const MOST_PAGES: usize = 10;

pub struct Stripe {
    client: reqwest::Client,
    base: String,
    authorization: ArcSwap<HeaderValue>,
}

/// The reason why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StripeError {
    #[error("Stripe cannot be reached: {0}")]
    Unreachable(&'static str),
    /// Stripe understood the request and will not fulfil it.
    #[error("Stripe refused a request: status {status}, code {code}")]
    Refused { status: u16, code: String },
    /// The customer of the request was deleted, or belongs to another account or mode.
    #[error("Stripe has no such customer")]
    NoCustomer,
    #[error("Stripe knows no object with this id")]
    Missing,
    #[error("Stripe's answer cannot be used: {0}")]
    Unusable(&'static str),
}

/// A checkout to be opened.
#[derive(Debug)]
pub struct Order<'a> {
    pub account: AccountId,
    /// Stripe's customer, or else an e-mail address.
    pub payer: Payer<'a>,
    pub price: &'a str,
    pub success_url: &'a str,
    pub cancel_url: &'a str,
}

pub enum Payer<'a> {
    Customer(&'a str),
    Email(&'a str),
}

impl fmt::Debug for Payer<'_> {
    /// Omits the address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payer")
    }
}

impl Stripe {
    pub fn new(base: &str, key: &str, timeout: Duration) -> anyhow::Result<Self> {
        let authorization = ArcSwap::from_pointee(bearer(key)?);
        let client = tls::client()?
            .user_agent(concat!("lastro/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(timeout)
            .build()?;
        Ok(Self { client, base: base.trim_end_matches('/').to_owned(), authorization })
    }

    pub fn has_key(&self, key: &str) -> bool {
        bearer(key).is_ok_and(|bearer| bearer == **self.authorization.load())
    }

    /// The same with another key.
    pub fn with_key(&self, key: &str) -> anyhow::Result<Self> {
        let authorization = ArcSwap::from_pointee(bearer(key)?);
        Ok(Self { client: self.client.clone(), base: self.base.clone(), authorization })
    }

    /// Uses the key of another one in later calls.
    pub fn take_key_of(&self, other: &Self) {
        self.authorization.store(other.authorization.load_full());
    }

    pub async fn price(&self, id: &str) -> Result<Price, StripeError> {
        self.call(Method::GET, &format!("prices/{id}"), &[]).await
    }

    /// Opens a checkout. Returns its id and its address.
    pub async fn open_checkout(&self, order: &Order<'_>) -> Result<(String, String), StripeError> {
        let account = order.account.to_string();
        let payer = match order.payer {
            Payer::Customer(id) => ("customer", id),
            Payer::Email(address) => ("customer_email", address),
        };
        let form = [
            ("mode", "subscription"),
            ("line_items[0][price]", order.price),
            ("line_items[0][quantity]", "1"),
            ("client_reference_id", &account),
            payer,
            ("success_url", order.success_url),
            ("cancel_url", order.cancel_url),
            ("metadata[account]", &account),
            ("subscription_data[metadata][account]", &account),
        ];
        let opened: Checkout = self.call(Method::POST, "checkout/sessions", &form).await?;
        let url = opened.url.ok_or(StripeError::Unusable("a checkout has no address"))?;
        Ok((opened.id, self.address(url)?))
    }

    pub async fn checkout(&self, id: &str) -> Result<Checkout, StripeError> {
        self.call(Method::GET, &format!("checkout/sessions/{id}"), &[]).await
    }

    pub async fn expire_checkout(&self, id: &str) -> Result<Checkout, StripeError> {
        self.call(Method::POST, &format!("checkout/sessions/{id}/expire"), &[]).await
    }

    /// The address of Stripe's portal for a customer.
    pub async fn open_portal(&self, customer: &str, return_url: &str) -> Result<String, StripeError> {
        #[derive(Deserialize)]
        struct Portal {
            url: String,
        }
        let form = [("customer", customer), ("return_url", return_url)];
        let portal: Portal = self.call(Method::POST, "billing_portal/sessions", &form).await?;
        self.address(portal.url)
    }

    /// An address that a browser may be led to: https, and http only where Stripe itself is called so.
    fn address(&self, url: String) -> Result<String, StripeError> {
        let scheme = reqwest::Url::parse(&url).ok().map(|parsed| parsed.scheme().to_owned());
        match scheme.as_deref() {
            Some("https") => Ok(url),
            Some("http") if self.base.starts_with("http:") => Ok(url),
            _ => Err(StripeError::Unusable("an address is not https")),
        }
    }

    /// All subscriptions of a customer, in any status. `None` if there is no such customer.
    pub async fn subscriptions(&self, customer: &str) -> Result<Option<Vec<Subscription>>, StripeError> {
        let mut found: Vec<Subscription> = Vec::new();
        for _ in 0..MOST_PAGES {
            let after = found.last().map(|last| format!("&starting_after={}", last.id)).unwrap_or_default();
            let path = format!("subscriptions?customer={customer}&status=all&limit=100{after}");
            let page: List<Subscription> = match self.call(Method::GET, &path, &[]).await {
                Err(StripeError::NoCustomer) if found.is_empty() => return Ok(None),
                page => page?,
            };
            let is_last = !page.has_more || page.data.is_empty();
            found.extend(page.data);
            if is_last {
                return Ok(Some(found));
            }
        }
        Err(StripeError::Unusable("a customer has too many subscriptions"))
    }

    /// Cancels a subscription at once, unless it is gone already.
    pub async fn cancel(&self, subscription: &str) -> Result<(), StripeError> {
        match self.call(Method::DELETE, &format!("subscriptions/{subscription}"), &[]).await {
            Ok(Subscription { .. }) | Err(StripeError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sends a request, and once more with the same key if it may have been lost: Stripe fulfils it once.
    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        form: &[(&str, &str)],
    ) -> Result<T, StripeError> {
        let idempotency_key = random_hex(32);
        let mut attempt = 1;
        let body = loop {
            match self.send(&method, path, form, &idempotency_key).await {
                Err(StripeError::Unreachable(reason)) if attempt < ATTEMPTS => {
                    tracing::debug!(reason, "a request to Stripe is sent again");
                    attempt += 1;
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                result => break result?,
            }
        };
        serde_json::from_slice(&body).map_err(|error| {
            tracing::debug!(
                line = error.line(),
                column = error.column(),
                "a response of Stripe could not be parsed"
            );
            StripeError::Unusable("unexpected format")
        })
    }

    async fn send(
        &self,
        method: &Method,
        path: &str,
        form: &[(&str, &str)],
        idempotency_key: &str,
    ) -> Result<Vec<u8>, StripeError> {
        let mut request = self
            .client
            .request(method.clone(), format!("{}/v1/{path}", self.base))
            .header(http::header::AUTHORIZATION, HeaderValue::clone(&self.authorization.load()))
            .header("stripe-version", VERSION);
        if method != Method::GET {
            request = request
                .header("idempotency-key", idempotency_key)
                .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(encoded(form));
        }
        let response = request.send().await.map_err(|error| unreachable_because(&error))?;
        let status = response.status();
        let body = read(response).await?;
        match status {
            StatusCode::CONFLICT => Err(StripeError::Unreachable("another request is under way")),
            StatusCode::TOO_MANY_REQUESTS => Err(StripeError::Unreachable("too many requests")),
            _ if status.is_server_error() => Err(StripeError::Unreachable("server error")),
            _ if status.is_success() => Ok(body),
            _ => Err(refusal(status, &body)),
        }
    }
}

impl fmt::Debug for Stripe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stripe").field("base", &self.base).finish_non_exhaustive()
    }
}

fn bearer(key: &str) -> anyhow::Result<HeaderValue> {
    let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))
        .map_err(|_| anyhow::anyhow!("the key of Stripe has characters that no key has"))?;
    authorization.set_sensitive(true);
    Ok(authorization)
}

fn unreachable_because(error: &reqwest::Error) -> StripeError {
    StripeError::Unreachable(match error {
        _ if error.is_timeout() => "no answer in time",
        _ if error.is_connect() => "no connection",
        _ => "the connection broke",
    })
}

async fn read(mut response: reqwest::Response) -> Result<Vec<u8>, StripeError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable_because(&error))? {
        if body.len() + chunk.len() > LARGEST_ANSWER {
            return Err(StripeError::Unusable("it is too long"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn encoded(form: &[(&str, &str)]) -> String {
    let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    let fields = form.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    fields.collect::<Vec<_>>().join("&")
}

/// The error of an answer: its code or type. Its message is left out, because it may quote the request.
///
/// Only Stripe's own word makes something missing, whatever the status: a proxy's page for a 404 says nothing about a
/// customer, who would lose the plan by it.
fn refusal(status: StatusCode, body: &[u8]) -> StripeError {
    #[derive(Deserialize)]
    struct Failure {
        error: Details,
    }
    #[derive(Deserialize)]
    struct Details {
        code: Option<String>,
        r#type: Option<String>,
        param: Option<String>,
    }
    let Ok(Failure { error: details }) = serde_json::from_slice(body) else {
        return StripeError::Unusable("it is neither what was asked for nor an error of Stripe's");
    };
    if details.code.as_deref() == Some("resource_missing") {
        let is_customer = details.param.as_deref() == Some("customer");
        return if is_customer { StripeError::NoCustomer } else { StripeError::Missing };
    }
    let code = details.code.or(details.r#type).unwrap_or_default();
    let is_word = code.len() <= 60 && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    StripeError::Refused { status: status.as_u16(), code: if is_word { code } else { String::new() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> StripeError {
        refusal(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn only_stripes_own_word_makes_something_missing() {
        for status in [400, 404] {
            let missing = |param| {
                read(status, &format!(r#"{{"error":{{"code":"resource_missing","param":"{param}"}}}}"#))
            };
            assert_eq!(missing("customer"), StripeError::NoCustomer);
            assert_eq!(missing("price"), StripeError::Missing);
            for page in ["<html>not found</html>", "", "{}", "[]", r#"{"error":"x"}"#] {
                assert!(matches!(read(status, page), StripeError::Unusable(_)), "{page}");
            }
        }
        let unknown_url = read(404, r#"{"error":{"type":"invalid_request_error","param":"customer"}}"#);
        let code = "invalid_request_error".to_owned();
        assert_eq!(unknown_url, StripeError::Refused { status: 404, code });
    }

    #[test]
    fn a_code_that_is_no_word_is_left_out() {
        let refused = read(402, r#"{"error":{"code":"sk_live_1 is wrong"}}"#);
        assert_eq!(refused, StripeError::Refused { status: 402, code: String::new() });
    }
}
