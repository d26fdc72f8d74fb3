//! The pricing page, drawn from the plan table, and the form on it. It works without JavaScript.

use askama::Template;
use http::StatusCode;
use lastro_access::{Applicant, Terms, plans};
use lastro_model::Plan;

use super::{PAGE_POLICY, html};
use crate::error::ApiError;
use crate::http::handler::{Action, Question};
use crate::http::request::body;
use crate::http::request::query::Query;
use crate::http::response::reply::Reply;
use crate::http::v1::plans::issue;

#[derive(Template)]
#[template(path = "pricing.html")]
struct Pricing {
    sample: bool,
    version: &'static str,
    plans: Vec<PlanView>,
    form: FormView,
    issued: Option<IssuedView>,
}

struct PlanView {
    id: &'static str,
    name: &'static str,
    price_usd: u32,
    requests_per_minute: u32,
    tagline: &'static str,
    features: Vec<&'static str>,
    restrictions: &'static [&'static str],
    highlighted: bool,
}

/// What the reader typed, and what was wrong with it.
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

impl From<&Terms> for PlanView {
    fn from(terms: &Terms) -> Self {
        Self {
            id: terms.plan.id(),
            name: terms.plan.name(),
            price_usd: terms.price_usd,
            requests_per_minute: terms.requests_per_minute,
            tagline: terms.tagline,
            features: terms.features(),
            restrictions: terms.restrictions,
            highlighted: terms.plan == Plan::Gold,
        }
    }
}

impl Pricing {
    fn new(sample: bool) -> Self {
        let plans = plans().iter().map(PlanView::from).collect();
        Self { sample, version: crate::VERSION, plans, form: FormView::default(), issued: None }
    }
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    html(&Pricing::new(question.freshness.iter().any(|state| state.sample)), PAGE_POLICY)
}

/// The form without JavaScript: a page with the key, or the page again with what was wrong.
pub async fn submit(action: Action<'_>) -> Result<Reply, ApiError> {
    let body = body::whole(action.body).await?;
    let mut page = Pricing::new(action.app.freshness.load().iter().any(|state| state.sample));
    page.form = FormView::read(&body)?;
    let issued = match Applicant::new(&page.form.name, &page.form.email) {
        Ok(applicant) => issue(action.app, action.client, action.now, applicant).await,
        Err(error) => Err(error.into()),
    };
    let (status, retry_after) = match issued {
        Ok(issued) => {
            let (plan, rate_limit) = (issued.plan.name(), issued.rate_limit);
            page.issued = Some(IssuedView { api_key: issued.key.reveal().to_owned(), plan, rate_limit });
            (StatusCode::CREATED, None)
        }
        Err(error @ (ApiError::BadRequest(_) | ApiError::RateLimited { .. })) => page.form.refuse(&error),
        Err(error) => return Err(error),
    };
    Ok(Reply { retry_after, ..html(&page, PAGE_POLICY)?.private(status) })
}

impl FormView {
    fn read(body: &[u8]) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(body)
            .map_err(|_| ApiError::BadRequest("the form is not valid UTF-8".into()))?;
        let fields = Query::new(text)?;
        let field = |name| Ok::<_, ApiError>(fields.get(name)?.unwrap_or_default().to_owned());
        Ok(Self { name: field("name")?, email: field("email")?, error: None, field: None })
    }

    /// Keeps what was typed and says what is wrong with it, beside the field if it is one field's fault.
    fn refuse(&mut self, error: &ApiError) -> (StatusCode, Option<u64>) {
        let message = error.message();
        self.field = ["name", "email"].into_iter().find(|field| message.starts_with(&format!("`{field}`")));
        self.error = Some(message.replace('`', ""));
        let reply = Reply::error(error);
        (reply.status, reply.retry_after)
    }
}
