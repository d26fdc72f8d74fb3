//! Settings of the pages: the public URL of the service, and the contact for paid plans.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use http::Uri;
use lastro_model::Plan;

#[derive(Debug, Clone, Args)]
pub struct PageSettings {
    /// What the service is called from outside, such as https://data.example: for canonical links, the site map and examples
    #[arg(long, env = "LASTRO_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// Where a paid plan is got: an e-mail address or a link for all plans, or one each, as `gold=https://… platinum=…`;
    /// `{plan}` and `{key}` in a link stand for the plan and the id of the reader's key
    #[arg(
        long,
        env = "LASTRO_CONTACT",
        default_value = "",
        hide_default_value = true,
        value_name = "TARGET"
    )]
    pub contact: Contact,
}

/// Scheme, host and optional port, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "must be http:// or https://, a host and perhaps a port, and no path";
        let uri: Uri = text.parse().map_err(|_| FORM.to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(FORM.into());
        };
        let is_bare = uri.path() == "/" && uri.query().is_none() && !text.contains(['#', '@']);
        if !is_bare || !["http", "https"].contains(&scheme) || authority.host().is_empty() {
            return Err(FORM.into());
        }
        Ok(Self(format!("{scheme}://{authority}").to_ascii_lowercase()))
    }
}

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
                None => (vec![Plan::Bronze, Plan::Gold, Plan::Platinum], word),
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
    if is_plain && lastro_access::Applicant::new("contact", target).is_ok() {
        return Ok(format!("mailto:{target}?subject=Lastro%20{{plan}}%20{{key}}"));
    }
    Err(format!("{target:?} is no e-mail address and no https:// link"))
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin() {
        for (text, url) in [
            ("https://data.example", "https://data.example"),
            ("https://Data.Example/", "https://data.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://[::1]:8443/", "https://[::1]:8443"),
        ] {
            assert_eq!(text.parse::<PublicUrl>().unwrap().as_str(), url);
        }
        for bad in [
            "",
            "data.example",
            "ftp://a",
            "https://a/b",
            "https://a?b",
            "https://u:p@a",
            "https://a#b",
            "//a",
        ] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
        }
    }

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
