//! The states of a paid subscription, as the payment processor names them.

use crate::ParseError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubscriptionStatus {
    /// The account has no subscription.
    None,
    /// The first payment is still to come.
    Incomplete,
    /// The first payment never came.
    IncompleteExpired,
    Trialing,
    Active,
    /// A payment failed and is retried.
    PastDue,
    /// All retries of a payment failed.
    Unpaid,
    Paused,
    Canceled,
}

impl SubscriptionStatus {
    pub const ALL: [Self; 9] = [
        Self::None,
        Self::Incomplete,
        Self::IncompleteExpired,
        Self::Trialing,
        Self::Active,
        Self::PastDue,
        Self::Unpaid,
        Self::Paused,
        Self::Canceled,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Incomplete => "incomplete",
            Self::IncompleteExpired => "incomplete_expired",
            Self::Trialing => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Unpaid => "unpaid",
            Self::Paused => "paused",
            Self::Canceled => "canceled",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|status| status.name() == text)
            .ok_or(ParseError("must be the status of a subscription"))
    }

    /// Whether it gives the plan of its price.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Trialing | Self::Active | Self::PastDue)
    }

    /// Whether nothing will ever be charged again.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::None | Self::IncompleteExpired | Self::Canceled)
    }
}
