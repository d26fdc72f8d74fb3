//! Every plan against every endpoint, generated from the plan table and the routes.

use lastro::http::handler::Route;
use lastro::http::routes::ROUTES;
use lastro_access::{Feature, terms};
use lastro_model::Plan;

use crate::answer::Answer;
use crate::app::TestApp;
use crate::billing::stripe::Stripe;
use crate::billing::{give_customer, is_ready, switch_on};
use crate::contract::{ask, success};
use crate::known_webhook;

/// The status that the plan table gives a caller; without a key it is the Free plan.
fn expected(route: &Route, plan: Option<Plan>) -> u16 {
    let success = success(route.endpoint);
    match route.feature {
        Feature::Public => success,
        Feature::OwnKey if plan.is_none() => 401,
        feature if terms(plan.unwrap_or(Plan::Free)).includes(feature) => success,
        _ => 403,
    }
}

#[tokio::test]
async fn access_matches_the_plan_table() {
    let stripe = Stripe::open();
    let app = TestApp::start_with(|setup| {
        setup.settings.registrations.registrations_per_hour = 1000;
        switch_on(setup, &stripe);
    })
    .await;
    is_ready(&app).await;
    let callers = || std::iter::once(None).chain(Plan::ALL.map(Some));
    for route in ROUTES.iter().filter(|route| route.described) {
        app.advance_seconds(61);
        for plan in callers() {
            let asking = ask(&app, route.endpoint);
            let answer = match plan {
                // Each call has a key of its own, with a webhook: some calls delete what they name.
                Some(plan) => {
                    let key = app.ample_key(plan).await;
                    known_webhook::give(&app, &key).await;
                    if route.path().ends_with("/portal") {
                        give_customer(&app, &key).await;
                    }
                    asking.key(&key).send().await
                }
                None => asking.send().await,
            };
            let answer = answer.expect(expected(route, plan));
            assert_eq!(answer.header("x-plan"), plan.unwrap_or(Plan::Free).id(), "{}", route.endpoint);
            if answer.status == 403 {
                check_prompt(&answer, route.feature, plan.unwrap_or(Plan::Free));
            }
        }
    }
}

fn check_prompt(answer: &Answer, feature: Feature, plan: Plan) {
    let prompt = answer.json();
    assert_eq!(prompt["error"], "upgrade_required");
    assert_eq!(prompt["plan"], plan.id());
    assert_eq!(prompt["required_plan"], feature.required_plan().id());
    assert_eq!(prompt["feature"], feature.id());
    assert_eq!(prompt["upgrade_url"], "/pricing");
}

/// The plan of each endpoint according to the contract, so that a mistake in the routes does not confirm itself.
#[test]
fn required_plans_match_the_contract() {
    for route in ROUTES.iter().filter(|route| route.described) {
        let path = route.path();
        let plan = match path {
            "/api/v1/plans/usage" => continue,
            _ if path.starts_with("/api/v1/keys") || path.starts_with("/api/v1/billing") => continue,
            _ if path.starts_with("/api/v1/webhooks") => Plan::Platinum,
            _ if path.starts_with("/api/v1/filings") || path.ends_with("/filings") => Plan::Gold,
            _ if path == "/api/v1/changes" || path.starts_with("/api/v1/feeds") => Plan::Gold,
            _ if path.starts_with("/api/v1/export/") || path.ends_with("/revisions") => Plan::Gold,
            _ if path.starts_with("/api/v1/companies") || path.starts_with("/api/v1/search") => Plan::Bronze,
            _ => Plan::Free,
        };
        assert_eq!(route.feature.required_plan(), plan, "{path}");
        let public = !path.starts_with("/api/v1/") && path != "/mcp" || path.starts_with("/api/v1/plans");
        assert_eq!(route.feature == Feature::Public, public, "{path}");
    }
}
