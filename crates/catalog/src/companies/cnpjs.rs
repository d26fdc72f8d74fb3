//! Companies by CNPJ, whole or by prefix. A company that registered again shares its CNPJ with its earlier
//! registration.

use std::cmp::Reverse;

use lastro_model::{Cnpj, Company, Standing};

/// Minimum prefix length. Fewer digits could be a registry code or part of a text.
const SHORTEST_PREFIX: usize = 8;

#[derive(Default)]
pub(super) struct CnpjDirectory {
    /// Sorted by CNPJ; companies that share one are in order of preference.
    entries: Vec<(Cnpj, u32)>,
}

impl CnpjDirectory {
    pub(super) fn of(companies: &[Company]) -> Self {
        let mut entries: Vec<(Cnpj, u32)> =
            (0..).zip(companies).map(|(position, company)| (company.cnpj, position)).collect();
        entries.sort_by_key(|(cnpj, position)| {
            let company = &companies[*position as usize];
            let inactive = Standing::of(&company.status) != Standing::Active;
            (*cnpj, inactive, Reverse(company.registered_on), *position)
        });
        Self { entries }
    }

    /// The positions of the companies with this CNPJ, preferred first.
    pub(super) fn bearers(&self, cnpj: &Cnpj) -> impl Iterator<Item = u32> {
        let start = self.entries.partition_point(|(other, _)| other < cnpj);
        self.entries[start..]
            .iter()
            .take_while(move |(other, _)| other == cnpj)
            .map(|(_, position)| *position)
    }

    /// Finds companies by a CNPJ or its first digits. Holders of a whole CNPJ come preferred first, the others by
    /// position.
    pub(super) fn search(&self, text: &str) -> Vec<u32> {
        if let Ok(cnpj) = Cnpj::parse(text) {
            return self.bearers(&cnpj).collect();
        }
        let Some(digits) = digits_of_prefix(text) else { return Vec::new() };
        let start = self.entries.partition_point(|(cnpj, _)| cnpj.compact() < digits.as_str());
        let mut found: Vec<u32> = self.entries[start..]
            .iter()
            .take_while(|(cnpj, _)| cnpj.compact().starts_with(&digits))
            .map(|(_, position)| *position)
            .collect();
        found.sort_unstable();
        found
    }
}

/// The digits of a text that consists only of digits and a CNPJ's punctuation.
fn digits_of_prefix(text: &str) -> Option<String> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '/' | '-' | ' '));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (plain && digits.len() >= SHORTEST_PREFIX).then_some(digits)
}
