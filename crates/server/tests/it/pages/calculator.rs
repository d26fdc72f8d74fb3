//! The calculator shows the same results as the API.

use lastro_model::{Day, Plan, RatePoint, Records, Series, Source};

use super::check::with_published;
use crate::app::TestApp;
use crate::csv::publish;

const QUESTIONS: [(&str, &str); 24] = [
    ("savings", "from=2025-01-10&to=2026-01-10&amount=1234.56"),
    ("savings", "from=2025-01-31&to=2026-09-30&amount=1"),
    ("rent", "index=igpm&month=2026-06&amount=2000&negative=ignore"),
    ("rent", "index=ipca&month=2025-10&amount=0.01&negative=apply"),
    ("correction", "index=ipca&from=2025-11&to=2025-11&amount=1"),
    ("correction", "index=igpm&from=2024-03&to=2026-03&amount=999999999999999.99"),
    ("correction", "index=igpdi&from=2025-01&to=2026-01&amount=0.05"),
    ("correction", "index=ipc-br&from=2025-01&to=2025-12&amount=33.33"),
    ("correction", "index=ipca-e&from=2024-02&to=2024-02&amount=1000000"),
    ("correction", "index=inpc&from=2026-01&to=2026-09&amount=7"),
    ("accumulation", "rate=selic&rate_percent=100&from=2026-06-01&to=2026-06-02&amount=1"),
    ("accumulation", "rate=selic&rate_percent=87.1234&from=2025-01-02&to=2026-09-15&amount=50000"),
    ("accumulation", "rate=cdi&rate_percent=0.125&from=2025-06-02&to=2026-06-01&amount=1000000"),
    ("accumulation", "rate=cdi&rate_percent=1000&from=2026-01-02&to=2026-02-02&amount=10"),
    ("accumulation", "rate=cdi&rate_percent=99.875&from=2026-01-02&to=2026-02-02&amount=10"),
    ("accumulation", "rate=selic&rate_percent=110&from=2024-02-29&to=2026-02-27&amount=0.01"),
    ("legal-interest", "from=2025-01-01&to=2026-01-01&amount=1234.56"),
    ("legal-interest", "from=2024-08-30&to=2026-09-30&amount=1"),
    ("legal-interest", "from=2026-02-28&to=2026-03-01&amount=99999.99"),
    ("legal-interest", "from=2026-06-01&to=2026-06-30&amount=500"),
    ("correction", "index=ipca&from=2025-11&to=2026-06&amount=1000"),
    ("correction", "index=inpc&from=2024-01&to=2026-06&amount=0.01"),
    ("accumulation", "rate=cdi&rate_percent=110&from=2026-06-01&to=2026-09-15&amount=123456.78"),
    ("legal-interest", "from=2026-06-01&to=2026-07-15&amount=1000"),
];

#[tokio::test]
async fn results_and_receipts_are_those_of_the_api() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (kind, asked) in QUESTIONS {
        let api = app.get(&format!("/api/v1/calc/{kind}?{asked}")).key(&key).send().await.expect(200);
        let (text, json) = (api.text(), api.json());
        let page = app.get(&format!("/calculator/{kind}?{asked}")).key(&key).send().await.expect(200).text();
        let result = text.split("\"result\":").nth(1).unwrap().split(',').next().unwrap();
        assert!(page.contains(&format!("<data value=\"{result}\">")), "{kind}: {result}");
        let rows = page.split("<tbody>").nth(1).unwrap().matches("<tr>").count();
        assert_eq!(rows, json["receipt"].as_array().unwrap().len(), "{kind}");
        let call = page.split(&format!("/api/v1/calc/{kind}?")).nth(1).expect("the call");
        assert_eq!(call.split('&').next(), asked.split('&').next(), "{kind}");
        let factor = json["factor"].to_string();
        assert!(page.contains(&format!("<dd>{factor}")), "{kind} {asked}: {factor}");
    }
}

#[tokio::test]
async fn a_percentage_of_a_rate_is_read_and_shown_exactly() {
    let app = TestApp::start().await;
    for (typed, called, told) in
        [("99%2C875", "99.875", "99.875%"), ("0.125", "0.125", "0.125%"), ("110+%25", "110", "110%")]
    {
        let path = format!(
            "/calculator/accumulation?rate=cdi&rate_percent={typed}&from=2026-06-01&to=2026-09-15&amount=1000"
        );
        let page = app.get(&path).send().await.expect(200).text();
        assert!(page.contains(&format!("rate_percent={called}&#38;")), "{typed}");
        assert!(page.contains(&format!("at {told} of the CDI")), "{typed}");
    }
}

#[tokio::test]
async fn amounts_are_read_in_common_notations() {
    let app = TestApp::start().await;
    for amount in ["1000", "1.000%2C00", "1%2C000.00", "R%24+1.000%2C00"] {
        let path = format!("/calculator/correction?index=ipca&from=2026-01&to=2026-06&amount={amount}");
        let page = app.get(&path).send().await.expect(200).text();
        assert!(page.contains("amount=1000"), "{amount}");
    }
}

#[tokio::test]
async fn receipts_of_any_period_need_no_plan() {
    let app = TestApp::start().await;
    let path = "/calculator/correction?index=ipca&from=2023-01&to=2026-06&amount=1000";
    let page = app.get(path).send().await.expect(200).text();
    let rows = page.split("<tbody>").nth(1).unwrap().matches("<tr>").count();
    assert_eq!((rows, page.contains("Gold")), (42, false));
}

#[tokio::test]
async fn calculation_errors_are_in_the_language_of_the_page() {
    let app = TestApp::start().await;
    for (asked, english, portuguese) in [
        ("index=ipca&from=2026-06&to=2026-01&amount=1", "must not be after", "não pode ser posterior"),
        (
            "index=ipca&from=1900-01&to=2026-01&amount=1",
            "no value for Jan 1900",
            "valor para janeiro de 1900",
        ),
        ("index=ipca&from=2026-01&to=2026-02&amount=x", "amount must be", "O valor deve"),
        ("index=ipca&from=&to=2026-02&amount=1", "both dates", "datas válidas"),
        ("index=ipca&from=2026-13&to=2026-02&amount=1", "that the calendar has", "existam no calendário"),
        ("index=selic&from=2026-01&to=2026-02&amount=1", "from the list", "da lista"),
        ("index=ipca&from=2026-01&to=2026-02&amount=%00%1B", "amount must be", "O valor deve"),
    ] {
        for (language, sentence) in [("en", english), ("pt", portuguese)] {
            let path = format!("/calculator/correction?{asked}&lang={language}");
            let page = app.get(&path).send().await.expect(400).text();
            assert!(!page.contains(['\0', '\x1b']), "{path}");
            let told = page.split("class=\"failure\"").nth(1).unwrap_or_else(|| panic!("{path}"));
            assert!(told.contains(sentence), "{path}: {}", &told[..200]);
        }
    }
}

#[tokio::test]
async fn wages_are_converted_both_ways_on_the_page() {
    let app = TestApp::start().await;
    for asked in ["month=2026-01&amount=1000", "month=2026-01&wages=1.5"] {
        let api = app.get(&format!("/api/v1/calc/minimum-wages?{asked}")).send().await.expect(200).text();
        let result = api.split("\"result\":").nth(1).unwrap().split(',').next().unwrap();
        let page = app.get(&format!("/calculator/minimum-wages?{asked}")).send().await.expect(200).text();
        assert!(page.contains(&format!("<data value=\"{result}\">")), "{asked}: {result}");
    }
    let both = app.get("/calculator/minimum-wages?month=2026-01&amount=1&wages=1&lang=pt").send().await;
    assert!(both.expect(400).text().contains("mas não os dois"));
}

/// The verdict that the page of a check gives.
pub(super) fn verdict(page: &str) -> &str {
    page.split("data-verdict=\"").nth(1).unwrap().split('"').next().unwrap()
}

#[tokio::test]
async fn a_code_confirms_its_calculation_and_no_other() {
    let app = with_published(&[
        Series::Ipca,
        Series::Inpc,
        Series::Igpdi,
        Series::IgpmExact,
        Series::IpcaE,
        Series::IpcBr,
        Series::Cdi,
        Series::SelicDaily,
        Series::SavingsDaily,
        Series::LegalRate,
        Series::MinimumWage,
    ])
    .await;
    for (kind, asked) in QUESTIONS.into_iter().chain([("minimum-wages", "month=2026-01&amount=1000.50")]) {
        let answer = app.get(&format!("/api/v1/calc/{kind}?{asked}")).send().await.expect(200);
        let result = answer.text().split("\"result\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
        let code = answer.json()["check"].as_str().unwrap().to_owned();
        assert!((16..=24).contains(&code.len()), "{code}");
        let check = async |code: &str, asked: &str, result: &str| {
            app.advance_seconds(61);
            let page = app.get(&format!("/calculator/check/{code}?{asked}&result={result}")).send().await;
            verdict(&page.expect(200).text()).to_owned()
        };
        assert_eq!(check(&code, asked, &result).await, "confirmed", "{kind} {asked}");
        assert_eq!(check(&code.to_lowercase(), asked, &format!("{result}0")).await, "confirmed", "{kind}");
        assert_eq!(check(&code, asked, "1234.56").await, "unknown", "{kind}");
        assert_eq!(
            check(&code, &asked.replace("2026-01", "2026-02"), &result).await == "confirmed",
            !asked.contains("2026-01"),
            "{kind} {asked}"
        );
        assert_eq!(check("C0", asked, &result).await, "unknown", "{kind}");
        assert_eq!(check(&code, "", &result).await, "unknown", "{kind}");
    }
}

#[tokio::test]
async fn a_revision_is_shown_beside_the_confirmation() {
    let app = TestApp::start().await;
    let publish_month = async |value: &str| {
        let point = RatePoint { day: Day::parse("2026-01-01").unwrap(), value: value.parse().unwrap() };
        publish(&app, Source::Series(Series::Ipca), Records::Rates(vec![point])).await;
    };
    publish_month("0.50").await;
    let asked = "index=ipca&from=2026-01&to=2026-01&amount=1000";
    let answer = app.get(&format!("/api/v1/calc/correction?{asked}")).send().await.expect(200).json();
    let path = format!("/calculator/check/{}?{asked}&result=1005.00", answer["check"].as_str().unwrap());
    assert_eq!(verdict(&app.get(&path).send().await.expect(200).text()), "confirmed");
    publish_month("0.60").await;
    let page = app.get(&path).send().await.expect(200).text();
    assert_eq!(verdict(&page), "revised");
    assert!(page.contains("1,006.00"), "{page}");
}

const INSTALMENTS: &str =
    "10/01/2026 1.000,00 aluguel de janeiro\n2026-02-10;R$ 250,50\n10/03/2026\t99.90\tluz";

#[tokio::test]
async fn a_debt_is_pasted_as_lines() {
    let app = with_published(&[Series::Ipca]).await;
    let form = |instalments: &str| {
        let lines = percent_encoding::utf8_percent_encode(instalments, percent_encoding::NON_ALPHANUMERIC);
        format!(
            "to=2026-06-15&index=ipca&rule=simple&monthly_percent=0%2C5&fine_percent=10&instalments={lines}"
        )
    };
    let post = |path: &str, body: String| app.request(reqwest::Method::POST, path).body(body).send();
    let page = post("/calculator/debt", form(INSTALMENTS)).await.expect(200).text();
    let body = serde_json::json!({
        "to": "2026-06-15", "index": "ipca", "fine_percent": "10",
        "interest": { "rule": "simple", "monthly_percent": "0.5" },
        "instalments": [
            { "date": "2026-01-10", "amount": "1000.00", "label": "aluguel de janeiro" },
            { "date": "2026-02-10", "amount": "250.50" },
            { "date": "2026-03-10", "amount": "99.90", "label": "luz" },
        ],
    });
    let api = post("/api/v1/calc/debt", body.to_string()).await.expect(200);
    let result = api.text().split("\"result\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
    assert!(page.contains(&format!("<data value=\"{result}\">")), "{result}");
    let code = api.json()["check"].as_str().unwrap().to_owned();
    assert!(page.contains(&code));

    let mut checked = body.clone();
    checked["result"] = result.parse::<f64>().unwrap().into();
    let check = format!("/calculator/check/{code}");
    assert_eq!(verdict(&post(&check, checked.to_string()).await.expect(200).text()), "confirmed");
    checked["instalments"][0]["amount"] = "1000.01".into();
    assert_eq!(verdict(&post(&check, checked.to_string()).await.expect(200).text()), "unknown");

    let bad = post("/calculator/debt?lang=pt", form("10/01/2026 1.000,00\nontem 5")).await.expect(400).text();
    assert!(bad.contains("Linha 2"), "{bad}");
    let late = post("/calculator/debt", form("10/01/2027 1")).await.expect(400).text();
    assert!(late.contains("Line 1: the date of an instalment must not be after"));
}
