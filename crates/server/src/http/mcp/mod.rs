//! `POST /mcp`: the Model Context Protocol, by which assistants call the API as tools.
//!
//! Stateless: each message is answered by itself, with a JSON object. Tools are read operations of the API, called
//! through the same routes, plan gate and handlers. A call costs what the operation costs; other messages are pages.
//!
//! - [`message`]: JSON-RPC. [`revision`]: the revisions of the protocol, and its headers.
//! - [`tools`]: the table of tools. [`tool`], [`parameter`]: its entries. [`schema`]: the schemas of answers.
//! - [`arguments`]: from arguments to an operation. [`members`]: JSON objects as they were written.
//! - [`call`]: a call. [`content`]: its result. [`provenance`]: the source, unit and edition that the result names.
//! - [`resources`]: the catalogue of series and the documentation.

mod arguments;
mod call;
mod content;
mod members;
mod message;
mod parameter;
mod provenance;
mod resources;
mod revision;
mod schema;
mod tool;
mod tools;

use http::StatusCode;
use lastro_catalog::{Object, name};
use lastro_model::Outcome;
use serde_json::json;

use self::call::Caller;
use self::message::{Message, RpcError};
use self::revision::{DISCOVER, Era, INITIALIZE};
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::response::reply::Reply;

const INSTRUCTIONS: &str = "Brazilian financial data with its sources: series of the central bank (Selic, CDI, IPCA, IGP-M, credit, \
    activity), exchange rates (PTAX), exact monetary correction and interest with a receipt, bank business days, listed \
    companies and their filings (CVM). Find a series with lastro_find_series, then ask for lastro_observations. For questions \
    such as \"quanto vale R$ 1.000 de 2015 hoje?\" call lastro_correction; do not compute by yourself. Quote unit, source and \
    edition. Without a key calls are limited to 30 a minute, and series to their last 12 months.";

/// Cache lifetime in milliseconds of results that change with a release.
const HOUR_MS: u64 = 3_600_000;
/// Cache lifetime in milliseconds of results that change with an edition.
const MINUTE_MS: u64 = 60_000;

pub async fn answer(action: Action<'_>) -> Result<Reply, ApiError> {
    let body = action.body.whole().await?;
    let message = match Message::parse(&body) {
        Ok(message) => message,
        Err(error) => {
            action.tab.take_page()?;
            return Ok(error.reply(None, Era::Modern));
        }
    };
    if message.calls_tool() {
        action.tab.take_unit().await?;
    } else {
        action.tab.take_page()?;
    }
    let caller = Caller {
        api: action.api,
        catalog: &action.served.catalog.load(),
        origin: action.site.origin(action.head),
    };
    Ok(respond(&caller, &message, Era::of(action.head, &message)))
}

fn respond(caller: &Caller<'_>, message: &Message<'_>, era: Result<Era, RpcError>) -> Reply {
    let era = match era {
        Ok(era) => era,
        Err(error) => return error.reply(message.id, Era::Modern),
    };
    let Some(id) = message.id else {
        return Reply::json(Vec::new()).private(StatusCode::ACCEPTED);
    };
    match answered(caller, message, era) {
        Ok(Answered { result, outcome }) => Reply { outcome, ..message::result(id, &result) },
        Err(error) => error.reply(Some(id), era),
    }
}

/// The result of a method, and how the usage report counts a call.
struct Answered {
    result: Vec<u8>,
    outcome: Option<Outcome>,
}

fn answered(caller: &Caller<'_>, message: &Message<'_>, era: Era) -> Result<Answered, RpcError> {
    let result = match (era, &*message.method) {
        (Era::Modern, DISCOVER) => discovered(),
        (Era::Legacy, INITIALIZE) => initialized(revision::negotiated(&message.params)?),
        (Era::Legacy, "ping") => result_of(era, None).end(),
        (_, "tools/call") => {
            let called = caller.call(&message.params)?;
            let object = called.write(result_of(era, None));
            return Ok(Answered { result: object.end(), outcome: Some(called.outcome()) });
        }
        (_, "tools/list") => {
            check_cursor(message)?;
            result_of(era, Some(HOUR_MS)).raw(name!("tools"), &tools::LISTED).end()
        }
        (_, "resources/list") => {
            check_cursor(message)?;
            result_of(era, Some(HOUR_MS)).raw(name!("resources"), &resources::listed()).end()
        }
        (_, "resources/templates/list") => {
            check_cursor(message)?;
            result_of(era, Some(HOUR_MS)).raw(name!("resourceTemplates"), b"[]").end()
        }
        (_, "resources/read") => {
            let contents = resources::read(caller.catalog, &message.params)?;
            result_of(era, Some(MINUTE_MS)).raw(name!("contents"), &contents).end()
        }
        (_, other) => return Err(RpcError::unknown_method(other)),
    };
    Ok(Answered { result, outcome: None })
}

/// A result being written, with the members that the current revision adds to every one. Cacheable results are the
/// same for all callers.
fn result_of(era: Era, kept_ms: Option<u64>) -> Object<Vec<u8>> {
    let object = Object::new(Vec::with_capacity(1024));
    if era == Era::Legacy {
        return object;
    }
    let meta = json!({ "io.modelcontextprotocol/serverInfo": server_info() }).to_string();
    let object = object.text(name!("resultType"), "complete").raw(name!("_meta"), meta.as_bytes());
    match kept_ms {
        Some(kept_ms) => object.number(name!("ttlMs"), kept_ms).text(name!("cacheScope"), "public"),
        None => object,
    }
}

fn server_info() -> serde_json::Value {
    json!({ "name": "lastro", "title": "Lastro", "version": crate::VERSION })
}

fn capabilities() -> String {
    json!({ "tools": {}, "resources": {} }).to_string()
}

fn discovered() -> Vec<u8> {
    result_of(Era::Modern, Some(HOUR_MS))
        .raw(name!("supportedVersions"), json!(revision::supported()).to_string().as_bytes())
        .raw(name!("capabilities"), capabilities().as_bytes())
        .text(name!("instructions"), INSTRUCTIONS)
        .end()
}

fn initialized(version: &str) -> Vec<u8> {
    result_of(Era::Legacy, None)
        .text(name!("protocolVersion"), version)
        .raw(name!("capabilities"), capabilities().as_bytes())
        .raw(name!("serverInfo"), server_info().to_string().as_bytes())
        .text(name!("instructions"), INSTRUCTIONS)
        .end()
}

/// Every list is one page, so no cursor is ours.
fn check_cursor(message: &Message<'_>) -> Result<(), RpcError> {
    match message.params.cursor {
        None => Ok(()),
        Some(_) => Err(RpcError::invalid_params("`cursor` is unknown: the list has one page")),
    }
}
