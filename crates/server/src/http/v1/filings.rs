//! Documents that companies filed with the regulator.

use lastro_catalog::{FilingFilter, Filings, Listing, Name, Object, Page, Table, name};
use lastro_model::FilingId;

use super::hits::Hits;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::LIST_LIMIT;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// Typical length of a filing's JSON, to reserve a page at once.
const TYPICAL_BYTES: usize = 560;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter, format) = (question.query.page()?, named(question)?, question.format()?);
    let filings = &question.catalog.filings;
    let listing = filings.list(&filter, page);
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings", listing.total);
        return csv::page(dialect, &label, &filings.data, &listing, [filings.stamp]);
    }
    let body = listed(filings, &listing)
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, [filings.stamp]))
}

/// The filters in a request.
pub fn named<'a>(question: &'a Question<'_>) -> Result<FilingFilter<'a>, ApiError> {
    let (from, to) = question.query.days()?;
    Ok(FilingFilter {
        category: question.query.get("category")?,
        from,
        to,
        company: None,
        seen_from: question.query.day("seen_from")?,
        withdrawn: question.query.withdrawn()?,
    })
}

pub fn search(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page, format) = (question.query.search()?, question.query.page()?, question.format()?);
    let hits = Hits::named(question)?;
    let found = question.catalog.search_filings(q, page);
    let (filings, stamps) = (&question.catalog.filings, question.catalog.stamps_of_filings());
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings-search", found.total);
        return csv::page(dialect, &label, &filings.data, &found, stamps);
    }
    let body = hits.listed(64 + found.rows.len() * TYPICAL_BYTES, &filings.data, &found);
    Ok(Reply::data(body.end(), stamps))
}

pub fn recent(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (limit, format) = (question.query.limit(LIST_LIMIT)?, question.format()?);
    let filings = &question.catalog.filings;
    let listing = filings.list(&FilingFilter::default(), Page { limit, offset: 0 });
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label("filings-recent", listing.total);
        return csv::page(dialect, &label, &filings.data, &listing, [filings.stamp]);
    }
    let object = Object::new(Vec::with_capacity(64 + listing.rows.len() * TYPICAL_BYTES));
    Ok(Reply::data(array(object, name!("data"), filings, &listing).end(), [filings.stamp]))
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
