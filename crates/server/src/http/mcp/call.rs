//! A call of a tool: from its arguments through an operation of the API to its result.

use lastro_catalog::{Catalog, Object, name};
use lastro_model::{Day, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::content::{Content, write_text};
use super::members::Members;
use super::message::{Params, RpcError, shown, text_of};
use super::parameter::MOST_ROWS;
use super::tool::{Operation, Paging, Tool};
use super::{provenance, tools};
use crate::error::ApiError;
use crate::http::handler::ReadApi;
use crate::http::response::body::Body;

/// The parts of a request that a call needs.
#[derive(Debug)]
pub(super) struct Caller<'a> {
    pub(super) api: &'a dyn ReadApi,
    pub(super) catalog: &'a Catalog,
    /// The address of the service, for links.
    pub(super) origin: String,
}

/// The result of a call.
#[derive(Debug)]
pub(super) enum Called {
    Answered { text: String, structured: Vec<u8> },
    Refused(ApiError),
}

impl Caller<'_> {
    pub(super) fn call(&self, params: &Params<'_>) -> Result<Called, RpcError> {
        let name = params.name.and_then(text_of).unwrap_or_default();
        let tool = tools::named(&name).ok_or_else(|| {
            RpcError::invalid_params(format!("Unknown tool: {}; `tools/list` lists them", shown(&name)))
        })?;
        Ok(self.answer(tool, params.arguments).unwrap_or_else(Called::Refused))
    }

    fn answer(&self, tool: &Tool, arguments: Option<&RawValue>) -> Result<Called, ApiError> {
        let arguments = Arguments::parse(tool.parameters, arguments)?;
        let operation = (tool.operation)(&arguments)?;
        let Body::Whole(body) = self.api.read(self.catalog, operation.route, &operation.target)?.body else {
            return Err(ApiError::Internal);
        };
        let content = self.content(tool, &arguments, &operation, &body)?;
        Ok(Called::Answered { text: content.text(), structured: content.structured() })
    }

    /// The content of an answer, which is a JSON object.
    fn content<'b>(
        &self,
        tool: &Tool,
        arguments: &Arguments,
        operation: &Operation,
        body: &'b [u8],
    ) -> Result<Content<'b>, ApiError> {
        let members: Members<'_> = parsed(body)?;
        let provenance = provenance::of(tool.about, self.catalog, arguments, &members);
        let rest = format!("{}{}", self.origin, operation.target);
        let mut rows = members.rows().map(|(name, rows)| (name.to_owned(), rows));
        let (mut next, mut receipt_rows) = (None, None);
        match (operation.paging, &mut rows) {
            (Paging::Receipt, Some((_, rows))) => {
                let (offset, limit) = arguments.page(MOST_ROWS)?;
                receipt_rows = Some(rows.len());
                next = next_offset(offset, limit, rows.len());
                *rows = rows.iter().copied().skip(offset).take(limit).collect();
            }
            (Paging::ByOffset, Some((_, rows))) => {
                let (offset, _) = arguments.page(0)?;
                next = next_offset(offset, rows.len(), members.number("total").unwrap_or(0));
            }
            (Paging::ByDay { limit }, Some((_, rows))) if rows.len() >= limit => {
                let has_more = members.number("total").is_none_or(|total| rows.len() < total);
                next = has_more.then(|| day_before(rows)).flatten();
            }
            (Paging::OneRow, None) => {
                rows = Some(("data".to_owned(), vec![parsed(body)?]));
            }
            _ => {}
        }
        Ok(Content { members, rows, receipt_rows, provenance, next, rest })
    }
}

/// Parses an answer of our own.
fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| {
        tracing::error!(%error, "an answer of the API is not what a tool expects");
        ApiError::Internal
    })
}

/// The `offset` of the rows after these, if there are any.
fn next_offset(offset: usize, shown: usize, total: usize) -> Option<Value> {
    let next = offset.saturating_add(shown);
    (shown > 0 && next < total).then(|| json!({ "offset": next }))
}

/// The `to` of the rows before the last one, which is the oldest.
fn day_before(rows: &[&RawValue]) -> Option<Value> {
    let last: Members<'_> = serde_json::from_str(rows.last()?.get()).ok()?;
    let day = Day::parse(&last.text("date")?).ok()?;
    Some(json!({ "to": day.plus_days(-1).to_string() }))
}

impl Called {
    pub(super) fn write(&self, object: Object<Vec<u8>>) -> Object<Vec<u8>> {
        let (object, structured, is_error) = match self {
            Self::Answered { text, structured } => {
                (write_text(object, text), structured.as_slice().into(), false)
            }
            // The text is the error as REST sends it: clients may show a model nothing else.
            Self::Refused(error) => {
                let body = error.body();
                (write_text(object, &String::from_utf8_lossy(&body)), std::borrow::Cow::Owned(body), true)
            }
        };
        object.raw(name!("structuredContent"), &structured).boolean(name!("isError"), is_error)
    }

    /// The outcome in the usage report.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Answered { .. } => Outcome::Ok,
            Self::Refused(ApiError::UpgradeRequired { .. }) => Outcome::UpgradeRequired,
            Self::Refused(error) if error.code().1.is_server_error() => Outcome::ServerError,
            Self::Refused(_) => Outcome::ClientError,
        }
    }
}
