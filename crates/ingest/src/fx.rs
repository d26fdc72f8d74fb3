//! PTAX closing rates of every currency that the central bank lists.

use std::collections::BTreeMap;

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use lastro_model::{
    Currency, Day, FxQuote, Kind, Pair, Point, ReadFile, Records, Reject, Source, SourceState,
};
use lastro_sources::{Fault, Reading, judgement, ptax};
use lastro_store::Store;

use crate::history::{self, Depth, History};
use crate::result::{SyncError, Synchronised};
use crate::sync::{Reach, Synchronizer, holds_no_official_data};
use crate::windows::{self, WindowRead};
use crate::withholding::Withholding;

const OVERLAP_DAYS: i32 = 15;

type Quotes = BTreeMap<(Pair, Day), FxQuote>;
type Window = (Currency, Day, Day);

/// The stored closing rates.
struct Held(Quotes);

pub(crate) async fn synchronise(
    sync: &Synchronizer,
    state: &SourceState,
    reach: Reach,
) -> Result<Synchronised, SyncError> {
    let quotes = if holds_no_official_data(state) { Quotes::new() } else { held(&*sync.store).await? };
    history::synchronise(sync, &Held(quotes), reach).await
}

impl History for Held {
    fn source(&self) -> Source {
        Source::Fx
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    async fn read(
        &self,
        sync: &Synchronizer,
        depth: Depth,
        now: Timestamp,
        note: Option<ReadFile>,
    ) -> Result<Synchronised, SyncError> {
        let (currencies, list) = currencies(sync, &self.0, now).await?;
        let windows = windows_to_ask(&currencies, &self.0, depth, sync.today());
        sync.report.begin(Source::Fx, windows.len() as u64);
        let (quotes, windows_read) = read(sync, &windows).await?;
        judge(sync, &self.0, &quotes, &windows)?;
        refuse_silence(&self.0, &windows_read)?;
        let mut withholding = Withholding::begin(sync, Source::Fx, now).await?;
        let believed = review(&mut withholding, &currencies, &self.0, &quotes);
        let withheld = withholding.end(|known| lies_before(&windows, known))?;

        let files =
            windows_read.into_iter().map(|(currency, window)| remembered(sync, currency, now, window));
        let files: Vec<ReadFile> = files.chain([list]).chain(note).collect();
        let published = sync
            .publish(Source::Fx, move |rows_out| {
                rows_out.rows(Records::Fx(believed));
                rows_out.withheld(withheld);
                files.into_iter().for_each(|file| rows_out.file(file));
                Ok(())
            })
            .await?;
        sync.outcome(Source::Fx, published).await
    }
}

/// Records a window under its year, so that a later response for the same days replaces it.
fn remembered(sync: &Synchronizer, currency: Currency, now: Timestamp, window: WindowRead) -> ReadFile {
    let (first, last) = windows::year_around(window.from);
    window.into_file(ptax::period(&sync.publishers.ptax, currency, first, last).url, now)
}

/// The currencies listed now. A stored currency that is no longer listed is reported among the rejects; its rows
/// stay.
async fn currencies(
    sync: &Synchronizer,
    held: &Quotes,
    now: Timestamp,
) -> Result<(Vec<Currency>, ReadFile), SyncError> {
    let request = ptax::currencies(&sync.publishers.ptax);
    let Reading { rows, mut rejects } = sync.fetcher.ask(&request, None, ptax::read_currencies).await?;
    let mut missing: Vec<Pair> = held.keys().map(|(pair, _)| *pair).collect();
    missing.dedup();
    missing.retain(|pair| !rows.iter().any(|currency| Pair::in_reais(*currency) == *pair));
    for pair in missing {
        let reason = format!("{pair} is no longer listed; what is held of it stays");
        tracing::warn!(source = %Source::Fx, "{reason}");
        rejects.push(Reject { file: request.what.clone(), line: 0, reason });
    }
    let today = sync.today();
    let window = WindowRead { from: today, to: today, rows: rows.len() as u64, rejects };
    Ok((rows, window.into_file(request.url, now)))
}

/// The windows to request: from shortly before the newest closing of each currency, or from the beginning. A closing
/// may lie in the future if a clock was ahead.
fn windows_to_ask(currencies: &[Currency], held: &Quotes, depth: Depth, today: Day) -> Vec<Window> {
    let of = |currency: &Currency| {
        let newest = newest_of(held, *currency).filter(|_| depth == Depth::End);
        let from = newest.map_or(ptax::first_day(), |newest| newest.min(today).plus_days(-OVERLAP_DAYS));
        let currency = *currency;
        ptax::windows(from, today).into_iter().map(move |(from, to)| (currency, from, to))
    };
    currencies.iter().flat_map(of).collect()
}

async fn held(store: &dyn Store) -> Result<Quotes, SyncError> {
    let mut held = Quotes::new();
    let mut rows = store.load(Source::Fx).await?.rows;
    while let Some(batch) = rows.recv().await {
        if let Records::Fx(quotes) = batch?.rows {
            held.extend(quotes.into_iter().map(|quote| ((quote.pair, quote.day), quote)));
        }
    }
    Ok(held)
}

/// All quotes of one currency.
fn of_pair(quotes: &Quotes, pair: Pair) -> impl Iterator<Item = FxQuote> {
    let (first, last) = (Day::from(jiff::civil::Date::MIN), Day::from(jiff::civil::Date::MAX));
    quotes.range((pair, first)..=(pair, last)).map(|(_, quote)| *quote)
}

/// Reviews each currency separately; one without stored rows is not judged.
fn review(
    withholding: &mut Withholding,
    currencies: &[Currency],
    held: &Quotes,
    read: &Quotes,
) -> Vec<FxQuote> {
    let mut believed = Vec::with_capacity(read.len());
    for pair in currencies.iter().map(|currency| Pair::in_reais(*currency)) {
        let held = of_pair(held, pair).map(|quote| (quote.day, quote)).collect();
        believed.extend(withholding.review(Kind::Price, &held, of_pair(read, pair)));
    }
    believed
}

/// Whether a point lies before the days requested for its currency. Points of a currency no longer listed are
/// dropped.
fn lies_before(windows: &[Window], point: &Point) -> bool {
    let mut own = windows.iter().filter(|(currency, ..)| Some(Pair::in_reais(*currency)) == point.pair());
    own.next().is_some_and(|(_, from, _)| point.day() < *from)
}

fn newest_of(held: &Quotes, currency: Currency) -> Option<Day> {
    held_before(held, currency, Day::from(jiff::civil::Date::MAX))
}

/// The last stored closing before this day.
fn held_before(held: &Quotes, currency: Currency, day: Day) -> Option<Day> {
    let (pair, first) = (Pair::in_reais(currency), Day::from(jiff::civil::Date::MIN));
    held.range((pair, first)..(pair, day)).next_back().map(|((_, day), _)| *day)
}

/// Rejects empty windows, per currency. The windows of each currency are adjacent and in order.
fn refuse_silence(held: &Quotes, windows_read: &[(Currency, WindowRead)]) -> Result<(), SyncError> {
    for own in windows_read.chunk_by(|(a, _), (b, _)| a == b) {
        let Some((currency, first)) = own.first() else { continue };
        let begun = held_before(held, *currency, first.from).is_some();
        windows::refuse_silence(own.iter().map(|(_, window)| window), begun)?;
    }
    Ok(())
}

async fn read(
    sync: &Synchronizer,
    windows: &[Window],
) -> Result<(Quotes, Vec<(Currency, WindowRead)>), SyncError> {
    let asking: Vec<_> = windows.iter().map(|window| ask(sync, *window).boxed()).collect();
    let mut readings = stream::iter(asking).buffered(windows::AT_ONCE);
    let (mut quotes, mut windows_read) = (Quotes::new(), Vec::new());
    while let Some(((currency, from, to), reading)) = readings.try_next().await? {
        let rows = reading.rows.len() as u64;
        windows_read.push((currency, WindowRead { from, to, rows, rejects: reading.rejects }));
        for quote in reading.rows {
            if quotes.insert((quote.pair, quote.day), quote).is_some_and(|other| other != quote) {
                return Err(Fault::NotData(format!(
                    "two answers give different closings of {} on {}",
                    quote.pair, quote.day
                ))
                .into());
            }
        }
    }
    Ok((quotes, windows_read))
}

async fn ask(
    sync: &Synchronizer,
    window @ (currency, from, to): Window,
) -> Result<(Window, Reading<FxQuote>), SyncError> {
    let request = ptax::period(&sync.publishers.ptax, currency, from, to);
    let keep_for = windows::is_closed(to, sync.today()).then_some(Source::Fx);
    let reading =
        sync.fetcher.ask(&request, keep_for, |answer| ptax::read(currency, (from, to), answer)).await?;
    sync.report.step(Source::Fx, &request.what, reading.rows.len() as u64, reading.rejects.len() as u64);
    Ok((window, reading))
}

/// Checks that stored closings are still present: in these responses an unknown symbol looks like a holiday.
fn judge(sync: &Synchronizer, held: &Quotes, read: &Quotes, windows: &[Window]) -> Result<(), SyncError> {
    if held.is_empty() {
        judgement::empty(read.len() as u64)?;
    }
    for (currency, from, to) in windows {
        let pair = Pair::in_reais(*currency);
        let before = held.range((pair, *from)..=(pair, *to));
        let kept = before.clone().filter(|(place, _)| read.contains_key(place)).count();
        sync.weigh(Source::Fx, judgement::lost_rows(before.count() as u64, kept as u64))?;
    }
    Ok(())
}
