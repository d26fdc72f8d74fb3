//! Calculations as documents: complete, in money, and marked where their data are the sample.

use lastro_model::{Day, RatePoint, Records, Series, Source};

use crate::app::TestApp;
use crate::csv::publish;

async fn given_months(app: &TestApp, series: Series, first: &str, values: &[&str]) {
    let first = Day::parse(first).unwrap();
    let point = |(months, value): (i32, &&str)| RatePoint {
        day: first.minus_months(-months),
        value: value.parse().unwrap(),
    };
    publish(app, Source::Series(series), Records::Rates((0..).zip(values).map(point).collect())).await;
}

#[tokio::test]
async fn a_document_of_sample_data_says_so() {
    let app = TestApp::start().await;
    let correction = "/calculator/correction?index=ipca&from=2026-01&to=2026-01&amount=1000&lang=pt";
    let savings = "/calculator/savings?from=2026-01-10&to=2026-06-10&amount=1000&lang=pt";
    for path in [correction, savings] {
        let page = app.get(path).send().await.expect(200).text();
        assert!(
            page.contains("class=\"made-up\"") && page.contains("dados de exemplo, não oficiais"),
            "{path}"
        );
        let document = page.split("class=\"document-head\"").nth(1).unwrap();
        assert!(!document.contains("Banco Central do Brasil, SGS"), "{path}");
    }
    given_months(&app, Series::Ipca, "2026-01-01", &["0.50"]).await;
    let page = app.get(correction).send().await.expect(200).text();
    assert!(!page.contains("made-up") && page.contains("Banco Central do Brasil, SGS 433"));
    assert!(app.get(savings).send().await.expect(200).text().contains("made-up"));
}

#[test]
fn paper_keeps_the_mark_of_the_sample() {
    let styles = |name| {
        let asset = lastro_web::assets::OWN.iter().find(|asset| asset.name == name).unwrap();
        let text = std::str::from_utf8(asset.bytes).unwrap();
        text.split("@media print").skip(1).collect::<String>()
    };
    let hidden = |style: &str, selector: &str| {
        let rules = style.split('}').filter(|rule| rule.contains("display: none"));
        rules
            .flat_map(|rule| rule.split('{').rev().nth(1).unwrap_or("").split(','))
            .any(|one| one.trim() == selector)
    };
    for name in ["lastro.css", "pages.css"] {
        assert!(!hidden(&styles(name), ".sample") && !hidden(&styles(name), ".made-up"), "{name}");
    }
    assert!(hidden(&styles("lastro.css"), ".bar"), "the selectors are found");
}

#[tokio::test]
async fn a_rent_that_ignores_a_fall_explains_its_factor() {
    let app = TestApp::start().await;
    given_months(&app, Series::IgpmExact, "2023-01-01", &["-0.5"; 12]).await;
    let rent = async |negative: &str| {
        let path =
            format!("/calculator/rent?index=igpm&month=2024-01&amount=2500&negative={negative}&lang=pt");
        app.get(&path).send().await.expect(200).text()
    };
    let ignored = rent("ignore").await;
    for part in [
        "<dt>Se o índice acumulado for negativo</dt><dd>o aluguel não muda</dd>",
        "<dt>Fator acumulado do índice</dt><dd>0,94162281</dd>",
        "A variação acumulada foi negativa (fator 0,94162281)",
        "R$\u{a0}2.500,00",
    ] {
        assert!(ignored.contains(part), "{part}");
    }
    let applied = rent("apply").await;
    assert!(applied.contains("o aluguel é reduzido na mesma proporção"));
    assert!(!applied.contains("Fator acumulado do índice") && applied.contains("<dd>0,94162281"));
    given_months(&app, Series::IgpmExact, "2023-01-01", &["0.5"; 12]).await;
    let risen = rent("ignore").await;
    assert!(risen.contains("o aluguel é mantido, com fator 1") && !risen.contains("foi negativa"));
}

#[tokio::test]
async fn a_change_of_currency_can_be_recomputed() {
    let app = TestApp::start().await;
    given_months(&app, Series::Inpc, "1994-06-01", &["48.24", "7.75", "1.85"]).await;
    let path = "/calculator/correction?index=inpc&from=1994-06&to=1994-08&amount=100000&lang=pt";
    let page = app.get(path).send().await.expect(200).text();
    for part in [
        "CR$\u{a0}2.750,00 = R$\u{a0}1,00 (cruzeiro real → real); resultado = valor × fator ÷ 2.750",
        ">CR$\u{a0}148.240,00</td>",
        ">R$\u{a0}58,08</td>",
        "<dt>Índice</dt><dd>INPC",
        "<th scope=\"col\">Mês</th>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let result = page.split("<p class=\"figure\">").nth(1).unwrap().split(['<', '>']).nth(2).unwrap();
    let last = page.split("</tbody>").next().unwrap().rsplit("<td class=\"number\">").next().unwrap();
    assert_eq!(last.split('<').next(), Some(result), "the last line is the result");
}

#[tokio::test]
async fn numbers_of_wages_agree_with_their_noun() {
    let app = TestApp::start().await;
    for (asked, told) in [
        ("wages=1&lang=pt", ">1 salário mínimo de janeiro de 2026<"),
        ("wages=1.5&lang=pt", ">1,5 salário mínimo de janeiro de 2026<"),
        ("wages=2&lang=pt", ">2 salários mínimos de janeiro de 2026<"),
        ("wages=1&lang=en", ">1 minimum wage of Jan 2026<"),
        ("wages=1.5&lang=en", ">1.5 minimum wages of Jan 2026<"),
    ] {
        let path = format!("/calculator/minimum-wages?month=2026-01&{asked}");
        assert!(app.get(&path).send().await.expect(200).text().contains(told), "{asked}");
    }
}

#[tokio::test]
async fn the_rows_of_a_receipt_are_named_by_their_period() {
    let app = TestApp::start().await;
    for (path, column) in [
        ("/calculator/correction?index=ipca&from=2026-01&to=2026-02&amount=1", "Mês"),
        ("/calculator/legal-interest?from=2026-01-02&to=2026-02-02&amount=1", "Mês"),
        ("/calculator/savings?from=2026-01-10&to=2026-02-10&amount=1", "Data"),
        ("/calculator/accumulation?rate=cdi&rate_percent=100&from=2026-01-02&to=2026-01-05&amount=1", "Data"),
    ] {
        let page = app.get(&format!("{path}&lang=pt")).send().await.expect(200).text();
        let first = format!("<thead><tr><th scope=\"col\">{column}</th>");
        assert!(page.contains(&first) && page.contains(">Percentual</th>"), "{path}");
    }
}

#[tokio::test]
async fn money_is_shown_with_cents() {
    let app = TestApp::start().await;
    for (asked, shown) in [("amount=1000.5", "R$\u{a0}1.000,50 de"), ("amount=2500", "R$\u{a0}2.500,00 de")] {
        let path = format!("/calculator/correction?index=ipca&from=2026-01&to=2026-06&{asked}&lang=pt");
        assert!(app.get(&path).send().await.expect(200).text().contains(shown), "{asked}");
    }
}
