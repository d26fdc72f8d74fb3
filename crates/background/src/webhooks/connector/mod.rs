//! The only HTTP client that connects to receivers, and its guard against private addresses.
//!
//! The connector itself checks the address after resolving the name, so a name cannot resolve to one address for the
//! check and to another for the connection. Redirects are not followed, no proxy is used, and nothing is decompressed.
//! Little of a response is read, and its body is shown to nobody.

mod resolver;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderMap, RETRY_AFTER};
use lastro_model::MessageId;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;

use super::address::is_public;
use crate::clock::fill_random;
use crate::trace_context::TraceContext;
use resolver::{Resolver, SystemResolver};

/// Bytes of a response body that are read so that its connection can be reused. A longer body closes the connection.
const LARGEST_ANSWER: usize = 16 * 1024;
/// Time limit for reading the body.
const REST_TIMEOUT: Duration = Duration::from_secs(1);
/// Time after which a name without a public address is rejected, so that the elapsed time does not reveal the reason.
const REFUSAL_AFTER: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub struct Connector {
    client: reqwest::Client,
    allow_private: bool,
    deadline: Duration,
}

/// A signed request to a receiver.
#[derive(Debug)]
pub struct SignedRequest<'a> {
    pub url: &'a str,
    pub id: &'a MessageId,
    pub unix_seconds: i64,
    pub signature: String,
    pub body: String,
    /// The trace of the request that caused this one.
    pub trace: Option<&'a TraceContext>,
}

/// The part of a receiver's response that matters for delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverResponse {
    pub status: u16,
    pub retry_after: Option<String>,
}

/// The reason why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryError {
    /// The name does not exist, has only private addresses, or the resolver failed. Only the operator learns which.
    NoPublicAddress,
    NotHttps,
    NoAnswer,
    NoConnection,
    Broken,
    /// A panic in this service.
    Internal,
}

impl DeliveryError {
    /// The error text shown to the webhook's owner. It holds no text from the network, and makes internal names look
    /// like names that do not exist.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoPublicAddress => "no public address is known for this receiver",
            Self::NotHttps => "the address is not an https one",
            Self::NoAnswer => "no answer in time",
            Self::NoConnection => "no connection, or no valid certificate",
            Self::Broken => "the connection broke",
            Self::Internal => "a fault of this service",
        }
    }
}

impl Connector {
    pub fn new(allow_private: bool, deadline: Duration) -> anyhow::Result<Self> {
        Self::with_resolver(Arc::new(SystemResolver::default()), allow_private, deadline)
    }

    fn with_resolver(
        resolver: Arc<dyn Resolver>,
        allow_private: bool,
        deadline: Duration,
    ) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(crate::tls::client_config()?)
            .user_agent(concat!("lastro-webhooks/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(Guard { resolver, allow_private }))
            .redirect(Policy::none())
            .no_proxy()
            .https_only(!allow_private)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(Duration::from_secs(30))
            .build()?;
        Ok(Self { client, allow_private, deadline })
    }

    /// Posts a request. Returns the status and `Retry-After`, which must arrive within the deadline.
    pub async fn post(&self, request: SignedRequest<'_>) -> Result<ReceiverResponse, DeliveryError> {
        let url = self.checked(request.url)?;
        let sending = self
            .client
            .post(url)
            .header("content-type", "application/json")
            .header("webhook-id", request.id.as_str())
            .header("webhook-timestamp", request.unix_seconds)
            .header("webhook-signature", request.signature)
            .headers(trace_headers(request.trace))
            .body(request.body)
            .send();
        let response = match tokio::time::timeout(self.deadline, sending).await {
            Ok(sent) => sent.map_err(|error| delivery_error(&error))?,
            Err(_) => return Err(DeliveryError::NoAnswer),
        };
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let answer = ReceiverResponse {
            status: response.status().as_u16(),
            retry_after: retry_after.map(str::to_owned),
        };
        let _ = tokio::time::timeout(REST_TIMEOUT, read_rest(response)).await;
        Ok(answer)
    }

    /// Parses and checks a URL. IP literals never reach the resolver, so they are checked here, in normalised form.
    fn checked(&self, url: &str) -> Result<reqwest::Url, DeliveryError> {
        let url = reqwest::Url::parse(url).map_err(|_| DeliveryError::NoConnection)?;
        if self.allow_private {
            return Ok(url);
        }
        if url.scheme() != "https" {
            return Err(DeliveryError::NotHttps);
        }
        match literal_address(&url) {
            Some(address) if !is_public(address) => Err(DeliveryError::NoPublicAddress),
            _ => Ok(url),
        }
    }
}

fn trace_headers(trace: Option<&TraceContext>) -> HeaderMap {
    let mut span_id = [0; 8];
    fill_random(&mut span_id);
    trace.into_iter().flat_map(|trace| trace.child(span_id)).collect()
}

/// The host, if it is an IP literal. URL parsing has normalised every notation of it.
pub fn literal_address(url: &reqwest::Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

async fn read_rest(mut response: reqwest::Response) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read > LARGEST_ANSWER {
            return;
        }
    }
}

fn delivery_error(error: &reqwest::Error) -> DeliveryError {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<NoPublicAddress>() {
            return DeliveryError::NoPublicAddress;
        }
        cause = error.source();
    }
    match error {
        _ if error.is_timeout() => DeliveryError::NoAnswer,
        _ if error.is_connect() => DeliveryError::NoConnection,
        _ => DeliveryError::Broken,
    }
}

/// Resolves names and drops addresses that are not public.
struct Guard {
    resolver: Arc<dyn Resolver>,
    allow_private: bool,
}

/// The error for a name without an address that may be connected to.
#[derive(Debug)]
struct NoPublicAddress;

impl fmt::Display for NoPublicAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DeliveryError::NoPublicAddress.sentence())
    }
}

impl std::error::Error for NoPublicAddress {}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, allow_private) = (Arc::clone(&self.resolver), self.allow_private);
        Box::pin(async move {
            let refusal_is_due = tokio::time::sleep(REFUSAL_AFTER);
            let reason = match resolver.look_up(name.as_str()).await {
                Ok(found) => match reachable(found, allow_private) {
                    open if !open.is_empty() => return Ok(Box::new(open.into_iter()) as Addrs),
                    _ => "its addresses are private".to_owned(),
                },
                Err(error) => error.to_string(),
            };
            // The target is documented for operators, so it is not the name of this module.
            tracing::debug!(
                target: "lastro::webhooks",
                name = name.as_str(),
                reason,
                "a receiver has no public address"
            );
            refusal_is_due.await;
            Err(NoPublicAddress.into())
        })
    }
}

fn reachable(found: Vec<IpAddr>, allow_private: bool) -> Vec<SocketAddr> {
    let open = found.into_iter().filter(|address| allow_private || is_public(*address));
    open.map(|address| SocketAddr::new(address, 0)).collect()
}

#[cfg(test)]
mod tests;
