//! A page for each published currency pair: the price in reais of one unit, from the central bank's closing bulletin.

use lastro_model::{Frequency, FxQuote, Pair, Source, Topic, Unit};

use super::language::Language;
use super::state::is_late;
use super::subject::{Subject, pair_called};
use super::subject_page::{self, Description};
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

const NO_SUCH_PAIR: ApiError =
    ApiError::NotFound("no rate of this pair is published; /series#exchange_rates lists them");

fn named(question: &Question<'_>) -> Result<Pair, ApiError> {
    pair_called(question.path.get("id"), &question.catalog.fx).ok_or(NO_SUCH_PAIR)
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let pair = named(question)?;
    subject_page::page(question, Subject::Pair(pair), Topic::ExchangeRates, Vec::new(), |language| {
        described(question, pair, language)
    })
}

pub fn chart(question: &Question<'_>) -> Result<Reply, ApiError> {
    subject_page::chart(question, Subject::Pair(named(question)?))
}

fn described(question: &Question<'_>, pair: Pair, language: Language) -> Description {
    let t = &language.texts().fx;
    Description {
        summary: t.summary.replace("{name}", &words::pair(pair, language)),
        reading: t.reading,
        facts: facts(question, pair, language),
        call_lead: t.call_lead,
        reference: "/docs#tag/market-data",
        transforms: Vec::new(),
        checks: Vec::new(),
    }
}

fn facts(question: &Question<'_>, pair: Pair, language: Language) -> Vec<(&'static str, String)> {
    let (t, one, book) = (&language.texts().fx, &language.texts().one, &question.catalog.fx);
    let quotes: &[FxQuote] = book.get(pair).map_or(&[], |quotes| quotes.points());
    let days = quotes.last().zip(quotes.first()).map(|(first, last)| (first.day, last.day));
    let rate = |of: fn(&FxQuote) -> lastro_model::Decimal| {
        quotes.first().map(|newest| format::value(of(newest), Unit::Brl, language)).unwrap_or_default()
    };
    let freshness = subject_page::freshness(book.sample, is_late(question, Source::Fx), language);
    let frequency = Frequency::BusinessDays;
    vec![
        (t.sell, rate(|quote| quote.sell)),
        (t.buy, rate(|quote| quote.buy)),
        (one.unit, t.unit.to_owned()),
        (one.frequency, words::frequency(frequency, language).to_owned()),
        (one.source, subject_page::source(Subject::Pair(pair), language)),
        (t.pair, pair.to_string()),
        (one.held, subject_page::held(quotes.len(), days, frequency, language)),
        (one.freshness, freshness.to_owned()),
    ]
}
