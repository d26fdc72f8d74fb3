//! Issuing of keys: checks of the applicant, the new key, and the record the store keeps of it.
//!
//! Used by registration, rotation and the operator's commands. [`crate::Registrations`] and [`crate::Holder`] decide
//! whether one more key is allowed; the caller stores it.

use std::fmt;

use email_address::EmailAddress;
use jiff::Timestamp;
use lastro_model::text::has_control;
use lastro_model::{Account, AccountId, KeyDigest, NewKey, ParseError, Plan};

use crate::{ApiKey, Pepper};

const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;

/// A person applying for a key, with valid name and e-mail address.
pub struct Applicant {
    name: String,
    email: String,
}

/// An invalid field of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicantError {
    pub field: &'static str,
    pub reason: ParseError,
}

impl Applicant {
    pub fn new(name: &str, email: &str) -> Result<Self, ApplicantError> {
        let wrong = |field, sentence| Err(ApplicantError { field, reason: ParseError(sentence) });
        if has_control(name) {
            return wrong("name", "must not hold control characters");
        }
        let name = name.trim();
        if !(1..=LONGEST_NAME).contains(&name.chars().count()) {
            return wrong("name", "must have 1 to 100 characters");
        }
        if email.len() > LONGEST_EMAIL || has_control(email) || !is_address(email) {
            return wrong("email", "must be a valid e-mail address of at most 254 characters");
        }
        Ok(Self { name: name.to_owned(), email: email.to_owned() })
    }
}

fn is_address(email: &str) -> bool {
    let address_only = email_address::Options::default().without_display_text();
    EmailAddress::parse_with_options(email, address_only).is_ok()
}

impl fmt::Debug for Applicant {
    /// Omits personal data, because the text may end in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Applicant(…)")
    }
}

impl fmt::Display for ApplicantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.reason)
    }
}

impl std::error::Error for ApplicantError {}

/// The terms of a new account, and whether it registered itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    pub plan: Plan,
    /// Requests a minute, instead of the plan's limit.
    pub rate_limit: Option<u32>,
    /// Created by its holder and not by the operator.
    pub self_registered: bool,
}

impl Grant {
    /// The terms of every registration.
    pub const REGISTRATION: Self = Self { plan: Plan::Free, rate_limit: None, self_registered: true };

    /// Terms that the operator agreed on with a customer.
    pub fn by_operator(plan: Plan, rate_limit: Option<u32>) -> Self {
        Self { plan, rate_limit, self_registered: false }
    }
}

/// A new key. It can be shown only now, because only the digest is stored.
#[derive(Debug)]
pub struct IssuedKey {
    pub key: ApiKey,
    pub digest: KeyDigest,
}

impl IssuedKey {
    /// Creates a key. `random` fills the slice it receives.
    pub fn generate(pepper: &Pepper, random: &mut dyn FnMut(&mut [u8])) -> Self {
        let key = ApiKey::generate(random);
        Self { digest: pepper.digest(&key), key }
    }

    /// The record of this key as the first one of a new account, which takes its id.
    pub fn for_new_account(&self, applicant: Applicant, grant: Grant, created_at: Timestamp) -> NewKey {
        let (id, Applicant { name, email }) = (self.key.id(), applicant);
        let Grant { plan, rate_limit, self_registered } = grant;
        let account = Account { id: AccountId(id), name, email, plan, rate_limit };
        NewKey { id, digest: self.digest, account, created_at, self_registered }
    }
}
