//! Settings of payments through Stripe, which are off without them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use lastro_model::Plan;

use super::{PublicUrl, secret_from_file};

/// Timeout of one attempt of a call to Stripe, so that two fit into the time of a request to us.
pub const STRIPE_TIMEOUT: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Args)]
pub struct BillingSettings {
    #[command(flatten)]
    pub stripe: StripeAccess,
    /// File with the signing secret of Stripe's webhook endpoint, whose URL is --public-url and /billing/stripe
    #[arg(long, env = "LASTRO_STRIPE_WEBHOOK_SECRET_FILE", value_name = "FILE")]
    pub stripe_webhook_secret_file: Option<PathBuf>,
    /// Stripe's monthly price of each plan, as `bronze=price_…,gold=price_…`. The first price of a
    /// plan is the one sold; further ones are for existing customers
    #[arg(
        long,
        env = "LASTRO_STRIPE_PRICES",
        default_value = "",
        hide_default_value = true,
        value_name = "PLAN=PRICE,…"
    )]
    pub stripe_prices: PlanPrices,
    /// Interval of looking for subscriptions to check.
    #[arg(skip = Duration::from_secs(60))]
    pub poll_interval: Duration,
    /// Timeout of one attempt of a call to Stripe.
    #[arg(skip = STRIPE_TIMEOUT)]
    pub timeout: Duration,
}

/// The account at Stripe.
#[derive(Debug, Clone, Args)]
pub struct StripeAccess {
    /// File with the secret key of the Stripe account
    #[arg(long, env = "LASTRO_STRIPE_KEY_FILE", value_name = "FILE")]
    pub stripe_key_file: Option<PathBuf>,
    /// Scheme and host of Stripe's API
    #[arg(long, env = "LASTRO_STRIPE_URL", default_value = "https://api.stripe.com", value_name = "URL", value_parser = origin)]
    pub stripe_url: String,
}

impl StripeAccess {
    /// The secret key, if one is set.
    pub fn key(&self) -> anyhow::Result<Option<String>> {
        let file = self.stripe_key_file.as_deref();
        file.map(secret_from_file).transpose().context("--stripe-key-file")
    }
}

fn origin(text: &str) -> Result<String, String> {
    text.parse().map(|url: PublicUrl| url.as_str().to_owned())
}

/// The secrets of payments, read from their files.
pub struct BillingSecrets {
    pub key: String,
    pub webhook_secret: String,
}

impl fmt::Debug for BillingSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BillingSecrets(…)")
    }
}

impl BillingSettings {
    /// The secrets, or `None` if payments are off. A part of the settings without the rest is an error.
    pub fn secrets(&self, has_public_url: bool) -> anyhow::Result<Option<BillingSecrets>> {
        let Self { stripe, stripe_webhook_secret_file, stripe_prices, .. } = self;
        let given = [
            ("--stripe-key-file", stripe.stripe_key_file.is_some()),
            ("--stripe-webhook-secret-file", stripe_webhook_secret_file.is_some()),
            ("--stripe-prices", !stripe_prices.0.is_empty()),
        ];
        if given.iter().all(|(_, given)| !given) {
            return Ok(None);
        }
        let missing = given.into_iter().chain([("--public-url", has_public_url)]).find(|(_, given)| !given);
        if let Some((flag, _)) = missing {
            bail!("payments through Stripe need {flag}, too");
        }
        let file = stripe_webhook_secret_file.as_deref();
        let webhook_secret =
            file.map(secret_from_file).transpose().context("--stripe-webhook-secret-file")?;
        Ok(stripe
            .key()?
            .zip(webhook_secret)
            .map(|(key, webhook_secret)| BillingSecrets { key, webhook_secret }))
    }
}

/// The prices of the plans, those that are sold first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanPrices(Vec<(Plan, String)>);

impl PlanPrices {
    /// All prices with their plans, and whether each is sold.
    pub fn all(&self) -> impl Iterator<Item = (Plan, &str, bool)> {
        self.0.iter().map(|(plan, price)| (*plan, price.as_str(), self.sold(*plan) == Some(price)))
    }

    /// The price that new customers of a plan pay.
    pub fn sold(&self, plan: Plan) -> Option<&str> {
        self.0.iter().find(|(priced, _)| *priced == plan).map(|(_, price)| price.as_str())
    }

    /// The plan of a price.
    pub fn plan_of(&self, price: &str) -> Option<Plan> {
        self.0.iter().find(|(_, known)| known == price).map(|(plan, _)| *plan)
    }
}

impl FromStr for PlanPrices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut prices = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (plan, price) = entry.split_once('=').ok_or("must be like gold=price_1,platinum=price_2")?;
            let plan = Plan::paid().find(|paid| paid.id() == plan.trim()).ok_or_else(|| {
                let paid: Vec<&str> = Plan::paid().map(Plan::id).collect();
                format!("the plans with a price are {}", paid.join(", "))
            })?;
            let price = price.trim();
            if !is_stripe_id(price) {
                return Err("a price is named by Stripe's id, such as price_1Mo".to_owned());
            }
            if prices.plan_of(price).is_some() {
                return Err("the same price is listed twice".to_owned());
            }
            prices.0.push((plan, price.to_owned()));
        }
        Ok(prices)
    }
}

/// Whether a text can be an id of Stripe, and so a part of a URL.
pub fn is_stripe_id(text: &str) -> bool {
    (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_price_of_a_plan_is_sold() {
        let prices: PlanPrices = "gold=price_new, platinum=price_p,gold=price_old".parse().unwrap();
        assert_eq!(prices.sold(Plan::Gold), Some("price_new"));
        assert_eq!(prices.sold(Plan::Bronze), None);
        assert_eq!(prices.plan_of("price_old"), Some(Plan::Gold));
        let sold: Vec<bool> = prices.all().map(|(_, _, sold)| sold).collect();
        assert_eq!(sold, [true, true, false]);
    }

    #[test]
    fn prices_that_make_no_sense_are_refused() {
        for bad in ["gold", "free=price_1", "lead=price_1", "gold=", "gold=a/b", "gold=a,platinum=a"] {
            assert!(bad.parse::<PlanPrices>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_part_of_the_settings_is_an_error() {
        let none: BillingSettings = super::super::defaults().unwrap();
        assert!(none.secrets(true).unwrap().is_none());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "sk_test_hunter2\n").unwrap();
        let path = Some(file.path().to_owned());
        let mut some = BillingSettings { stripe_webhook_secret_file: path.clone(), ..none };
        let refusal = |settings: &BillingSettings, url| settings.secrets(url).err().unwrap().to_string();
        assert!(refusal(&some, true).contains("--stripe-key-file"));
        some.stripe.stripe_key_file = path;
        assert!(refusal(&some, true).contains("--stripe-prices"));
        some.stripe_prices = "gold=price_1".parse().unwrap();
        assert!(refusal(&some, false).contains("--public-url"));
        assert!(some.secrets(true).unwrap().is_some_and(|secrets| secrets.key == "sk_test_hunter2"));
        assert!(!format!("{some:?}").contains("hunter2"));
    }
}
