//! Companies: by name, with posting lists for the filters, look-up by registry code and CNPJ, an index for search.
//!
//! A position is a company's place in the order of the answer: by name, then by registry code. There are a few
//! thousand, so each record is kept whole beside its JSON.

mod cnpjs;
mod filter;

use std::collections::BTreeMap;
use std::fmt;

use hashbrown::HashMap;
use lastro_model::{Cnpj, Company, CompanyId};

use crate::BuildError;
use crate::json::Object;
use crate::name;
use crate::page::{Listing, Page, Rows};
use crate::search::{IndexBuilder, TextIndex};
use crate::table::{Cell, Table};
use cnpjs::CnpjDirectory;
use filter::Filters;

pub use filter::CompanyFilter;

#[derive(Default)]
pub struct Companies {
    companies: Vec<Company>,
    json: Vec<Box<[u8]>>,
    positions: HashMap<CompanyId, u32>,
    cnpjs: CnpjDirectory,
    filters: Filters,
    index: TextIndex,
}

impl Companies {
    /// Where a registry code occurs twice, the later of the input wins.
    pub fn build(companies: Vec<Company>) -> Result<Self, BuildError> {
        let by_id: BTreeMap<CompanyId, Company> =
            companies.into_iter().map(|company| (company.id, company)).collect();
        let mut companies: Vec<Company> = by_id.into_values().collect();
        u32::try_from(companies.len()).map_err(|_| BuildError::TooLarge("the number of companies"))?;
        companies.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Ok(Self {
            json: companies.iter().map(rendered).collect(),
            positions: (0..).zip(&companies).map(|(position, company)| (company.id, position)).collect(),
            cnpjs: CnpjDirectory::of(&companies),
            filters: Filters::of(&companies),
            index: index(&companies)?,
            companies,
        })
    }

    pub fn len(&self) -> usize {
        self.companies.len()
    }

    pub fn is_empty(&self) -> bool {
        self.companies.is_empty()
    }

    pub fn position(&self, id: CompanyId) -> Option<u32> {
        self.positions.get(&id).copied()
    }

    /// The company that bears this number; of several an active one, then the one registered last.
    pub fn by_cnpj(&self, cnpj: &Cnpj) -> Option<u32> {
        self.cnpjs.bearers(cnpj).next()
    }

    /// All companies that bear this number, in the order in which [`Self::by_cnpj`] prefers them.
    pub fn ids_of_cnpj(&self, cnpj: &Cnpj) -> impl Iterator<Item = CompanyId> {
        self.cnpjs.bearers(cnpj).map(|position| self.company(position).id)
    }

    /// # Panics
    /// As every method that takes a position: if this catalog part did not give it out.
    pub fn company(&self, position: u32) -> &Company {
        &self.companies[position as usize]
    }

    /// The company as one JSON object.
    pub fn json(&self, position: u32) -> &[u8] {
        &self.json[position as usize]
    }

    pub fn list(&self, filter: &CompanyFilter<'_>, page: Page) -> Listing<'_> {
        match self.filters.find(filter) {
            Some(list) => Listing::of_list(list, page),
            None => Listing::of_span(0..self.companies.len() as u32, page),
        }
    }

    /// Finds companies by name, trading name, sector and registry code; by CNPJ, if the text is one or starts one.
    pub fn search(&self, q: &str, page: Page) -> Listing<'_> {
        let bearers = self.cnpjs.search(q);
        if bearers.is_empty() {
            return self.index.search(q, page);
        }
        let rows = bearers[page.of(bearers.len())].to_vec();
        Listing { total: bearers.len(), rows: Rows::Found(rows) }
    }
}

impl Table for Companies {
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "cnpj", "status", "sector", "trading_name", "registered_on"];

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        out.extend_from_slice(self.json(position));
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let company = self.company(position);
        put(Cell::Token(&company.id));
        put(Cell::Text(&company.name));
        put(Cell::Token(&company.cnpj));
        put(Cell::Text(&company.status));
        put(Cell::optional_text(company.sector.as_deref()));
        put(Cell::optional_text(company.trading_name.as_deref()));
        put(Cell::optional_token(company.registered_on.as_ref()));
    }
}

/// Companies are found by name, trading name, sector and registry code, beside the CNPJ.
fn index(companies: &[Company]) -> Result<TextIndex, BuildError> {
    let mut index = IndexBuilder::default();
    for company in companies {
        let [name, code] = [&company.name, &company.id.to_string()].map(|text| index.title(text));
        let [trading_name, sector] = [&company.trading_name, &company.sector]
            .map(|text| index.title(text.as_deref().unwrap_or_default()));
        index.push(&[&name, &code, &trading_name, &sector], "")?;
    }
    index.finish()
}

/// The company as one JSON object.
pub(crate) fn rendered(company: &Company) -> Box<[u8]> {
    Object::new(Vec::with_capacity(256))
        .token(name!("id"), company.id)
        .text(name!("name"), &company.name)
        .token(name!("cnpj"), company.cnpj)
        .text(name!("status"), &company.status)
        .optional_text(name!("sector"), company.sector.as_deref())
        .optional_text(name!("trading_name"), company.trading_name.as_deref())
        .optional_token(name!("registered_on"), company.registered_on)
        .end()
        .into_boxed_slice()
}

impl fmt::Debug for Companies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companies").field("len", &self.len()).finish_non_exhaustive()
    }
}
