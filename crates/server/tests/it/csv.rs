//! Lists, searches and series as CSV files: plans, dialects, and cells.

use lastro_access::{Feature, terms};
use lastro_background::refresh::follow::follow_data;
use lastro_model::{Company, Filing, FilingId, Plan, Records, Source};
use lastro_store::{Condition, Publication, PublicationItem, RecordStore};

use crate::app::TestApp;
use crate::csv_reader::{DIALECTS, Object, guarded};

/// A page of every endpoint that has CSV, and the feature that its JSON needs.
const PAGES: [(&str, Feature); 21] = [
    ("/api/v1/companies?limit=30", Feature::Companies),
    ("/api/v1/companies?status=active&sector=energia+eletrica&limit=2&offset=1", Feature::Companies),
    ("/api/v1/companies/search?q=energia", Feature::Companies),
    ("/api/v1/companies/90001/filings?limit=7", Feature::Filings),
    ("/api/v1/filings?category=Fato+Relevante&limit=50&offset=3", Feature::Filings),
    ("/api/v1/filings/search?q=energia&limit=40", Feature::Filings),
    ("/api/v1/filings/recent?limit=3", Feature::Filings),
    ("/api/v1/market/selic?limit=40", Feature::Market),
    ("/api/v1/market/cdi?from=2026-09-01&to=2026-09-30", Feature::Market),
    ("/api/v1/market/ipca", Feature::Market),
    ("/api/v1/market/fx", Feature::Market),
    ("/api/v1/market/fx?pair=eur/brl&limit=5", Feature::Market),
    ("/api/v1/series?limit=80", Feature::Market),
    ("/api/v1/series/selic-month/checks", Feature::Market),
    ("/api/v1/series/usd-brl/observations?units=pch&limit=3", Feature::Market),
    ("/api/v1/series/observations?ids=ipca,usd-brl&frequency=monthly&limit=4", Feature::Market),
    ("/api/v1/companies/sectors?limit=3", Feature::Companies),
    ("/api/v1/filings/categories", Feature::Filings),
    ("/api/v1/series/ipca/observations?units=acc12&limit=3", Feature::Market),
    ("/api/v1/calendar/holidays?year=2026", Feature::Market),
    ("/api/v1/search?q=energia", Feature::Search),
];

/// The path with one more parameter.
fn with(path: &str, parameter: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}{parameter}")
}

fn object(text: &str) -> Object {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn every_list_search_and_series_is_also_a_csv_file() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for (path, _) in PAGES.iter().filter(|(path, _)| !path.starts_with("/api/v1/search")) {
        let page = object(&app.get(path).key(&key).send().await.expect(200).text());
        for dialect in DIALECTS {
            let asked = with(path, &format!("format=csv&locale={}", dialect.locale));
            let file = app.get(&asked).key(&key).send().await.expect(200);
            assert_eq!(dialect.read(&file.text()), dialect.of_objects(&page.objects("data")), "{asked}");
            assert_eq!(file.header("content-type"), "text/csv; charset=utf-8; header=present");
            let name = file.header("content-disposition");
            assert!(
                name.starts_with("attachment; filename=\"lastro-") && name.ends_with("-2026-11-02.csv\""),
                "{name}"
            );
            if let Some(total) = page.get("total") {
                assert_eq!(file.header("x-total-count"), total.get(), "{asked}");
            }
        }
    }
}

/// The total of a series is the number of matching points, whatever `limit` shows.
#[tokio::test]
async fn a_series_reports_its_number_of_matching_points() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for range in ["", "from=2026-01-05&to=2026-07-31"] {
        for series in ["selic", "cdi", "ipca", "fx"] {
            let path = format!("/api/v1/market/{series}?{range}");
            let all = object(&app.get(&with(&path, "limit=10000")).key(&key).send().await.expect(200).text());
            let file = app.get(&with(&path, "limit=3&format=csv")).key(&key).send().await.expect(200);
            assert_eq!(file.number("x-total-count"), all.objects("data").len() as i64, "{path}");
            assert_eq!(DIALECTS[0].read(&file.text()).len(), 1 + 3);
        }
    }
}

#[tokio::test]
async fn the_global_search_is_one_table_of_both_kinds() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let path = "/api/v1/search?q=energia&limit=12";
    let found = object(&app.get(path).key(&key).send().await.expect(200).text());
    for dialect in DIALECTS {
        let asked = with(path, &format!("format=csv&locale={}", dialect.locale));
        let file = app.get(&asked).key(&key).send().await.expect(200);
        let rows = dialect.read(&file.text());
        let expected = [("company", found.objects("companies")), ("filing", found.objects("filings"))];
        let expected: Vec<_> =
            expected.iter().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one))).collect();
        assert_eq!(rows.len(), 1 + expected.len());
        for (row, (kind, object)) in rows[1..].iter().zip(&expected) {
            for (name, cell) in rows[0].iter().zip(row) {
                let told = object.get(name).map(|value| dialect.cell(value)).unwrap_or_default();
                let told = if name == "kind" { (**kind).to_owned() } else { told };
                assert_eq!(*cell, told, "{name}");
            }
            assert!(object.0.iter().all(|(name, _)| rows[0].contains(name)));
        }
        let total = async |path: &str| app.get(path).key(&key).send().await.json()["total"].as_i64().unwrap();
        let both = total("/api/v1/companies/search?q=energia").await
            + total("/api/v1/filings/search?q=energia").await;
        assert_eq!(file.number("x-total-count"), both);
    }
}

#[tokio::test]
async fn csv_needs_platinum_and_others_get_an_upgrade_prompt() {
    let app = TestApp::start().await;
    for plan in Plan::ALL {
        let key = app.ample_key(plan).await;
        for (path, feature) in PAGES {
            let asked = [
                app.get(&with(path, "format=csv")).key(&key),
                app.get(path).key(&key).header("accept", "text/csv"),
            ];
            for asking in asked {
                let answer = asking.send().await;
                let missing = if terms(plan).includes(feature) { Feature::CsvExport } else { feature };
                if plan == Plan::Platinum {
                    answer.expect(200);
                } else {
                    let prompt = answer.expect(403).json();
                    assert_eq!(prompt["feature"], missing.id(), "{path}");
                    assert_eq!(prompt["required_plan"], missing.required_plan().id(), "{path}");
                }
            }
            if terms(plan).includes(feature) {
                app.get(&with(path, "format=json&locale=pt-BR")).key(&key).send().await.expect(200).json();
            }
        }
    }
    app.get("/api/v1/market/selic?format=csv").send().await.expect(403);
}

#[tokio::test]
async fn upgrade_prompts_do_not_hide_mistakes() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (path, _) in PAGES {
        for (parameter, choices) in [
            ("format=xml", "`format` must be json or csv"),
            ("format=", "`format` must be json or csv"),
            ("format=CSV", "`format` must be json or csv"),
            ("format=ndjson", "`format` must be json or csv"),
            ("locale=fr", "`locale` must be en or pt-BR"),
            ("locale=fr&format=csv", "`locale` must be en or pt-BR"),
        ] {
            let message = app.get(&with(path, parameter)).key(&gold).send().await.expect_error(400);
            assert_eq!(message, choices, "{path}");
        }
        app.get(&with(path, "format=csv&format=csv")).key(&gold).send().await.expect(400);
    }
    for (path, status) in [
        ("/api/v1/filings?limit=0&format=csv", 400),
        ("/api/v1/filings/search?format=csv", 400),
        ("/api/v1/market/selic?from=x&format=csv", 400),
        ("/api/v1/market/fx?pair=XXX/BRL&format=csv", 400),
        ("/api/v1/companies/7/filings?format=csv", 404),
        ("/api/v1/companies?format=csv", 403),
    ] {
        app.get(path).key(&gold).send().await.expect(status);
    }
    // A caller who lacks both the history and the format is referred to the plan that has both.
    let prompt = app.get("/api/v1/market/selic?from=1990-01-01&format=csv").send().await.expect(403).json();
    assert_eq!(prompt["required_plan"], "platinum");
}

#[tokio::test]
async fn format_wins_over_accept() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for (accept, format, kind) in [
        ("text/csv", "", "text/csv"),
        ("text/csv", "format=json", "application/json"),
        ("application/json", "format=csv", "text/csv"),
        ("text/csv;q=0.9, application/json;q=0.1", "", "text/csv"),
        ("text/csv;q=0.1, application/json", "", "application/json"),
        ("*/*", "", "application/json"),
        ("image/png", "", "application/json"),
    ] {
        let path = with("/api/v1/companies", format);
        let answer = app.get(&path).key(&key).header("accept", accept).send().await.expect(200);
        assert!(answer.header("content-type").starts_with(kind), "{accept} {format}");
        assert!(answer.header("vary").split(", ").any(|name| name == "Accept"));
    }
    // Responses that are not lists have no CSV form.
    for path in ["/api/v1/companies/90001", "/api/v1/market/overview", "/api/v1/plans"] {
        app.get(path).key(&key).header("accept", "text/csv").send().await.expect(200).json();
        let message = app.get(&with(path, "format=csv")).key(&key).send().await.expect_error(400);
        assert!(message.starts_with("`format` is not a parameter of this path"), "{message}");
    }
}

#[tokio::test]
async fn each_form_has_a_tag_of_its_own() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for (path, _) in PAGES {
        let mut tags: Vec<String> = Vec::new();
        for form in ["format=json", "format=csv", "format=csv&locale=pt-BR"] {
            let asked = with(path, form);
            let tag = app.get(&asked).key(&key).send().await.expect(200).header("etag").to_owned();
            app.get(&asked).key(&key).header("if-none-match", &tag).send().await.expect(304);
            for other in &tags {
                app.get(&asked).key(&key).header("if-none-match", other).send().await.expect(200);
            }
            tags.push(tag);
        }
        let plain = app.get(path).key(&key).send().await.expect(200);
        assert_eq!(plain.header("etag"), tags[0], "{path}");
    }
}

/// Texts that break writers, readers and spreadsheets.
pub(crate) const NASTY: [&str; 16] = [
    "=1+1",
    "+55 11 4002-8922",
    "-0.02",
    "@SUM(A1:A9)",
    "\tindented",
    "\rreturned",
    "say \"ação\"",
    "\"",
    "a,b;c",
    "one\ntwo\r\nthree",
    " spaces around ",
    "emoji 🦀 and ção",
    "'quoted'",
    "back\\slash",
    "=cmd|' /C calc'!A0",
    "1,5",
];

/// Publishes records in place of the sample. They are being served when it returns.
pub(crate) async fn publish(app: &TestApp, source: Source, records: Records) {
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(records)).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let publication =
        Publication { source, sample: false, replace: true, at: app.timestamp(), condition: Condition::None };
    app.elsewhere().await.publish(publication, receiver).await.unwrap();
    let counters = app.faults.counters().await.unwrap();
    follow_data(&app.service.follower, &counters).await.unwrap();
}

fn nasty_companies() -> Vec<Company> {
    let company = |(id, text): (u32, &&str)| {
        let name = format!("{text} {id}");
        let model = lastro_sample::companies(&lastro_sample::Shape::SAMPLE).swap_remove(0);
        let texts = Some((*text).to_owned());
        Company { id: lastro_model::CompanyId(id), name, sector: texts.clone(), trading_name: texts, ..model }
    };
    (1..).zip(&NASTY).map(company).collect()
}

fn nasty_filings() -> Vec<Filing> {
    let companies = lastro_sample::companies(&lastro_sample::Shape::SAMPLE);
    let model = lastro_sample::filings(&lastro_sample::Shape::SAMPLE, &companies).next().unwrap();
    let filing = |(id, text): (u64, &&str)| {
        let text = (*text).to_owned();
        let id = FilingId::Protocol(id);
        Filing {
            id,
            category: text.clone(),
            kind: Some(text.clone()),
            url: text.clone(),
            description: text,
            ..model.clone()
        }
    };
    (1..).zip(&NASTY).map(filing).collect()
}

#[tokio::test]
async fn nasty_texts_come_back_from_both_dialects() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    publish(&app, Source::Companies, Records::Companies(nasty_companies())).await;
    publish(&app, Source::Filings, Records::Filings(nasty_filings())).await;
    for dialect in DIALECTS {
        for (path, column) in [
            ("/api/v1/companies?limit=1000", 4),
            ("/api/v1/filings?limit=1000", 5),
            ("/api/v1/export/companies?", 4),
            ("/api/v1/export/filings?", 9),
        ] {
            let path = format!("{path}&format=csv&locale={}", dialect.locale);
            let file = app.get(&path).key(&key).send().await.expect(200).text();
            let mut cells: Vec<String> =
                dialect.read(&file).into_iter().skip(1).map(|mut row| row.swap_remove(column)).collect();
            let mut expected = NASTY.map(guarded);
            cells.sort();
            expected.sort();
            assert_eq!(cells, expected, "{path}");
        }
    }
}

/// LibreOffice, set to Brazilian Portuguese, finds the same cells in the file: numbers as numbers, texts as texts.
#[tokio::test]
async fn libreoffice_reads_the_brazilian_form_right() {
    if std::process::Command::new("soffice").arg("--version").output().is_err() {
        eprintln!("SKIPPED: LibreOffice (soffice) is not installed");
        return;
    }
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    publish(&app, Source::Filings, Records::Filings(nasty_filings())).await;
    let mut files = Vec::new();
    for path in ["/api/v1/export/filings", "/api/v1/market/fx", "/api/v1/market/ipca"] {
        let path = format!("{path}?format=csv&locale=pt-BR");
        files.push(app.get(&path).key(&key).send().await.expect(200).text());
    }
    for (file, opened) in files.iter().zip(opened_in_libreoffice(&app, &files)) {
        let told: Vec<Vec<String>> =
            DIALECTS[1].read(file).iter().map(|row| row.iter().map(|cell| shown(cell)).collect()).collect();
        assert_eq!(opened, told);
    }
}

/// A cell as LibreOffice shows it: numbers with a point and without trailing zeros, line breaks of the system.
fn shown(cell: &str) -> String {
    match cell.replace(',', ".").parse::<f64>() {
        Ok(number) => number.to_string(),
        Err(_) => cell.replace("\r\n", "\n").replace('\r', "\n"),
    }
}

/// Opens the files as a Brazilian spreadsheet does, and returns the cells.
fn opened_in_libreoffice(app: &TestApp, files: &[String]) -> Vec<Vec<Vec<String>>> {
    let directory = app.directory.path();
    let names: Vec<String> = (0..files.len()).map(|number| format!("{number}.csv")).collect();
    for (name, file) in names.iter().zip(files) {
        std::fs::write(directory.join(name), file).unwrap();
    }
    // Semicolon, quote, UTF-8, first line, default columns, Brazilian Portuguese, detect numbers.
    let opening = "--infilter=Text - txt - csv (StarCalc):59,34,76,1,,1046,false,true";
    let saving = "csv:Text - txt - csv (StarCalc):9,34,76,1,,1033,false,false";
    let output = std::process::Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}", directory.join("profile").display()))
        .args(["--headless", opening, "--convert-to", saving, "--outdir", "opened"])
        .args(&names)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let cells = |name: &String| {
        let path = directory.join("opened").join(name);
        let mut reader =
            csv::ReaderBuilder::new().delimiter(b'\t').has_headers(false).from_path(path).unwrap();
        reader.records().map(|row| row.unwrap().iter().map(shown).collect()).collect()
    };
    names.iter().map(cells).collect()
}
