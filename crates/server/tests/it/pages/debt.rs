//! The page of a debt: its lines as people paste them, and errors that name the line.

use crate::app::TestApp;

async fn calculated(app: &TestApp, terms: &str, lines: &str) -> (u16, String) {
    let lines = percent_encoding::utf8_percent_encode(lines, percent_encoding::NON_ALPHANUMERIC);
    let path = "/calculator/debt?lang=pt";
    app.advance_seconds(10);
    let answer =
        app.request(reqwest::Method::POST, path).body(format!("{terms}&instalments={lines}")).send().await;
    (answer.status, answer.text())
}

const TERMS: &str = "to=2026-06-15&index=&rule=none";

#[tokio::test]
async fn errors_name_the_line_and_the_rule() {
    let app = TestApp::start().await;
    let long = format!("\n10/01/2026 1,00\n10/02/2026 1,00 {}", "x".repeat(101));
    for (terms, lines, told) in [
        (TERMS, "10/01/2026 1,00\n\n16/06/2026 1,00", "Linha 3: a data da parcela não pode ser posterior"),
        (TERMS, "30/06/1994 1,00", "Linha 1: a data da parcela não pode ser anterior a 1º de julho de 1994"),
        (TERMS, &long, "Linha 3: a descrição pode ter no máximo 100 caracteres"),
        (TERMS, "10/01/2026 0", "Linha 1: O valor deve ser maior que 0"),
        (TERMS, "31/02/2026 1", "Linha 1: informe data e valor"),
        (TERMS, "10/01/2024 100 200 caixas", "Linha 1: não é possível saber onde termina o valor"),
        (TERMS, "10/01/2024 12 100,00", "Linha 1: não é possível saber onde termina o valor"),
        (TERMS, "10/01/2026\t12\t1.000,00", "Linha 1: não é possível saber qual dos números é o valor"),
        (TERMS, "", "Informe de 1 a 500 parcelas"),
        ("to=2026-06-15&index=&rule=none&fine_percent=150", "10/01/2026 1", "um percentual de 0 a 100"),
        ("to=2026-06-15&index=&rule=none&fees_percent=x", "10/01/2026 1", "um percentual de 0 a 100"),
        ("to=1994-06-01&index=&rule=none", "10/01/2026 1", "A data do cálculo deve ser"),
        ("to=&index=&rule=none", "10/01/2026 1", "A data do cálculo deve ser"),
        ("to=2026-06-15&index=&rule=legal&monthly_percent=2", "10/01/2026 1", "apenas aos juros simples"),
        ("to=2026-06-15&index=selic&rule=none", "10/01/2026 1", "Escolha nas listas o índice"),
        ("to=2099-06-15&index=ipca&rule=none", "10/01/2026 1", "não há valor para"),
    ] {
        let (status, page) = calculated(&app, terms, lines).await;
        let error =
            page.split("class=\"failure\"").nth(1).unwrap_or_else(|| panic!("{status} {terms} {lines}"));
        assert!(status == 400 && error.contains(told), "{terms} {lines}: {}", &error[..300.min(error.len())]);
    }
    // The rate of the legal rule may be stated.
    let (status, _) =
        calculated(&app, "to=2026-06-15&index=&rule=legal&monthly_percent=1", "10/01/2026 1").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn an_amount_with_spaces_is_read_whole() {
    let app = TestApp::start().await;
    let (status, page) = calculated(&app, TERMS, "10/01/2024 R$ 1 000,00").await;
    assert!(status == 200 && page.contains("<data value=\"1000.00\">"), "{page}");
}

#[tokio::test]
async fn the_document_states_every_choice() {
    let app = TestApp::start().await;
    let lines = "10/01/2024 1000,5 aluguel\n10/09/2025 250";
    let rule = async |terms: &str| {
        let (status, page) = calculated(&app, terms, lines).await;
        assert_eq!(status, 200, "{page}");
        page.split("<dt>Critério</dt><dd>").nth(1).unwrap().split("</dd>").next().unwrap().to_owned()
    };
    let none = rule("to=2026-06-15&index=&rule=none").await;
    assert!(none.starts_with("Sem correção monetária. Sem juros. Sem multa. Sem honorários."), "{none}");
    let legal =
        rule("to=2026-06-15&index=ipca&rule=legal&fine_percent=10&fine_on=total&fees_percent=20").await;
    for part in [
        "pelo IPCA",
        "até 29/08/2024",
        "dias ÷ 30",
        "Lei 14.905/2024",
        "Multa de 10% sobre a soma dos valores corrigidos e dos juros",
        "Honorários de 20%",
    ] {
        assert!(legal.contains(part), "{part}: {legal}");
    }
    let simple = rule(
        "to=2026-06-15&index=inpc&rule=simple&monthly_percent=0,5&interest_from=2025-01-02&fine_percent=2&fine_on=corrected",
    )
    .await;
    for part in
        ["0,5% ao mês", "dias ÷ 30", "02/01/2025", "Multa de 2% sobre a soma dos valores corrigidos, sem"]
    {
        assert!(simple.contains(part), "{part}: {simple}");
    }
    let (_, page) = calculated(&app, "to=2026-06-15&index=&rule=none&fine_percent=10", lines).await;
    for part in [
        "<td>10/01/2024</td>",
        ">1.000,50<",
        ">250,00<",
        "<dt>Soma dos valores corrigidos</dt><dd>R$\u{a0}1.250,50</dd>",
        "<dt>Soma dos juros</dt><dd>R$\u{a0}0,00</dd>",
        "<dt>Multa (10% sobre os valores corrigidos)</dt><dd>R$\u{a0}125,05</dd>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[tokio::test]
async fn the_legal_rule_before_2003_is_said_to_be_a_convention() {
    let app = TestApp::start().await;
    for (from, lines, is_said) in [
        ("", "10/01/2003 1", true),
        ("", "11/01/2003 1", false),
        ("", "11/01/2003 1\n05/05/1999 1", true),
        ("2003-01-11", "05/05/1999 1", false),
        ("2003-01-10", "05/05/1999 1", true),
    ] {
        for (rule, is_legal) in [("legal", true), ("simple", false)] {
            let terms = format!("to=2024-08-30&index=&rule={rule}&interest_from={from}");
            let (status, page) = calculated(&app, &terms, lines).await;
            assert_eq!(status, 200, "{page}");
            let said =
                page.contains("convenção") && page.contains("art. 1.062") && page.contains("6% ao ano");
            assert_eq!(said, is_said && is_legal, "{terms} {lines}");
        }
    }
}

#[tokio::test]
async fn a_debt_names_only_the_sources_that_it_used() {
    let app = TestApp::start().await;
    for (terms, lines, sources) in [
        ("to=2026-06-15&index=ipca&rule=legal", "01/06/2026 1", &["legal-rate"][..]),
        ("to=2024-08-30&index=ipca&rule=legal", "10/01/2024 1", &["ipca"]),
        ("to=2026-06-15&index=ipca&rule=legal", "10/01/2024 1", &["ipca", "legal-rate"]),
        ("to=2024-08-30&index=ipca&rule=legal", "01/08/2024 1", &[]),
    ] {
        let (status, page) = calculated(&app, terms, lines).await;
        assert_eq!(status, 200, "{page}");
        let document = page.split("class=\"facts document\"").nth(1).unwrap();
        let named = document.split("<a href=\"/series/").skip(1).map(|rest| rest.split('"').next().unwrap());
        assert_eq!(named.collect::<Vec<_>>(), sources, "{terms} {lines}");
    }
}
