//! Who is told of new data, and where: the customers' webhooks.

use std::fmt;
use std::sync::LazyLock;

use jiff::Timestamp;

use crate::{AccountId, CompanyId, ParseError, Series, Source};

/// What a webhook can be told of, and the test message that is only sent on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebhookEvent {
    /// Of one series, by the event that it has of its own.
    SeriesUpdated(Series),
    /// Of any series, by the event that all share.
    AnySeriesUpdated,
    FxUpdated,
    CompanyCreated,
    CompanyUpdated,
    FilingCreated,
    Ping,
}

impl WebhookEvent {
    /// Those that a webhook may ask for.
    pub fn offered() -> impl Iterator<Item = Self> {
        let others = [
            Self::AnySeriesUpdated,
            Self::FxUpdated,
            Self::CompanyCreated,
            Self::CompanyUpdated,
            Self::FilingCreated,
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
            Self::FilingCreated => "filing.created",
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

    /// What happens when a source gets a row that it did not have. Of a series that has an event of its own, two do.
    pub const fn of_new_row(source: Source) -> [Option<Self>; 2] {
        match source {
            Source::Companies => [Some(Self::CompanyCreated), None],
            Source::Filings => [Some(Self::FilingCreated), None],
            Source::Series(_) | Source::Fx | Source::Tickers => Self::of_changed_row(source),
        }
    }

    /// What happens when a row of a source becomes another. A filing that the regulator mends is no news, and tickers are shown
    /// with their companies.
    pub const fn of_changed_row(source: Source) -> [Option<Self>; 2] {
        match source {
            Source::Series(series) if series.about().updated_event.is_some() => {
                [Some(Self::SeriesUpdated(series)), Some(Self::AnySeriesUpdated)]
            }
            Source::Series(_) => [Some(Self::AnySeriesUpdated), None],
            Source::Fx => [Some(Self::FxUpdated), None],
            Source::Companies => [Some(Self::CompanyUpdated), None],
            Source::Filings | Source::Tickers => [None, None],
        }
    }
}

impl fmt::Display for WebhookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Defines a name that is a prefix and 24 random hexadecimal digits.
macro_rules! name_with_prefix {
    ($(#[$meta:meta])* $name:ident, $prefix:literal, $form:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Random bytes make the name: nobody guesses it, and no two are the same.
            pub fn from_random(bytes: [u8; 12]) -> Self {
                Self(format!(concat!($prefix, "{}"), crate::hex::encode(&bytes)).into())
            }

            pub fn parse(text: &str) -> Result<Self, ParseError> {
                let digits = text.strip_prefix($prefix).unwrap_or_default();
                if digits.len() == 24 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                    Ok(Self(text.into()))
                } else {
                    Err(ParseError($form))
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_with_prefix!(WebhookId, "wh_", "must be a webhook id: wh_ and 24 hexadecimal digits");
name_with_prefix!(
    /// Names a message on all its ways to one receiver: the `webhook-id` that stays over every attempt.
    MessageId,
    "msg_",
    "must be a delivery id: msg_ and 24 hexadecimal digits"
);

/// Why nothing is sent to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisabledBy {
    Owner,
    Operator,
    /// The receiver answered 410.
    Receiver,
    /// Days of nothing but failures.
    Failures,
}

impl DisabledBy {
    const ALL: [Self; 4] = [Self::Owner, Self::Operator, Self::Receiver, Self::Failures];

    /// The word that the store keeps.
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

    /// For the webhook's owner.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Owner => "disabled by its owner",
            Self::Operator => "disabled by the operator of this service",
            Self::Receiver => "the receiver answered 410 Gone",
            Self::Failures => "every delivery failed for five days",
        }
    }
}

/// Which items a webhook wants; an empty list asks for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookFilters {
    /// Of companies and of filings.
    pub company_ids: Vec<CompanyId>,
    /// Of filings, as published or nearly so.
    pub categories: Vec<String>,
    /// Of what all series share an event for. As text: an id that only a later version knows stays what it is.
    pub series_ids: Vec<String>,
}

impl WebhookFilters {
    pub fn want_series(&self, series: Series) -> bool {
        self.series_ids.is_empty() || self.series_ids.iter().any(|id| id == series.about().id)
    }
}

/// What a secret is derived from, together with a secret that the database does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretSeed {
    pub seed: [u8; 16],
    /// A secret that was rotated away signs until then.
    pub ends_at: Option<Timestamp>,
}

/// A run of failures that no success has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    pub since: Timestamp,
    pub last: Timestamp,
}

/// A receiver of a customer, and what it wants to hear of.
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
    /// Without the address, which often holds a token of its receiver: this text may end in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("id", &self.id)
            .field("account", &self.account)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}

/// One try to hand a message over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub at: Timestamp,
    /// What the receiver answered, if it did.
    pub status: Option<u16>,
    /// Why it was no success, in a sentence of ours.
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
        assert!(WebhookEvent::parse("filing.updated").is_err());
    }

    #[test]
    fn only_filings_keep_their_changes_to_themselves_and_tickers_have_no_events() {
        for source in Source::ALL {
            let silent = source == Source::Tickers;
            assert_eq!(WebhookEvent::of_new_row(source) == [None, None], silent);
            let is_silent_when_changed = silent || source == Source::Filings;
            assert_eq!(WebhookEvent::of_changed_row(source) == [None, None], is_silent_when_changed);
        }
    }

    #[test]
    fn every_series_is_told_of_by_the_event_that_all_share() {
        for series in Series::ALL {
            let events = WebhookEvent::of_new_row(series.into());
            assert!(events.contains(&Some(WebhookEvent::AnySeriesUpdated)));
            let has_its_own = events.contains(&Some(WebhookEvent::SeriesUpdated(series)));
            assert_eq!(has_its_own, Series::market().any(|market| market == series));
        }
    }

    #[test]
    fn names_show_what_they_name() {
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
    fn an_address_never_gets_into_a_debug_text() {
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
