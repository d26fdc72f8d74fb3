//! Issuing keys: who may hold one, the key itself, and what the store keeps of it.
//!
//! Registration, rotation and the operator's commands all come here. Whether somebody may have one more key is the
//! business of [`crate::Registrations`] and [`crate::Holder`]; storing it is the caller's.

use std::fmt;

use email_address::EmailAddress;
use jiff::Timestamp;
use lastro_model::text::has_control;
use lastro_model::{Account, AccountId, KeyDigest, NewKey, ParseError, Plan};

use crate::{ApiKey, Pepper};

const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;

/// Who asks for a key, checked.
pub struct Applicant {
    name: String,
    email: String,
}

/// What is wrong with an applicant, and in which field.
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
    /// Without the person: this text may end in a log.
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

/// What a new account is granted, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    pub plan: Plan,
    /// Requests a minute agreed in place of the plan's.
    pub rate_limit: Option<u32>,
    /// Its holder asked for it, and not the operator.
    pub self_registered: bool,
}

impl Grant {
    /// What everybody gets who registers.
    pub const REGISTRATION: Self = Self { plan: Plan::Free, rate_limit: None, self_registered: true };

    /// What the operator agrees on with a customer.
    pub fn by_operator(plan: Plan, rate_limit: Option<u32>) -> Self {
        Self { plan, rate_limit, self_registered: false }
    }
}

/// A key that was just made: the only moment when it can be shown. The digest is all that is kept of it.
#[derive(Debug)]
pub struct IssuedKey {
    pub key: ApiKey,
    pub digest: KeyDigest,
}

impl IssuedKey {
    /// `random` fills the slice it is given.
    pub fn generate(pepper: &Pepper, random: &mut dyn FnMut(&mut [u8])) -> Self {
        let key = ApiKey::generate(random);
        Self { digest: pepper.digest(&key), key }
    }

    /// The key as the first of a new account, which is named after it.
    pub fn for_new_account(&self, applicant: Applicant, grant: Grant, created_at: Timestamp) -> NewKey {
        let (id, Applicant { name, email }) = (self.key.id(), applicant);
        let Grant { plan, rate_limit, self_registered } = grant;
        let account = Account { id: AccountId(id), name, email, plan, rate_limit };
        NewKey { id, digest: self.digest, account, created_at, self_registered }
    }
}
