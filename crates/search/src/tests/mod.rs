//! Searches compared with a plain scan, and examples.

mod examples;
mod made_up;
mod scan;

use crate::{Field, IndexBuilder, Interpretation, LONGEST_NAME, NamedWords, Names, Page, Searcher, words_of};

struct Row {
    category: String,
    company: String,
    prose: String,
    code: String,
}

/// Names and the codes of their holders.
struct Directory {
    id: u64,
    names: Vec<(Vec<String>, Vec<String>)>,
}

impl Directory {
    fn of(names: &[(&str, &[&str])]) -> Self {
        let own = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
        Self::new(names.iter().map(|(name, codes)| (words_of(name), own(codes))).collect())
    }

    fn new(names: Vec<(Vec<String>, Vec<String>)>) -> Self {
        Self { id: fastrand::u64(1..), names }
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
    let mut index = IndexBuilder::default();
    for row in rows {
        let category = index.label(&row.category);
        let [company, code] = [&row.company, &row.code].map(|text| index.title(text));
        let others = [(Field::Label, &category), (Field::Owner, &company), (Field::Code, &code)];
        index.push(&others, &row.prose).unwrap();
    }
    Searcher::new(index.finish().unwrap())
}
