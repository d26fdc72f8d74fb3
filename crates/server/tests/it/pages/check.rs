//! The check of a code: what a reader of the printed document is told.

use lastro_model::{Day, RatePoint, Records, Series, Source};
use serde_json::json;

use super::calculator::verdict;
use crate::answer::Answer;
use crate::app::TestApp;
use crate::csv::publish;

/// A service on which these series have the sample's values, as if they had been published.
pub(super) async fn with_published(series: &[Series]) -> TestApp {
    let app = TestApp::start().await;
    for series in series {
        let rows = Records::Rates(lastro_sample::rates(*series, 1));
        publish(&app, Source::Series(*series), rows).await;
    }
    app
}

async fn post(app: &TestApp, path: &str, body: impl Into<String>) -> Answer {
    app.advance_seconds(10);
    app.request(reqwest::Method::POST, path).body(body.into()).send().await
}

const LINES: &str = "10/01/2026%09R%24+1.000%2C00%09aluguel%0A%0A10/02/2026+250%2C50";
const TERMS: &str =
    "to=2026-06-15&index=ipca&rule=simple&monthly_percent=0%2C5&fine_percent=10&fine_on=total";

/// The code, the result as shown and the page of a debt.
async fn debt(app: &TestApp) -> (String, String, String) {
    let page = post(app, "/calculator/debt?lang=pt", format!("{TERMS}&instalments={LINES}")).await;
    let page = page.expect(200).text();
    let between =
        |start: &str, end: &str| page.split(start).nth(1).unwrap().split(end).next().unwrap().to_owned();
    let code = between("class=\"check-code\">", "<");
    let shown = between("<p class=\"figure\">", "</p>").split(['<', '>']).nth(2).unwrap().to_owned();
    (code, shown, page)
}

#[tokio::test]
async fn the_address_on_a_debt_asks_for_its_inputs() {
    let app = with_published(&[Series::Ipca]).await;
    let (code, shown, page) = debt(&app).await;
    let path = format!("/calculator/check/{code}");
    assert!(page.contains(&format!("href=\"{path}\"")));
    for query in ["?lang=pt", "?lang=pt&result=1.234,56"] {
        let asked = app.get(&format!("{path}{query}")).send().await.expect(200).text();
        assert_eq!(verdict(&asked), "incomplete");
        assert!(!asked.contains("Não confirmado") && asked.contains("são de dívidas"));
        assert!(asked.contains(&format!("action=\"{path}\" method=\"post\"")));
        for field in
            ["instalments", "to", "index", "rule", "interest_from", "fine_on", "fees_percent", "result"]
        {
            assert!(asked.contains(&format!("name=\"{field}\"")), "{field}");
        }
    }
    // The result is typed as the document shows it.
    assert!(shown.starts_with("R$"), "{shown}");
    let typed = shown.replace('\u{a0}', "+").replace('$', "%24").replace(',', "%2C");
    let filled = post(&app, &path, format!("{TERMS}&instalments={LINES}&result={typed}")).await;
    assert_eq!(verdict(&filled.expect(200).text()), "confirmed");
    let other = post(&app, &path, format!("{TERMS}&instalments={LINES}&result=1")).await.expect(200).text();
    assert_eq!(verdict(&other), "unknown");
    assert!(other.contains("aluguel"), "the form keeps what was typed");
}

#[tokio::test]
async fn the_button_of_a_debt_confirms_it_at_any_size() {
    let app = with_published(&[Series::Ipca, Series::LegalRate]).await;
    let lines: String =
        (0..500).map(|place| format!("10/01/2026;{place}1,00;{}\n", "ação ".repeat(10))).collect();
    let encoded = percent_encoding::utf8_percent_encode(&lines, percent_encoding::NON_ALPHANUMERIC);
    let form = format!("to=2026-06-15&index=ipca&rule=legal&instalments={encoded}");
    let page = post(&app, "/calculator/debt", &*form).await.expect(200).text();
    let action = page.split("<form class=\"actions\" action=\"").nth(1).unwrap().split('"').next().unwrap();
    let result = page.split("name=\"result\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    for name in ["to", "index", "rule", "instalments"] {
        assert!(page.contains(&format!("<input type=\"hidden\" name=\"{name}\"")), "{name}");
    }
    let checked = post(&app, action, format!("{form}&result={result}")).await.expect(200).text();
    assert_eq!(verdict(&checked), "confirmed");
}

#[tokio::test]
async fn the_result_of_a_debt_is_a_number_however_it_is_written() {
    let app = TestApp::start().await;
    let body = |result: &str| {
        let terms = r#""to":"2026-06-15","index":null,"interest":{"rule":"none"}"#;
        format!(r#"{{{terms},"instalments":[{{"date":"2026-01-10","amount":1e3}}]{result}}}"#)
    };
    let code = app.post("/api/v1/calc/debt", body("")).send().await.expect(200).json()["check"].clone();
    let path = format!("/calculator/check/{}", code.as_str().unwrap());
    for (result, expected) in [
        ("1000", "confirmed"),
        ("1000.00", "confirmed"),
        ("1e3", "confirmed"),
        ("\"1000.00\"", "confirmed"),
        ("1.001e3", "unknown"),
    ] {
        let page = post(&app, &path, body(&format!(",\"result\":{result}"))).await.expect(200).text();
        assert_eq!(verdict(&page), expected, "{result}");
    }
}

#[tokio::test]
async fn unreadable_inputs_of_a_debt_are_not_confirmed() {
    let app = TestApp::start().await;
    let good = json!({
        "to": "2026-06-15", "index": null, "interest": { "rule": "none" }, "result": 1,
        "instalments": [{ "date": "2026-01-10", "amount": 1 }],
    });
    let (mut negative, mut without) = (good.clone(), good.clone());
    negative["instalments"][0]["amount"] = json!(-1);
    without.as_object_mut().unwrap().remove("result");
    let bodies = [good, negative.clone(), json!({})].map(|body| body.to_string());
    let others = ["", "{", "x=%FF", "to=1&to=2", "instalments=ontem&result=1"].map(str::to_owned);
    for body in bodies.into_iter().chain(others) {
        let page = post(&app, "/calculator/check/D0123456789ABCDEFGHJK", &*body).await.expect(200).text();
        assert_eq!(verdict(&page), "unknown", "{body}");
    }
    let line =
        post(&app, "/calculator/check/D0?lang=pt", "instalments=ontem&result=1").await.expect(200).text();
    assert!(line.contains("Linha 1: informe data e valor"), "{line}");
    let path = "/calculator/check/D0123456789ABCDEFGHJK?lang=pt";
    for (body, told) in [
        ("{".to_owned(), "Os dados não puderam ser lidos. O conteúdo enviado não tem o formato esperado"),
        ("x=%FF".to_owned(), "Os dados não puderam ser lidos. O conteúdo enviado não tem o formato esperado"),
        (negative.to_string(), "Parcela 1: O valor deve ser maior que 0"),
    ] {
        let page = post(&app, path, &*body).await.expect(200).text();
        assert!(page.contains(told), "{body}: {page}");
    }
    // Without a result nothing can be checked yet.
    let page = post(&app, path, without.to_string()).await.expect(200).text();
    assert_eq!(verdict(&page), "incomplete");
}

/// The facts of a page: each name with its value.
fn facts(page: &str) -> Vec<(&str, &str)> {
    let facts = page.split("<div><dt>").skip(1).filter_map(|fact| fact.split("</dd>").next());
    facts.filter_map(|fact| fact.split_once("</dt><dd>")).collect()
}

#[tokio::test]
async fn a_confirmed_code_shows_what_it_proves() {
    let app = with_published(&[Series::Ipca, Series::Cdi, Series::MinimumWage]).await;
    for (asked, proven) in [
        (
            "correction?index=ipca&from=2026-01&to=2026-06&amount=1000",
            &[
                ("Índice", "IPCA: "),
                ("Mês inicial", "janeiro de 2026"),
                ("Mês final", "junho de 2026"),
                ("Valor", "R$\u{a0}1.000,00"),
                ("Resultado no documento", "R$\u{a0}1.0"),
            ][..],
        ),
        (
            "accumulation?rate=cdi&rate_percent=110.5&from=2026-01-05&to=2026-06-01",
            &[
                ("Taxa", "CDI"),
                ("Percentual da taxa", "110,5%"),
                ("Data inicial", "05/01/2026"),
                ("Data final", "01/06/2026"),
                ("Valor", "R$\u{a0}1,00"),
            ],
        ),
        (
            "rent?index=ipca&month=2026-06&amount=1500&negative=ignore",
            &[
                ("Mês do reajuste", "junho de 2026"),
                ("Aluguel atual", "R$\u{a0}1.500,00"),
                ("Se o índice acumulado for negativo", "o aluguel não muda"),
            ],
        ),
        (
            "minimum-wages?month=2026-06&amount=1000",
            &[("Mês", "junho de 2026"), ("Valor", "R$\u{a0}1.000,00"), ("Resultado no documento", "0,")],
        ),
        (
            "minimum-wages?month=2026-06&wages=2.5",
            &[("Quantidade de salários", "2,5"), ("Resultado no documento", "R$\u{a0}")],
        ),
    ] {
        app.advance_seconds(10);
        let answer = app.get(&format!("/api/v1/calc/{asked}")).send().await.expect(200).json();
        let (code, result) = (answer["check"].as_str().unwrap(), &answer["result"]);
        let inputs = asked.split_once('?').unwrap().1;
        let path = format!("/calculator/check/{code}?{inputs}&result={result}&lang=pt");
        let page = app.get(&path).send().await.expect(200).text();
        assert_eq!(verdict(&page), "confirmed", "{asked}");
        let facts = facts(&page);
        for (name, beginning) in proven {
            let found = facts.iter().find(|(found, _)| found == name);
            assert!(
                found.is_some_and(|(_, value)| value.starts_with(beginning)),
                "{asked} {name}: {facts:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_confirmed_debt_shows_its_terms_and_lines() {
    let app = with_published(&[Series::Ipca]).await;
    let (code, shown, _) = debt(&app).await;
    let body =
        format!("{TERMS}&instalments={LINES}&result={}", shown.replace('\u{a0}', "+").replace('$', "%24"));
    // An English reader checks a Portuguese document as well.
    for (language, amount) in [("pt", "R$\u{a0}1.000,00"), ("en", "R$\u{a0}1,000.00")] {
        let page =
            post(&app, &format!("/calculator/check/{code}?lang={language}"), &*body).await.expect(200).text();
        assert_eq!(verdict(&page), "confirmed");
        assert!(page.contains(&format!("<td>aluguel</td><td class=\"number\">{amount}</td>")), "{page}");
    }
    let page = post(&app, &format!("/calculator/check/{code}?lang=pt"), body).await.expect(200).text();
    let facts = facts(&page);
    for fact in [
        ("Data do cálculo", "15/06/2026"),
        ("Índice", "IPCA"),
        ("Juros", "simples, ao mês (0,5%)"),
        ("Multa, %", "10"),
        ("Multa sobre", "os valores com juros"),
        ("Honorários, %", "0"),
        ("Resultado no documento", &*shown),
    ] {
        assert!(facts.contains(&fact), "{fact:?}: {facts:?}");
    }
}

#[tokio::test]
async fn thousands_are_read_by_the_language_of_the_form() {
    let app = with_published(&[Series::Ipca]).await;
    for (language, typed, read) in [
        ("pt", "1.000", Some("R$\u{a0}1.000,00 de")),
        ("pt", "100%2C005", None),
        ("pt", "1%2C000", None),
        ("pt", "1.000%2C50", Some("R$\u{a0}1.000,50 de")),
        ("en", "1%2C000", Some("R$\u{a0}1,000.00")),
        ("en", "1.234", None),
    ] {
        app.advance_seconds(10);
        let asked = format!("index=ipca&from=2026-01&to=2026-06&amount={typed}&lang={language}");
        let page = app.get(&format!("/calculator/correction?{asked}")).send().await;
        match read {
            Some(read) => assert!(page.expect(200).text().contains(read), "{typed}"),
            None => {
                let page = page.expect(400).text();
                assert!(page.contains("2 casas decimais") || page.contains("2 decimals"), "{typed}: {page}");
            }
        }
    }
    let lines = format!("{TERMS}&instalments=10/01/2026+100%2C005");
    let page = post(&app, "/calculator/debt?lang=pt", lines).await.expect(400).text();
    assert!(page.contains("Linha 1: O valor deve"), "{page}");
    // A line that means a thousand in Portuguese is checked on an English page, too.
    let lines = format!("{TERMS}&instalments=10/01/2026+1.000");
    let page = post(&app, "/calculator/debt?lang=pt", &*lines).await.expect(200).text();
    let code = page.split("class=\"check-code\">").nth(1).unwrap().split('<').next().unwrap();
    let result = page.split("name=\"result\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let path = format!("/calculator/check/{code}?lang=en");
    let page = post(&app, &path, format!("{lines}&result={result}")).await.expect(200).text();
    assert_eq!(verdict(&page), "confirmed");
}

#[tokio::test]
async fn a_code_alone_leads_to_the_form_of_its_calculation() {
    let app = TestApp::start().await;
    let start = app.get("/calculator/check?lang=pt").send().await.expect(200).text();
    assert!(start.contains("name=\"code\"") && !start.contains("data-verdict"));
    let typed = app.get("/calculator/check?code=+c4t0-Q8ZD%2F+").send().await.expect(302);
    assert_eq!(typed.header("location"), "/calculator/check/c4t0%2DQ8ZD%2F");
    let typed = app.get("/calculator/check?lang=en&code=CK7E&result=1").send().await.expect(302);
    assert_eq!(typed.header("location"), "/calculator/check/CK7E?lang=en&result=1");
    for (code, fields) in [
        ("C0", &["index", "from", "to", "amount"][..]),
        ("r0", &["index", "month", "amount", "negative"]),
        ("A0", &["rate", "rate_percent", "from", "to"]),
        ("W0", &["month", "amount", "wages"]),
    ] {
        let page = app.get(&format!("/calculator/check/{code}")).send().await.expect(200).text();
        assert_eq!(verdict(&page), "incomplete", "{code}");
        assert!(page.contains(&format!("action=\"/calculator/check/{code}\" method=\"get\"")), "{code}");
        for field in fields.iter().chain(&["result"]) {
            assert!(page.contains(&format!("name=\"{field}\"")), "{code}: {field}");
        }
    }
    let none = app.get("/calculator/check/X0?result=1").send().await.expect(200).text();
    assert_eq!(verdict(&none), "unknown");
    assert!(none.contains("begins like this"), "{none}");
}

#[tokio::test]
async fn inputs_and_results_are_checked_as_people_type_them() {
    let app = with_published(&[Series::Ipca]).await;
    let asked = "index=ipca&from=2026-01&to=2026-06";
    let answer =
        app.get(&format!("/api/v1/calc/correction?{asked}&amount=1000000.50")).send().await.expect(200);
    let code = answer.json()["check"].as_str().unwrap().to_owned();
    let page = app.get(&format!("/calculator/correction?{asked}&amount=1000000.50&lang=pt")).send().await;
    let page = page.expect(200).text();
    let shown = page.split("<p class=\"figure\">").nth(1).unwrap().split(['<', '>']).nth(2).unwrap();
    let shown = percent_encoding::utf8_percent_encode(shown, percent_encoding::NON_ALPHANUMERIC);
    let path = format!("/calculator/check/{code}?{asked}&amount=R%24+1.000.000%2C50&result={shown}");
    assert_eq!(verdict(&app.get(&path).send().await.expect(200).text()), "confirmed");
    let negative = app.get(&path.replace("&result=", "&result=-")).send().await.expect(200).text();
    assert_eq!(verdict(&negative), "unknown");
}

#[tokio::test]
async fn a_code_made_from_the_sample_is_never_one_of_published_data() {
    let app = TestApp::start().await;
    let asked = "index=ipca&from=2026-01&to=2026-01&amount=1000";
    let answer = app.get(&format!("/api/v1/calc/correction?{asked}")).send().await.expect(200).json();
    let path = format!(
        "/calculator/check/{}?{asked}&result={}",
        answer["check"].as_str().unwrap(),
        answer["result"]
    );
    let told = async |language: &str, words: &str| {
        let page = app.get(&format!("{path}&lang={language}")).send().await.expect(200).text();
        assert_eq!(verdict(&page), "sample");
        let said = page.split("data-verdict=").nth(1).unwrap().split("<dl").next().unwrap();
        assert!(said.contains(words) && !said.contains("onfirm") && !said.contains("revis"), "{said}");
        assert!(!said.contains("comprova") && !said.contains("proves"), "{said}");
    };
    told("pt", "Sem valor: feito com dados de exemplo").await;
    told("en", "Without value: made from sample data").await;
    // The same value may be published later, and another one: the document stays without value.
    let factor = answer["receipt"][0]["value"].to_string();
    for value in [factor.as_str(), "0.01"] {
        let point = RatePoint { day: Day::parse("2026-01-01").unwrap(), value: value.parse().unwrap() };
        publish(&app, Source::Series(Series::Ipca), Records::Rates(vec![point])).await;
        told("pt", "Sem valor: feito com dados de exemplo").await;
    }
    // One series of the sample among official ones is enough, and a debt without any has nothing made up.
    let form = "to=2026-06-15&instalments=10/01/2026+1000";
    for (terms, verdict_told) in [("index=&rule=legal", "sample"), ("index=&rule=simple", "confirmed")] {
        let page = post(&app, "/calculator/debt", format!("{form}&{terms}")).await.expect(200).text();
        let code = page.split("class=\"check-code\">").nth(1).unwrap().split('<').next().unwrap();
        let result = page.split("name=\"result\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let body = format!("{form}&{terms}&result={result}");
        let checked = post(&app, &format!("/calculator/check/{code}"), body).await.expect(200).text();
        assert_eq!(verdict(&checked), verdict_told, "{terms}");
    }
}

#[tokio::test]
async fn a_debt_is_confirmed_by_labels_that_look_the_same() {
    let app = TestApp::start().await;
    let body = |label: &str| {
        json!({
            "to": "2026-06-15", "index": null, "interest": { "rule": "none" },
            "instalments": [{ "date": "2026-01-10", "amount": "1000.00", "label": label }],
        })
    };
    let sent = body("condomi\u{301}nio\u{200b};\u{a0} luz\tde janeiro ");
    let answer = post(&app, "/api/v1/calc/debt", sent.to_string()).await.expect(200).json();
    assert_eq!(answer["instalments"][0]["label"], sent["instalments"][0]["label"], "it is shown as given");
    let path = format!("/calculator/check/{}", answer["check"].as_str().unwrap());
    for (label, told) in [
        ("condom\u{ed}nio; luz de janeiro", "confirmed"),
        ("condom\u{ed}nio; luz de  janeiro\u{feff}", "confirmed"),
        ("condom\u{ed}nio; luz de fevereiro", "unknown"),
        ("Condom\u{ed}nio; luz de janeiro", "unknown"),
    ] {
        let mut checked = body(label);
        checked["result"] = json!(1000);
        let page = post(&app, &path, checked.to_string()).await.expect(200).text();
        assert_eq!(verdict(&page), told, "{label:?}");
    }
    // As typed from paper, with a semicolon inside the name.
    let line = percent_encoding::utf8_percent_encode(
        "10/01/2026 1.000,00 condom\u{ed}nio; luz de janeiro",
        percent_encoding::NON_ALPHANUMERIC,
    );
    let typed = format!("to=2026-06-15&index=&rule=none&instalments={line}&result=1.000%2C00");
    assert_eq!(verdict(&post(&app, &path, typed).await.expect(200).text()), "confirmed");
}

#[tokio::test]
async fn the_address_of_the_debt_form_is_found() {
    let app = TestApp::start().await;
    for (path, target) in [
        ("/calculator/debt", "/calculator?kind=debt"),
        ("/calculator/debt?lang=pt", "/calculator?kind=debt&lang=pt"),
        ("/series/usd-brl", "/fx/usd-brl"),
        ("/series/USD-BRL?lang=pt", "/fx/usd-brl?lang=pt"),
    ] {
        assert_eq!(app.get(path).send().await.expect(302).header("location"), target, "{path}");
    }
    app.get("/series/xxx-yyy").send().await.expect(404);
}
