//! Searches compared with a plain scan, and examples.

mod examples;
mod made_up;
mod merged;
mod scan;

use std::ops::Range;

use crate::{
    Context, Field, IndexBuilder, Interpretation, LONGEST_NAME, NamedWords, Names, Page, RowRange, RowRanges,
    Searcher, words_of,
};

#[derive(Clone)]
struct Row {
    category: String,
    company: String,
    prose: String,
    code: String,
}

/// Names and the codes of their holders; words that stand for ranges of rows.
struct Directory {
    id: u64,
    names: Vec<(Vec<String>, Vec<String>)>,
    ranges: Vec<(Vec<String>, Range<u32>)>,
}

impl Directory {
    fn of(names: &[(&str, &[&str])]) -> Self {
        let own = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
        Self::new(names.iter().map(|(name, codes)| (words_of(name), own(codes))).collect())
    }

    fn new(names: Vec<(Vec<String>, Vec<String>)>) -> Self {
        Self { id: fastrand::u64(1..), names, ranges: Vec::new() }
    }

    fn with_ranges(self, ranges: &[(&str, Range<u32>)]) -> Self {
        let ranges = ranges.iter().map(|(text, rows)| (words_of(text), rows.clone())).collect();
        Self { ranges, ..self }
    }

    fn context(&self) -> Context<'_> {
        Context { names: self, ranges: self, within: None }
    }
}

impl RowRanges for Directory {
    fn ranges_in(&self, words: &[String]) -> Vec<RowRange> {
        let at = |start: usize| {
            let (text, rows) = self.ranges.iter().find(|(text, _)| words[start..].starts_with(text))?;
            Some(RowRange { words: start..start + text.len(), rows: rows.clone() })
        };
        let mut found: Vec<RowRange> = (0..words.len()).filter_map(at).collect();
        // Of two that overlap the first one counts.
        found.dedup_by(|later, earlier| later.words.start < earlier.words.end);
        found
    }
}

impl Names for Directory {
    fn id(&self) -> u64 {
        self.id
    }

    fn named_in(&self, words: &[String]) -> Vec<NamedWords> {
        let at = |start: usize| {
            let begin = self.names.iter().filter(move |(name, _)| words[start..].starts_with(name));
            begin.map(move |(name, codes)| NamedWords {
                words: start..start + name.len(),
                codes: codes.clone(),
            })
        };
        (0..words.len()).flat_map(at).collect()
    }
}

fn built(rows: &[Row]) -> Searcher {
    built_with(IndexBuilder::default(), rows)
}

fn built_with(mut index: IndexBuilder, rows: &[Row]) -> Searcher {
    for row in rows {
        let category = index.label(&row.category);
        let [company, code] = [&row.company, &row.code].map(|text| index.title(text));
        let others = [(Field::Label, &category), (Field::Owner, &company), (Field::Code, &code)];
        index.push(&others, &row.prose).unwrap();
    }
    Searcher::new(index.finish().unwrap())
}
