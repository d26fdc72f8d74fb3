//! The table of tools: names, arguments, and the operation of the API that each stands for.

use std::sync::LazyLock;

use lastro_calc::{Aggregation, Period, Rate, Units, is_price_index};
use lastro_model::{Frequency, Series, Topic};
use serde_json::Value;

use super::arguments::{Arguments, bad};
use super::parameter::{Kind, Parameter, optional, required};
use super::provenance::About;
use super::schema;
use super::tool::{Operation, Paging, Tool};
use crate::error::ApiError;

const LIMIT: Parameter =
    optional("limit", Kind::Integer, "Number of rows, default 20; at most 200 are shown.");
const OFFSET: Parameter =
    optional("offset", Kind::Integer, "Rows to skip; `next` of the answer before has it.");
const FROM: Parameter = optional("from", Kind::Text, "First day, YYYY-MM-DD.");
const TO: Parameter = optional("to", Kind::Text, "Last day, YYYY-MM-DD, included.");
const SERIES_ID: Parameter = required(
    "id",
    Kind::Id,
    "Id of a series such as `ipca`, its SGS code such as 433, or a pair such as `usd-brl`.",
);
const AMOUNT: Parameter =
    optional("amount", Kind::Decimal, "Amount of money, at most 2 decimals; default 1.");
const RECEIPT_LIMIT: Parameter =
    optional("limit", Kind::Integer, "Rows of the receipt to show; at most 200, which is the default.");
const RECEIPT_OFFSET: Parameter = optional("offset", Kind::Integer, "Rows of the receipt to skip.");

pub(super) static TOOLS: [Tool; 12] = [
    Tool {
        name: "lastro_find_series",
        title: "Find a series",
        description: "Finds series of the Brazilian central bank by words of their name (Portuguese or English), id, SGS code, \
                      topic or frequency: interest rates, inflation, credit, debt, activity, employment, external accounts, \
                      exchange rates.",
        parameters: &[
            optional("q", Kind::Text, "Words such as `inflação` or `unemployment`, an id, or an SGS code."),
            optional("topic", Kind::Word(|| Topic::ALL.map(Topic::id).to_vec()), "Topic of the series."),
            optional(
                "frequency",
                Kind::Word(|| Frequency::ALL.map(Frequency::id).to_vec()),
                "How often it is published.",
            ),
            LIMIT,
            OFFSET,
        ],
        about: About::Catalogue,
        operation: |arguments| Ok(paged("/api/v1/series", arguments)),
        output: schema::series_list,
    },
    Tool {
        name: "lastro_describe_series",
        title: "Describe a series",
        description: "Describes one series: name, unit, kind, frequency, official source and code, first and last date, \
                      whether it is stale, and the transforms (`units`) that are legal for it.",
        parameters: &[SERIES_ID],
        about: About::Series,
        operation: |arguments| at("/api/v1/series/{id}", "id", arguments),
        output: schema::series,
    },
    Tool {
        name: "lastro_observations",
        title: "Values of a series",
        description: "Values of a series by date, newest first, as published or computed: `units` converts (acc12: accumulated \
                      over 12 months; ytd: in the year; pc1: change over a year; index: as an index), `frequency` \
                      aggregates. Free and Bronze plans see the last 12 months.",
        parameters: &[
            SERIES_ID,
            FROM,
            TO,
            optional(
                "units",
                Kind::Word(|| Units::ALL.map(Units::id).to_vec()),
                "Transform, default `lin`: as published.",
            ),
            optional(
                "frequency",
                Kind::Word(|| Period::ALL.map(Period::id).to_vec()),
                "Lower frequency to aggregate to.",
            ),
            optional(
                "aggregation",
                Kind::Word(|| Aggregation::ALL.map(Aggregation::id).to_vec()),
                "How to aggregate; the default fits the series.",
            ),
            optional("base", Kind::Text, "Day whose value is 100, YYYY-MM-DD, with `units=index` only."),
            optional("as_of", Kind::Text, "The values as they were known on that day (Gold)."),
            optional("order", Kind::Word(|| vec!["desc", "asc"]), "`desc`: newest first, the default."),
            LIMIT,
            OFFSET,
        ],
        about: About::Series,
        operation: |arguments| {
            let route = "/api/v1/series/{id}/observations";
            let target = arguments.target(&arguments.path(route, "id")?, &["id"]);
            Ok(Operation { route, target, paging: Paging::ByOffset })
        },
        output: schema::observations,
    },
    Tool {
        name: "lastro_current",
        title: "Newest values",
        description: "The newest value of a series; without `id` those of Selic, CDI, IPCA and the US dollar.",
        parameters: &[optional("id", Kind::Id, "Id or SGS code of a series; left out: the overview.")],
        about: About::Current,
        operation: |arguments| {
            if arguments.has("id") {
                at("/api/v1/series/{id}/current", "id", arguments)
            } else {
                Ok(whole("/api/v1/market/overview", arguments))
            }
        },
        output: schema::current,
    },
    Tool {
        name: "lastro_exchange_rate",
        title: "Exchange rate",
        description: "Exchange rate of the central bank (PTAX, closing), buy and sell: the newest, or by days with `from`, `to` \
                      or `limit`. Pairs such as USD/BRL are published; others such as EUR/USD follow from two of them.",
        parameters: &[
            optional("pair", Kind::Text, "BASE/QUOTE, default USD/BRL."),
            FROM,
            TO,
            optional("limit", Kind::Integer, "Number of days, newest first; at most 200 are shown."),
        ],
        about: About::Fx,
        operation: exchange_rate,
        output: schema::exchange_rate,
    },
    Tool {
        name: "lastro_correction",
        title: "Monetary correction",
        description: "Corrects an amount by a price index between two months, exactly as the central bank's calculator, across \
                      changes of currency, with the receipt of every month used. Answers \"quanto vale R$ 1.000 de 2015 hoje?\"; \
                      the last month published is the newest value of the index (lastro_current).",
        parameters: &[
            required("index", Kind::Word(indexes), "Price index."),
            required("from", Kind::Text, "First month, YYYY-MM, whose change is included."),
            required("to", Kind::Text, "Last month, YYYY-MM, included; it must be published."),
            AMOUNT,
            RECEIPT_LIMIT,
            RECEIPT_OFFSET,
        ],
        about: About::Calculation,
        operation: |arguments| Ok(receipt("/api/v1/calc/correction", arguments)),
        output: schema::correction,
    },
    Tool {
        name: "lastro_accumulation",
        title: "Accumulated CDI or Selic",
        description: "Accumulates CDI or Selic over days, also a percentage of it (\"110 % do CDI\"), by the rules of B3 and the \
                      central bank, with the receipt of every day used.",
        parameters: &[
            required("rate", Kind::Word(|| Rate::ALL.map(Rate::id).to_vec()), "The rate."),
            optional("rate_percent", Kind::Decimal, "Percentage of the rate, default 100."),
            required("from", Kind::Text, "First day, YYYY-MM-DD, included."),
            required("to", Kind::Text, "Last day, YYYY-MM-DD, not included."),
            AMOUNT,
            RECEIPT_LIMIT,
            RECEIPT_OFFSET,
        ],
        about: About::Calculation,
        operation: |arguments| Ok(receipt("/api/v1/calc/accumulation", arguments)),
        output: schema::accumulation,
    },
    Tool {
        name: "lastro_legal_interest",
        title: "Legal interest",
        description: "Legal interest of Lei 14.905/2024 (taxa legal) between two days from 2024-08-30 on, with its receipt.",
        parameters: &[
            required("from", Kind::Text, "First day, YYYY-MM-DD, included."),
            required("to", Kind::Text, "Last day, YYYY-MM-DD, not included."),
            AMOUNT,
            RECEIPT_LIMIT,
            RECEIPT_OFFSET,
        ],
        about: About::Calculation,
        operation: |arguments| Ok(receipt("/api/v1/calc/legal-interest", arguments)),
        output: schema::legal_interest,
    },
    Tool {
        name: "lastro_business_days",
        title: "Business days of banks",
        description: "Business days of Brazilian banks, 2001 to 2099. With `from` and `to`: their number. With `date`: whether it \
                      is one, with its holiday and its neighbours. With `date` and `days`: the n-th business day after or \
                      before. With `year`: the holidays.",
        parameters: &[
            optional("from", Kind::Text, "First day, YYYY-MM-DD, counted."),
            optional(
                "to",
                Kind::Text,
                "Last day, YYYY-MM-DD; `count` leaves it out, `count_inclusive` does not.",
            ),
            optional("date", Kind::Text, "A day, YYYY-MM-DD."),
            optional("days", Kind::Integer, "Business days after `date`, or before it if negative."),
            optional("year", Kind::Integer, "A year, for its holidays."),
        ],
        about: About::Calendar,
        operation: business_days,
        output: schema::business_days,
    },
    Tool {
        name: "lastro_search_companies",
        title: "Search companies",
        description: "Finds companies registered with the securities regulator (CVM) by name, brand, former name, ticker, CNPJ or \
                      registry code. Needs the Bronze plan.",
        parameters: &[required("q", Kind::Id, "What to search for."), LIMIT, OFFSET],
        about: About::Companies,
        operation: |arguments| Ok(paged("/api/v1/companies/search", arguments)),
        output: schema::companies,
    },
    Tool {
        name: "lastro_company",
        title: "One company",
        description: "One company by registry code, CNPJ or ticker. Needs the Bronze plan.",
        parameters: &[required("id", Kind::Id, "Registry code, CNPJ or ticker such as PETR4.")],
        about: About::Companies,
        operation: |arguments| at("/api/v1/companies/{id}", "id", arguments),
        output: schema::company,
    },
    Tool {
        name: "lastro_search_filings",
        title: "Search filings",
        description: "Finds documents that companies filed with the regulator (fatos relevantes, assembleias, dividendos, \
                      demonstrações), each with a link to the document: by words (`q`), else newest first; of companies, a \
                      category, some days. Needs the Gold plan.",
        parameters: &[
            optional("q", Kind::Id, "Words in category, type, description or company."),
            optional(
                "company_id",
                Kind::Id,
                "Registry code, CNPJ or ticker of the company, or several with commas between.",
            ),
            optional("category", Kind::Text, "Category as published, such as `Fato Relevante`."),
            optional("from", Kind::Text, "First day, YYYY-MM-DD, or a month."),
            optional("to", Kind::Text, "Last day, YYYY-MM-DD, or a month, included."),
            LIMIT,
            OFFSET,
        ],
        about: About::Filings,
        operation: filings,
        output: schema::filings,
    },
];

fn whole(route: &'static str, arguments: &Arguments) -> Operation {
    Operation { route, target: arguments.target(route, &[]), paging: Paging::All }
}

/// One thing, whose id is in the path.
fn at(route: &'static str, name: &str, arguments: &Arguments) -> Result<Operation, ApiError> {
    Ok(Operation { route, target: arguments.path(route, name)?, paging: Paging::All })
}

fn paged(route: &'static str, arguments: &Arguments) -> Operation {
    Operation { route, target: arguments.target(route, &[]), paging: Paging::ByOffset }
}

fn receipt(route: &'static str, arguments: &Arguments) -> Operation {
    Operation { route, target: arguments.target(route, &["limit", "offset"]), paging: Paging::Receipt }
}

fn exchange_rate(arguments: &Arguments) -> Result<Operation, ApiError> {
    let by_days = ["from", "to", "limit"].iter().any(|name| arguments.has(name));
    let (_, limit) = arguments.page(20)?;
    let (route, paging) = if by_days {
        ("/api/v1/market/fx", Paging::ByDay { limit })
    } else {
        ("/api/v1/market/fx/current", Paging::OneRow)
    };
    Ok(Operation { route, target: arguments.target(route, &[]), paging })
}

fn business_days(arguments: &Arguments) -> Result<Operation, ApiError> {
    let has = |name| arguments.has(name);
    match (has("date"), has("days"), has("year"), has("from") || has("to")) {
        (false, false, false, true) => Ok(whole("/api/v1/calendar/business-days", arguments)),
        (true, false, false, false) => at("/api/v1/calendar/days/{date}", "date", arguments),
        (true, true, false, false) => Ok(whole("/api/v1/calendar/shift", arguments)),
        (false, false, true, false) => Ok(whole("/api/v1/calendar/holidays", arguments)),
        _ => Err(bad("give `from` and `to` to count, `date` for one day, `date` and `days` for the n-th \
                      business day from it, or `year` for its holidays")),
    }
}

fn filings(arguments: &Arguments) -> Result<Operation, ApiError> {
    let route = if arguments.has("q") { "/api/v1/filings/search" } else { "/api/v1/filings" };
    Ok(paged(route, arguments))
}

/// The ids of the series that amounts can be corrected by.
fn indexes() -> Vec<&'static str> {
    let all = Series::ALL.into_iter().map(Series::about);
    all.filter(|about| is_price_index(about)).map(|about| about.id).collect()
}

pub(super) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The tools as `tools/list` shows them, in the order of the table.
pub(super) static LISTED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let tools: Vec<Value> = TOOLS.iter().map(Tool::json).collect();
    Value::from(tools).to_string().into_bytes()
});
