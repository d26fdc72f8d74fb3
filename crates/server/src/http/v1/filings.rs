//! Documents that companies filed with the regulator.

use lastro_catalog::{FilingFilter, Filings, Listing, Name, Object, Table, name};
use lastro_model::{CompanyId, Day, FilingId};

use super::counts;
use super::hits::Hits;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::company_ids::{self, no_company};
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// Typical length of a filing's JSON, to reserve a page at once.
const TYPICAL_BYTES: usize = 560;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, format) = (question.query.page()?, question.format()?);
    let filters = Filters::of(question)?.of_list(question)?;
    let companies = filters.companies(question)?;
    let filings = &question.catalog.filings;
    let listing = filings.list(&filters.among(&companies), page);
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings", listing.total);
        let stamps = filters.stamps(question);
        return csv::page_of_list(dialect, &label, &filings.data, &listing, stamps, filters.withdrawn);
    }
    let body = listed(filings, &listing)
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, filters.stamps(question)))
}

/// The filters of lists and searches of filings.
#[derive(Debug)]
pub struct Filters<'a> {
    category: Option<&'a str>,
    /// As given: a registry code, a CNPJ or a ticker each.
    company_ids: Vec<&'a str>,
    from: Option<Day>,
    to: Option<Day>,
    seen_from: Option<Day>,
    pub withdrawn: bool,
}

const COMPANY_ID: &str = "company_id";
/// Most companies in one request.
pub const MOST_COMPANIES: usize = 100;

impl<'a> Filters<'a> {
    /// The filters in a request. Whether the companies exist is left to [`Self::companies`].
    pub fn of(question: &'a Question<'_>) -> Result<Self, ApiError> {
        Ok(Self { company_ids: company_ids(question)?, ..Self::beside_companies(question)? })
    }

    /// The filters other than companies.
    pub fn beside_companies(question: &'a Question<'_>) -> Result<Self, ApiError> {
        let (from, to) = question.query.days()?;
        let category = question.query.get("category")?;
        Ok(Self { category, company_ids: Vec::new(), from, to, seen_from: None, withdrawn: false })
    }

    /// The same with the filters that only lists have.
    pub fn of_list(self, question: &Question<'_>) -> Result<Self, ApiError> {
        let (seen_from, withdrawn) = (question.query.day("seen_from")?, question.query.withdrawn()?);
        Ok(Self { seen_from, withdrawn, ..self })
    }

    /// The companies, each once; none stands for all.
    pub fn companies(&self, question: &Question<'_>) -> Result<Vec<CompanyId>, ApiError> {
        let mut found: Vec<CompanyId> = Vec::new();
        for id in &self.company_ids {
            let named = company_ids::filers(question.catalog, id).map_err(|_| no_company(COMPANY_ID, id))?;
            let new = named.into_iter().filter(|company| !found.contains(company)).collect::<Vec<_>>();
            found.extend(new);
        }
        Ok(found)
    }

    pub fn among(&self, companies: &'a [CompanyId]) -> FilingFilter<'a> {
        let Self { category, from, to, seen_from, withdrawn, .. } = *self;
        FilingFilter { companies, category, from, to, seen_from, withdrawn }
    }

    /// The stamps of the filings, and of the registry if it was used to find companies.
    fn stamps(&self, question: &Question<'_>) -> impl Iterator<Item = lastro_model::Stamp> {
        let registry = if self.company_ids.is_empty() { 2 } else { 0 };
        question.catalog.stamps_of_filings().skip(registry)
    }
}

fn company_ids<'a>(question: &'a Question<'_>) -> Result<Vec<&'a str>, ApiError> {
    let ids = question.query.list(COMPANY_ID, MOST_COMPANIES)?;
    company_ids::check_ids(COMPANY_ID, &ids)?;
    Ok(ids)
}

pub fn search(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page, format) = (question.query.search()?, question.query.page()?, question.format()?);
    let (hits, filters) = (Hits::named(question)?, Filters::of(question)?);
    let companies = filters.companies(question)?;
    let found = question.catalog.search_filings(q, &filters.among(&companies), page);
    let (filings, stamps) = (&question.catalog.filings, question.catalog.stamps_of_filings());
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings-search", found.total);
        return csv::page(dialect, &label, &filings.data, &found, stamps);
    }
    let body = hits.listed(64 + found.rows.len() * TYPICAL_BYTES, &filings.data, &found);
    Ok(Reply::data(body.end(), stamps))
}

pub fn recent(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, format) = (question.query.page()?, question.format()?);
    let filters = Filters::of(question)?.of_list(question)?;
    let companies = filters.companies(question)?;
    let filings = &question.catalog.filings;
    let listing = filings.list(&filters.among(&companies), page);
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings-recent", listing.total);
        let stamps = filters.stamps(question);
        return csv::page_of_list(dialect, &label, &filings.data, &listing, stamps, filters.withdrawn);
    }
    let object = Object::new(Vec::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES));
    Ok(Reply::data(array(object, name!("data"), filings, &listing).end(), filters.stamps(question)))
}

/// The categories that can be asked for.
pub fn categories(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, format) = (counts::page(question)?, question.format()?);
    let (company_ids, (from, to)) = (company_ids(question)?, question.query.days()?);
    let filters = Filters { category: None, company_ids, from, to, seen_from: None, withdrawn: false };
    let companies = filters.companies(question)?;
    let counted = question.catalog.filings.category_counts(&filters.among(&companies));
    let stamps = question.catalog.stamps_of_filings();
    counts::reply(question, (name!("category"), "category"), &counted, page, format, stamps)
}

pub fn by_id(question: &Question<'_>) -> Result<Reply, ApiError> {
    let filings = &question.catalog.filings;
    let row = FilingId::parse(question.path.get("id")).ok().and_then(|id| filings.position(id));
    let row = row.ok_or(ApiError::NotFound("no filing has this identifier"))?;
    let mut body = Vec::with_capacity(TYPICAL_BYTES);
    filings.write_json(row, &mut body);
    Ok(Reply::data(body, [filings.stamp]))
}

/// `data` and `total`.
pub fn listed(filings: &Filings, listing: &Listing<'_>) -> Object<Vec<u8>> {
    let object = Object::new(Vec::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES));
    array(object, name!("data"), filings, listing).number(name!("total"), listing.total)
}

fn array(object: Object<Vec<u8>>, name: Name, filings: &Filings, listing: &Listing<'_>) -> Object<Vec<u8>> {
    object.array(name, listing.rows.iter(), |row, out| filings.write_json(row, out))
}
