//! The pages where payments are on: buttons and prices, and the pages after a checkout.

use serde_json::json;

use super::stripe::Stripe;
use super::{Shop, is_ready, switch_on};
use crate::app::TestApp;

#[tokio::test]
async fn buttons_exist_only_where_payments_are_on() {
    let off = TestApp::start().await;
    for path in ["/pricing", "/usage"] {
        let text = off.get(path).send().await.expect(200).text();
        assert!(!text.contains("billing") && !text.contains("data-checkout"), "{path}");
    }
    let shop = Shop::open().await;
    let text = shop.app.get("/pricing").send().await.expect(200).text();
    for plan in ["bronze", "gold", "platinum"] {
        assert!(text.contains(&format!("data-checkout=\"{plan}\"")), "{plan}");
    }
    assert!(!text.contains("data-checkout=\"free\"") && text.contains("/assets/billing."));
    let text = shop.app.get("/usage").send().await.expect(200).text();
    assert!(text.contains("data-portal") && text.contains("/assets/billing."));
    let form = "name=Ana&email=ana%40example.com";
    let text = shop.app.post("/pricing", form).send().await.expect(201).text();
    assert!(text.contains("data-checkout=\"gold\""), "also beside a new key");
}

#[tokio::test]
async fn prices_are_shown_as_stripe_has_them() {
    let stripe = Stripe::open();
    let hidden = stripe.state().prices.remove("price_gold").unwrap();
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    let text = app.get("/pricing?lang=pt").send().await.expect(200).text();
    assert!(!text.contains("data-checkout") && !text.contains("R$"), "not known yet");
    let mut gold = hidden;
    gold.as_object_mut()
        .unwrap()
        .extend([("currency".to_owned(), json!("brl")), ("unit_amount".to_owned(), json!(14_990))]);
    stripe.state().prices.insert("price_gold".to_owned(), gold);
    is_ready(&app).await;
    let text = app.get("/pricing?lang=pt").send().await.expect(200).text();
    assert!(text.contains("R$ 149,90") && !text.contains("BRL"), "the currency is named once: {text}");
    assert!(text.contains("US$ 99") && text.contains("US$ 0"), "the others are in their own currency");
}

/// The page of prices where all plans cost so much.
async fn pricing_of(currency: &str, amount: u32, language: &str) -> String {
    let stripe = Stripe::open();
    for price in stripe.state().prices.values_mut() {
        price["currency"] = currency.into();
        price["unit_amount"] = amount.into();
    }
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    is_ready(&app).await;
    app.get(&format!("/pricing?lang={language}")).send().await.expect(200).text()
}

#[tokio::test]
async fn amounts_have_the_unit_and_the_form_of_their_currency() {
    for (currency, amount, language, price, nothing) in [
        ("usd", 123_456, "pt", "US$ 1.234,56", "US$ 0"),
        ("usd", 123_456, "en", "$1,234.56", "$0"),
        ("brl", 2900, "pt", "R$ 29", "R$ 0"),
        ("eur", 950, "pt", "EUR 9,50", "EUR 0"),
        ("kwd", 5000, "en", "KWD 5", "KWD 0"),
        ("bhd", 1_234_560, "pt", "BHD 1.234,560", "BHD 0"),
        ("jpy", 2900, "en", "JPY 2,900", "JPY 0"),
    ] {
        let text = pricing_of(currency, amount, language).await;
        for (shown, plans) in [(price, 3), (nothing, 1)] {
            let (card, cell) = (format!(">{shown}</span>"), format!(">{shown}</td>"));
            assert_eq!((text.matches(&card).count(), text.matches(&cell).count()), (plans, plans), "{shown}");
        }
        assert!(text.contains(if language == "pt" { ">2.000<" } else { ">2,000<" }), "{language}");
    }
}

#[tokio::test]
async fn the_pages_after_a_checkout_say_what_happens_next() {
    let shop = Shop::open().await;
    for (path, lang, words) in [
        ("/billing/success", "en", "your key has the new plan"),
        ("/billing/success", "pt", "sua chave passará para o novo plano"),
        ("/billing/cancel", "en", "Nothing was charged"),
        ("/billing/cancel", "pt", "Nada foi cobrado"),
    ] {
        let page = shop.app.get(&format!("{path}?lang={lang}")).send().await.expect(200);
        assert!(page.text().contains(words), "{path} {lang}");
    }
    TestApp::start().await.get("/billing/success").send().await.expect(404);
}
