//! Labels as one word: the base forms of a label's words are one more word of the rows that have the label. So one
//! posting list has the rows whose category or type is exactly what was asked for.

use super::forms::base_form;
use super::words::{is_stop_word, words_of};

/// No word of a text starts with this.
pub(crate) const MARK: char = '=';

/// The word that stands for a whole label.
pub(crate) fn whole_label(text: &str) -> String {
    label_of(&words_of(text))
}

/// The word that stands for these words as a label. Stop words are ignored.
pub(crate) fn label_of(words: &[String]) -> String {
    let mut label = String::from(MARK);
    words.iter().filter(|word| !is_stop_word(word)).for_each(|word| append(&mut label, word));
    label
}

/// Adds a word to a label.
pub(crate) fn append(label: &mut String, word: &str) {
    label.push(' ');
    label.push_str(&base_form(word));
}

pub(crate) fn is_whole_label(word: &str) -> bool {
    word.starts_with(MARK)
}
