//! Names of companies in requests: registry codes, CNPJs and tickers.

use lastro_background::changes::cursor::CompaniesDigest;
use lastro_catalog::{Catalog, Companies};
use lastro_model::{Cnpj, CompanyId, Ticker};

use super::nearest::shown;
use super::query::bad;
use crate::error::ApiError;

pub const NO_SUCH_COMPANY: ApiError = ApiError::NotFound("no company has this registry code, CNPJ or ticker");

/// The company named in a request.
pub fn named(companies: &Companies, id: &str) -> Result<CompanyId, ApiError> {
    let row = position(companies, id).ok_or(NO_SUCH_COMPANY)?;
    Ok(companies.company(row).id)
}

/// The registry codes that a company's name in a filter stands for: of a CNPJ all that it ever had, because its filings
/// are spread over them. A code may be missing from the registry, as those of foreign issuers are.
pub fn filers(catalog: &Catalog, id: &str) -> Result<Vec<CompanyId>, ApiError> {
    if let Ok(cnpj) = Cnpj::parse(id) {
        let codes: Vec<CompanyId> = catalog.companies.ids_of_cnpj(&cnpj).collect();
        if !codes.is_empty() {
            return Ok(codes);
        }
    }
    let company = named(&catalog.companies, id).or_else(|error| {
        let code = CompanyId::parse(id.trim()).ok();
        code.filter(|code| catalog.filings.has_company(*code)).ok_or(error)
    });
    company.map(|company| vec![company])
}

/// The companies in a filter of changes.
#[derive(Debug, Clone)]
pub struct NamedCompanies {
    pub ids: Vec<CompanyId>,
    /// `None` if all of them were named by registry code, which is the same company for ever.
    pub digest: Option<CompaniesDigest>,
}

/// Resolves the names in a list. Registry codes are taken as they are; a ticker or CNPJ that no company has is an error.
pub fn resolved(catalog: &Catalog, parameter: &str, names: &[&str]) -> Result<NamedCompanies, ApiError> {
    let (mut ids, mut has_names) = (Vec::new(), false);
    for name in names {
        match code(name) {
            Some(code) => ids.push(code),
            None => {
                has_names = true;
                ids.extend(filers(catalog, name).map_err(|_| no_company(parameter, name))?);
            }
        }
    }
    let digest = has_names.then(|| CompaniesDigest::of(&ids));
    Ok(NamedCompanies { ids, digest })
}

/// A name that can only be a registry code.
fn code(name: &str) -> Option<CompanyId> {
    CompanyId::parse(name.trim()).ok().filter(|_| Cnpj::parse(name).is_err())
}

/// The error for a name that no company has.
pub fn no_company(parameter: &str, name: &str) -> ApiError {
    ApiError::NoSuchValue(format!(
        "`{parameter}` must name known companies; no company is called `{}`",
        shown(name)
    ))
}

/// Rejects values of a parameter that are not well-formed as CNPJs, registry codes or tickers.
pub fn check_ids(parameter: &str, ids: &[&str]) -> Result<(), ApiError> {
    let Some(malformed) = ids.iter().find(|id| !is_company_id(id)) else { return Ok(()) };
    let reason = format!(
        "must be registry codes, CNPJs or tickers with commas between them; `{}` is none of them",
        shown(malformed)
    );
    Err(bad(parameter, &reason))
}

/// Whether this is well-formed as a CNPJ, a registry code or a ticker.
pub fn is_company_id(id: &str) -> bool {
    Cnpj::parse(id).is_ok() || CompanyId::parse(id.trim()).is_ok() || Ticker::parse(id).is_ok()
}

/// Finds a company by CNPJ, registry code or ticker. Fourteen digits are tried as a CNPJ first, then as a code with
/// leading zeros; a ticker has a letter, so it is neither.
pub fn position(companies: &Companies, id: &str) -> Option<u32> {
    let by_cnpj = || companies.by_cnpj(&Cnpj::parse(id).ok()?);
    let by_code = || companies.position(CompanyId::parse(id.trim()).ok()?);
    let by_ticker = || companies.by_ticker(Ticker::parse(id).ok()?);
    by_cnpj().or_else(by_code).or_else(by_ticker)
}
