//! The pages after a checkout, and the prices of plans that can be paid for here.

use std::borrow::Cow;

use askama::Template;
use lastro_model::Plan;

use crate::data::Data;
use crate::format::number;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};

/// The monthly price of a plan, as the payment processor has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanPrice {
    pub plan: Plan,
    /// Three capital letters.
    pub currency: String,
    /// In the currency's main unit, with a point, such as `149.90`.
    pub amount: String,
}

impl PlanPrice {
    /// The amount with the symbol of its currency, or with its letters.
    pub(crate) fn text(&self, language: Language) -> String {
        let amount = number(&self.amount, language);
        match (self.currency.as_str(), language) {
            ("USD", Language::English) => format!("${amount}"),
            ("USD", Language::Portuguese) => format!("US$ {amount}"),
            ("BRL", _) => format!("R$ {amount}"),
            (currency, _) => format!("{currency} {amount}"),
        }
    }

    /// The words after the amount: the period, and the currency if the symbol may be that of several.
    pub(crate) fn per(&self, language: Language) -> &'static str {
        let t = language.texts();
        match (self.currency.as_str(), language) {
            ("USD", Language::English) => t.pricing.a_month,
            _ => t.billing.a_month,
        }
    }
}

/// The page that the payment processor leads back to.
#[derive(Debug)]
pub struct AfterCheckout {
    /// Whether the visitor has paid; otherwise they came back without paying.
    pub paid: bool,
}

#[derive(Template)]
#[template(path = "billing.html")]
struct BillingHtml {
    frame: Frame,
    paid: bool,
}

impl Page for AfterCheckout {
    fn path(&self) -> Cow<'static, str> {
        if self.paid { "/billing/success" } else { "/billing/cancel" }.into()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        BillingHtml { frame: Frame::new(data, reader, self.path()), paid: self.paid }.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_form_of_the_language() {
        let price = |currency: &str, amount: &str| PlanPrice {
            plan: Plan::Gold,
            currency: currency.to_owned(),
            amount: amount.to_owned(),
        };
        assert_eq!(price("BRL", "149.90").text(Language::Portuguese), "R$ 149,90");
        assert_eq!(price("BRL", "149.90").text(Language::English), "R$ 149.90");
        assert_eq!(price("USD", "29").text(Language::English), "$29");
        assert_eq!(price("EUR", "9.50").text(Language::Portuguese), "EUR 9,50");
        assert_eq!(price("USD", "1234.56").text(Language::Portuguese), "US$ 1.234,56");
        assert_eq!(price("USD", "1234.56").text(Language::English), "$1,234.56");
        assert_eq!(price("KWD", "5").text(Language::English), "KWD 5");
    }
}
