//! What a text asks for, as queries on the index. Built by hand: no text is ever parsed as a query language.

use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Score, Searcher};

use super::analyzer::{Stems, is_stop_word, words_of};
use super::rowset::RowSet;
use super::vocabulary::{Family, Vocabulary};

/// How much more a row counts that has the very word and not another form of it.
const EXACT_BOOST: Score = 2.5;

/// A word that a row must have in one of its forms.
struct Required {
    word: String,
    stem: String,
    family: Family,
}

pub struct Question<'a> {
    vocabulary: &'a Vocabulary,
    /// Every word but the last, without stop words.
    words: Vec<Required>,
    /// The last word, unless it is a stop word.
    last: Option<Required>,
    /// The last word again, if words that are not its forms start with it.
    prefix: Option<String>,
}

impl<'a> Question<'a> {
    /// `None` if the text has no word at all.
    pub fn read(text: &str, vocabulary: &'a Vocabulary) -> tantivy::Result<Option<Self>> {
        let mut words = words_of(text);
        let Some(last) = words.pop() else { return Ok(None) };
        let mut stems = Stems::new();
        let mut required = Vec::<Required>::new();
        for word in words.into_iter().filter(|word| !is_stop_word(word)) {
            let stem = stems.stem(&word);
            if required.iter().all(|other| other.stem != stem) {
                required.push(Required::new(word, stem, vocabulary)?);
            }
        }
        let stem = (!is_stop_word(&last)).then(|| stems.stem(&last));
        let prefix = vocabulary.continues(&last, stem.as_deref())?.then(|| last.clone());
        let last = stem.map(|stem| Required::new(last, stem, vocabulary)).transpose()?;
        Ok(Some(Self { vocabulary, words: required, last, prefix }))
    }

    /// The words that a row must have, each in some form; none if the last is a stop word, which is never asked for whole.
    pub fn whole_words(&self) -> Vec<&Required_> {
        todo!()
    }
}
