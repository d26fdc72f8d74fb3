//! Exchange rates: published ones, and those derived from one or two of them.

use std::collections::BTreeSet;

use lastro_calc::{cross, inverse};
use lastro_catalog::{Cell, FxBook, Object, Point, Timeline, name};
use lastro_model::{Currency, Day, FxQuote, Pair};

use super::market::{Asked, NO_VALUE, newest};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

pub fn history(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (asked, book) = (Asked::of(question)?, &*question.catalog.fx);
    let pair = pair_of(question)?;
    match book.get(pair) {
        Some(quotes) => asked.points(question, &file_name(pair), quotes, book.stamp),
        // Before the first synchronisation there is nothing to derive from.
        None if book.pairs().is_empty() => {
            asked.points(question, &file_name(pair), &Timeline::<FxQuote>::default(), book.stamp)
        }
        None => derived_history(question, &asked, &Legs::of(book, pair)?),
    }
}

pub fn current(question: &Question<'_>) -> Result<Reply, ApiError> {
    let book = &*question.catalog.fx;
    let pair = pair_of(question)?;
    if let Some(quotes) = book.get(pair) {
        return Ok(Reply::data(newest(quotes)?.to_vec(), [book.stamp]));
    }
    if book.pairs().is_empty() {
        return Err(NO_VALUE);
    }
    let legs = Legs::of(book, pair)?;
    let quote = legs.days().next().and_then(|day| legs.quote(day)).ok_or(NO_VALUE)?;
    let mut body = Vec::with_capacity(160);
    legs.write_json(&quote, &mut body);
    Ok(Reply::data(body, [book.stamp]))
}

fn derived_history(question: &Question<'_>, asked: &Asked, legs: &Legs<'_>) -> Result<Reply, ApiError> {
    let dialect = asked.format.dialect(question.plan)?;
    let from = asked.first_day(question, legs.newest())?;
    let within =
        |leg: &FxQuote| from.is_none_or(|from| from <= leg.day) && asked.to.is_none_or(|to| leg.day <= to);
    let days: Vec<_> = legs.days().filter(|(base, quote)| base.or(*quote).is_some_and(within)).collect();
    let quotes: Vec<FxQuote> =
        days[asked.page.of(days.len())].iter().filter_map(|day| legs.quote(*day)).collect();
    let stamp = question.catalog.fx.stamp;
    if let Some(dialect) = dialect {
        let label = question.label(file_name(legs.pair), days.len());
        return csv::file(dialect, &label, COLUMNS, [stamp], |writer| {
            quotes.iter().try_for_each(|quote| writer.row(|put| legs.cells(quote, put)))
        });
    }
    let body = Object::new(Vec::with_capacity(40 + quotes.len() * 128))
        .array(name!("data"), &quotes, |quote, out| legs.write_json(quote, out))
        .number(name!("total"), days.len())
        .end();
    Ok(Reply::data(body, [stamp]))
}

const COLUMNS: &[&str] = &["date", "pair", "buy", "sell", "derived", "legs"];

fn file_name(pair: Pair) -> String {
    format!("fx-{}-{}", pair.base, pair.quote)
}

/// The requested pair, published or not.
fn pair_of(question: &Question<'_>) -> Result<Pair, ApiError> {
    let book = &*question.catalog.fx;
    let text = question.query.get("pair")?.unwrap_or("USD/BRL");
    Pair::parse(text).map_err(|_| not_held(book))
}

/// Parses a published pair. For any other, the error lists the published ones.
pub fn held_pair(book: &FxBook, text: &str) -> Result<Pair, ApiError> {
    Pair::parse(text).ok().filter(|pair| book.get(*pair).is_some()).ok_or_else(|| {
        let held: Vec<String> = book.pairs().iter().map(ToString::to_string).collect();
        ApiError::BadRequest(format!("`pair` must be one of {}", held.join(", ")).into())
    })
}

fn not_held(book: &FxBook) -> ApiError {
    let held: BTreeSet<&str> = book.pairs().iter().map(|pair| pair.base.as_str()).collect();
    let held: Vec<&str> = held.into_iter().collect();
    let message = format!(
        "`pair` must be BASE/QUOTE of two different currencies, such as USD/BRL; held are BRL, {}",
        held.join(", ")
    );
    ApiError::BadRequest(message.into())
}

/// The published pairs that a derived one is computed from. The real needs none.
struct Legs<'a> {
    pair: Pair,
    base: Option<&'a Timeline<FxQuote>>,
    quote: Option<&'a Timeline<FxQuote>>,
}

/// The quotes of one day, for the currencies other than the real.
type LegsOfADay<'a> = (Option<&'a FxQuote>, Option<&'a FxQuote>);

impl<'a> Legs<'a> {
    fn of(book: &'a FxBook, pair: Pair) -> Result<Self, ApiError> {
        let leg = |currency: Currency| match currency {
            Currency::BRL => Ok(None),
            _ => book.get(Pair::in_reais(currency)).map(Some).ok_or_else(|| not_held(book)),
        };
        if pair.base == pair.quote {
            return Err(not_held(book));
        }
        Ok(Self { pair, base: leg(pair.base)?, quote: leg(pair.quote)? })
    }

    /// The newest day of any leg. A plan sees the same days of a leg here as in the leg's own series.
    fn newest(&self) -> Option<Day> {
        let legs = self.base.into_iter().chain(self.quote);
        legs.filter_map(Timeline::newest).map(Point::day).max()
    }

    /// Days with quotes for all legs, newest first.
    fn days(&self) -> Box<dyn Iterator<Item = LegsOfADay<'a>> + 'a> {
        match (self.base, self.quote) {
            (Some(base), Some(quote)) => Box::new(base.points().iter().filter_map(|leg| {
                let place = quote.points().binary_search_by(|other| leg.day.cmp(&other.day)).ok()?;
                Some((Some(leg), quote.points().get(place)))
            })),
            (base, quote) => {
                let base = base.into_iter().flat_map(Timeline::points).map(|leg| (Some(leg), None));
                let quote = quote.into_iter().flat_map(Timeline::points).map(|leg| (None, Some(leg)));
                Box::new(base.chain(quote))
            }
        }
    }

    fn quote(&self, day: LegsOfADay<'_>) -> Option<FxQuote> {
        match day {
            (Some(base), Some(quote)) => cross(base, quote),
            (None, Some(quote)) => inverse(quote),
            // A pair in reais is either published or of a currency that is not held.
            (_, None) => None,
        }
    }

    fn names(&self) -> impl Iterator<Item = Pair> {
        let name =
            |timeline: Option<&Timeline<FxQuote>>, currency| timeline.map(|_| Pair::in_reais(currency));
        name(self.base, self.pair.base).into_iter().chain(name(self.quote, self.pair.quote))
    }

    fn write_json(&self, quote: &FxQuote, out: &mut Vec<u8>) {
        Object::new(out)
            .token(name!("date"), quote.day)
            .token(name!("pair"), quote.pair)
            .number(name!("buy"), quote.buy)
            .number(name!("sell"), quote.sell)
            .boolean(name!("derived"), true)
            .array(name!("legs"), self.names(), |leg, out| {
                out.extend_from_slice(format!("\"{leg}\"").as_bytes());
            })
            .end();
    }

    fn cells(&self, quote: &FxQuote, put: &mut dyn FnMut(Cell<'_>)) {
        put(Cell::Token(&quote.day));
        put(Cell::Token(&quote.pair));
        put(Cell::Number(&quote.buy));
        put(Cell::Number(&quote.sell));
        put(Cell::Token(&true));
        let legs: Vec<String> = self.names().map(|leg| leg.to_string()).collect();
        put(Cell::Token(&legs.join(" ")));
    }
}
