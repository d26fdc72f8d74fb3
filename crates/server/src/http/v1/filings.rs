//! Documents that companies delivered to the regulator.

use std::borrow::Cow;

use lastro_catalog::{FilingFilter, Filings, Listing, Page};
use lastro_model::{CompanyId, Day, FilingId};

use crate::error::ApiError;
use crate::http::query::LIST_LIMIT;
use crate::http::reply::{Object, Reply};
use crate::http::routes::Question;

/// A filing's JSON is about this long; a page is reserved at once.
const TYPICAL_BYTES: usize = 480;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter) = parameters(question)?;
    let filings = &question.catalog.filings;
    let listing = filings.list(&filter.as_filter(None), page);
    let body = listed(filings, &listing).number("limit", page.limit).number("offset", page.offset).finish();
    Ok(Reply::data(body, [filings.edition]))
}

/// The filters that a request names.
#[derive(Debug)]
pub struct Named<'a> {
    category: Option<Cow<'a, str>>,
    from: Option<Day>,
    to: Option<Day>,
}

impl Named<'_> {
    pub fn as_filter(&self, company: Option<CompanyId>) -> FilingFilter<'_> {
        FilingFilter { company, category: self.category.as_deref(), from: self.from, to: self.to }
    }
}

pub fn parameters<'a>(question: &Question<'a>) -> Result<(Page, Named<'a>), ApiError> {
    let page = question.query.page()?;
    let (from, to) = question.query.days()?;
    Ok((page, Named { category: question.query.get("category")?, from, to }))
}

pub fn search(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page) = (question.query.search()?, question.query.page()?);
    let listing = question.catalog.search_filings(&q, page);
    let (filings, companies) = (&question.catalog.filings, &question.catalog.companies);
    Ok(Reply::data(listed(filings, &listing).finish(), [filings.edition, companies.edition]))
}

pub fn recent(question: &Question<'_>) -> Result<Reply, ApiError> {
    let limit = question.query.limit(LIST_LIMIT)?;
    let filings = &question.catalog.filings;
    let listing = filings.list(&FilingFilter::default(), Page { limit, offset: 0 });
    let object = Object::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES);
    Ok(Reply::data(array(object, "data", filings, &listing).finish(), [filings.edition]))
}

pub fn by_id(question: &Question<'_>) -> Result<Reply, ApiError> {
    let filings = &question.catalog.filings;
    let row = FilingId::parse(question.id).ok().and_then(|id| filings.position(id));
    let row = row.ok_or(ApiError::NotFound("no filing has this identifier"))?;
    let mut body = Vec::with_capacity(TYPICAL_BYTES);
    filings.write_json(row, &mut body);
    Ok(Reply::data(body, [filings.edition]))
}

/// `data` and `total`.
pub fn listed(filings: &Filings, listing: &Listing<'_>) -> Object {
    array(Object::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES), "data", filings, listing)
        .number("total", listing.total)
}

pub fn array(object: Object, name: &'static str, filings: &Filings, listing: &Listing<'_>) -> Object {
    object.array(name, listing.rows.iter(), |row, out| filings.write_json(row, out))
}
