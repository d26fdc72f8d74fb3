//! One search over companies and filings, and suggestions while the user types.

use lastro_catalog::{
    Catalog, Cell, Companies, FilingFilter, Filings, Listing, Object, Suggestion, Table, name,
};

use super::companies;
use super::hits::{self, Hits};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Dialect;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

pub fn everything(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, page, format) = (question.query.search()?, question.query.page()?, question.format()?);
    let (hits, registered, (from, to)) =
        (Hits::named(question)?, companies::registered(question)?, question.query.days()?);
    let catalog = question.catalog;
    let found_companies = catalog.search_companies(q, &registered, page);
    let found_filings =
        catalog.search_filings(q, &FilingFilter { from, to, ..FilingFilter::default() }, page);
    if let Some(dialect) = format.dialect(question.plan)? {
        return as_csv(question, dialect, &found_companies, &found_filings);
    }
    let object = Object::new(Vec::with_capacity(
        1024 + found_filings.rows.len() * 480 + found_companies.rows.len() * 290,
    ));
    let object = hits.array(object, name!("companies"), &catalog.companies.data, &found_companies);
    let object = hits.array(object, name!("filings"), &catalog.filings.data, &found_filings);
    let object =
        hits::interpretations(object, &found_companies.interpretation, &found_filings.interpretation);
    Ok(Reply::data(object.end(), catalog.stamps_of_filings()))
}

/// Suggestions for a search box.
pub fn suggest(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (q, limit) = (question.query.search()?, question.query.limit_or(MOST_SUGGESTIONS, SUGGESTIONS)?);
    let suggestions = question.catalog.suggestions(q, limit);
    let body = Object::new(Vec::with_capacity(64 + suggestions.len() * 96))
        .array(name!("data"), suggestions, |suggestion, out| write_suggestion(suggestion, out))
        .end();
    Ok(Reply::data(body, question.catalog.stamps_of_filings()))
}

const SUGGESTIONS: usize = 10;
const MOST_SUGGESTIONS: usize = 20;

fn write_suggestion(suggestion: Suggestion<'_>, out: &mut Vec<u8>) {
    let object = Object::new(out);
    match suggestion {
        Suggestion::Company { id, name } => {
            object.text(name!("kind"), "company").text(name!("text"), name).token(name!("id"), id).end()
        }
        Suggestion::Category(label) => {
            object.text(name!("kind"), "category").text(name!("text"), label).end()
        }
    };
}

/// Writes both kinds into one table: the columns of companies, then those that only filings have. Both kinds begin with
/// `id` and end with `first_seen_at`, which stands once at each end.
fn as_csv(
    question: &Question<'_>,
    dialect: Dialect,
    found_companies: &Listing<'_>,
    found_filings: &Listing<'_>,
) -> Result<Reply, ApiError> {
    let only_companies = Companies::COLUMNS.len() - 2;
    let only_filings = &Filings::COLUMNS[1..Filings::COLUMNS.len() - 1];
    let (of_companies, last) = Companies::COLUMNS.split_at(only_companies + 1);
    let columns: Vec<&str> =
        ["kind"].iter().chain(of_companies).chain(only_filings).chain(last).copied().collect();
    let Catalog { companies, filings, .. } = question.catalog;
    let label = question.label("search", found_companies.total + found_filings.total);
    csv::file(dialect, &label, &columns, question.catalog.stamps_of_filings(), |writer| {
        for row in &found_companies.rows {
            writer.row(|put| {
                put(Cell::Text("company"));
                let mut place = 0;
                companies.cells(row, &mut |cell| {
                    if place == of_companies.len() {
                        only_filings.iter().for_each(|_| put(Cell::Nothing));
                    }
                    put(cell);
                    place += 1;
                });
            })?;
        }
        for row in &found_filings.rows {
            writer.row(|put| {
                put(Cell::Text("filing"));
                let mut place = 0;
                filings.cells(row, &mut |cell| {
                    put(cell);
                    place += 1;
                    if place == 1 {
                        (0..only_companies).for_each(|_| put(Cell::Nothing));
                    }
                });
            })?;
        }
        Ok(())
    })
}
