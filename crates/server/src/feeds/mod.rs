//! Feeds for people: the newest values of a series, and the newest filings that match a saved search.

pub mod atom;

use std::collections::HashMap;

use jiff::Timestamp;
use lastro_catalog::Catalog;
use lastro_model::{Day, RatePoint, SavedFeed, Stamp, hex};
use sha2::{Digest, Sha256};

use atom::{AtomEntry, AtomFeed};

/// Entries of a feed.
const ENTRIES: usize = 50;

/// The digest by which the token of a feed is stored.
pub fn token_digest(token: &str) -> String {
    hex::encode(&Sha256::digest(token.as_bytes()))
}

/// A series, or a pair of currencies, as a feed shows it.
#[derive(Debug)]
pub struct SeriesFeed<'a> {
    pub id: &'a str,
    pub label: &'a str,
    /// The path of its page.
    pub page: &'a str,
    /// Newest first.
    pub values: Vec<RatePoint>,
    /// The time at which a published value was last changed.
    pub revised: HashMap<Day, Timestamp>,
    pub stamp: Stamp,
}

/// The newest values of a series.
pub fn of_series(series: &SeriesFeed<'_>, origin: &str) -> String {
    let SeriesFeed { id, label, .. } = series;
    let page = format!("{origin}{}", series.page);
    let entries = series.values.iter().take(ENTRIES).map(|point| AtomEntry {
        tag: format!("series/{id}/{}", point.day),
        title: format!("{label}: {} ({})", point.value, point.day),
        updated: series.revised.get(&point.day).copied().unwrap_or_else(|| midnight(point.day, "Z")),
        link: page.clone(),
        text: format!("{} {}", point.day, point.value),
    });
    let feed = AtomFeed {
        tag: format!("series/{id}"),
        title: label,
        address: &format!("{origin}/feeds/series/{id}.atom"),
        page: &page,
        updated: published(series.stamp),
        entries: entries.collect(),
    };
    feed.xml()
}

/// The newest filings that a saved search matches.
pub fn of_search(catalog: &Catalog, feed: &SavedFeed, address: &str, origin: &str) -> String {
    let filings = &catalog.filings;
    let entries = catalog.newest_matches(feed, ENTRIES).into_iter().map(|row| {
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

fn published(stamp: Stamp) -> Timestamp {
    Timestamp::from_millisecond(stamp.published_unix_ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn midnight(day: Day, offset: &str) -> Timestamp {
    format!("{day}T00:00:00{offset}").parse().unwrap_or(Timestamp::UNIX_EPOCH)
}
