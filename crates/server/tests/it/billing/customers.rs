//! Customers that Stripe deletes, and others that take their place.

use lastro_model::{AccountId, Plan};
use lastro_store::BillingState;

use super::stripe::{Subscription, Trouble};
use super::{Shop, deliver, event};
use crate::app::{id_of, soon};

impl Shop {
    async fn state(&self, key: &str) -> BillingState {
        self.app.plain.billing(AccountId(id_of(key))).await.unwrap().unwrap()
    }

    fn customer_of(&self, subscription: &str) -> String {
        self.stripe().subscriptions[subscription].customer.clone()
    }

    /// The operator makes a customer with a subscription in the dashboard, and writes the account into it.
    fn add_customer(&self, customer: &str, key: &str, status: &'static str, price: &str) -> String {
        let (id, account) = (format!("sub_of_{customer}"), id_of(key).to_string());
        let subscription = Subscription {
            customer: customer.to_owned(),
            account,
            status,
            price: price.to_owned(),
            created: 99,
        };
        self.stripe().subscriptions.insert(id.clone(), subscription);
        self.stripe().change(&id, |_| {});
        id
    }
}

#[tokio::test]
async fn a_deleted_customer_can_subscribe_again() {
    let shop = Shop::open().await;
    for lists_deleted in [false, true] {
        shop.stripe().lists_deleted = lists_deleted;
        let (key, subscription) = shop.paid("gold").await;
        shop.deliver().await;
        let customer = shop.customer_of(&subscription);
        shop.stripe().delete(&customer);
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "free", "{lists_deleted}");
        let again = shop.begin(&key, "platinum").await;
        let form = shop.stripe().checkouts[&again].form.clone();
        assert_eq!(form.get("customer_email").map(String::as_str), Some("test@example.com"));
        let new = shop.stripe().pay(&again).unwrap();
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "platinum", "{lists_deleted}");
        assert_eq!(shop.state(&key).await.customer, Some(shop.customer_of(&new)));
    }
}

#[tokio::test]
async fn a_deletion_without_an_event_is_learnt_by_the_daily_check() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    let customer = shop.customer_of(&subscription);
    shop.stripe().delete(&customer);
    shop.stripe().events.clear();
    shop.app.advance_seconds(86_401);
    soon(async || shop.plan(&key).await == "free").await;
    assert_eq!(shop.state(&key).await.customer, None);
}

#[tokio::test]
async fn the_portal_of_a_deleted_customer_is_a_404() {
    let shop = Shop::open().await;
    for lists_deleted in [false, true] {
        shop.stripe().lists_deleted = lists_deleted;
        let (key, subscription) = shop.paid("gold").await;
        shop.deliver().await;
        let customer = shop.customer_of(&subscription);
        shop.stripe().delete(&customer);
        let portal = async || shop.app.post("/api/v1/billing/portal", "").key(&key).send().await;
        let told = portal().await.expect_error(404);
        assert!(told.contains("/api/v1/billing/checkout"), "{told}");
        assert_eq!((shop.plan(&key).await.as_str(), shop.state(&key).await.customer), ("free", None));
        portal().await.expect(404);
    }
}

#[tokio::test]
async fn a_paying_customer_takes_the_place_of_one_that_does_not() {
    let shop = Shop::open().await;
    for ended in ["canceled", "unpaid", "paused"] {
        let (key, subscription) = shop.paid("gold").await;
        shop.deliver().await;
        shop.stripe().change(&subscription, |subscription| subscription.status = ended);
        shop.deliver().await;
        let new = shop.add_customer(&format!("cus_after_{ended}"), &key, "active", "price_platinum");
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "platinum", "{ended}");
        // Later events of the first one change nothing.
        shop.stripe().change(&subscription, |subscription| subscription.status = "canceled");
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "platinum", "{ended}");
        shop.stripe().change(&new, |subscription| subscription.status = "canceled");
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "free", "{ended}");
    }
}

#[tokio::test]
async fn a_second_customer_does_not_replace_one_that_pays() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    for (customer, status) in
        [("cus_second", "active"), ("cus_third", "canceled"), ("cus_fourth", "incomplete")]
    {
        shop.add_customer(customer, &key, status, "price_bronze");
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, "gold", "{customer}");
    }
    assert_eq!(shop.state(&key).await.customer, Some(shop.customer_of(&subscription)));
}

#[tokio::test]
async fn a_checkout_that_vanished_is_forgotten() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    let checkout = shop.begin(&key, "gold").await;
    shop.stripe().checkouts.remove(&checkout);
    shop.app.advance_seconds(3601);
    soon(async || shop.state(&key).await.checkout.is_none()).await;
    shop.begin(&key, "gold").await;
}

#[tokio::test]
async fn a_request_that_stripe_refuses_is_not_to_be_repeated() {
    let shop = Shop::open().await;
    let (key, _) = shop.paid("gold").await;
    shop.deliver().await;
    shop.stripe.trouble([Trouble::Status(400)]);
    let told = shop.app.post("/api/v1/billing/portal", "").key(&key).send().await.expect_error(503);
    assert!(told.contains("Stripe refuses") && !told.contains("again"), "{told}");
    deliver(&shop.app, &event("invoice.paid", &serde_json::json!({"customer": "cus_1"}))).await.expect(200);
}

#[tokio::test]
async fn a_page_for_a_404_deletes_nobody() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    let customer = shop.customer_of(&subscription);
    let invoice = event("invoice.paid", &serde_json::json!({ "customer": customer }));
    shop.stripe.trouble([Trouble::Page(404)]);
    deliver(&shop.app, &invoice).await.expect(503);
    shop.stripe.trouble([Trouble::Page(404)]);
    shop.checkout(&key, "gold").await.expect(503);
    shop.stripe.trouble([Trouble::Page(404)]);
    shop.app.post("/api/v1/billing/portal", "").key(&key).send().await.expect(503);
    assert_eq!(shop.plan(&key).await, "gold");
    assert_eq!(shop.state(&key).await.customer.as_ref(), Some(&customer));
    deliver(&shop.app, &invoice).await.expect(200);
    let url = shop.checkout(&key, "gold").await.expect(201).json()["url"].clone();
    assert_eq!(url, "https://billing.stripe.invalid/p/1", "nobody pays twice");
}

#[tokio::test]
async fn a_page_for_a_404_closes_no_checkout() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    let first = shop.begin(&key, "gold").await;
    shop.stripe.trouble([Trouble::Page(404), Trouble::Page(404)]);
    shop.checkout(&key, "gold").await.expect(503);
    shop.stripe().trouble.clear();
    assert_eq!(shop.state(&key).await.checkout.as_ref(), Some(&first), "it may still be paid");
    shop.stripe.trouble([Trouble::Page(404)]);
    shop.app.advance_seconds(3601);
    soon(async || shop.stripe().trouble.is_empty()).await;
    assert_eq!(shop.state(&key).await.checkout.as_ref(), Some(&first));
    let second = shop.begin(&key, "gold").await;
    assert_eq!(shop.stripe().open_checkouts(), [second]);
}
