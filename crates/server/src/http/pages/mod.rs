//! Handlers of the pages for people, which `lastro_web` renders from the data that the API serves.
//!
//! A handler parses the parameters, and [`keeping`] renders the page, or takes it from the caches of the
//! [`site`](super::site). [`calculator`]: forms and results. [`reader`]: the reader's language. [`registration`]: the form of `/pricing`. [`failure`]:
//! errors as pages. [`files`]: static files.

mod calculator;
pub mod failure;
pub mod files;
mod keeping;
mod reader;
mod registration;

use http::StatusCode;
use lastro_access::{Feature, terms};
use lastro_model::Series;
use lastro_web::{
    AfterCheckout, Catalogue, Changelog, ChartFragment, ChartPage, ChartPicture, Company, Docs, Explore,
    Front, Indices, Page, PlanPrice, Pricing, Privacy, Range, Status, Subject, Usage, Versions, pair_called,
    robots,
};

use super::handler::Question;
use super::request::company_ids::is_company_id;
use super::request::query::bad;
use super::response::reply::Reply;
use crate::error::ApiError;
pub use calculator::{
    accumulation, calculator, check, check_debt, check_form, correction, debt, debt_form, legal_interest,
    minimum_wages, rent, savings,
};
use keeping::{drawn_for_one, kept, kept_text, kept_while_asked, redirect};
use lastro_billing::{Billing, Offer, Offers};
pub use registration::submit as submit_pricing;

const NO_SUCH_SERIES: ApiError = ApiError::NotFound("no series has this id or code; /series lists them");
const NO_SUCH_COMPANY: ApiError =
    ApiError::NotFound("a company is named by its registry code, its CNPJ or a ticker");
const NO_SUCH_PAIR: ApiError =
    ApiError::NotFound("no rate of this pair is published; /series#exchange_rates lists them");

const TEXT: &str = "text/plain; charset=utf-8";

/// Allows inline styles, which the reference UI sets from its script. Everything else stays within this origin.
const DOCS_POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; \
                           connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub fn front(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Front)
}

pub fn explore(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Explore)
}

/// The page of a company. It exists for every well-formed id: the API says, with a key, whether the company exists.
pub fn company(question: &Question<'_>) -> Result<Reply, ApiError> {
    let id = question.path.get("id");
    if !is_company_id(id) {
        return Err(NO_SUCH_COMPANY);
    }
    kept_while_asked(question, question.reader(), &Company { id: id.to_owned() })
}

pub fn usage(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Usage { sells: question.billing.is_some() })
}

pub fn status(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Status)
}

pub fn indices(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Indices)
}

pub fn privacy(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Privacy)
}

pub fn versions(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Versions)
}

pub fn changelog(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &Changelog)
}

pub fn pricing(question: &Question<'_>) -> Result<Reply, ApiError> {
    let prices = prices(question.billing);
    kept(question, &Pricing { contact: &question.site.settings.contact, prices: &prices })
}

pub fn after_payment(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &AfterCheckout { paid: true })
}

pub fn without_payment(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, &AfterCheckout { paid: false })
}

/// The plans that can be paid for, once their prices are known.
fn prices(billing: Option<&Billing>) -> Vec<PlanPrice> {
    let offers = billing.and_then(Billing::offers).map(Offers::all).unwrap_or_default();
    let shown = |offer: &Offer| PlanPrice {
        plan: offer.plan,
        currency: offer.currency.clone(),
        amount: offer.amount_text(),
    };
    offers.iter().map(shown).collect()
}

pub fn docs(question: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(Reply { policy: Some(DOCS_POLICY), ..kept(question, &Docs)? })
}

pub fn series_list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let page = Catalogue::matching(question.query.get("q")?.unwrap_or(""));
    if page.is_whole() {
        return kept(question, &page);
    }
    drawn_for_one(question, |data, reader| Ok((page.render(data, reader)?, StatusCode::OK)))
}

/// The page of a series. Exchange rates, which the list of series has too, have pages of their own.
pub fn series(question: &Question<'_>) -> Result<Reply, ApiError> {
    if let Ok(pair) = named_pair(question) {
        return redirect(question, &pair.path());
    }
    chart_page(question, named_series(question)?)
}

pub fn series_chart(question: &Question<'_>) -> Result<Reply, ApiError> {
    chart(question, named_series(question)?)
}

pub fn fx(question: &Question<'_>) -> Result<Reply, ApiError> {
    chart_page(question, named_pair(question)?)
}

pub fn fx_chart(question: &Question<'_>) -> Result<Reply, ApiError> {
    chart(question, named_pair(question)?)
}

pub fn series_picture(question: &Question<'_>) -> Result<Reply, ApiError> {
    keeping::picture(
        question,
        &ChartPicture { subject: named_series(question)?, compared: compared(question)? },
    )
}

pub fn fx_picture(question: &Question<'_>) -> Result<Reply, ApiError> {
    keeping::picture(
        question,
        &ChartPicture { subject: named_pair(question)?, compared: compared(question)? },
    )
}

fn named_series(question: &Question<'_>) -> Result<Subject, ApiError> {
    Series::parse(question.path.get("id")).map(Subject::Series).ok_or(NO_SUCH_SERIES)
}

fn named_pair(question: &Question<'_>) -> Result<Subject, ApiError> {
    pair_called(question.path.get("id"), &question.catalog.fx).map(Subject::Pair).ok_or(NO_SUCH_PAIR)
}

/// The subject named by the `compare` parameter, if present.
fn compared(question: &Question<'_>) -> Result<Option<Subject>, ApiError> {
    let text = question.query.get("compare")?.filter(|text| !text.is_empty());
    let parse = |text| {
        Subject::parse(text, &question.catalog.fx)
            .ok_or_else(|| bad("compare", "must be the id of a series, or a published pair such as usd-brl"))
    };
    text.map(parse).transpose()
}

fn chart_page(question: &Question<'_>, subject: Subject) -> Result<Reply, ApiError> {
    let page = ChartPage { subject, compared: compared(question)? };
    match page.compared {
        None => kept(question, &page),
        Some(_) => kept_while_asked(question, question.reader(), &page),
    }
}

/// The chart alone, over the requested range. Ranges that the plan does not include are rejected.
fn chart(question: &Question<'_>, subject: Subject) -> Result<Reply, ApiError> {
    let compared = compared(question)?;
    let range = question.query.word("range", &["1y", "5y", "all"], Range::parse)?.unwrap_or(Range::OneYear);
    if range != Range::OneYear && !terms(question.plan).includes(Feature::History) {
        return Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History });
    }
    // A script sends `lang` to match its page. This is no choice by the reader, so no cookie is set.
    let reader = question.reader().without_choice();
    kept_while_asked(question, reader, &ChartFragment { subject, compared, range })
}

pub fn robots(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept_text(question, "/robots.txt", TEXT, 0, || robots::rules(question.site.public_url()))
}

pub fn sitemap(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (book, state) = (&question.catalog.fx, question.data().state([question.catalog.fx.stamp]));
    kept_text(question, "/sitemap.xml", "application/xml", state, || robots::sitemap(book))
}

pub fn llms(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (book, state) = (&question.catalog.fx, question.data().state([question.catalog.fx.stamp]));
    kept_text(question, "/llms.txt", TEXT, state, || robots::plain_description(book))
}
