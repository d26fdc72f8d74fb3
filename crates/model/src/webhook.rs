//! Customers' webhooks, their events and delivery attempts.

use std::fmt;
use std::sync::LazyLock;

use jiff::Timestamp;

use crate::random_id::name_with_prefix;
use crate::{AccountId, CompanyId, ParseError, Series, Source};

/// The events that a webhook can subscribe to, and the test message that is only sent on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebhookEvent {
    /// New or changed values of one series, by its own event.
    SeriesUpdated(Series),
    /// New or changed values of any series, by the shared event.
    AnySeriesUpdated,
    FxUpdated,
    CompanyCreated,
    CompanyUpdated,
    CompanyRemoved,
    FilingCreated,
    FilingUpdated,
    FilingRemoved,
    Ping,
}

/// No later event is added here.
const OF_FIRST_VERSION: [&str; 8] = [
    "selic.updated",
    "cdi.updated",
    "ipca.updated",
    "fx.updated",
    "company.created",
    "company.updated",
    "filing.created",
    "ping",
];

impl WebhookEvent {
    /// The events that a webhook may subscribe to.
    pub fn offered() -> impl Iterator<Item = Self> {
        let others = [
            Self::AnySeriesUpdated,
            Self::FxUpdated,
            Self::CompanyCreated,
            Self::CompanyUpdated,
            Self::CompanyRemoved,
            Self::FilingCreated,
            Self::FilingUpdated,
            Self::FilingRemoved,
        ];
        Series::market().map(Self::SeriesUpdated).chain(others)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::SeriesUpdated(series) => match series.about().updated_event {
                Some(event) => event,
                None => Self::AnySeriesUpdated.name(),
            },
            Self::AnySeriesUpdated => "series.updated",
            Self::FxUpdated => "fx.updated",
            Self::CompanyCreated => "company.created",
            Self::CompanyUpdated => "company.updated",
            Self::CompanyRemoved => "company.removed",
            Self::FilingCreated => "filing.created",
            Self::FilingUpdated => "filing.updated",
            Self::FilingRemoved => "filing.removed",
            Self::Ping => "ping",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        static NAMES: LazyLock<String> = LazyLock::new(|| {
            let names: Vec<&str> = WebhookEvent::offered().map(WebhookEvent::name).collect();
            format!("must be one of {}", names.join(", "))
        });
        Self::offered().chain([Self::Ping]).find(|event| event.name() == text).ok_or(ParseError(&NAMES))
    }

    /// Whether the first versions know this event. The others are kept beside them, for replicas of those versions.
    pub fn is_of_first_version(self) -> bool {
        OF_FIRST_VERSION.contains(&self.name())
    }

    /// The events for a new row of a source: two for a series with its own event.
    pub const fn of_new_row(source: Source) -> [Option<Self>; 2] {
        match source {
            Source::Companies => [Some(Self::CompanyCreated), None],
            Source::Filings => [Some(Self::FilingCreated), None],
            Source::Series(_) | Source::Fx | Source::Tickers => Self::of_changed_row(source),
        }
    }

    /// The events for a changed row of a source. Tickers have none: they are shown with their companies.
    pub const fn of_changed_row(source: Source) -> [Option<Self>; 2] {
        match source {
            Source::Series(series) if series.about().updated_event.is_some() => {
                [Some(Self::SeriesUpdated(series)), Some(Self::AnySeriesUpdated)]
            }
            Source::Series(_) => [Some(Self::AnySeriesUpdated), None],
            Source::Fx => [Some(Self::FxUpdated), None],
            Source::Companies => [Some(Self::CompanyUpdated), None],
            Source::Filings => [Some(Self::FilingUpdated), None],
            Source::Tickers => [None, None],
        }
    }

    /// The event for a row that the publisher no longer lists.
    pub const fn of_removed_row(source: Source) -> Option<Self> {
        match source {
            Source::Companies => Some(Self::CompanyRemoved),
            Source::Filings => Some(Self::FilingRemoved),
            Source::Series(_) | Source::Fx | Source::Tickers => None,
        }
    }
}

impl fmt::Display for WebhookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

name_with_prefix!(WebhookId, "wh_", "must be a webhook id: wh_ and 24 hexadecimal digits");
name_with_prefix!(
    /// The id of a message to one receiver: the `webhook-id`, the same in every attempt.
    MessageId,
    "msg_",
    "must be a delivery id: msg_ and 24 hexadecimal digits"
);

/// The reason why a webhook is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisabledBy {
    Owner,
    Operator,
    /// The receiver responded 410.
    Receiver,
    /// Every delivery failed for days.
    Failures,
}

impl DisabledBy {
    const ALL: [Self; 4] = [Self::Owner, Self::Operator, Self::Receiver, Self::Failures];

    /// The word kept in the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Operator => "operator",
            Self::Receiver => "receiver",
            Self::Failures => "failures",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|by| by.name() == text).ok_or(ParseError("must be who disabled a webhook"))
    }

    /// The reason as a sentence for the webhook's owner.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Owner => "disabled by its owner",
            Self::Operator => "disabled by the operator of this service",
            Self::Receiver => "the receiver answered 410 Gone",
            Self::Failures => "every delivery failed for five days",
        }
    }
}

/// The items that a webhook receives; an empty list means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookFilters {
    /// Applies to companies and filings.
    pub company_ids: Vec<CompanyId>,
    /// Applies to filings; matched as published or nearly so.
    pub categories: Vec<String>,
    /// Applies to the event shared by all series. Text, so that an id added by a later version is preserved.
    pub series_ids: Vec<String>,
    /// Applies to filings: all words, in any form or by a synonym.
    pub q: Option<String>,
}

impl WebhookFilters {
    pub fn want_series(&self, series: Series) -> bool {
        self.series_ids.is_empty() || self.series_ids.iter().any(|id| id == series.about().id)
    }
}

/// The seed of a signing secret, combined with a secret that is not in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretSeed {
    pub seed: [u8; 16],
    /// The time until which a secret that was rotated out still signs.
    pub ends_at: Option<Timestamp>,
}

/// A run of failures not yet ended by a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    pub since: Timestamp,
    pub last: Timestamp,
}

/// A customer's receiver and its subscriptions.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub account: AccountId,
    pub url: String,
    pub description: Option<String>,
    /// In the order of [`WebhookEvent::offered`], each once.
    pub events: Vec<WebhookEvent>,
    pub filters: WebhookFilters,
    pub created_at: Timestamp,
    /// Newest first.
    pub secrets: Vec<SecretSeed>,
    pub disabled: Option<DisabledBy>,
    pub failing: Option<Failing>,
}

impl fmt::Debug for Webhook {
    /// Omits the URL, which often contains a token of the receiver, because this text may end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("id", &self.id)
            .field("account", &self.account)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}

/// One attempt to deliver a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub at: Timestamp,
    /// The receiver's response status, if it responded.
    pub status: Option<u16>,
    /// The reason for the failure, in our own words.
    pub error: Option<String>,
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_event_reads_back_by_its_name() {
        for event in WebhookEvent::offered().chain([WebhookEvent::Ping]) {
            assert_eq!(WebhookEvent::parse(event.name()), Ok(event));
        }
        assert!(WebhookEvent::parse("filing.changed").is_err());
    }

    #[test]
    fn only_tickers_have_no_events() {
        for source in Source::ALL {
            let silent = source == Source::Tickers;
            assert_eq!(WebhookEvent::of_new_row(source) == [None, None], silent);
            assert_eq!(WebhookEvent::of_changed_row(source) == [None, None], silent);
        }
    }

    #[test]
    fn every_series_has_the_shared_event() {
        for series in Series::ALL {
            let events = WebhookEvent::of_new_row(series.into());
            assert!(events.contains(&Some(WebhookEvent::AnySeriesUpdated)));
            let has_its_own = events.contains(&Some(WebhookEvent::SeriesUpdated(series)));
            assert_eq!(has_its_own, Series::market().any(|market| market == series));
        }
    }

    #[test]
    fn ids_have_their_prefix() {
        assert_eq!(WebhookId::from_random([1; 12]).as_str(), "wh_010101010101010101010101");
        assert_eq!(MessageId::from_random([255; 12]).to_string(), "msg_ffffffffffffffffffffffff");
        for bad in [
            "",
            "wh_",
            "wh_0101010101010101010101",
            "msg_010101010101010101010101",
            "wh_0101010101010101010101FF",
        ] {
            assert!(WebhookId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn debug_output_omits_the_url() {
        let webhook = Webhook {
            id: WebhookId::from_random([7; 12]),
            account: AccountId(crate::KeyId::parse("Ab12Cd34").unwrap()),
            url: "https://example.com/token-in-the-path".to_owned(),
            description: None,
            events: vec![WebhookEvent::FilingCreated],
            filters: WebhookFilters::default(),
            created_at: Timestamp::UNIX_EPOCH,
            secrets: Vec::new(),
            disabled: None,
            failing: None,
        };
        assert!(!format!("{webhook:?}").contains("token"));
    }

    proptest! {
        #[test]
        fn names_round_trip(bytes: [u8; 12]) {
            let id = MessageId::from_random(bytes);
            prop_assert_eq!(MessageId::parse(id.as_str()), Ok(id));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = (WebhookId::parse(&text), MessageId::parse(&text), WebhookEvent::parse(&text));
        }
    }
}
