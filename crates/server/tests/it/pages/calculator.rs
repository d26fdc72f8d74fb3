//! What the calculator shows is what the API answers.

use lastro_model::Plan;

use crate::app::TestApp;

const QUESTIONS: [(&str, &str); 4] = [
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
        assert!(page.contains(&format!("/api/v1/calc/{kind}?")), "{kind}");
    }
}

#[tokio::test]
async fn amounts_are_taken_as_people_type_them() {
    let app = TestApp::start().await;
    for amount in ["1000", "1.000%2C00", "1%2C000.00", "R%24+1.000%2C00"] {
        let path = format!("/calculator/correction?index=ipca&from=2026-01&to=2026-06&amount={amount}");
        let page = app.get(&path).send().await.expect(200).text();
        assert!(page.contains("amount=1000"), "{amount}");
    }
}

#[tokio::test]
async fn a_receipt_beyond_the_plan_is_a_prompt_and_the_result_is_there() {
    let app = TestApp::start().await;
    let path = "/calculator/correction?index=ipca&from=2023-01&to=2026-06&amount=1000";
    let page = app.get(path).send().await.expect(200).text();
    assert!(page.contains("class=\"figure\"") && page.contains("for Gold") && !page.contains("<tbody>"));
    let gold = app.key(Plan::Gold).await;
    assert!(app.get(path).key(&gold).send().await.expect(200).text().contains("<tbody>"));
}

#[tokio::test]
async fn what_cannot_be_calculated_is_told_in_the_language_of_the_page() {
    let app = TestApp::start().await;
    for (asked, english, portuguese) in [
        ("index=ipca&from=2026-06&to=2026-01&amount=1", "must not be after", "não pode ser depois"),
        ("index=ipca&from=1900-01&to=2026-01&amount=1", "no value for Jan 1900", "valor para jan. 1900"),
        ("index=ipca&from=2026-01&to=2026-02&amount=x", "amount must be", "O valor deve"),
        ("index=ipca&from=&to=2026-02&amount=1", "both dates", "as duas datas"),
    ] {
        for (language, sentence) in [("en", english), ("pt", portuguese)] {
            let path = format!("/calculator/correction?{asked}&lang={language}");
            let page = app.get(&path).send().await.expect(400).text();
            let told = page.split("class=\"failure\"").nth(1).unwrap_or_else(|| panic!("{path}"));
            assert!(told.contains(sentence), "{path}: {}", &told[..200]);
        }
    }
}
