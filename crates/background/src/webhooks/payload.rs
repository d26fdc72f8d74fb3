//! Message bodies: an event and its items, each rendered as in the API.

use jiff::Timestamp;
use lastro_catalog::{
    Catalog, Object, Plain, Point, company_json, filing_json, fold_label, holds_all_words, name,
};
use lastro_model::{
    Company, CompanyId, Filing, History, Records, Series, Source, WebhookEvent, WebhookFilters,
};
use lastro_store::Announcement;
use serde::Serialize;
use serde_json::value::RawValue;

/// One rendered row of an announcement, with the values that filters compare.
#[derive(Debug)]
pub struct PayloadItem {
    json: Box<RawValue>,
    company: Option<CompanyId>,
    /// Folded.
    category: Option<String>,
    /// The row of a filing, in which words are looked up.
    filing: Option<Filing>,
}

#[derive(Serialize)]
struct Event<'a> {
    r#type: &'static str,
    timestamp: String,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    edition: u64,
    /// Present only for the event shared by several series.
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<&'static str>,
    items: Vec<&'a RawValue>,
}

/// Renders rows once for all webhooks. Tickers, other names and histories come from the served catalog; a removed row is
/// rendered as its id.
pub fn items(event: WebhookEvent, rows: &Records, served: &Catalog) -> serde_json::Result<Vec<PayloadItem>> {
    let removed = matches!(event, WebhookEvent::CompanyRemoved | WebhookEvent::FilingRemoved);
    let (companies, filings) = (&served.companies, &served.filings);
    match rows {
        Records::Rates(rows) => rows.iter().map(point).collect(),
        Records::Fx(rows) => rows.iter().map(point).collect(),
        Records::Companies(rows) => {
            let json = |row: &Company| match removed {
                true => identity(row.id),
                false => company_json(row, companies).into_vec(),
            };
            rows.iter().map(|row| item(&json(row), Some(row.id), None)).collect()
        }
        Records::Filings(rows) => rows
            .iter()
            .map(|row| {
                let history = filings.position(row.id).map(|row| filings.history(row));
                let json = if removed { identity(row.id) } else { filing_json(row, shown(history)) };
                let item = item(&json, Some(row.company_id), Some(fold_label(&row.category)))?;
                Ok(PayloadItem { filing: Some(row.clone()), ..item })
            })
            .collect(),
        // These have no event of their own: they are shown with their companies.
        Records::Tickers(_) | Records::FormerNames(_) => Ok(Vec::new()),
    }
}

fn point(point: &impl Point) -> serde_json::Result<PayloadItem> {
    let mut json = Vec::new();
    point.write_json(&mut json);
    item(&json, None, None)
}

fn item(
    json: &[u8],
    company: Option<CompanyId>,
    category: Option<String>,
) -> serde_json::Result<PayloadItem> {
    Ok(PayloadItem { json: serde_json::from_slice(json)?, company, category, filing: None })
}

/// The history to show. A row that the catalog does not know was replaced meanwhile.
fn shown(history: Option<History>) -> History {
    History { withdrawn: None, ..history.unwrap_or_default() }
}

/// The id of a row that was removed.
fn identity(id: impl Plain) -> Vec<u8> {
    Object::new(Vec::new()).token(name!("id"), id).end()
}

/// The body of a message with the items that pass the filters; `None` if none does.
pub fn body(
    announcement: &Announcement,
    items: &[PayloadItem],
    filters: &WebhookFilters,
) -> serde_json::Result<Option<String>> {
    let series = shared_event_of(announcement);
    if series.is_some_and(|series| !filters.want_series(series)) {
        return Ok(None);
    }
    let filter = Filter::of(filters);
    let items: Vec<&RawValue> =
        items.iter().filter(|item| filter.matches(item)).map(|item| &*item.json).collect();
    if items.is_empty() {
        return Ok(None);
    }
    let data =
        Data { edition: announcement.edition.0, series: series.map(|series| series.about().id), items };
    written(announcement.event, announcement.at, data).map(Some)
}

/// The series of an announcement, if its event is the one shared by several series.
fn shared_event_of(announcement: &Announcement) -> Option<Series> {
    match announcement.source {
        Source::Series(series) if announcement.event == WebhookEvent::AnySeriesUpdated => Some(series),
        _ => None,
    }
}

/// The body of a test delivery: the same format without items.
pub fn ping(at: Timestamp) -> serde_json::Result<String> {
    written(WebhookEvent::Ping, at, Data { edition: 0, series: None, items: Vec::new() })
}

fn written(event: WebhookEvent, at: Timestamp, data: Data<'_>) -> serde_json::Result<String> {
    serde_json::to_string(&Event { r#type: event.name(), timestamp: at.to_string(), data })
}

/// A webhook's filters, ready to compare. A filter does not apply to items without a company or category.
struct Filter<'a> {
    companies: &'a [CompanyId],
    categories: Vec<String>,
    q: Option<&'a str>,
}

impl<'a> Filter<'a> {
    fn of(filters: &'a WebhookFilters) -> Self {
        let categories = filters.categories.iter().map(|category| fold_label(category)).collect();
        Self { companies: &filters.company_ids, categories, q: filters.q.as_deref() }
    }

    fn matches(&self, item: &PayloadItem) -> bool {
        let company_wanted = |company| self.companies.is_empty() || self.companies.contains(company);
        let category_wanted = |category| self.categories.is_empty() || self.categories.contains(category);
        let holds_words = |filing: &Filing| self.q.is_none_or(|q| holds_all_words(filing, q));
        item.company.as_ref().is_none_or(company_wanted)
            && item.category.as_ref().is_none_or(category_wanted)
            && item.filing.as_ref().is_none_or(holds_words)
    }
}
