//! Large volumes through the real binary: whole histories and years of filings are synchronised once. Every value is
//! read back over HTTP and compared with the published text.

use std::collections::BTreeMap;

use lastro_model::{Company, Day, Filing, Series, TradedSecurity};
use lastro_sample::{self as sample, Shape};

use super::sync::today;
use super::{Home, Running, client};
use crate::publisher::{Publisher, PublisherData};

const COMPANIES: usize = 2_700;
const FILINGS_A_YEAR: i32 = 10_000;
/// Number of years, including the current one.
const YEARS: i16 = 3;
const SINCE_THE_REAL: [&str; 9] = ["AUD", "CAD", "CHF", "DKK", "GBP", "JPY", "NOK", "SEK", "USD"];

const LIST_PAGE: usize = 1_000;
const SERIES_PAGE: usize = 10_000;

/// All data, each series from its own beginning.
fn whole_history(today: Day) -> PublisherData {
    let day = |text| Day::parse(text).unwrap();
    let mut publisher_data = PublisherData::default();
    publisher_data.fill_rates(today.minus_months(12), today);
    publisher_data.fill_series(Series::Selic, day("1999-03-05"), today);
    publisher_data.fill_series(Series::Cdi, today.minus_months(12 * 12), today);
    publisher_data.fill_series(Series::Ipca, day("1981-01-01"), today);
    publisher_data.fill_quotes(&SINCE_THE_REAL, day("1994-07-01"), today);
    publisher_data.fill_quotes(&["EUR"], day("1999-01-04"), today);
    publisher_data.companies = sample::companies(&Shape { companies: COMPANIES, ..Shape::SAMPLE });
    publisher_data.fill_securities(today);
    for year in today.year() - YEARS + 1..=today.year() {
        publisher_data.fill_filings(year, today, FILINGS_A_YEAR);
    }
    publisher_data
}

/// A server, and a key that may read all data.
struct Reader {
    server: Running,
    client: reqwest::Client,
    key: String,
}

impl Reader {
    async fn text(&self, path: &str) -> String {
        let request = self.client.get(format!("{}{path}", self.server.url)).header("x-api-key", &self.key);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    }

    /// Reads a series from its newest point back to its first, page by page, and compares it.
    async fn series(&self, path: &str, newest_first: &[(Day, String)]) {
        for (number, page) in newest_first.chunks(SERIES_PAGE).enumerate() {
            let (newest, total) = (page[0].0, newest_first.len() - number * SERIES_PAGE);
            let served = self.text(&format!("{path}from=1900-01-01&to={newest}&limit={SERIES_PAGE}")).await;
            let texts: Vec<&str> = page.iter().map(|(_, text)| text.as_str()).collect();
            same(path, &served, &format!(r#"{{"data":[{}],"total":{total}}}"#, texts.join(",")));
        }
        let (first, last) = (newest_first[newest_first.len() - 1].0, newest_first[0].0);
        for outside in [format!("to={}", first.plus_days(-1)), format!("from={}", last.plus_days(1))] {
            assert_eq!(
                self.text(&format!("{path}{outside}")).await,
                r#"{"data":[],"total":0}"#,
                "{path}{outside}"
            );
        }
    }

    async fn list<T>(&self, path: &str, rows: &[T], shown: impl Fn(&T) -> String) {
        for (number, page) in rows.chunks(LIST_PAGE).enumerate() {
            let (offset, total) = (number * LIST_PAGE, rows.len());
            let served = self.text(&format!("{path}?limit={LIST_PAGE}&offset={offset}")).await;
            let served = without_first_seen(&served);
            let texts: Vec<String> = page.iter().map(&shown).collect();
            let data = texts.join(",");
            let rest = format!(r#""total":{total},"limit":{LIST_PAGE},"offset":{offset}"#);
            same(path, &served, &format!(r#"{{"data":[{data}],{rest}}}"#));
        }
    }

    async fn all_of(&self, publisher_data: &PublisherData) {
        for (name, code) in [("selic", 432), ("cdi", 4389), ("ipca", 433)] {
            let points = publisher_data.series[&code].iter().rev();
            let points: Vec<_> =
                points.map(|(day, value)| (*day, format!(r#"{{"date":"{day}","value":{value}}}"#))).collect();
            self.series(&format!("/api/v1/market/{name}?"), &points).await;
        }
        let mut pairs: BTreeMap<&str, Vec<(Day, String)>> = BTreeMap::new();
        for ((currency, day), (buy, sell)) in publisher_data.quotes.iter().rev() {
            let text = format!(r#"{{"date":"{day}","pair":"{currency}/BRL","buy":{buy},"sell":{sell}}}"#);
            pairs.entry(currency).or_default().push((*day, text));
        }
        for (currency, points) in &pairs {
            self.series(&format!("/api/v1/market/fx?pair={currency}/BRL&"), points).await;
        }
        let mut companies: Vec<&Company> = publisher_data.companies.iter().collect();
        companies.sort_by_key(|company| (&company.name, company.id));
        self.list("/api/v1/companies", &companies, |company| {
            company_text(company, &publisher_data.securities)
        })
        .await;
        let mut filings: Vec<&Filing> = publisher_data.filings.values().flatten().collect();
        filings.sort_by_key(|filing| std::cmp::Reverse((filing.delivered_on, filing.id)));
        self.list("/api/v1/filings", &filings, |filing| filing_text(filing)).await;
    }

    /// The edition of each source.
    async fn editions(&self) -> Vec<u64> {
        let (_, health) = self.server.get("/health", None).await;
        let sources = health["sources"].as_array().unwrap().iter();
        sources.map(|source| source["edition"].as_u64().unwrap()).collect()
    }
}

/// The text without the times at which the service first saw the rows.
fn without_first_seen(text: &str) -> String {
    let mut pieces = text.split(r#","first_seen_at":""#);
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('"').unwrap().1)
}

/// Asserts equality without printing megabytes on a difference.
fn same(path: &str, served: &str, published: &str) {
    if served == published {
        return;
    }
    let differs = served.bytes().zip(published.bytes()).position(|(a, b)| a != b);
    let place = differs.unwrap_or(served.len().min(published.len()));
    let around = |text: &str| {
        let bytes = &text.as_bytes()[place.saturating_sub(80).min(text.len())..];
        String::from_utf8_lossy(&bytes[..bytes.len().min(160)]).into_owned()
    };
    panic!("{path}: served {}\nwhere published {}", around(served), around(published));
}

/// A JSON string, or null.
fn quoted(text: Option<&str>) -> String {
    serde_json::to_string(&text).unwrap()
}

fn company_text(company: &Company, securities: &[TradedSecurity]) -> String {
    let of_company = securities.iter().filter(|security| security.company_id == company.id);
    let standing = of_company.filter(|security| !security.has_ended(today()));
    let tickers: Vec<String> = standing.map(|security| format!("\"{}\"", security.ticker)).collect();
    let registered_on = company.registered_on.map(|day| day.to_string());
    format!(
        r#"{{"id":"{}","name":{},"cnpj":"{}","status":{},"sector":{},"trading_name":{},"registered_on":{},"tickers":[{}],"also_known_as":[]}}"#,
        company.id,
        quoted(Some(&company.name)),
        company.cnpj,
        quoted(Some(&company.status)),
        quoted(company.sector.as_deref()),
        quoted(company.trading_name.as_deref()),
        quoted(registered_on.as_deref()),
        tickers.join(","),
    )
}

fn filing_text(filing: &Filing) -> String {
    let reference = filing.reference_day.map(|day| day.to_string());
    format!(
        r#"{{"id":"{}","company_id":"{}","company_name":{},"category":{},"date":"{}T00:00:00-03:00","description":{},"type":{},"reference_date":{},"version":{},"url":{}}}"#,
        filing.id,
        filing.company_id,
        quoted(Some(&filing.company_name)),
        quoted(Some(&filing.category)),
        filing.delivered_on,
        quoted(Some(&filing.description)),
        quoted(filing.kind.as_deref()),
        quoted(reference.as_deref()),
        filing.version,
        quoted(Some(&filing.url)),
    )
}

#[tokio::test]
async fn a_whole_history_is_served_exactly_and_requested_once() {
    let today = today();
    let (home, publisher) = (Home::new(), Publisher::holding(whole_history(today)));
    let since = (today.year() - YEARS + 1).to_string();
    let synchronise = || {
        let finished = home.sync(&publisher, &["--since", &since]);
        assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
        let asked_and_sent = (publisher.asked("") as u64, publisher.sent());
        publisher.forget();
        asked_and_sent
    };
    let first = synchronise();
    let key = home.new_key("gold", &["--rate-limit", "1000000"]);
    let reader = Reader { server: home.serve(&[]), client: client(), key };
    reader.all_of(&publisher.publisher_data()).await;

    let editions = reader.editions().await;
    let second = synchronise();
    // One request per series is the minimum: most are short and requested whole.
    assert!(second.0 * 7 <= first.0, "{} requests after {}", second.0, first.0);
    assert!(second.1 * 10 <= first.1, "{} bytes after {}", second.1, first.1);
    assert_eq!(reader.editions().await, editions);
}
