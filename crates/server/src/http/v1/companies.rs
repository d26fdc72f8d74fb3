//! Registered companies.

use lastro_catalog::{Companies, CompanyFilter, Listing, Name, Object, name};
use lastro_model::Cnpj;

use super::counts;
use super::filings::{self, Filters};
use super::hits::Hits;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::company_ids::{NO_SUCH_COMPANY, named, position};
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// Typical length of a company's JSON, to reserve a page at once.
const TYPICAL_BYTES: usize = 290;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, format) = (question.query.page()?, question.format()?);
    let filter = filter(question)?;
    let companies = &question.catalog.companies;
    let filter = CompanyFilter { withdrawn: question.query.withdrawn()?, ..filter };
    let listing = companies.list(&filter, page);
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("companies", listing.total);
        let stamps = companies.stamps();
        return csv::page_of_list(dialect, &label, &companies.data, &listing, stamps, filter.withdrawn);
    }
    let body = listed(companies, &listing)
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, companies.stamps()))
}

/// The filters of the list.
pub fn filter<'a>(question: &'a Question<'_>) -> Result<CompanyFilter<'a>, ApiError> {
    let query = &question.query;
    let cnpj = query.get("cnpj")?.map(Cnpj::parse).transpose();
    let cnpj = cnpj.map_err(|reason| ApiError::parameter("cnpj", &reason))?;
    Ok(CompanyFilter {
        status: query.get("status")?,
        sector: query.get("sector")?,
        cnpj,
        ..registered(question)?
    })
}

/// The companies registered between the requested days.
pub fn registered<'a>(question: &'a Question<'_>) -> Result<CompanyFilter<'a>, ApiError> {
    let (from, to) = question.query.days()?;
    Ok(CompanyFilter { from, to, ..CompanyFilter::default() })
}

/// The sectors that can be asked for.
pub fn sectors(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter, format) = (counts::page(question)?, registered(question)?, question.format()?);
    let companies = &question.catalog.companies;
    let counted = companies.sector_counts(&filter);
    counts::reply(question, (name!("sector"), "sector"), &counted, page, format, companies.stamps())
}

pub fn search(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page, format) = (question.query.search()?, question.query.page()?, question.format()?);
    let (hits, filter) = (Hits::named(question)?, registered(question)?);
    let companies = &question.catalog.companies;
    let found = companies.found_within(&filter, page, |page| companies.search(q, page));
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("companies-search", found.total);
        return csv::page(dialect, &label, &companies.data, &found, companies.stamps());
    }
    let body = hits.listed(64 + found.rows.len() * TYPICAL_BYTES, &companies.data, &found);
    Ok(Reply::data(body.end(), companies.stamps()))
}

/// `data` and `total`.
fn listed(companies: &Companies, listing: &Listing<'_>) -> Object<Vec<u8>> {
    let object = Object::new(Vec::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES));
    array(object, name!("data"), companies, listing).number(name!("total"), listing.total)
}

fn array(
    object: Object<Vec<u8>>,
    name: Name,
    companies: &Companies,
    listing: &Listing<'_>,
) -> Object<Vec<u8>> {
    object.array(name, listing.rows.iter(), |row, out| out.extend_from_slice(companies.json(row)))
}

pub fn by_id(question: &Question<'_>) -> Result<Reply, ApiError> {
    let companies = &question.catalog.companies;
    let row = position(companies, question.path.get("id")).ok_or(NO_SUCH_COMPANY)?;
    Ok(Reply::data(companies.json(row).to_vec(), companies.stamps()))
}

pub fn filings(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, format) = (question.query.page()?, question.format()?);
    let filters = Filters::beside_companies(question)?.of_list(question)?;
    let (companies, filings) = (&question.catalog.companies, &question.catalog.filings);
    let company = named(companies, question.path.get("id"))?;
    let listing = filings.list(&filters.among(&[company]), page);
    let stamps = question.catalog.stamps_of_filings();
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label(format!("company-{company}-filings"), listing.total);
        return csv::page_of_list(dialect, &label, &filings.data, &listing, stamps, filters.withdrawn);
    }
    Ok(Reply::data(filings::listed(filings, &listing).end(), stamps))
}
