//! PTAX closing bulletins of every currency that the central bank lists.

use std::collections::BTreeMap;

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use lastro_model::{Currency, Day, FxQuote, Pair, ReadFile, Records, Source};
use lastro_sources::{Fault, Reading, judgement, ptax};
use lastro_store::{SourceState, Store};

use super::sync::{Outcome, Sync, SyncError, holds_no_official_data};
use super::windows::{self, Told};

const OVERLAP_DAYS: i32 = 15;

type Held = BTreeMap<(Pair, Day), FxQuote>;
type Window = (Currency, Day, Day);

pub async fn synchronise(sync: &Sync, state: &SourceState) -> Result<Outcome, SyncError> {
    let held = if holds_no_official_data(state) { Held::new() } else { held(&*sync.store).await? };
    let currencies = currencies(sync).await?;
    let today = sync.today();
    let windows: Vec<Window> = currencies
        .iter()
        .flat_map(|currency| {
            let from = newest_of(&held, *currency)
                .map_or(ptax::first_day(), |newest| newest.plus_days(-OVERLAP_DAYS));
            ptax::windows(from, today).into_iter().map(|(from, to)| (*currency, from, to))
        })
        .collect();
    sync.report.begin(Source::Fx, windows.len() as u64);
    let (quotes, told) = read(sync, &windows).await?;
    judge(&held, &quotes, &windows)?;
    for currency in &currencies {
        let own = told.iter().filter(|(told, _)| told == currency).map(|(_, told)| told);
        windows::refuse_silence(own, newest_of(&held, *currency).is_some())?;
    }
    let files = told
        .into_iter()
        .map(|(currency, told)| remembered(sync, currency, told))
        .collect::<Result<Vec<_>, _>>()?;
    let published = sync
        .publish(Source::Fx, move |outbox| {
            outbox.rows(Records::Fx(quotes.into_values().collect()));
            files.into_iter().for_each(|file| outbox.file(file));
            Ok(())
        })
        .await?;
    sync.outcome(Source::Fx, published).await
}

/// Remembered by its year, so that a later answer about the same days takes its place.
fn remembered(sync: &Sync, currency: Currency, told: Told) -> Result<ReadFile, SyncError> {
    let (first, last) = windows::year_around(told.from);
    let url = ptax::period(&sync.publishers.ptax, currency, first, last).url;
    Ok(told.into_file(url, sync.now()?))
}

async fn currencies(sync: &Sync) -> Result<Vec<Currency>, SyncError> {
    let request = ptax::currencies(&sync.publishers.ptax);
    Ok(sync.fetcher.ask(&request, None, ptax::read_currencies).await?.rows)
}

async fn held(store: &dyn Store) -> Result<Held, SyncError> {
    let mut held = Held::new();
    let mut rows = store.load(Source::Fx).await?.rows;
    while let Some(batch) = rows.recv().await {
        if let Records::Fx(quotes) = batch? {
            held.extend(quotes.into_iter().map(|quote| ((quote.pair, quote.day), quote)));
        }
    }
    Ok(held)
}

fn newest_of(held: &Held, currency: Currency) -> Option<Day> {
    let pair = Pair::in_reais(currency);
    let last = Day::from(jiff::civil::Date::MAX);
    let first = Day::from(jiff::civil::Date::MIN);
    held.range((pair, first)..=(pair, last)).next_back().map(|((_, day), _)| *day)
}

async fn read(sync: &Sync, windows: &[Window]) -> Result<(Held, Vec<(Currency, Told)>), SyncError> {
    let asking: Vec<_> = windows.iter().map(|window| ask(sync, *window).boxed()).collect();
    let mut readings = stream::iter(asking).buffered(windows::AT_ONCE);
    let (mut quotes, mut told) = (Held::new(), Vec::new());
    while let Some(((currency, from, to), reading)) = readings.try_next().await? {
        let rows = reading.rows.len() as u64;
        told.push((currency, Told { from, to, rows, rejects: reading.rejects }));
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
    Ok((quotes, told))
}

async fn ask(
    sync: &Sync,
    window @ (currency, from, to): Window,
) -> Result<(Window, Reading<FxQuote>), SyncError> {
    let request = ptax::period(&sync.publishers.ptax, currency, from, to);
    let keep_for = windows::is_closed(to, sync.today()).then_some(Source::Fx);
    let reading =
        sync.fetcher.ask(&request, keep_for, |answer| ptax::read(currency, (from, to), answer)).await?;
    sync.report.step(Source::Fx, &request.what, reading.rows.len() as u64, reading.rejects.len() as u64);
    Ok((window, reading))
}

/// An unknown symbol looks like a holiday in these answers, so closings that we hold must come back.
fn judge(held: &Held, read: &Held, windows: &[Window]) -> Result<(), SyncError> {
    if held.is_empty() {
        judgement::empty(read.len() as u64)?;
    }
    let mut overlapping = Vec::new();
    for (currency, from, to) in windows {
        let pair = Pair::in_reais(*currency);
        let before: Vec<FxQuote> = held.range((pair, *from)..=(pair, *to)).map(|(_, quote)| *quote).collect();
        let kept = before.iter().filter(|quote| read.contains_key(&(quote.pair, quote.day))).count();
        judgement::lost_rows(before.len() as u64, kept as u64)?;
        overlapping.extend(before);
    }
    let quotes: Vec<FxQuote> = read.values().copied().collect();
    Ok(judgement::implausible_quotes(&overlapping, &quotes)?)
}
