//! The words of an index: which are forms of one another, and the rows of those that start alike.
//!
//! Indexing stems beside words would double the index and the time to build it. Instead each word of the dictionary
//! is stemmed once, and a question for a word asks for all its forms.

use hashbrown::HashMap;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{BitSet, DocSet, InvertedIndexReader, Searcher};

use super::analyzer::{Stems, is_stop_word};
use super::rowset::RowSet;

/// The forms of one word that occur, and how many rows have any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    pub forms: Vec<Box<str>>,
    pub rows: u32,
}

pub struct Vocabulary {
    searcher: Searcher,
    field: Field,
    /// Families by stem, but for words that are their own stem and have no other form: most names, all codes.
    families: HashMap<Box<str>, Family>,
    /// The rows of short prefixes with so many words that reading their lists takes long.
    prepared: HashMap<Box<str>, BitSet>,
}

/// So many words are looked at to see whether a word is worth a search by prefix.
const WORDS_LOOKED_AT: usize = 64;

/// Looking a row up in a list costs about as much as reading so many of its entries.
const LOOK_UP_COST: usize = 20;

impl Vocabulary {
    pub fn of(searcher: Searcher, field: Field) -> tantivy::Result<Self> {
        let mut vocabulary = Self { searcher, field, families: HashMap::new(), prepared: HashMap::new() };
        vocabulary.families = vocabulary.gather_families()?;
        vocabulary.prepared = vocabulary.prepare_prefixes()?;
        Ok(vocabulary)
    }

    pub fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    pub fn term(&self, word: &str) -> Term {
        Term::from_field_text(self.field, word)
    }

    /// The words that have this stem.
    pub fn family(&self, stem: &str) -> tantivy::Result<Family> {
        if let Some(family) = self.families.get(stem) {
            return Ok(family.clone());
        }
        // What was left out has one member, its own stem. Anything else has none.
        let is_own_stem = !is_stop_word(stem) && Stems::new().stem(stem) == stem;
        let rows = if is_own_stem { self.searcher.doc_freq(&self.term(stem))? as u32 } else { 0 };
        Ok(Family { forms: vec![stem.into()], rows })
    }

    /// Whether words occur that start with this one and are not its forms.
    pub fn continues(&self, word: &str, stem: Option<&str>) -> tantivy::Result<bool> {
        let mut stems = Stems::new();
        let mut looked_at = 0;
        let mut found = false;
        self.for_each_word(word, |longer, _| {
            looked_at += 1;
            let is_form = stem.is_some_and(|stem| !is_stop_word(longer) && stems.stem(longer) == stem);
            found = !is_form || looked_at > WORDS_LOOKED_AT;
            Ok(!found)
        })?;
        Ok(found)
    }

    /// The rows with a word that starts with `prefix`.
    pub fn rows_by_prefix(&self, prefix: &str) -> tantivy::Result<BitSet> {
        if let Some(prepared) = self.prepared.get(prefix) {
            return Ok(prepared.clone());
        }
        let index = self.index()?;
        let mut rows = self.no_rows();
        self.for_each_word(prefix, |_, info| {
            for_each_row(&index, info, |row| {
                rows.insert(row);
            })?;
            Ok(true)
        })?;
        Ok(rows)
    }

    /// Takes the rows that have any of these words out of `rows`.
    pub fn remove_rows(&self, words: &[Box<str>], rows: &mut BitSet) -> tantivy::Result<()> {
        let index = self.index()?;
        for word in words {
            if let Some(info) = index.get_term_info(&self.term(word))? {
                for_each_row(&index, &info, |row| rows.remove(row))?;
            }
        }
        Ok(())
    }

    /// The rows that have a word of every family, ascending.
    ///
    /// Starts from the rarest. What is left of it is looked up in each next list where it is far shorter than that;
    /// else the list is read as a whole, which takes less time an entry.
    pub fn rows_with_all(&self, families: &[&Family]) -> tantivy::Result<Vec<u32>> {
        let mut families = families.to_vec();
        families.sort_by_key(|family| family.rows);
        let Some((rarest, others)) = families.split_first() else { return Ok(Vec::new()) };
        let mut rows = self.rows_with_any(rarest)?;
        for family in others {
            if rows.len() * LOOK_UP_COST < family.rows as usize {
                self.look_up(family, &mut rows)?;
            } else {
                let having = self.set_with_any(family)?;
                rows.retain(|row| having.contains(*row));
            }
        }
        Ok(rows)
    }

    pub fn set_of(&self, rows: &[u32]) -> BitSet {
        let mut set = self.no_rows();
        rows.iter().for_each(|row| {
            set.insert(*row);
        });
        set
    }

    fn rows_with_any(&self, family: &Family) -> tantivy::Result<Vec<u32>> {
        let [only] = &family.forms[..] else {
            return Ok(RowSet::new(self.set_with_any(family)?).rows().collect());
        };
        let index = self.index()?;
        let mut rows = Vec::with_capacity(family.rows as usize);
        if let Some(info) = index.get_term_info(&self.term(only))? {
            for_each_row(&index, &info, |row| rows.push(row))?;
        }
        Ok(rows)
    }

    fn set_with_any(&self, family: &Family) -> tantivy::Result<BitSet> {
        let index = self.index()?;
        let mut rows = self.no_rows();
        for form in &family.forms {
            if let Some(info) = index.get_term_info(&self.term(form))? {
                for_each_row(&index, &info, |row| {
                    rows.insert(row);
                })?;
            }
        }
        Ok(rows)
    }

    /// Keeps the rows, which ascend, that have a word of the family.
    fn look_up(&self, family: &Family, rows: &mut Vec<u32>) -> tantivy::Result<()> {
        let index = self.index()?;
        let mut lists = Vec::with_capacity(family.forms.len());
        for form in &family.forms {
            lists.extend(index.read_postings(&self.term(form), IndexRecordOption::Basic)?);
        }
        rows.retain(|row| {
            lists.iter_mut().any(|list| {
                let reached = list.doc();
                reached == *row || (reached < *row && list.seek(*row) == *row)
            })
        });
        Ok(())
    }

    fn gather_families(&self) -> tantivy::Result<HashMap<Box<str>, Family>> {
        let mut stems = Stems::new();
        let mut members = HashMap::<Box<str>, Vec<(Box<str>, TermInfo)>>::new();
        self.for_each_word("", |word, info| {
            let is_code = word.bytes().any(|b| b.is_ascii_digit());
            if !is_code && !is_stop_word(word) {
                members.entry(stems.stem(word).into()).or_default().push((word.into(), info.clone()));
            }
            Ok(true)
        })?;
        members.retain(|stem, forms| !matches!(&forms[..], [(only, _)] if only == stem));
        let mut counted = self.no_rows();
        members
            .into_iter()
            .map(|(stem, forms)| {
                let infos: Vec<TermInfo> = forms.iter().map(|(_, info)| info.clone()).collect();
                let rows = self.count_rows(&infos, &mut counted)?;
                let forms = forms.into_iter().map(|(word, _)| word).collect();
                Ok((stem, Family { forms, rows }))
            })
            .collect()
    }

    /// How many rows have any of these words. `scratch` is empty before and after.
    fn count_rows(&self, words: &[TermInfo], scratch: &mut BitSet) -> tantivy::Result<u32> {
        if let [only] = words {
            return Ok(only.doc_freq);
        }
        let index = self.index()?;
        for word in words {
            for_each_row(&index, word, |row| {
                scratch.insert(row);
            })?;
        }
        let count = scratch.len() as u32;
        for word in words {
            for_each_row(&index, word, |row| scratch.remove(row))?;
        }
        Ok(count)
    }

    /// Of the prefixes of one and two letters, those with more entries in their lists than there are rows.
    fn prepare_prefixes(&self) -> tantivy::Result<HashMap<Box<str>, BitSet>> {
        let mut entries = HashMap::<String, u64>::new();
        self.for_each_word("", |word, info| {
            for (end, _) in word.char_indices().skip(1).chain([(word.len(), ' ')]).take(2) {
                *entries.entry_ref(&word[..end]).or_default() += u64::from(info.doc_freq);
            }
            Ok(true)
        })?;
        let many = self.searcher.num_docs();
        entries
            .into_iter()
            .filter(|(_, entries)| *entries > many)
            .map(|(prefix, _)| Ok((prefix.as_str().into(), self.rows_by_prefix(&prefix)?)))
            .collect()
    }

    /// Visits the words that start with `prefix`, in their order, while `visit` says so.
    fn for_each_word(
        &self,
        prefix: &str,
        mut visit: impl FnMut(&str, &TermInfo) -> tantivy::Result<bool>,
    ) -> tantivy::Result<()> {
        let index = self.index()?;
        let mut words = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
        while words.advance() && words.key().starts_with(prefix.as_bytes()) {
            let word = String::from_utf8_lossy(words.key());
            if !visit(&word, words.value())? {
                break;
            }
        }
        Ok(())
    }

    fn index(&self) -> tantivy::Result<std::sync::Arc<InvertedIndexReader>> {
        self.searcher.segment_reader(0).inverted_index(self.field)
    }

    fn no_rows(&self) -> BitSet {
        BitSet::with_max_value(self.searcher.num_docs() as u32)
    }
}

fn for_each_row(
    index: &InvertedIndexReader,
    word: &TermInfo,
    mut visit: impl FnMut(u32),
) -> tantivy::Result<()> {
    let mut blocks = index.read_block_postings_from_terminfo(word, IndexRecordOption::Basic)?;
    while !blocks.docs().is_empty() {
        blocks.docs().iter().for_each(|row| visit(*row));
        blocks.advance();
    }
    Ok(())
}
