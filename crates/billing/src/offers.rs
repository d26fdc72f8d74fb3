//! The prices of the plans as Stripe states them, read when the service starts.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_access::terms;
use lastro_config::PlanPrices;
use lastro_model::Plan;

use crate::Billing;
use crate::answers::Price;
use crate::client::{Stripe, StripeError};
use crate::error::BillingError;

/// Currencies whose amounts Stripe states in whole units.
const WHOLE_CURRENCIES: [&str; 16] = [
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF",
    "XPF",
];
/// Currencies whose amounts Stripe states in thousandths. Those of all others are in hundredths.
const THOUSANDTHS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];

/// The plans that are sold, cheapest plan first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers(Vec<Offer>);

/// The monthly price of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub plan: Plan,
    /// Three capital letters.
    pub currency: String,
    /// In the smallest unit of the currency.
    pub amount: i64,
}

impl Offers {
    /// Asks Stripe for the prices of the settings. Each must be monthly, and those that are sold must be active.
    pub fn read<'a>(stripe: &'a Stripe, prices: &'a PlanPrices) -> BoxFuture<'a, Result<Self, BillingError>> {
        Self::ask(stripe, prices).boxed()
    }

    async fn ask(stripe: &Stripe, prices: &PlanPrices) -> Result<Self, BillingError> {
        let mut offers = Vec::new();
        for (plan, id, is_sold) in prices.all() {
            let wrong = |reason| BillingError::Price { id: id.to_owned(), plan, reason };
            let price = match stripe.price(id).await {
                Err(StripeError::Missing) => return Err(wrong("it does not exist")),
                price => price?,
            };
            let offer = checked(plan, &price, is_sold).map_err(wrong)?;
            offers.extend(is_sold.then_some(offer));
        }
        offers.sort_by_key(|offer| offer.plan);
        Ok(Self(offers))
    }

    pub fn all(&self) -> &[Offer] {
        &self.0
    }

    pub fn of(&self, plan: Plan) -> Option<&Offer> {
        self.0.iter().find(|offer| offer.plan == plan)
    }
}

impl Offer {
    /// The amount in the currency's main unit, such as `29` or `149.90`.
    pub fn amount_text(&self) -> String {
        let currency = self.currency.as_str();
        let (unit, decimals) = match currency {
            _ if WHOLE_CURRENCIES.contains(&currency) => (1, 0),
            _ if THOUSANDTHS.contains(&currency) => (1000, 3),
            _ => (100, 2),
        };
        match (self.amount / unit, self.amount % unit) {
            (whole, 0) => whole.to_string(),
            (whole, part) => format!("{whole}.{part:0decimals$}"),
        }
    }
}

impl Billing {
    pub(crate) async fn read_offers(&self) -> Result<(), BillingError> {
        let offers = Offers::read(&self.stripe, &self.prices).await?;
        offers.all().iter().for_each(compare);
        if self.offers.set(offers).is_ok() {
            tracing::info!("payments are on: Stripe's prices were read");
        }
        Ok(())
    }
}

fn checked(plan: Plan, price: &Price, is_sold: bool) -> Result<Offer, &'static str> {
    let is_monthly = price.recurring.as_ref().is_some_and(|r| r.interval == "month" && r.interval_count == 1);
    if !is_monthly {
        return Err("it is not monthly");
    }
    if is_sold && !price.active {
        return Err("it is not active");
    }
    let is_currency = price.currency.len() == 3 && price.currency.bytes().all(|b| b.is_ascii_alphabetic());
    let amount = price.unit_amount.filter(|amount| *amount >= 0 && is_currency);
    let amount = amount.ok_or("it has no fixed amount")?;
    Ok(Offer { plan, currency: price.currency.to_ascii_uppercase(), amount })
}

/// Warns of a price other than that of the plan table.
fn compare(offer: &Offer) {
    let listed = terms(offer.plan).price_usd;
    if offer.currency != "USD" || offer.amount != i64::from(listed) * 100 {
        tracing::warn!(
            plan = offer.plan.id(),
            "Stripe's price of this plan is {} {}, which differs from USD {listed} in the plan table; /pricing shows Stripe's",
            offer.currency,
            offer.amount_text()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Recurring;

    fn price(interval: &str, interval_count: u32) -> Price {
        Price {
            active: true,
            currency: "brl".to_owned(),
            unit_amount: Some(14_990),
            recurring: Some(Recurring { interval: interval.to_owned(), interval_count }),
        }
    }

    #[test]
    fn amounts_are_written_in_the_main_unit() {
        let text = |currency: &str, amount| {
            Offer { plan: Plan::Gold, currency: currency.to_owned(), amount }.amount_text()
        };
        assert_eq!([text("USD", 2900), text("BRL", 14_990), text("BRL", 5)], ["29", "149.90", "0.05"]);
        assert_eq!(text("JPY", 2900), "2900");
        assert_eq!([text("KWD", 5000), text("KWD", 5050), text("TND", 10)], ["5", "5.050", "0.010"]);
    }

    #[test]
    fn only_active_monthly_fixed_prices_are_sold() {
        let good = checked(Plan::Gold, &price("month", 1), true);
        assert_eq!(good, Ok(Offer { plan: Plan::Gold, currency: "BRL".to_owned(), amount: 14_990 }));
        for bad in [price("year", 1), price("month", 3), Price { recurring: None, ..price("month", 1) }] {
            assert_eq!(checked(Plan::Gold, &bad, true), Err("it is not monthly"));
        }
        let ended = Price { active: false, ..price("month", 1) };
        assert_eq!(checked(Plan::Gold, &ended, true), Err("it is not active"));
        assert!(checked(Plan::Gold, &ended, false).is_ok(), "a price of earlier customers");
        assert!(checked(Plan::Gold, &Price { unit_amount: None, ..price("month", 1) }, true).is_err());
    }
}
