//! Whole data sets. The filters are those of the matching list, and so are the rows.

use std::sync::{Arc, LazyLock};

use lastro_catalog::{CompanyFilter, FilingFilter, FxFilter, Part, Timeline};
use lastro_model::{CompanyId, Day, Pair, RatePoint, Series, Source, Stamp};

use super::{companies, market};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::{Format, NDJSON};
use crate::http::response::export::{Export, Selection, select};

/// Rows, and the states they are of.
type Found = (Box<dyn Selection>, Vec<Stamp>);

pub fn dataset(question: &Question<'_>) -> Result<Export, ApiError> {
    let source = exported(question.path.get("dataset"))?;
    let format = Format::asked(&question.query, question.accept, NDJSON)?;
    refuse_paging(question)?;
    let filters = Filters::of(question)?;
    let dialect = format.dialect(question.plan)?;
    let (rows, stamps) = match source {
        Source::Series(series) => every_point(&question.catalog.series[series], &filters),
        Source::Fx => every_quote(question, &filters),
        // Tickers are a column of their companies, and no data set that is offered.
        Source::Companies | Source::Tickers => every_company(question, filters),
        Source::Filings => every_filing(question, filters),
    };
    Ok(Export { name: source.name(), day: question.now.utc_day(), stamps, dialect, rows })
}

fn exported(name: &str) -> Result<Source, ApiError> {
    static NO_SUCH_DATASET: LazyLock<String> = LazyLock::new(|| {
        let names: Vec<&str> = exports().map(Source::name).collect();
        let (last, others) = names.split_last().unwrap_or((&"none", &[]));
        format!("there is no such data set; there are {} and {last}", others.join(", "))
    });
    exports().find(|source| source.name() == name).ok_or(ApiError::NotFound(&NO_SUCH_DATASET))
}

fn exports() -> impl Iterator<Item = Source> {
    let series = Series::market().map(Source::Series);
    [Source::Companies, Source::Filings].into_iter().chain(series).chain([Source::Fx])
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

/// The filters of all data sets. Each is read, whichever data set it is for: a typo must not pass for a filter.
struct Filters {
    status: Option<String>,
    sector: Option<String>,
    category: Option<String>,
    company: Option<CompanyId>,
    pair: Option<Pair>,
    from: Option<Day>,
    to: Option<Day>,
}

impl Filters {
    fn of(question: &Question<'_>) -> Result<Self, ApiError> {
        let (query, catalog) = (&question.query, question.catalog);
        let text = |name| Ok::<_, ApiError>(query.get(name)?.map(str::to_owned));
        let (from, to) = query.days()?;
        let pair = query.get("pair")?.map(|pair| market::held_pair(&catalog.fx, pair)).transpose()?;
        let (status, sector, category) = (text("status")?, text("sector")?, text("category")?);
        let company = company(question)?;
        Ok(Self { status, sector, category, company, pair, from, to })
    }
}

/// The company that is named. Filings alone are of one, so nowhere else need it exist.
fn company(question: &Question<'_>) -> Result<Option<CompanyId>, ApiError> {
    let Some(id) = question.query.get("company_id")? else { return Ok(None) };
    if !companies::can_be_named(id) {
        return Err(ApiError::BadRequest("`company_id` must be a registry code, a CNPJ or a ticker".into()));
    }
    let of_filings = question.path.get("dataset") == "filings";
    of_filings.then(|| companies::named(&question.catalog.companies, id)).transpose()
}

fn every_company(question: &Question<'_>, Filters { status, sector, .. }: Filters) -> Found {
    let part = &question.catalog.companies;
    let rows = select(part, move |companies, page| {
        companies.list(&CompanyFilter { status: status.as_deref(), sector: sector.as_deref() }, page)
    });
    (rows, part.stamps().to_vec())
}

fn every_filing(question: &Question<'_>, filters: Filters) -> Found {
    let Filters { category, company, from, to, .. } = filters;
    let (part, companies) = (&question.catalog.filings, &question.catalog.companies);
    let rows = select(part, move |filings, page| {
        filings.list(&FilingFilter { company, category: category.as_deref(), from, to }, page)
    });
    (rows, [part.stamp].into_iter().chain(companies.stamps()).collect())
}

fn every_point(part: &Arc<Part<Timeline<RatePoint>>>, filters: &Filters) -> Found {
    let Filters { from, to, .. } = *filters;
    (select(part, move |timeline, page| timeline.list(from, to, page)), vec![part.stamp])
}

/// The quotes of one pair or, where none is named, of all.
fn every_quote(question: &Question<'_>, filters: &Filters) -> Found {
    let filter = FxFilter { pair: filters.pair, from: filters.from, to: filters.to };
    let part = &question.catalog.fx;
    (select(part, move |book, page| book.list(&filter, page)), vec![part.stamp])
}
