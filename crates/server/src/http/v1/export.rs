//! Whole data sets. The filters are those of the matching list, and so are the rows.

use std::sync::Arc;

use lastro_catalog::{CompanyFilter, FilingFilter, FxFilter, Part, Timeline};
use lastro_model::{Edition, RatePoint};

use super::{companies, filings, market};
use crate::error::ApiError;
use crate::http::export::{Export, Selection, select};
use crate::http::form::Form;
use crate::http::routes::Question;

const NO_SUCH_DATASET: ApiError =
    ApiError::NotFound("there is no such data set; there are companies, filings, selic, cdi, ipca and fx");

/// Rows, and the editions they are of.
type Found = Result<(Box<dyn Selection>, Vec<Edition>), ApiError>;

pub fn dataset(question: &Question<'_>) -> Result<Export, ApiError> {
    let (name, find): (_, fn(&Question<'_>) -> Found) = match question.id {
        "companies" => ("companies", every_company),
        "filings" => ("filings", every_filing),
        "selic" => ("selic", |question| every_point(question, &question.catalog.selic)),
        "cdi" => ("cdi", |question| every_point(question, &question.catalog.cdi)),
        "ipca" => ("ipca", |question| every_point(question, &question.catalog.ipca)),
        "fx" => ("fx", every_quote),
        _ => return Err(NO_SUCH_DATASET),
    };
    let form = Form::asked(&question.query, question.accept, "ndjson")?;
    refuse_paging(question)?;
    let (rows, editions) = find(question)?;
    let dialect = form.dialect(question.plan)?;
    Ok(Export { name, day: question.now.utc_day(), editions, dialect, rows })
}

/// A page is a list's business; silently ignoring one here would give much more than was asked for.
fn refuse_paging(question: &Question<'_>) -> Result<(), ApiError> {
    for name in ["limit", "offset"] {
        if question.query.get(name)?.is_some() {
            let message =
                format!("`{name}` is not for exports: an export is all of it; use the list for pages");
            return Err(ApiError::BadRequest(message.into()));
        }
    }
    Ok(())
}

fn every_company(question: &Question<'_>) -> Found {
    let status = question.query.get("status")?.map(str::to_owned);
    let sector = question.query.get("sector")?.map(str::to_owned);
    let part = &question.catalog.companies;
    let rows = select(part, move |companies, page| {
        companies.list(&CompanyFilter { status: status.as_deref(), sector: sector.as_deref() }, page)
    });
    Ok((rows, vec![part.edition]))
}

fn every_filing(question: &Question<'_>) -> Found {
    let FilingFilter { category, from, to, .. } = filings::named(question)?;
    let (filings, companies) = (&question.catalog.filings, &question.catalog.companies);
    let company = question.query.get("company_id")?;
    let company = company.map(|id| companies::named(companies, id)).transpose()?;
    let category = category.map(str::to_owned);
    let rows = select(filings, move |filings, page| {
        filings.list(&FilingFilter { company, category: category.as_deref(), from, to }, page)
    });
    Ok((rows, vec![filings.edition, companies.edition]))
}

fn every_point(question: &Question<'_>, part: &Arc<Part<Timeline<RatePoint>>>) -> Found {
    let (from, to) = question.query.days()?;
    Ok((select(part, move |timeline, page| timeline.list(from, to, page)), vec![part.edition]))
}

/// The quotes of one pair or, where none is named, of all.
fn every_quote(question: &Question<'_>) -> Found {
    let (from, to) = question.query.days()?;
    let pair = question.query.get("pair")?;
    let pair = pair.map(|text| market::held_pair(&question.catalog.fx, text)).transpose()?;
    let filter = FxFilter { pair, from, to };
    let part = &question.catalog.fx;
    Ok((select(part, move |book, page| book.list(&filter, page)), vec![part.edition]))
}
