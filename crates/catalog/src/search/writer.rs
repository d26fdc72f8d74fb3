//! Building the index: one segment whose document numbers are the positions of the rows.
//!
//! Each thread indexes one stretch of consecutive rows; the stretches are then merged in their order.

use std::ops::Range;
use std::thread;

use tantivy::directory::RamDirectory;
use tantivy::indexer::{SingleSegmentIndexWriter, merge_indices};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::Compressor;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, Searcher, TantivyDocument};

use crate::BuildError;

/// Rows with text, by position.
pub trait Corpus: Sync {
    fn len(&self) -> u32;
    /// Appends the words that a row is found by, as `append_words` writes them.
    fn append(&self, position: u32, words: &mut String);
}

/// Fewer rows than this are not worth a second thread and a merge.
const ROWS_WORTH_A_THREAD: u32 = 50_000;

/// What the writer sizes its hash table by. Not a limit: a stretch becomes one segment, however long it is.
fn writer_memory(rows: usize) -> usize {
    (rows * 64).clamp(1 << 20, 64 << 20)
}

pub fn write(corpus: &impl Corpus) -> Result<(Searcher, Field), BuildError> {
    write_stretches(corpus, stretches(corpus.len()))
}

fn write_stretches(
    corpus: &impl Corpus,
    stretches: Vec<Range<u32>>,
) -> Result<(Searcher, Field), BuildError> {
    let (schema, field) = schema();
    let indexes = thread::scope(|scope| {
        let threads: Vec<_> = stretches
            .into_iter()
            .map(|rows| {
                let schema = schema.clone();
                scope.spawn(move || write_stretch(corpus, rows, schema, field))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| BuildError::Thread)?)
            .collect::<Result<Vec<_>, BuildError>>()
    })?;
    Ok((open(indexes)?, field))
}

/// Consecutive rows for each thread.
fn stretches(rows: u32) -> Vec<Range<u32>> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let threads = (rows / ROWS_WORTH_A_THREAD).clamp(1, cores.max(1));
    let step = rows.div_ceil(threads).max(1);
    (0..rows).step_by(step as usize).map(|start| start..start.saturating_add(step).min(rows)).collect()
}

fn write_stretch(
    corpus: &impl Corpus,
    rows: Range<u32>,
    schema: Schema,
    field: Field,
) -> Result<Index, BuildError> {
    let mut writer: SingleSegmentIndexWriter = Index::builder()
        .schema(schema)
        .settings(settings())
        .single_segment_index_writer(RamDirectory::create(), writer_memory(rows.len()))?;
    let mut words = String::new();
    for position in rows {
        words.clear();
        corpus.append(position, &mut words);
        let mut document = TantivyDocument::default();
        document.add_text(field, &words);
        writer.add_document(document)?;
    }
    Ok(writer.finalize()?)
}

fn open(indexes: Vec<Index>) -> tantivy::Result<Searcher> {
    let index = match <[Index; 1]>::try_from(indexes) {
        Ok([index]) => index,
        Err(several) => merge_indices(&several, RamDirectory::create())?,
    };
    let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(reader.searcher())
}

fn schema() -> (Schema, Field) {
    // The words are ready; only the spaces between them are left to find. Frequencies are what the ranking skips by,
    // positions would serve nothing.
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs);
    let mut schema = Schema::builder();
    let field = schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing));
    (schema.build(), field)
}

fn settings() -> IndexSettings {
    // Nothing is stored, so there is nothing to compress.
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tantivy::collector::DocSetCollector;
    use tantivy::query::TermQuery;
    use tantivy::{DocAddress, Term};

    /// Row 7 has the word "7".
    struct Numbers(u32);

    impl Corpus for Numbers {
        fn len(&self) -> u32 {
            self.0
        }

        fn append(&self, position: u32, words: &mut String) {
            words.push_str(&position.to_string());
        }
    }

    #[test]
    fn stretches_of_several_threads_become_one_segment_in_the_order_of_the_rows() {
        let (searcher, field) = write_stretches(&Numbers(30), vec![0..4, 4..5, 5..30]).unwrap();
        assert_eq!(searcher.segment_readers().len(), 1);
        for row in 0..30 {
            let term = Term::from_field_text(field, &row.to_string());
            let found =
                searcher.search(&TermQuery::new(term, IndexRecordOption::Basic), &DocSetCollector).unwrap();
            assert_eq!(found.into_iter().collect::<Vec<_>>(), [DocAddress::new(0, row)]);
        }
    }

    proptest! {
        #[test]
        fn stretches_follow_each_other_and_cover_all_rows(rows in 1u32..3_000_000) {
            let stretches = stretches(rows);
            prop_assert_eq!(stretches[0].start, 0);
            prop_assert_eq!(stretches[stretches.len() - 1].end, rows);
            prop_assert!(stretches.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
