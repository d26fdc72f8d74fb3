//! Settings of the pages: the public URL of the service, and the contact for paid plans.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use http::Uri;
use lastro_web::Contact;

#[derive(Debug, Clone, Args)]
pub struct PageSettings {
    /// Public URL of the service, such as https://data.example, for canonical links, the site map and examples
    #[arg(long, env = "LASTRO_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// Contact for paid plans: one e-mail address or link for all, or one each, as `gold=https://… platinum=…`; `{plan}`
    /// and `{key}` in a link stand for the plan and the id of the reader's key
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
}
