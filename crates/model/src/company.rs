//! A company as the securities regulator registers it.

use std::fmt;

use crate::{Cnpj, Day, ParseError};

/// The registry code (`CD_CVM`), which identifies a company. A CNPJ does not: a company that registers again gets a
/// new code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompanyId(pub u32);

impl CompanyId {
    /// Parses a code, ignoring leading zeros: some of the regulator's files pad it to six digits.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError = ParseError("must be a registry code: digits only");
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(FORM);
        }
        match text.trim_start_matches('0') {
            "" => Ok(Self(0)),
            digits => digits.parse().map(Self).map_err(|_| FORM),
        }
    }
}

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    pub id: CompanyId,
    pub name: String,
    pub cnpj: Cnpj,
    /// As published: `ATIVO`, `CANCELADA`, `SUSPENSO(A) - DECISÃO ADM`.
    pub status: String,
    pub sector: Option<String>,
    pub trading_name: Option<String>,
    pub registered_on: Option<Day>,
}

/// A name that a company had before, from one of its registration forms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormerName {
    pub company_id: CompanyId,
    pub name: String,
    /// The day on which it got another name, by the newest form with this one; if that has none, its reference day.
    pub until: Day,
}

/// Former names in the order in which they are shown: the latest first.
pub fn latest_first(names: &[FormerName]) -> Vec<&FormerName> {
    let mut sorted: Vec<&FormerName> = names.iter().collect();
    sorted.sort_by(|one, other| (other.until, &one.name).cmp(&(one.until, &other.name)));
    sorted
}

/// The meaning of a published status, for the filter's English words and for choosing among companies of one CNPJ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    Active,
    Suspended,
    Cancelled,
    Other,
}

impl Standing {
    pub fn of(status: &str) -> Self {
        let starts_with =
            |word: &str| status.trim().get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
        if starts_with("ATIVO") {
            Self::Active
        } else if starts_with("CANCELAD") {
            Self::Cancelled
        } else if starts_with("SUSPENS") {
            Self::Suspended
        } else {
            Self::Other
        }
    }

    /// Parses an English word, which the `status` filter accepts besides the published values.
    pub fn from_word(word: &str) -> Option<Self> {
        [(Self::Active, "active"), (Self::Suspended, "suspended"), (Self::Cancelled, "cancelled")]
            .into_iter()
            .find_map(|(standing, name)| word.trim().eq_ignore_ascii_case(name).then_some(standing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_codes_ignore_leading_zeros() {
        assert_eq!(CompanyId::parse("009512"), Ok(CompanyId(9512)));
        assert_eq!(CompanyId::parse("000"), Ok(CompanyId(0)));
        for bad in ["", "-1", "12a", "99999999999", "1 "] {
            assert!(CompanyId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn published_statuses_have_a_standing() {
        assert_eq!(Standing::of("ATIVO"), Standing::Active);
        assert_eq!(Standing::of("CANCELADA"), Standing::Cancelled);
        assert_eq!(Standing::of("SUSPENSO(A) - DECISÃO ADM"), Standing::Suspended);
        assert_eq!(Standing::of("ção"), Standing::Other);
        assert_eq!(Standing::from_word(" Active "), Some(Standing::Active));
        assert_eq!(Standing::from_word("ativo"), None);
    }
}
