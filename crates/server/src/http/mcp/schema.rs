//! The schemas of the tools' answers. Tests check every answer against them.

use serde_json::{Map, Value, json};

/// An answer: the members of the operation in one of these forms, those that every tool adds; or the error instead.
fn answer(own: Value, forms: &[&[&'static str]]) -> Value {
    let added = json!({
        "source": { "$ref": "#/$defs/source" },
        "unit": { "type": ["string", "null"] },
        "edition": { "type": ["integer", "null"], "description": "The newest of `editions`." },
        "editions": { "type": "object", "additionalProperties": { "type": "integer" } },
        "sample": { "type": "boolean", "description": "Whether the data is made up." },
        "next": { "type": "object", "description": "Arguments that give the next rows." },
        "rest": { "type": "string", "description": "The call of the REST API that gives the same." },
        "error": { "type": "string" },
        "message": { "type": "string" },
    });
    let mut properties = object(added);
    properties.extend(object(own));
    let always = ["source", "unit", "edition", "editions", "sample", "rest"];
    let required = |form: &&[&'static str]| {
        let added = always.into_iter().filter(|name| !form.contains(name));
        json!({ "required": form.iter().copied().chain(added).collect::<Vec<_>>() })
    };
    let forms = forms.iter().map(required).chain([json!({ "required": ["error", "message"] })]);
    json!({
        "type": "object",
        "properties": properties,
        "anyOf": forms.collect::<Vec<_>>(),
        "$defs": { "source": source() },
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn source() -> Value {
    json!({
        "type": "object",
        "properties": {
            "publisher": { "type": "string" },
            "system": { "type": "string" },
            "code": {
                "type": ["integer", "null"],
                "description": "The number in SGS; null for pairs of currencies, which have none.",
            },
        },
        "required": ["publisher", "system"],
    })
}

fn list_of(item: &Value) -> Value {
    json!({ "type": "array", "items": item, "maxItems": super::parameter::MOST_ROWS })
}

fn row(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn day() -> Value {
    json!({ "type": "string", "format": "date" })
}

/// A month, `YYYY-MM`.
fn month() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$" })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn nullable(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

/// A list with its paging.
fn page(item: &Value) -> Value {
    answer(
        json!({
            "data": list_of(item),
            "total": count(),
            "limit": count(),
            "offset": count(),
            "corrected": text(),
            "relaxed": { "type": "boolean" },
        }),
        &[&["data", "total"]],
    )
}

const SERIES: [&str; 16] = [
    "id",
    "name",
    "name_pt",
    "topic",
    "unit",
    "kind",
    "frequency",
    "seasonally_adjusted",
    "revised",
    "source",
    "first_date",
    "last_date",
    "rows",
    "stale",
    "sample",
    "transforms",
];

fn series_members() -> Value {
    json!({
        "id": text(),
        "name": text(),
        "name_pt": text(),
        "topic": text(),
        "unit": text(),
        "kind": text(),
        "frequency": text(),
        "seasonally_adjusted": { "type": "boolean" },
        "revised": { "type": "boolean" },
        "source": source(),
        "first_date": nullable(day()),
        "last_date": nullable(day()),
        "rows": count(),
        "stale": { "type": "boolean" },
        "sample": { "type": "boolean" },
        "transforms": texts(),
    })
}

pub(super) fn series_list() -> Value {
    page(&row(&series_members(), &SERIES))
}

pub(super) fn series() -> Value {
    answer(series_members(), &[&SERIES])
}

fn rate() -> Value {
    row(&json!({ "date": day(), "value": number() }), &["date", "value"])
}

pub(super) fn observations() -> Value {
    let own = json!({
        "series": text(),
        "unit": text(),
        "units": text(),
        "data": list_of(&rate()),
        "total": count(),
        "limit": count(),
        "offset": count(),
    });
    answer(own, &[&["series", "units", "data", "total", "limit", "offset"]])
}

pub(super) fn current() -> Value {
    let own = json!({
        "date": day(),
        "value": number(),
        "selic": rate(),
        "cdi": rate(),
        "ipca": rate(),
        "fx": fx_rate(),
    });
    answer(own, &[&["date", "value"], &["selic", "cdi", "ipca", "fx"]])
}

fn fx_members() -> Value {
    json!({
        "date": day(),
        "pair": { "type": "string", "pattern": "^[A-Z]{3}/[A-Z]{3}$" },
        "buy": number(),
        "sell": number(),
        "derived": { "type": "boolean" },
        "legs": texts(),
    })
}

fn fx_rate() -> Value {
    row(&fx_members(), &["date", "pair", "buy", "sell"])
}

pub(super) fn exchange_rate() -> Value {
    let mut own = fx_members();
    own["data"] = list_of(&fx_rate());
    answer(own, &[&["data"]])
}

/// Members of every calculation.
const RESULTS: [&str; 10] = [
    "amount",
    "factor",
    "percent",
    "result",
    "receipt",
    "currency_from",
    "currency_to",
    "divisor",
    "convention",
    "series",
];

/// A calculation: its inputs, then the members that all have.
fn calculation(inputs: Value, names: &[&'static str], when: (&str, &Value)) -> Value {
    let step = json!({ when.0: when.1, "value": number(), "factor": number() });
    let results = json!({
        "amount": number(),
        "factor": number(),
        "percent": number(),
        "result": number(),
        "currency_from": text(),
        "currency_to": text(),
        "divisor": number(),
        "convention": text(),
        "series": text(),
        "receipt": list_of(&row(&step, &[when.0, "value", "factor"])),
        "receipt_rows": count(),
    });
    let required: Vec<&'static str> = names.iter().copied().chain(RESULTS).collect();
    let mut own = object(results);
    own.extend(object(inputs));
    answer(Value::Object(own), &[&required])
}

pub(super) fn correction() -> Value {
    let inputs = json!({ "index": text(), "from": month(), "to": month() });
    calculation(inputs, &["index", "from", "to"], ("month", &month()))
}

pub(super) fn accumulation() -> Value {
    let inputs = json!({ "rate": text(), "rate_percent": number(), "from": day(), "to": day() });
    calculation(inputs, &["rate", "rate_percent", "from", "to"], ("date", &day()))
}

pub(super) fn legal_interest() -> Value {
    calculation(json!({ "from": day(), "to": day() }), &["from", "to"], ("month", &month()))
}

pub(super) fn business_days() -> Value {
    let names = json!({ "name": text(), "name_pt": text() });
    let own = json!({
        "from": day(),
        "to": day(),
        "count": count(),
        "count_inclusive": count(),
        "fraction_252": number(),
        "date": day(),
        "weekday": { "type": "integer", "minimum": 1, "maximum": 7 },
        "business_day": { "type": "boolean" },
        "holiday": nullable(row(&names, &["name", "name_pt"])),
        "previous_business_day": nullable(day()),
        "next_business_day": nullable(day()),
        "data": list_of(&row(&json!({ "date": day(), "name": text(), "name_pt": text() }), &["date", "name"])),
    });
    let days = ["from", "to", "count", "count_inclusive", "fraction_252"];
    let day = ["date", "weekday", "business_day", "holiday", "previous_business_day", "next_business_day"];
    answer(own, &[&days, &day, &["date"], &["data"]])
}

fn company_members() -> Value {
    json!({
        "id": text(),
        "name": text(),
        "cnpj": text(),
        "status": text(),
        "sector": { "type": ["string", "null"] },
        "trading_name": { "type": ["string", "null"] },
        "registered_on": nullable(day()),
        "tickers": texts(),
        "also_known_as": texts(),
    })
}

const COMPANY: [&str; 5] = ["id", "name", "cnpj", "status", "sector"];

pub(super) fn companies() -> Value {
    page(&row(&company_members(), &COMPANY))
}

pub(super) fn company() -> Value {
    answer(company_members(), &[&COMPANY])
}

pub(super) fn filings() -> Value {
    let filing = json!({
        "id": text(),
        "company_id": text(),
        "company_name": text(),
        "category": text(),
        "date": { "type": "string", "format": "date-time" },
        "description": text(),
        "type": { "type": ["string", "null"] },
        "reference_date": { "type": ["string", "null"] },
        "url": { "type": ["string", "null"] },
    });
    page(&row(&filing, &["id", "company_id", "company_name", "category", "date", "description"]))
}
