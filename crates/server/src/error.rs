//! The errors that a client can receive, each with a code, a status and a message. The table is [`ApiError::code`].

use std::borrow::Cow;

use http::StatusCode;
use lastro_access::{ApplicantError, Feature};
use lastro_model::{ParseError, Plan};
use lastro_store::StoreError;
use lastro_web::RenderError;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    BadRequest(Cow<'static, str>),
    Unauthorized(&'static str),
    UpgradeRequired {
        plan: Plan,
        feature: Feature,
    },
    Forbidden(&'static str),
    NotFound(&'static str),
    /// A parameter names something that does not exist.
    NoSuchValue(String),
    /// Holds the value of `Allow`.
    MethodNotAllowed(&'static str),
    PayloadTooLarge {
        limit_bytes: usize,
    },
    /// A range beyond the end of a file of this length.
    RangeNotSatisfiable {
        length: u64,
    },
    RateLimited {
        message: &'static str,
        retry_after_seconds: u64,
    },
    /// A place in the log of changes that can no longer be continued from. Holds the oldest one that can.
    CursorExpired {
        oldest: String,
        message: &'static str,
    },
    /// Something that was there and will not come back.
    Gone(&'static str),
    Internal,
    Unavailable(&'static str),
}

impl ApiError {
    /// The error for a path or query that is not valid text after decoding.
    pub const NOT_UTF8: Self = Self::BadRequest(Cow::Borrowed("the address is not valid UTF-8"));
    /// The error for an unknown path, and for one that this server has switched off.
    pub const NO_SUCH_PATH: Self = Self::NotFound("there is nothing at this path; see /docs");

    /// The machine-readable code and its status.
    pub fn code(&self) -> (&'static str, StatusCode) {
        match self {
            Self::BadRequest(_) => ("bad_request", StatusCode::BAD_REQUEST),
            Self::Unauthorized(_) => ("unauthorized", StatusCode::UNAUTHORIZED),
            Self::UpgradeRequired { .. } => ("upgrade_required", StatusCode::FORBIDDEN),
            Self::Forbidden(_) => ("forbidden", StatusCode::FORBIDDEN),
            Self::NotFound(_) | Self::NoSuchValue(_) => ("not_found", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed(_) => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            Self::PayloadTooLarge { .. } => ("payload_too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::RangeNotSatisfiable { .. } => ("range_not_satisfiable", StatusCode::RANGE_NOT_SATISFIABLE),
            Self::RateLimited { .. } => ("rate_limited", StatusCode::TOO_MANY_REQUESTS),
            Self::CursorExpired { .. } => ("cursor_expired", StatusCode::GONE),
            Self::Gone(_) => ("gone", StatusCode::GONE),
            Self::Internal => ("internal", StatusCode::INTERNAL_SERVER_ERROR),
            Self::Unavailable(_) => ("unavailable", StatusCode::SERVICE_UNAVAILABLE),
        }
    }

    /// The human-readable message. It names the remedy and reveals nothing about the machine.
    pub fn message(&self) -> Cow<'static, str> {
        match self {
            Self::BadRequest(message) => message.clone(),
            Self::NoSuchValue(message) => message.clone().into(),
            Self::Unauthorized(message)
            | Self::Forbidden(message)
            | Self::NotFound(message)
            | Self::Gone(message)
            | Self::Unavailable(message)
            | Self::RateLimited { message, .. }
            | Self::CursorExpired { message, .. } => (*message).into(),
            Self::UpgradeRequired { plan, feature } => format!(
                "{} needs the {} plan; this request is on the {} plan. See /pricing.",
                feature.label(),
                feature.required_plan().name(),
                plan.name()
            )
            .into(),
            Self::MethodNotAllowed(allow) => format!("this path accepts only {allow}").into(),
            Self::PayloadTooLarge { limit_bytes } => {
                format!("the body may have at most {limit_bytes} bytes").into()
            }
            Self::RangeNotSatisfiable { length } => format!("the file has {length} bytes").into(),
            Self::Internal => {
                "something went wrong on our side; the request id names this failure in our log".into()
            }
        }
    }

    /// The error for an invalid parameter.
    pub fn parameter(name: &str, reason: &ParseError) -> Self {
        Self::BadRequest(format!("`{name}` {reason}").into())
    }

    /// The JSON body, in the same format for all errors.
    pub fn body(&self) -> Vec<u8> {
        let (error, _) = self.code();
        let mut body = Body { error, message: self.message(), ..Body::default() };
        match self {
            Self::UpgradeRequired { plan, feature } => {
                body.plan = Some(plan.id());
                body.required_plan = Some(feature.required_plan().id());
                body.feature = Some(feature.id());
                body.upgrade_url = Some("/pricing");
            }
            Self::RateLimited { retry_after_seconds, .. } => body.retry_after = Some(*retry_after_seconds),
            Self::CursorExpired { oldest, .. } => body.oldest = Some(oldest),
            _ => {}
        }
        // Large enough for most messages, to avoid reallocation.
        let mut json = Vec::with_capacity(256);
        if serde_json::to_writer(&mut json, &body).is_err() {
            json.clear();
        }
        json
    }
}

/// Code and message, then the fields that only some errors have.
#[derive(Default, Serialize)]
struct Body<'a> {
    error: &'static str,
    message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_plan: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade_url: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

impl From<ApplicantError> for ApiError {
    fn from(error: ApplicantError) -> Self {
        Self::parameter(error.field, &error.reason)
    }
}

/// A store failure is never the client's fault. Its details go to the log only; outages are logged by the store.
impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if error.is_database_failure() {
            tracing::debug!(%error, "the store failed a request");
        } else {
            tracing::error!(%error, "the store failed a request");
        }
        Self::Unavailable(
            "the database cannot be used right now; market data, companies and filings can still be read, please try again shortly",
        )
    }
}

impl From<RenderError> for ApiError {
    fn from(error: RenderError) -> Self {
        tracing::error!(%error, "a page could not be rendered");
        Self::Internal
    }
}
