//! Description of a published currency pair: the price in reais of one unit, from the central bank's closing bulletin.

use lastro_model::{Decimal, Frequency, FxQuote, Pair, Source, Unit};

use crate::chart_subject::Subject;
use crate::data::Data;
use crate::description::{self, Description};
use crate::language::Language;
use crate::{format, words};

pub(crate) fn described(data: &Data<'_>, pair: Pair, language: Language) -> Description {
    let t = &language.texts().fx;
    Description {
        summary: t.summary.replace("{name}", &words::pair(pair, language)),
        reading: t.reading,
        facts: facts(data, pair, language),
        call_lead: t.call_lead,
        reference: "/docs#tag/market-data",
        transforms: Vec::new(),
        checks: Vec::new(),
    }
}

fn facts(data: &Data<'_>, pair: Pair, language: Language) -> Vec<(&'static str, String)> {
    let (t, one, book) = (&language.texts().fx, &language.texts().series_detail, &data.catalog.fx);
    let quotes: &[FxQuote] = book.get(pair).map_or(&[], |quotes| quotes.points());
    let days = quotes.last().zip(quotes.first()).map(|(first, last)| (first.day, last.day));
    let rate = |of: fn(&FxQuote) -> Decimal| {
        quotes.first().map(|newest| format::value(of(newest), Unit::Brl, language)).unwrap_or_default()
    };
    let freshness = description::freshness(book.sample, data.is_late(Source::Fx), language);
    let frequency = Frequency::BusinessDays;
    vec![
        (t.sell, rate(|quote| quote.sell)),
        (t.buy, rate(|quote| quote.buy)),
        (one.unit, t.unit.to_owned()),
        (one.frequency, words::frequency(frequency, language).to_owned()),
        (one.source, description::source(Subject::Pair(pair), language)),
        (t.pair, pair.to_string()),
        (one.held, description::held(quotes.len(), days, frequency, language)),
        (one.freshness, freshness.to_owned()),
    ]
}
