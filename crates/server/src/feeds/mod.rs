//! Feeds for people: the newest values of a series, and the newest filings that match a saved search.

pub mod atom;

use jiff::Timestamp;
use lastro_catalog::{Catalog, FilingFilter, Page, fold_label, holds_all_words};
use lastro_model::{Day, Filing, SavedFeed, Series, Stamp, hex};
use sha2::{Digest, Sha256};

use atom::{AtomEntry, AtomFeed};

/// Entries of a feed.
const ENTRIES: usize = 50;
/// Matches of a search that are sorted by day. Broader searches are answered by looking at the newest filings.
const MOST_SORTED: usize = 10_000;
/// Filings that are looked at for a search.
const MOST_LOOKED_AT: usize = 50_000;

/// The digest by which the token of a feed is stored.
pub fn token_digest(token: &str) -> String {
    hex::encode(&Sha256::digest(token.as_bytes()))
}

/// The newest values of a series from this day on.
pub fn of_series(catalog: &Catalog, series: Series, from: Option<Day>, origin: &str) -> String {
    let (part, about) = (&catalog.series[series], series.about());
    let page = format!("{origin}/series/{}", about.id);
    let points = part.points().iter().take_while(|point| from.is_none_or(|from| point.day >= from));
    let entries = points.take(ENTRIES).map(|point| AtomEntry {
        tag: format!("series/{}/{}", about.id, point.day),
        title: format!("{}: {} ({})", about.label, point.value, point.day),
        updated: midnight(point.day, "Z"),
        link: page.clone(),
        text: format!("{} {}", point.day, point.value),
    });
    let feed = AtomFeed {
        tag: format!("series/{}", about.id),
        title: about.label,
        address: &format!("{origin}/feeds/series/{}.atom", about.id),
        page: &page,
        updated: published(part.stamp),
        entries: entries.collect(),
    };
    feed.xml()
}

/// The newest filings that a saved search matches.
pub fn of_search(catalog: &Catalog, feed: &SavedFeed, address: &str, origin: &str) -> String {
    let filings = &catalog.filings;
    let entries = matches(catalog, feed).into_iter().map(|row| {
        let (filing, history) = (filings.filing(row), filings.history(row));
        let delivered = midnight(filing.delivered_on, "-03:00");
        AtomEntry {
            tag: format!("filing/{}", filing.id),
            title: format!("{}: {}", filing.company_name, filing.category),
            updated: history.first_seen.unwrap_or(delivered),
            text: format!("{} ({})", filing.description, filing.delivered_on),
            link: filing.url,
        }
    });
    let atom = AtomFeed {
        tag: format!("feed/{}", feed.id),
        title: &feed.name,
        address,
        page: &format!("{origin}/explore"),
        updated: published(filings.stamp),
        entries: entries.collect(),
    };
    atom.xml()
}

/// The positions of the newest filings that match; a smaller position is newer.
fn matches(catalog: &Catalog, feed: &SavedFeed) -> Vec<u32> {
    let filings = &catalog.filings;
    let mut companies = feed.company_ids.clone();
    companies.sort_unstable();
    companies.dedup();
    let filter = FilingFilter { companies: &companies, ..FilingFilter::default() };
    let categories: Vec<String> = feed.categories.iter().map(|label| fold_label(label)).collect();
    let passes =
        |filing: &Filing| categories.is_empty() || categories.contains(&fold_label(&filing.category));
    let newest = |rows: &mut dyn Iterator<Item = u32>, and: &dyn Fn(&Filing) -> bool| -> Vec<u32> {
        let matching = |row: &u32| {
            let filing = filings.filing(*row);
            passes(&filing) && and(&filing)
        };
        rows.filter(matching).take(ENTRIES).collect()
    };
    let all = filings.list(&filter, Page { limit: usize::MAX, offset: 0 });
    let Some(q) = &feed.q else { return newest(&mut all.rows.iter(), &|_| true) };
    let found = catalog.search_filings(q, &filter, Page { limit: MOST_SORTED, offset: 0 });
    if found.interpretation.corrected.is_some() || found.interpretation.relaxed {
        return Vec::new();
    }
    if found.total > MOST_SORTED {
        return newest(&mut all.rows.iter().take(MOST_LOOKED_AT), &|filing| holds_all_words(filing, q));
    }
    let mut rows: Vec<u32> = found.rows.iter().collect();
    rows.sort_unstable();
    newest(&mut rows.into_iter(), &|_| true)
}

fn published(stamp: Stamp) -> Timestamp {
    Timestamp::from_millisecond(stamp.published_unix_ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn midnight(day: Day, offset: &str) -> Timestamp {
    format!("{day}T00:00:00{offset}").parse().unwrap_or(Timestamp::UNIX_EPOCH)
}
