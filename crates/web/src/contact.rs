//! The operator's contact for paid plans.

use std::str::FromStr;

use lastro_access::Applicant;
use lastro_model::Plan;

/// The contact links for paid plans, if any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contact {
    /// In the order of the plans. The first is Free, which needs no contact.
    targets: [Option<String>; Plan::ALL.len()],
}

impl Contact {
    /// The link of a plan. `{key}` stays in it for a script to replace: only the browser has the reader's key.
    pub fn link(&self, plan: Plan) -> Option<String> {
        let target = self.targets[plan as usize].as_ref()?;
        Some(target.replace("{plan}", plan.id()))
    }
}

impl FromStr for Contact {
    type Err = String;

    /// Parses one target for every paid plan, or `plan=target` for each, separated by spaces.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut contact = Self::default();
        for word in text.split_whitespace() {
            let named = word.split_once('=').and_then(|(plan, rest)| Some((Plan::parse(plan).ok()?, rest)));
            let (plans, target) = match named {
                Some((Plan::Free, _)) => return Err("the Free plan needs no contact".to_owned()),
                Some((plan, target)) => (vec![plan], target),
                None => (Plan::paid().collect(), word),
            };
            let link = link(target)?;
            plans.into_iter().for_each(|plan| contact.targets[plan as usize] = Some(link.clone()));
        }
        Ok(contact)
    }
}

/// Checks a link, or turns an e-mail address into a `mailto:` link.
fn link(target: &str) -> Result<String, String> {
    let is_plain = target.is_ascii() && !target.contains(['"', '<', '>', '\\', '`']) && target.len() <= 500;
    if is_plain && ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return Ok(target.to_owned());
    }
    if is_plain && Applicant::new("contact", target).is_ok() {
        return Ok(format!("mailto:{target}?subject=Lastro%20{{plan}}%20{{key}}"));
    }
    Err(format!("{target:?} is no e-mail address and no https:// link"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_for_all_paid_plans_or_for_each() {
        let none: Contact = "".parse().unwrap();
        assert!(Plan::ALL.into_iter().all(|plan| none.link(plan).is_none()));
        let one: Contact = "sales@data.example".parse().unwrap();
        assert_eq!(one.link(Plan::Gold).unwrap(), "mailto:sales@data.example?subject=Lastro%20gold%20{key}");
        assert_eq!(one.link(Plan::Free), None);
        let each: Contact = "https://pay.example/{plan}?ref={key} gold=https://gold.example".parse().unwrap();
        assert_eq!(each.link(Plan::Bronze).unwrap(), "https://pay.example/bronze?ref={key}");
        assert_eq!(each.link(Plan::Gold).unwrap(), "https://gold.example");
        for bad in ["javascript:alert(1)", "free=https://a", "https://a\"b", "nobody"] {
            assert!(bad.parse::<Contact>().is_err(), "{bad}");
        }
    }
}
