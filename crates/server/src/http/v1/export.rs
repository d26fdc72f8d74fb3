//! Exports of whole data sets. Filters and rows are those of the matching list.

use std::sync::{Arc, LazyLock};

use lastro_background::changes::cursor::CompaniesDigest;
use lastro_catalog::{CompanyFilter, FilingFilter, FxFilter, Listing, Observations, Part};
use lastro_model::{Pair, Series, Stamp};

use super::filings::{Filters, MOST_COMPANIES};
use super::{companies, fx};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::company_ids;
use crate::http::request::format::ExportFormat;
use crate::http::request::query::{Query, bad};
use crate::http::response::export::{Export, Selection, select};

/// Rows, and their stamps.
type Found = (Box<dyn Selection>, Vec<Stamp>);

pub fn dataset(question: &Question<'_>) -> Result<Export, ApiError> {
    let format = ExportFormat::asked(&question.query, question.accept)?;
    let dataset = Dataset::named(question.path.get("dataset"))?;
    check_filters(&question.query, dataset)?;
    if format == ExportFormat::Parquet {
        check_whole(&question.query)?;
    }
    let (rows, stamps) = match dataset {
        Dataset::One(series) => every_point(question, series)?,
        Dataset::Series => every_observation(question)?,
        Dataset::Fx => every_quote(question)?,
        Dataset::Companies => every_company(question)?,
        Dataset::Filings => every_filing(question)?,
    };
    // The rows of filings depend on the registry by the filter only.
    let of_rows =
        if let Dataset::Filings = dataset { &[question.catalog.filings.stamp][..] } else { &stamps };
    let digest = companies_digest(question, dataset)?;
    let cursor = question.changes.cursor(question.catalog.mark_of(of_rows), digest);
    let (name, day, format) = (dataset.name(), question.now.utc_day(), format.granted(question.plan)?);
    Ok(Export { name, day, stamps, cursor, format, as_strings: false, rows })
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

    /// The filters of the matching list.
    const fn filters(self) -> &'static [&'static str] {
        match self {
            Self::Companies => &["status", "sector", "cnpj", "from", "to"],
            Self::Filings => &["company_id", "category", "from", "to"],
            Self::One(_) => &["from", "to"],
            Self::Fx => &["pair", "from", "to"],
            Self::Series => &["id", "from", "to"],
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

/// Rejects filters of other data sets: ignoring them would return more than was requested.
fn check_filters(query: &Query<'_>, dataset: Dataset) -> Result<(), ApiError> {
    let own = dataset.filters();
    let foreign = query.names().find(|name| !own.contains(name) && !FORMATS.contains(name));
    match foreign {
        Some(name) => {
            Err(bad(name, &format!("is not for {}, which takes {}", dataset.name(), own.join(", "))))
        }
        None => Ok(()),
    }
}

/// Rejects everything but `format` beside Parquet: its file has all rows, and is made once for all clients.
fn check_whole(query: &Query<'_>) -> Result<(), ApiError> {
    match query.names().find(|name| *name != "format") {
        Some(name) => Err(bad(
            name,
            "is not for `format=parquet`, a file with all rows; its readers select rows by themselves",
        )),
        None => Ok(()),
    }
}

/// The parameters of all data sets.
const FORMATS: [&str; 3] = ["format", "locale", "numbers"];

/// The digest of the companies that tickers and CNPJs in the filter stand for.
fn companies_digest(question: &Question<'_>, dataset: Dataset) -> Result<Option<CompaniesDigest>, ApiError> {
    let parameter = match dataset {
        Dataset::Companies => "cnpj",
        Dataset::Filings => "company_id",
        Dataset::One(_) | Dataset::Fx | Dataset::Series => return Ok(None),
    };
    let names = question.query.list(parameter, MOST_COMPANIES)?;
    // A CNPJ that no company has is no error of the list of companies.
    let found = company_ids::resolved(question.catalog, parameter, &names);
    Ok(found.ok().and_then(|found| found.digest))
}

fn every_company(question: &Question<'_>) -> Result<Found, ApiError> {
    let part = &question.catalog.companies;
    let CompanyFilter { status, sector, cnpj, from, to, withdrawn } = companies::filter(question)?;
    let (status, sector) = (status.map(str::to_owned), sector.map(str::to_owned));
    let rows = select(part, move |companies, page| {
        let (status, sector) = (status.as_deref(), sector.as_deref());
        companies.list(&CompanyFilter { status, sector, cnpj, from, to, withdrawn }, page)
    });
    Ok((rows, part.stamps().to_vec()))
}

fn every_filing(question: &Question<'_>) -> Result<Found, ApiError> {
    let filters = Filters::of(question)?;
    let companies = filters.companies(question)?;
    let filter = filters.among(&companies);
    let part = &question.catalog.filings;
    let rows = if companies.len() > 1 {
        // Merged once, and not for every page.
        let positions = part.positions(&filter);
        select(part, move |_, page| Listing::of(&positions, page))
    } else {
        let (category, from, to) = (filter.category.map(str::to_owned), filter.from, filter.to);
        select(part, move |filings, page| {
            let (companies, category) = (&companies[..], category.as_deref());
            let filter = FilingFilter { companies, category, from, to, ..FilingFilter::default() };
            filings.list(&filter, page)
        })
    };
    Ok((rows, question.catalog.stamps_of_filings().collect()))
}

fn every_point(question: &Question<'_>, series: Series) -> Result<Found, ApiError> {
    let ((from, to), part) = (question.query.days()?, &question.catalog.series[series]);
    Ok((select(part, move |timeline, page| timeline.list(from, to, page)), vec![part.stamp]))
}

/// The values of the requested series, or of all.
fn every_observation(question: &Question<'_>) -> Result<Found, ApiError> {
    let (from, to) = question.query.days()?;
    let series = question.query.get("id")?.map(|id| series(question, id)).transpose()?;
    let named = Series::ALL.into_iter().filter(|other| series.is_none_or(|series| series == *other));
    let parts: Vec<_> = named.map(|series| (series, Arc::clone(&question.catalog.series[series]))).collect();
    let stamps = parts.iter().map(|(_, part)| part.stamp).collect();
    let all = Arc::new(Part { data: Observations::of(parts), ..Part::default() });
    Ok((select(&all, move |all, page| all.list(from, to, page)), stamps))
}

/// The requested series, by its id or its code. Exchange rates are series too, but a data set of their own.
fn series(question: &Question<'_>, text: &str) -> Result<Series, ApiError> {
    let pair = || Pair::from_id(text).filter(|pair| question.catalog.fx.get(*pair).is_some());
    Series::parse(text).ok_or_else(|| match pair() {
        Some(pair) => {
            bad("id", &format!("is not for exchange rates; they are in `/api/v1/export/fx?pair={pair}`"))
        }
        None => bad(
            "id",
            "must be the id or the code of a series of the central bank's SGS; `/api/v1/series` lists them",
        ),
    })
}

/// The quotes of the requested pair, or of all.
fn every_quote(question: &Question<'_>) -> Result<Found, ApiError> {
    let ((from, to), part) = (question.query.days()?, &question.catalog.fx);
    let pair = question.query.get("pair")?.map(|pair| fx::held_pair(part, pair)).transpose()?;
    let filter = FxFilter { pair, from, to };
    Ok((select(part, move |book, page| book.list(&filter, page)), vec![part.stamp]))
}
