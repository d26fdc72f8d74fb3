//! The pages: pricing with its registration form, the API reference, and what they are made of.

pub mod assets;
pub mod docs;
pub mod pricing;

use http::header::{HeaderValue, REFERRER_POLICY};

use crate::http::response::reply::Reply;

pub const HTML: &str = "text/html; charset=utf-8";

/// Our own pages load only what this binary serves, and run no inline script or style.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                           font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn html(page: &impl askama::Template, policy: &'static str) -> Result<Reply, crate::error::ApiError> {
    let text = page.render().map_err(|error| {
        tracing::error!(%error, "a page could not be rendered");
        crate::error::ApiError::Internal
    })?;
    // Whoever follows a link from here comes from nowhere.
    let headers = vec![(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))];
    Ok(Reply { content_type: HTML, policy: Some(policy), headers, ..Reply::json(text.into_bytes()) })
}
