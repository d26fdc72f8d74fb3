//! What a text asks for, as queries on the index. Built by hand: no text is ever parsed as a query language.

use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Score, Searcher};

use super::analyzer::{Stems, is_stop_word, words_of};
use super::rowset::RowSet;
use super::vocabulary::{Family, Vocabulary};

/// How much less a row counts that has another form of a word than the one asked for.
const OTHER_FORM: Score = 0.4;

/// Rows that answer a question.
pub enum Asked {
    /// Best match first.
    Ranked(Ranked),
    /// In the order of the part.
    InOrder(RowSet),
}

pub struct Ranked {
    pub count: usize,
    /// Finds these rows and scores them.
    pub ranking: Box<dyn Query>,
}

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
    /// `None` if the text has no word, or one that no row has.
    pub fn read(text: &str, vocabulary: &'a Vocabulary) -> tantivy::Result<Option<Self>> {
        let mut texts = words_of(text);
        let Some(last) = texts.pop() else { return Ok(None) };
        let mut stems = Stems::new();
        let mut words = Vec::<Required>::new();
        for word in texts.into_iter().filter(|word| !is_stop_word(word)) {
            let stem = stems.stem(&word);
            if words.iter().any(|other| other.stem == stem) {
                continue;
            }
            let required = Required::new(word, stem, vocabulary)?;
            if required.family.rows == 0 {
                return Ok(None);
            }
            words.push(required);
        }
        let stem = (!is_stop_word(&last)).then(|| stems.stem(&last));
        let prefix = vocabulary.continues(&last, stem.as_deref())?.then(|| last.clone());
        let last = stem.map(|stem| Required::new(last, stem, vocabulary)).transpose()?;
        Ok(Some(Self { vocabulary, words, last, prefix }))
    }

    /// Rows that have all words, each in some form. A stop word at the end is never asked for whole.
    pub fn whole_words(&self) -> tantivy::Result<Option<Asked>> {
        let Some(last) = self.last.as_ref().filter(|last| last.family.rows > 0) else { return Ok(None) };
        if self.words.is_empty() {
            let count = last.family.rows as usize;
            return Ok(Some(Asked::Ranked(Ranked { count, ranking: last.ranking(self.vocabulary) })));
        }
        let words: Vec<&Required> = self.words.iter().chain([last]).collect();
        let rows = self.vocabulary.rows_with_all(&families(&words))?;
        // The words alone select these rows too, and rank them without scoring all; where they are few among many, it
        // is faster to be led to them.
        let fewest = words.iter().map(|word| word.family.rows as usize).min().unwrap_or(0);
        let led = rows.len() < fewest / 4;
        Ok(Some(self.ranked(&words, &rows, led)))
    }

    /// Rows that have the other words, and a longer word that starts with the last but not the last itself.
    pub fn only_by_prefix(&self) -> tantivy::Result<Option<Asked>> {
        let Some(prefix) = &self.prefix else { return Ok(None) };
        let mut longer = self.vocabulary.rows_by_prefix(prefix)?;
        if let Some(last) = &self.last {
            self.vocabulary.remove_rows(&last.family.forms, &mut longer)?;
        }
        if self.words.is_empty() {
            return Ok(Some(Asked::InOrder(RowSet::new(longer))));
        }
        let words: Vec<&Required> = self.words.iter().collect();
        let mut rows = self.vocabulary.rows_with_all(&families(&words))?;
        rows.retain(|row| longer.contains(*row));
        Ok(Some(self.ranked(&words, &rows, true)))
    }

    /// Scores these rows, which have all these words; `led` by them, or by the words alone.
    fn ranked(&self, words: &[&Required], rows: &[u32], led: bool) -> Asked {
        let mut clauses: Vec<_> = words.iter().map(|word| word.ranking(self.vocabulary)).collect();
        if led {
            clauses.push(Box::new(RowSet::new(self.vocabulary.set_of(rows))));
        }
        Asked::Ranked(Ranked { count: rows.len(), ranking: Box::new(BooleanQuery::intersection(clauses)) })
    }
}

fn families<'a>(words: &[&'a Required]) -> Vec<&'a Family> {
    words.iter().map(|word| &word.family).collect()
}

impl Required {
    fn new(word: String, stem: String, vocabulary: &Vocabulary) -> tantivy::Result<Self> {
        let family = vocabulary.family(&stem)?;
        Ok(Self { word, stem, family })
    }

    /// A single form is passed on bare: the best rows of a bare term are found without scoring the others.
    fn ranking(&self, vocabulary: &Vocabulary) -> Box<dyn Query> {
        let term = |form: &str| Box::new(TermQuery::new(vocabulary.term(form), IndexRecordOption::WithFreqs));
        if let [only] = &self.family.forms[..] {
            return term(only);
        }
        let forms = self.family.forms.iter().map(|form| -> Box<dyn Query> {
            let is_exact = **form == *self.word;
            if is_exact { term(form) } else { Box::new(BoostQuery::new(term(form), OTHER_FORM)) }
        });
        Box::new(BooleanQuery::union(forms.collect()))
    }
}

/// What the score knows of a word: how rare its whole family is. By itself a rare form would outrank the common one
/// that was asked for.
pub struct FamilyStatistics<'a> {
    searcher: &'a Searcher,
    rows: Vec<(Term, u64)>,
}

impl<'a> FamilyStatistics<'a> {
    pub fn of(question: &Question<'a>) -> Self {
        let term = |form: &str| question.vocabulary.term(form);
        let rows = question
            .words
            .iter()
            .chain(&question.last)
            .flat_map(|word| word.family.forms.iter().map(|form| (term(form), u64::from(word.family.rows))))
            .collect();
        Self { searcher: question.vocabulary.searcher(), rows }
    }
}

impl Bm25StatisticsProvider for FamilyStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.searcher.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.rows.iter().find(|(known, _)| known == term) {
            Some((_, rows)) => Ok(*rows),
            None => self.searcher.doc_freq(term),
        }
    }
}
