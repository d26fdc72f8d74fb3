//! Copies that follow random histories equal every export whose cursor they reach.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use lastro_model::{
    CompanyId, Day, Decimal, FormerName, FxQuote, Pair, Plan, Records, Series, Source, Ticker, TradedSecurity,
};
use lastro_store::Store;
use serde_json::Value;

use super::{company, filing, in_service, prompt, publish, rate};
use crate::app::TestApp;
use crate::process::migrate::Server;

/// A copy of some rows, by their identity.
type Copy = BTreeMap<String, Value>;

const DATASETS: [&str; 4] = ["filings", "companies", "selic", "fx"];

fn identity(dataset: &str, row: &Value) -> String {
    let names: &[&str] = match dataset {
        "selic" => &["date"],
        "fx" => &["pair", "date"],
        _ => &["id"],
    };
    names.iter().map(|name| row[name].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// The rows of an export and its cursor; neither while no company has the ticker that it names.
async fn export(app: &TestApp, key: &str, dataset: &str, query: &str) -> (Copy, String) {
    let path = format!("/api/v1/export/{dataset}{query}");
    let answer = app.get(&path).key(key).send().await;
    if answer.status == 404 && query.contains("QQQQ3") {
        return (Copy::new(), String::new());
    }
    let answer = answer.expect(200);
    let rows = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let rows = rows.into_iter().map(|row| (identity(dataset, &row), row)).collect();
    (rows, answer.header("x-changes-cursor").to_owned())
}

/// A client with a copy of one data set, filtered or not.
struct Client {
    dataset: &'static str,
    /// The filter of the export, and the same filter of the changes.
    filters: (&'static str, &'static str),
    rows: Copy,
    cursor: String,
    /// Whether the rows are those of an export, and none was changed since.
    is_anew: bool,
}

impl Client {
    async fn start(app: &TestApp, key: &str, random: &mut fastrand::Rng) -> Self {
        let dataset = DATASETS[random.usize(..DATASETS.len())];
        let filters = match (dataset, random.u8(..4)) {
            ("filings", 0) => ("?category=Ata", "&categories=Ata"),
            ("filings", 1) => {
                ("?company_id=4170", "&company_ids=4170&types=filing.created,filing.updated,filing.removed")
            }
            ("filings", 2) => {
                ("?company_id=QQQQ3", "&company_ids=QQQQ3&types=filing.created,filing.updated,filing.removed")
            }
            ("companies", 0) => ("?cnpj=33000167000101", "&company_ids=33000167000101"),
            ("selic", 0) => ("", "&series_ids=selic"),
            ("fx", 0) => ("?pair=USD/BRL", "&series_ids=usd-brl"),
            _ => ("", ""),
        };
        Self::of(app, key, dataset, filters).await
    }

    async fn of(
        app: &TestApp,
        key: &str,
        dataset: &'static str,
        filters: (&'static str, &'static str),
    ) -> Self {
        let (rows, cursor) = export(app, key, dataset, filters.0).await;
        Self { dataset, filters, rows, cursor, is_anew: true }
    }

    /// Applies some changes, and is killed before the place is written down.
    async fn break_off(&mut self, app: &TestApp, key: &str, random: &mut fastrand::Rng) {
        let cursor = self.cursor.clone();
        self.follow(app, key, random.usize(1..4)).await;
        if !self.is_anew {
            self.cursor = cursor;
        }
    }

    /// Follows some of the changes, or all. Returns whether more are there.
    async fn follow(&mut self, app: &TestApp, key: &str, limit: usize) -> bool {
        self.is_anew = true;
        if self.cursor.is_empty() {
            (self.rows, self.cursor) = export(app, key, self.dataset, self.filters.0).await;
            return !self.cursor.is_empty();
        }
        let path = format!("/api/v1/changes?after={}&limit={limit}{}", self.cursor, self.filters.1);
        let answer = app.get(&path).key(key).send().await;
        if answer.status == 410 {
            (self.rows, self.cursor) = export(app, key, self.dataset, self.filters.0).await;
            return true;
        }
        let page = answer.expect(200).json();
        self.cursor = page["next"].as_str().unwrap().to_owned();
        for change in page["data"].as_array().unwrap() {
            if self.take(change) {
                (self.rows, self.cursor) = export(app, key, self.dataset, self.filters.0).await;
                return true;
            }
        }
        self.is_anew = false;
        page["more"].as_bool().unwrap()
    }

    /// Applies a change. Returns whether the data set was replaced.
    fn take(&mut self, change: &Value) -> bool {
        let (kind, event) = change["type"].as_str().unwrap().split_once('.').unwrap();
        let item = &change["item"];
        let dataset = match kind {
            "filing" => "filings",
            "company" => "companies",
            "fx" => "fx",
            "observation" if item["series"] == "selic" => "selic",
            "source" => return item["source"] == self.dataset,
            _ => return false,
        };
        if dataset != self.dataset {
            return false;
        }
        let id = identity(dataset, item);
        if event == "removed" {
            self.rows.remove(&id);
        } else {
            let mut row = item.clone();
            row.as_object_mut().unwrap().remove("series");
            self.rows.insert(id, row);
        }
        false
    }
}

/// The last one has brands.
const COMPANIES: [u32; 5] = [1, 2, 3, 4, 4170];

pub(super) fn traded(ticker: &str, company: u32, reference_day: u8) -> TradedSecurity {
    TradedSecurity {
        ticker: Ticker::parse(ticker).unwrap(),
        company_id: CompanyId(company),
        kind: "Ações Ordinárias".to_owned(),
        class: None,
        segment: None,
        trading_from: None,
        trading_to: None,
        reference_day: Day::parse(&format!("2026-01-0{reference_day}")).unwrap(),
        version: 1,
    }
}

/// Some quotes of two pairs, at least one of each.
fn quotes(random: &mut fastrand::Rng) -> Vec<FxQuote> {
    let mut quote = |day: u8, pair| FxQuote {
        day: Day::parse(&format!("2026-10-0{day}")).unwrap(),
        pair: Pair::parse(pair).unwrap(),
        buy: Decimal::new(random.i64(50..53), 1),
        sell: Decimal::new(55, 1),
    };
    (1..4).flat_map(|day| [quote(day, "USD/BRL"), quote(day, "EUR/BRL")]).collect()
}

/// Official data that filters can name.
async fn begin(app: &TestApp, random: &mut fastrand::Rng) {
    let companies = COMPANIES.map(|id| company(id, "Um")).to_vec();
    publish(&*app.plain, app.timestamp(), Source::Companies, Records::Companies(companies), true).await;
    publish(&*app.plain, app.timestamp(), Source::Fx, Records::Fx(quotes(random)), true).await;
    let claims = vec![traded("QQQQ3", 4170, 1)];
    publish(&*app.plain, app.timestamp(), Source::Tickers, Records::Tickers(claims), true).await;
    in_service(app).await;
}

/// Publishes something at random.
async fn publish_something(app: &TestApp, random: &mut fastrand::Rng, step: u64) {
    app.advance_seconds(1);
    let (store, at): (&dyn Store, _) = (&*app.plain, app.timestamp());
    let replace = random.u8(..12) == 0;
    match random.u8(..7) {
        0 => {
            let rows = (1..6).filter(|_| random.bool()).collect::<Vec<u8>>();
            let rows = rows.into_iter().map(|day| rate(day, random.i64(..3))).collect();
            publish(store, at, Source::Series(Series::Selic), Records::Rates(rows), replace).await;
        }
        1 => {
            let ids =
                COMPANIES.into_iter().filter(|id| *id == 4170 || random.u8(..4) > 0).collect::<Vec<u32>>();
            let rows = ids.into_iter().map(|id| company(id, ["Um", "Dois"][random.usize(..2)])).collect();
            publish(store, at, Source::Companies, Records::Companies(rows), replace).await;
        }
        2 => {
            let name = |id| FormerName {
                company_id: CompanyId(id),
                name: ["Vale S.A.", "CVRD", "Um S.A."][random.usize(..3)].to_owned(),
                until: Day::parse(&format!("2026-01-0{}", random.u8(1..4))).unwrap(),
            };
            let names = COMPANIES.into_iter().flat_map(|id| [id, id]).map(name).collect();
            publish(store, at, Source::Tickers, Records::FormerNames(names), true).await;
        }
        3 => {
            // Some are claimed by several companies.
            let mut claims = vec![traded("QQQQ3", 4170, 1), traded("QQQQ3", random.u32(1..3), 2)];
            for ticker in ["VALE3", "PETR4"] {
                let holders = COMPANIES.into_iter().filter(|_| random.bool()).collect::<Vec<u32>>();
                claims.extend(holders.into_iter().map(|id| traded(ticker, id, random.u8(1..4))));
            }
            publish(store, at, Source::Tickers, Records::Tickers(claims), true).await;
        }
        4 => publish(store, at, Source::Fx, Records::Fx(quotes(random)), replace).await,
        _ => {
            let ids = (1..9).filter(|_| random.u8(..4) > 0).collect::<Vec<u64>>();
            let mut row = |id| {
                let category = ["Ata", "Aviso"][random.usize(..2)];
                filing(
                    id,
                    [1, 2, 4170][(id % 3) as usize],
                    category,
                    &format!("texto {}", random.u64(..2) * step),
                )
            };
            let rows = ids.into_iter().map(&mut row).collect();
            publish(store, at, Source::Filings, Records::Filings(rows), replace).await;
        }
    }
}

/// The copies after they have followed everything, at any server.
async fn check(apps: &[&TestApp], key: &str, clients: &mut [Client], random: &mut fastrand::Rng) {
    for app in apps {
        in_service(app).await;
    }
    for client in clients {
        while client.follow(apps[random.usize(..apps.len())], key, [1, 2, 4, 100][random.usize(..4)]).await {}
        let (rows, cursor) = export(apps[0], key, client.dataset, client.filters.0).await;
        assert_eq!(client.rows, rows, "{}", client.dataset);
        assert_eq!(client.cursor, cursor, "{}", client.dataset);
    }
}

async fn history(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut app = TestApp::start_with(prompt).await;
    let key = app.ample_key(Plan::Gold).await;
    begin(&app, &mut random).await;
    let mut beside = Some(app.beside(prompt).await);
    let mut clients: Vec<Client> = Vec::new();
    for step in 1..40 {
        publish_something(&app, &mut random, step).await;
        let apps: Vec<&TestApp> = std::iter::once(&app).chain(beside.as_ref()).collect();
        let anywhere = apps[random.usize(..apps.len())];
        match random.u8(..8) {
            0 | 1 => {
                clients.push(Client::start(anywhere, &key, &mut random).await);
            }
            2..=4 if !clients.is_empty() => {
                let one = random.usize(..clients.len());
                match random.bool() {
                    true => drop(clients[one].follow(anywhere, &key, random.usize(1..4)).await),
                    false => clients[one].break_off(anywhere, &key, &mut random).await,
                }
            }
            5 => check(&apps, &key, &mut clients, &mut random).await,
            6 if beside.is_some() => {
                // Stopped, and perhaps replaced.
                let gone = beside.take().unwrap();
                gone.service.stop().await.unwrap();
                if random.bool() {
                    beside = Some(app.beside(prompt).await);
                } else {
                    app = app.restart_with(prompt).await;
                }
            }
            _ => {}
        }
    }
    let apps: Vec<&TestApp> = std::iter::once(&app).chain(beside.as_ref()).collect();
    check(&apps, &key, &mut clients, &mut random).await;
}

#[tokio::test]
async fn copies_of_random_histories_equal_their_exports() {
    for seed in 0..4 {
        history(seed).await;
    }
}

/// A replica on a PostgreSQL database, with the pepper of all replicas.
async fn replica(server: &Server, pepper: &Path) -> TestApp {
    let store = lastro_store::open(&server.url).await.unwrap();
    let shared = Arc::clone(&store);
    let mut app = TestApp::start_with(|setup| {
        prompt(setup);
        setup.store = shared;
        setup.common.database = server.url.clone();
        setup.common.pepper_file = Some(pepper.to_owned());
    })
    .await;
    app.plain = store;
    app
}

#[tokio::test]
async fn copies_that_alternate_between_replicas_equal_their_exports() {
    let (server, directory) = (Server::new(), tempfile::TempDir::new().unwrap());
    let pepper = directory.path().join("pepper");
    let first = replica(&server, &pepper).await;
    let mut second = replica(&server, &pepper).await;
    let key = first.ample_key(Plan::Gold).await;
    let mut random = fastrand::Rng::with_seed(11);
    begin(&first, &mut random).await;
    in_service(&second).await;
    let mut clients: Vec<Client> = Vec::new();
    for step in 1..28 {
        // Both publish, sometimes at the same time.
        let (mut one, mut other) = (random.fork(), random.fork());
        let (at_first, at_second) =
            (publish_something(&first, &mut one, step), publish_something(&second, &mut other, step + 1));
        tokio::join!(at_first, at_second);
        let apps = [&first, &second];
        let anywhere = apps[random.usize(..2)];
        match random.u8(..6) {
            0 | 1 => {
                clients.push(Client::start(anywhere, &key, &mut random).await);
            }
            2 | 3 if !clients.is_empty() => {
                let one = random.usize(..clients.len());
                match random.bool() {
                    true => drop(clients[one].follow(anywhere, &key, random.usize(1..4)).await),
                    false => clients[one].break_off(anywhere, &key, &mut random).await,
                }
            }
            4 => check(&apps, &key, &mut clients, &mut random).await,
            _ => {
                second.service.stop().await.unwrap();
                second = replica(&server, &pepper).await;
            }
        }
    }
    check(&[&first, &second], &key, &mut clients, &mut random).await;
    first.service.stop().await.unwrap();
    second.service.stop().await.unwrap();
}

#[tokio::test]
async fn a_restored_backup_does_not_take_later_cursors_for_its_own() {
    let app = TestApp::start_with(prompt).await;
    let key = app.ample_key(Plan::Gold).await;
    let filings =
        |ids: std::ops::Range<u64>| Records::Filings(ids.map(|id| filing(id, 1, "Ata", "texto")).collect());
    publish(&*app.plain, app.timestamp(), Source::Filings, filings(1..3), true).await;
    in_service(&app).await;
    let backup = tempfile::TempDir::new().unwrap();
    let app = {
        let now = app.timestamp().as_millisecond();
        app.restart_at(now, |path| copy(path, backup.path())).await
    };
    let mut client = Client::of(&app, &key, "filings", ("", "")).await;
    app.advance_seconds(1);
    publish(&*app.plain, app.timestamp(), Source::Filings, filings(1..4), false).await;
    in_service(&app).await;
    while client.follow(&app, &key, 10).await {}
    assert_eq!(client.rows.len(), 3);
    let app = {
        let now = app.timestamp().as_millisecond();
        app.restart_at(now + 5_000, |path| copy(backup.path(), path)).await
    };
    publish(&*app.plain, app.timestamp(), Source::Filings, filings(1..6), false).await;
    in_service(&app).await;
    while client.follow(&app, &key, 10).await {}
    assert_eq!(client.rows, export(&app, &key, "filings", "").await.0);
    assert_eq!(client.rows.len(), 5);
}

/// Copies the files of a database.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    for file in from.read_dir().unwrap().map(Result::unwrap) {
        let name = file.file_name().into_string().unwrap();
        if name.starts_with("lastro.db") && file.path().is_file() {
            std::fs::copy(file.path(), to.join(name)).unwrap();
        }
    }
}
