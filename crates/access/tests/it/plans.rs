use lastro_access::{Feature, HISTORY_MONTHS, WINDOW_SECONDS, plans, terms};
use lastro_model::Plan;

#[test]
fn prices_and_limits_are_those_of_the_interface() {
    let table: Vec<_> = plans().iter().map(|t| (t.plan, t.price_usd, t.requests_per_minute)).collect();
    let interface =
        [(Plan::Free, 0, 30), (Plan::Bronze, 29, 100), (Plan::Gold, 99, 500), (Plan::Platinum, 299, 2000)];
    assert_eq!(table, interface);
    assert_eq!(WINDOW_SECONDS, 60);
}

#[test]
fn each_plan_finds_its_own_line() {
    for plan in Plan::ALL {
        assert_eq!(terms(plan).plan, plan);
    }
}

#[test]
fn each_feature_comes_with_the_plan_of_the_contract() {
    let needed = Feature::ALL.map(|feature| (feature.id(), feature.required_plan().id()));
    let contract = [
        ("public", "free"),
        ("own_key", "free"),
        ("market_data", "free"),
        ("companies", "bronze"),
        ("search", "bronze"),
        ("filings", "gold"),
        ("historical_data", "gold"),
        ("bulk_export", "gold"),
        ("changes", "gold"),
        ("csv_export", "platinum"),
        ("webhooks", "platinum"),
    ];
    assert_eq!(needed, contract);
}

#[test]
fn a_dearer_plan_offers_all_of_a_cheaper_one_and_more() {
    for pair in plans().windows(2) {
        let (cheaper, dearer) = (pair[0].features(), pair[1].features());
        assert!(cheaper.iter().all(|feature| dearer.contains(feature)));
        assert!(dearer.len() > cheaper.len());
        assert!(pair[0].price_usd < pair[1].price_usd);
        assert!(pair[0].requests_per_minute < pair[1].requests_per_minute);
        assert!(Feature::ALL.iter().all(|f| !pair[0].includes(*f) || pair[1].includes(*f)));
    }
    assert!(Feature::ALL.iter().all(|feature| terms(Plan::Platinum).includes(*feature)));
    assert!(terms(Plan::Platinum).features().iter().any(|text| text.en == "Priority support"));
}

#[test]
fn restrictions_name_whatever_a_plan_lacks() {
    for terms in plans() {
        let restrictions: Vec<&str> = terms.restrictions.iter().map(|text| text.en).collect();
        let said = restrictions.join(". ").to_lowercase();
        for feature in Feature::ALL {
            let named = said.contains(&feature.label().to_lowercase());
            assert!(named || terms.includes(feature), "{} does not say: {}", terms.plan, feature.label());
        }
        let short = !terms.includes(Feature::History);
        assert_eq!(said.contains(&format!("{HISTORY_MONTHS} months")), short, "{}", terms.plan);
    }
    assert!(terms(Plan::Platinum).restrictions.is_empty());
}
