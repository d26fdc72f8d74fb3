//! Exports of whole data sets. Filters and rows are those of the matching list.

use std::sync::{Arc, LazyLock};

use lastro_catalog::{CompanyFilter, FilingFilter, FxFilter, Observations, Part, Timeline};
use lastro_model::{CompanyId, Day, Pair, RatePoint, Series, Stamp};

use super::{companies, fx};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::{Format, NDJSON};
use crate::http::response::export::{Export, Selection, select};

/// Rows, and their stamps.
type Found = (Box<dyn Selection>, Vec<Stamp>);

pub fn dataset(question: &Question<'_>) -> Result<Export, ApiError> {
    let dataset = Dataset::named(question.path.get("dataset"))?;
    let format = Format::asked(&question.query, question.accept, NDJSON)?;
    refuse_paging(question)?;
    let filters = Filters::of(question)?;
    let dialect = format.dialect(question.plan)?;
    let (rows, stamps) = match dataset {
        Dataset::One(series) => every_point(&question.catalog.series[series], &filters),
        Dataset::Series => every_observation(question, &filters),
        Dataset::Fx => every_quote(question, &filters),
        Dataset::Companies => every_company(question, filters),
        Dataset::Filings => every_filing(question, filters),
    };
    // The rows of filings depend on the registry by the filter only.
    let of_rows =
        if let Dataset::Filings = dataset { &[question.catalog.filings.stamp][..] } else { &stamps };
    let cursor = question.changes.cursor(question.catalog.mark_of(of_rows));
    Ok(Export { name: dataset.name(), day: question.now.utc_day(), stamps, cursor, dialect, rows })
}

/// A data set that can be exported.
#[derive(Debug, Clone, Copy)]
enum Dataset {
    Companies,
    Filings,
    /// A series with endpoints of its own.
    One(Series),
    Fx,
    /// All series, or one of them.
    Series,
}

impl Dataset {
    fn all() -> impl Iterator<Item = Self> {
        let market = Series::market().map(Self::One);
        [Self::Companies, Self::Filings].into_iter().chain(market).chain([Self::Fx, Self::Series])
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Companies => "companies",
            Self::Filings => "filings",
            Self::One(series) => series.about().id,
            Self::Fx => "fx",
            Self::Series => "series",
        }
    }

    fn named(name: &str) -> Result<Self, ApiError> {
        static NO_SUCH_DATASET: LazyLock<String> = LazyLock::new(|| {
            let names: Vec<&str> = Dataset::all().map(Dataset::name).collect();
            let (last, others) = names.split_last().unwrap_or((&"none", &[]));
            format!("there is no such data set; there are {} and {last}", others.join(", "))
        });
        Self::all().find(|dataset| dataset.name() == name).ok_or(ApiError::NotFound(&NO_SUCH_DATASET))
    }
}

/// Rejects paging, which is for lists; ignoring it would return much more than was requested.
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

/// The filters of all data sets. All are parsed for every data set: a typo must be reported.
struct Filters {
    status: Option<String>,
    sector: Option<String>,
    category: Option<String>,
    company: Option<CompanyId>,
    pair: Option<Pair>,
    series: Option<Series>,
    from: Option<Day>,
    to: Option<Day>,
}

impl Filters {
    fn of(question: &Question<'_>) -> Result<Self, ApiError> {
        let (query, catalog) = (&question.query, question.catalog);
        let text = |name| Ok::<_, ApiError>(query.get(name)?.map(str::to_owned));
        let (from, to) = query.days()?;
        let pair = query.get("pair")?.map(|pair| fx::held_pair(&catalog.fx, pair)).transpose()?;
        let series = query.get("id")?.map(series).transpose()?;
        let (status, sector, category) = (text("status")?, text("sector")?, text("category")?);
        let company = company(question)?;
        Ok(Self { status, sector, category, company, pair, series, from, to })
    }
}

/// The requested series, by its id or its code.
fn series(text: &str) -> Result<Series, ApiError> {
    let unknown = || {
        ApiError::BadRequest(
            "`id` must be the id or the code of a series; `/api/v1/series` lists them".into(),
        )
    };
    Series::parse(text).ok_or_else(unknown)
}

/// The requested company. It need not exist except for filings, the only data set that it filters.
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
        let (status, sector) = (status.as_deref(), sector.as_deref());
        companies.list(&CompanyFilter { status, sector, withdrawn: false }, page)
    });
    (rows, part.stamps().to_vec())
}

fn every_filing(question: &Question<'_>, filters: Filters) -> Found {
    let Filters { category, company, from, to, .. } = filters;
    let rows = select(&question.catalog.filings, move |filings, page| {
        let category = category.as_deref();
        filings.list(&FilingFilter { company, category, from, to, ..FilingFilter::default() }, page)
    });
    (rows, question.catalog.stamps_of_filings().collect())
}

fn every_point(part: &Arc<Part<Timeline<RatePoint>>>, filters: &Filters) -> Found {
    let Filters { from, to, .. } = *filters;
    (select(part, move |timeline, page| timeline.list(from, to, page)), vec![part.stamp])
}

/// The values of the requested series, or of all.
fn every_observation(question: &Question<'_>, filters: &Filters) -> Found {
    let Filters { from, to, series, .. } = *filters;
    let named = Series::ALL.into_iter().filter(|other| series.is_none_or(|series| series == *other));
    let parts: Vec<_> = named.map(|series| (series, Arc::clone(&question.catalog.series[series]))).collect();
    let stamps = parts.iter().map(|(_, part)| part.stamp).collect();
    let all = Arc::new(Part { data: Observations::of(parts), ..Part::default() });
    (select(&all, move |all, page| all.list(from, to, page)), stamps)
}

/// The quotes of the requested pair, or of all.
fn every_quote(question: &Question<'_>, filters: &Filters) -> Found {
    let filter = FxFilter { pair: filters.pair, from: filters.from, to: filters.to };
    let part = &question.catalog.fx;
    (select(part, move |book, page| book.list(&filter, page)), vec![part.stamp])
}
