//! HTTP client for the publishers: certificate checks, timeouts, size limits, retries of transient failures, and
//! conditional requests.
//!
//! Responses are interpreted by `sources`; this module returns bytes, or a sentence saying why not. Files go to disk
//! in [`download`]; data from an interrupted synchronisation is in the [`Spool`](crate::spool::Spool).

mod download;
mod failure;
mod host;

use std::io::{self, Read, Write};
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap};
use lastro_model::{Source, hex};
use lastro_sources::request::Request;
use lastro_sources::{Answer, Fault};
use lastro_store::RememberedFile;
use sha2::{Digest, Sha256};

use crate::spool::{Metadata, Spool};
use failure::{Failure, retry_after, text_of, too_large, unreachable};
use host::Hosts;

pub use download::{Download, FileAnswer};

/// Timeouts and retries. Tests use other values than production.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    /// From the first byte sent to the last byte received.
    pub timeout: Duration,
    pub attempts: u32,
    /// Pause before the second attempt; doubled for each further one, and varied by half.
    pub first_pause: Duration,
    /// Time between the starts of two requests to one host.
    pub spacing: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            attempts: 5,
            first_pause: Duration::from_secs(2),
            spacing: Duration::from_millis(300),
        }
    }
}

/// Real JSON bodies have a few hundred kilobytes at most.
const LARGEST_BODY: usize = 32 * 1024 * 1024;
/// Longest pause, and longest `Retry-After` honoured here; beyond it the next scheduled run is soon enough.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    hosts: Hosts,
    retries: RetryPolicy,
    /// Returns a random number from 0 to 1.
    jitter: fn() -> f64,
    spool: Option<Spool>,
}

impl Fetcher {
    /// The builder defines the trusted certificates. Without a spool, an interrupted synchronisation starts over.
    pub fn new(
        client: reqwest::ClientBuilder,
        retries: RetryPolicy,
        jitter: fn() -> f64,
        spool: Option<Spool>,
    ) -> anyhow::Result<Self> {
        let client = client
            .user_agent(concat!("Mozilla/5.0 (compatible; lastro/", env!("CARGO_PKG_VERSION"), ")"))
            .connect_timeout(Duration::from_secs(20).min(retries.timeout))
            .timeout(retries.timeout)
            .redirect(reqwest::redirect::Policy::custom(follow))
            .build()?;
        Ok(Self { client, hosts: Hosts::new(retries.spacing), retries, jitter, spool })
    }

    /// Sends the request, with retries, until `read` parses the response or returns a permanent fault.
    ///
    /// `keep_for` is set for final responses, which are spooled until that source is published.
    pub async fn ask<T>(
        &self,
        request: &Request,
        keep_for: Option<Source>,
        read: impl Fn(&Answer<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if let Some(value) = self.spool_for(keep_for).and_then(|spool| kept(spool, request, &read)) {
            return Ok(value);
        }
        self.persist(|| async {
            let (metadata, headers, body) = self.whole(request).await?;
            let value = read(&answer(request, &metadata, &body)).map_err(|fault| match fault {
                Fault::Transient(sentence) => Failure::Passing { sentence, wait: retry_after(&headers) },
                lasting => Failure::Lasting(lasting),
            })?;
            if let Some(spool) = self.spool_for(keep_for)
                && let Err(error) = keep(spool, request, metadata, &body)
            {
                tracing::debug!(%error, "an answer could not be kept for the next attempt");
            }
            Ok(value)
        })
        .await
    }

    /// Downloads a file to disk, unless it equals the remembered one. Spooled like a response.
    pub async fn file(
        &self,
        request: &Request,
        keep_for: Option<Source>,
        remembered: Option<&RememberedFile>,
    ) -> Result<FileAnswer, Fault> {
        let spool = self.spool_for(keep_for);
        if let Some(kept) = spool.and_then(|(spool, source)| spool.find(source, &request.url)) {
            return Ok(download::unless_remembered(kept.into(), remembered));
        }
        self.persist(|| async {
            let url = parse(&request.url)?;
            let host = self.hosts.of(&url);
            let _turn = host.turn().await;
            let asking = download::conditional(self.client.get(url), remembered);
            let response = asking.send().await.map_err(|error| unreachable(request, &error))?;
            download::receive(request, response, remembered, spool).await
        })
        .await
    }

    /// Deletes the spooled data of a source, after it was published or rejected.
    pub fn forget(&self, source: Source) {
        if let Some(spool) = &self.spool {
            spool.clear(source);
        }
    }

    fn spool_for(&self, keep_for: Option<Source>) -> Option<(&Spool, Source)> {
        self.spool.as_ref().zip(keep_for)
    }

    /// Retries transient failures with growing pauses.
    async fn persist<T, F>(&self, attempt: impl Fn() -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let mut pause = self.retries.first_pause;
        let mut attempts_left = self.retries.attempts;
        loop {
            let (sentence, wait) = match attempt().await {
                Ok(value) => return Ok(value),
                Err(Failure::Lasting(fault)) => return Err(fault),
                Err(Failure::Passing { sentence, wait }) => (sentence, wait),
            };
            attempts_left = attempts_left.saturating_sub(1);
            if attempts_left == 0 || wait.is_some_and(|wait| wait > LONGEST_WAIT) {
                return Err(Fault::Transient(sentence));
            }
            tracing::debug!(sentence, attempts_left, "asking again");
            tokio::time::sleep(wait.unwrap_or_default().max(self.varied(pause))).await;
            pause = pause.saturating_mul(2).min(LONGEST_WAIT);
        }
    }

    /// Varies a pause between half and one and a half, so that many servers do not retry in step.
    fn varied(&self, pause: Duration) -> Duration {
        pause.mul_f64(0.5 + (self.jitter)())
    }

    async fn whole(&self, request: &Request) -> Result<(Metadata, HeaderMap, Vec<u8>), Failure> {
        let url = parse(&request.url)?;
        let host = self.hosts.of(&url);
        let _turn = host.turn().await;
        let mut response = self.client.get(url).send().await.map_err(|error| unreachable(request, &error))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(request, &error))? {
            if body.len() + chunk.len() > LARGEST_BODY {
                return Err(too_large(request));
            }
            body.extend_from_slice(&chunk);
        }
        let headers = std::mem::take(response.headers_mut());
        let metadata = Metadata {
            status: response.status().as_u16(),
            content_type: text_of(&headers, CONTENT_TYPE),
            etag: None,
            last_modified: None,
            sha256: hex::encode(&Sha256::digest(&body)),
        };
        Ok((metadata, headers, body))
    }
}

/// Follows at most three redirects, and never from HTTPS to HTTP.
fn follow(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let downgrade = attempt.previous().last().is_some_and(|url| url.scheme() == "https")
        && attempt.url().scheme() != "https";
    if downgrade || attempt.previous().len() > 3 {
        return attempt.error("redirected too often, or to an open connection");
    }
    attempt.follow()
}

fn answer<'a>(request: &'a Request, metadata: &'a Metadata, body: &'a [u8]) -> Answer<'a> {
    Answer {
        file: &request.what,
        status: metadata.status,
        content_type: metadata.content_type.as_deref(),
        body,
    }
}

/// A spooled response that can still be parsed.
fn kept<T>(
    (spool, source): (&Spool, Source),
    request: &Request,
    read: impl Fn(&Answer<'_>) -> Result<T, Fault>,
) -> Option<T> {
    let mut kept = spool.find(source, &request.url)?;
    let mut body = Vec::new();
    kept.bytes.read_to_end(&mut body).ok()?;
    read(&answer(request, &kept.metadata, &body)).ok()
}

fn keep(
    (spool, source): (&Spool, Source),
    request: &Request,
    metadata: Metadata,
    body: &[u8],
) -> io::Result<()> {
    let mut draft = spool.draft(source)?;
    draft.write_all(body)?;
    spool.keep(source, &request.url, draft, metadata)
}

fn parse(url: &str) -> Result<reqwest::Url, Failure> {
    reqwest::Url::parse(url).map_err(|_| {
        Failure::Lasting(Fault::Internal(
            "the address is not a URL; check --sgs-url, --ptax-url and --cvm-url".to_owned(),
        ))
    })
}
