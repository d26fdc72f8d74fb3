//! One search over companies and filings.

use super::{companies, filings};
use crate::error::ApiError;
use crate::http::reply::{Object, Reply};
use crate::http::routes::Question;

pub fn everything(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page) = (question.query.search()?, question.query.page()?);
    let catalog = question.catalog;
    let found_companies = catalog.companies.search(&q, page);
    let found_filings = catalog.search_filings(&q, page);
    let object =
        Object::with_capacity(1024 + found_filings.rows.len() * 480 + found_companies.rows.len() * 260);
    let object = companies::array(object, "companies", &catalog.companies, &found_companies);
    let object = filings::array(object, "filings", &catalog.filings, &found_filings);
    Ok(Reply::data(object.finish(), [catalog.companies.edition, catalog.filings.edition]))
}
