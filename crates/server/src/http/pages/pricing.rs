//! The pricing page, rendered from the plan table, and its registration form. It works without JavaScript.

use askama::Template;
use http::StatusCode;
use lastro_access::{Applicant, Terms, plans};
use lastro_model::Plan;

use super::frame::{Frame, Reader, draw};
use super::keeping::{kept, private};
use super::language::Language;
use super::site::Site;
use super::state;
use super::texts::plans::sentence;
use crate::error::ApiError;
use crate::http::handler::{Action, Question};
use crate::http::request::query::Query;
use crate::http::response::reply::Reply;
use crate::http::v1::plans::issue;

const PATH: &str = "/pricing";

#[derive(Template)]
#[template(path = "pricing.html")]
struct Pricing {
    frame: Frame,
    plans: Vec<PlanView>,
    form: FormView,
    issued: Option<IssuedView>,
}

struct PlanView {
    id: &'static str,
    name: &'static str,
    price_usd: u32,
    requests_per_minute: u32,
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
    fn new(terms: &Terms, site: &Site, language: Language) -> Self {
        let said = |text: &&'static str| sentence(text, language);
        let contact = site.settings.contact.link(terms.plan);
        Self {
            id: terms.plan.id(),
            name: terms.plan.name(),
            price_usd: terms.price_usd,
            requests_per_minute: terms.requests_per_minute,
            tagline: sentence(terms.tagline, language),
            features: terms.features().iter().map(said).collect(),
            restrictions: terms.restrictions.iter().map(said).collect(),
            highlighted: terms.plan == Plan::Gold,
            contact_without_key: contact.as_ref().map(|link| link.replace("{key}", "")).unwrap_or_default(),
            contact,
        }
    }
}

impl Pricing {
    fn new(site: &Site, frame: Frame) -> Self {
        let plans = plans().iter().map(|terms| PlanView::new(terms, site, frame.language)).collect();
        Self { frame, plans, form: FormView::default(), issued: None }
    }
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, PATH, state::sample(question), |language| {
        draw(&Pricing::new(question.site, Frame::new(question, language, PATH)))
    })
}

/// Handles the form without JavaScript: replies with the key, or with the form again and its error.
pub async fn submit(action: Action<'_>) -> Result<Reply, ApiError> {
    let reader = Reader::new(&action.app.site, action.head, &action.query);
    let body = action.body.whole().await?;
    let sample = action.app.freshness.load().iter().any(|state| state.sample);
    let site = &action.app.site;
    let mut page = Pricing::new(site, Frame::outside(site, reader.language, PATH, sample));
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
        Err(error @ (ApiError::BadRequest(_) | ApiError::RateLimited { .. })) => {
            page.form.refuse(&error, reader.language)
        }
        Err(error) => return Err(error),
    };
    Ok(Reply { retry_after, ..private(&reader, &draw(&page)?).private(status) })
}

impl FormView {
    fn read(body: &[u8]) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(body)
            .map_err(|_| ApiError::BadRequest("the form is not valid UTF-8".into()))?;
        let fields = Query::new(text)?;
        let field = |name| Ok::<_, ApiError>(fields.get(name)?.unwrap_or_default().to_owned());
        Ok(Self { name: field("name")?, email: field("email")?, error: None, field: None })
    }

    /// Sets the error and keeps what was typed. The error is shown beside a field if it concerns one.
    fn refuse(&mut self, error: &ApiError, language: Language) -> (StatusCode, Option<u64>) {
        let (message, reply) = (error.message(), Reply::error(error));
        self.field = ["name", "email"].into_iter().find(|field| message.starts_with(&format!("`{field}`")));
        self.error = Some(match language {
            Language::English => message.replace('`', ""),
            Language::Portuguese => self.refusal(reply.retry_after, language),
        });
        (reply.status, reply.retry_after)
    }

    /// Error text in the reader's language, since the API's own message is English.
    fn refusal(&self, retry_after: Option<u64>, language: Language) -> String {
        let t = &language.texts().pricing;
        match self.field {
            Some("name") => t.name_error.to_owned(),
            Some(_) => t.email_error.to_owned(),
            None => t.too_many.replace("{seconds}", &retry_after.unwrap_or(60).to_string()),
        }
    }
}
