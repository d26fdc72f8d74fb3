//! The registration form of `/pricing`, for readers without JavaScript.

use http::StatusCode;
use lastro_access::Applicant;
use lastro_web::pricing::{Issued, Refusal, Typed};
use lastro_web::{Data, Pricing};

use super::{keeping, reader};
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::query::Query;
use crate::http::response::reply::Reply;
use crate::http::v1::plans::issue;

/// Replies with the key, or with the form again and its error.
pub async fn submit(action: Action<'_>) -> Result<Reply, ApiError> {
    let Action { served, access, billing, site, client, now, head, query, body, .. } = action;
    let (reader, body) = (reader::of(head, &query), body.whole().await?);
    let typed = typed(&body)?;
    let issued = match Applicant::new(&typed.name, &typed.email) {
        Ok(applicant) => issue(access, client, now, applicant).await,
        Err(error) => Err(error.into()),
    };
    let (status, retry_after) = match &issued {
        Ok(_) => (StatusCode::CREATED, None),
        Err(error @ (ApiError::BadRequest(_) | ApiError::RateLimited { .. })) => {
            let Reply { status, retry_after, .. } = Reply::error(error);
            (status, retry_after)
        }
        Err(error) => return Err(error.clone()),
    };
    let result = issued
        .as_ref()
        .map(|issued| Issued { key: &issued.key, plan: issued.plan, rate_limit: issued.rate_limit })
        .map_err(|error| Refusal { message: error.message(), retry_after_seconds: retry_after });
    let (catalog, freshness) = (served.catalog.load(), served.freshness.load());
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    let prices = super::prices(billing);
    let page = Pricing { contact: &site.settings.contact, prices: &prices };
    let text = page.submitted(&data, reader, typed, result)?;
    Ok(Reply { retry_after, ..keeping::private(reader, &site.origin(head), &text).private(status) })
}

fn typed(body: &[u8]) -> Result<Typed, ApiError> {
    let text =
        std::str::from_utf8(body).map_err(|_| ApiError::BadRequest("the form is not valid UTF-8".into()))?;
    let fields = Query::of_page(text)?;
    let field = |name| Ok::<_, ApiError>(fields.get(name)?.unwrap_or_default().to_owned());
    Ok(Typed { name: field("name")?, email: field("email")? })
}
