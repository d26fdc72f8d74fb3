//! The pricing page, rendered from the plan table, and its registration form. It works without JavaScript.

use std::borrow::Cow;
use std::fmt;

use askama::Template;
use lastro_access::{ApiKey, Terms, Text, plans, terms};
use lastro_model::{Plan, digest_of};

use crate::billing::PlanPrice;
use crate::contact::Contact;
use crate::data::Data;
use crate::format::number;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};

/// The requests a minute without a key.
pub(crate) fn free_requests() -> u32 {
    terms(Plan::Free).requests_per_minute
}

#[derive(Debug)]
pub struct Pricing<'a> {
    pub contact: &'a Contact,
    /// The plans that can be paid for here; empty where payments are off.
    pub prices: &'a [PlanPrice],
}

/// The registration form as typed.
pub struct Typed {
    pub name: String,
    pub email: String,
}

impl fmt::Debug for Typed {
    /// Omits the fields, which are personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed")
    }
}

/// A new key, shown only once.
#[derive(Debug)]
pub struct Issued<'a> {
    pub key: &'a ApiKey,
    pub plan: Plan,
    pub rate_limit: u32,
}

/// The rejection of a registration.
#[derive(Debug)]
pub struct Refusal {
    /// The API's message, in English. It starts with the name of a field if it concerns one.
    pub message: Cow<'static, str>,
    pub retry_after_seconds: Option<u64>,
}

#[derive(Template)]
#[template(path = "pricing.html")]
struct PricingHtml {
    frame: Frame,
    plans: Vec<PlanView>,
    form: FormView,
    issued: Option<IssuedView>,
    /// Whether plans can be paid for here.
    sells: bool,
}

struct PlanView {
    id: &'static str,
    name: &'static str,
    /// With the symbol of the currency.
    price: String,
    /// The period, and the currency where the symbol does not show it.
    per: &'static str,
    is_sold: bool,
    requests_per_minute: String,
    tagline: String,
    features: Vec<String>,
    restrictions: Vec<String>,
    highlighted: bool,
    /// Link for ordering the plan, with a placeholder for the id of the reader's key.
    contact: Option<String>,
    contact_without_key: String,
}

/// The form as typed, and its error.
#[derive(Default)]
struct FormView {
    name: String,
    email: String,
    error: Option<String>,
    field: Option<&'static str>,
}

struct IssuedView {
    api_key: String,
    plan: &'static str,
    rate_limit: u32,
}

impl PlanView {
    fn new(terms: &Terms, page: &Pricing<'_>, language: Language) -> Self {
        let said = |text: &Text| language.of(*text).to_owned();
        let contact = page.contact.link(terms.plan);
        let offer = page.prices.iter().find(|price| price.plan == terms.plan);
        let price = offer.cloned().unwrap_or_else(|| page.listed(terms));
        Self {
            id: terms.plan.id(),
            name: terms.plan.name(),
            price: price.text(language),
            per: price.per(language),
            is_sold: offer.is_some(),
            requests_per_minute: number(terms.requests_per_minute, language),
            tagline: said(&terms.tagline),
            features: terms.features().iter().map(said).collect(),
            restrictions: terms.restrictions.iter().map(said).collect(),
            highlighted: terms.plan == Plan::Gold,
            contact_without_key: contact.as_ref().map(|link| link.replace("{key}", "")).unwrap_or_default(),
            contact,
        }
    }
}

impl PricingHtml {
    fn new(page: &Pricing<'_>, frame: Frame) -> Self {
        let plans = plans().iter().map(|terms| PlanView::new(terms, page, frame.language)).collect();
        Self { frame, plans, form: FormView::default(), issued: None, sells: !page.prices.is_empty() }
    }
}

impl Page for Pricing<'_> {
    fn path(&self) -> Cow<'static, str> {
        "/pricing".into()
    }

    /// Prices are known some time after the start.
    fn state(&self, data: &Data<'_>) -> u64 {
        let prices: String = self.prices.iter().map(|price| format!("{price:?}")).collect();
        digest_of(prices.as_bytes()).wrapping_add(data.sample_state())
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        PricingHtml::new(self, Frame::new(data, reader, self.path())).render()
    }
}

impl Pricing<'_> {
    /// The price of the plan table, in US dollars. Nothing is nothing in any currency: that of the plans sold here.
    fn listed(&self, terms: &Terms) -> PlanPrice {
        let common = self.prices.first().map(|first| first.currency.as_str()).filter(|currency| {
            terms.price_usd == 0 && self.prices.iter().all(|price| price.currency == *currency)
        });
        PlanPrice {
            plan: terms.plan,
            currency: common.unwrap_or("USD").to_owned(),
            amount: terms.price_usd.to_string(),
        }
    }

    /// The page after the form was submitted: with the key, or with the form again and its error.
    pub fn submitted(
        &self,
        data: &Data<'_>,
        reader: Reader,
        typed: Typed,
        result: Result<Issued<'_>, Refusal>,
    ) -> Rendered {
        let frame = Frame::new(data, reader.without_choice(), self.path());
        let mut page = PricingHtml::new(self, frame);
        (page.form.name, page.form.email) = (typed.name, typed.email);
        match result {
            Ok(Issued { key, plan, rate_limit }) => {
                let (api_key, plan) = (key.reveal().to_owned(), plan.name());
                page.issued = Some(IssuedView { api_key, plan, rate_limit });
            }
            Err(refusal) => page.form.refuse(&refusal, reader.language),
        }
        page.render()
    }
}

impl FormView {
    /// Sets the error and keeps what was typed. The error is shown beside a field if it concerns one.
    fn refuse(&mut self, refusal: &Refusal, language: Language) {
        let Refusal { message, retry_after_seconds } = refusal;
        self.field = ["name", "email"].into_iter().find(|field| message.starts_with(&format!("`{field}`")));
        self.error = Some(match language {
            Language::English => message.replace('`', ""),
            Language::Portuguese => self.translated(*retry_after_seconds, language),
        });
    }

    /// Error text in the reader's language, since the API's own message is English.
    fn translated(&self, retry_after_seconds: Option<u64>, language: Language) -> String {
        let t = &language.texts().pricing;
        match self.field {
            Some("name") => t.name_error.to_owned(),
            Some(_) => t.email_error.to_owned(),
            None => t.too_many.replace("{seconds}", &retry_after_seconds.unwrap_or(60).to_string()),
        }
    }
}
