//! What a search found, and how the text was read for it.

use std::ops::Deref;
use std::sync::Arc;

use super::paging::Paging;
use super::row_set::RowSet;
use crate::page::{Listing, Page};

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    pub listing: Listing<'a>,
    pub reading: Reading,
}

/// How a text was read. The default is word by word as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The words that were searched for, if some of the text's were mistyped.
    pub corrected: Option<Arc<str>>,
    /// Whether no row has all words, so that these have the most of them.
    pub relaxed: bool,
}

impl<'a> From<Listing<'a>> for Found<'a> {
    fn from(listing: Listing<'a>) -> Self {
        Self { listing, reading: Reading::default() }
    }
}

impl<'a> Deref for Found<'a> {
    type Target = Listing<'a>;

    fn deref(&self) -> &Listing<'a> {
        &self.listing
    }
}

/// The rows of a page, how many there are in all, and whether they only have the most of the words.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub total: usize,
    pub rows: Vec<u32>,
    pub relaxed: bool,
}

impl Outcome {
    /// A page of the rows that have the most of the words, first those that are in a set.
    pub(super) fn relaxed(having_most: RowSet, first: &RowSet, page: Page) -> Self {
        let (total, mut rest) = (having_most.len(), having_most);
        let mut with = rest.clone();
        with.keep_all(first);
        rest.remove_all(first);
        let mut paging = Paging::of(page);
        paging.add(&with);
        paging.add(&rest);
        Self { total, rows: paging.into_rows(), relaxed: true }
    }
}
