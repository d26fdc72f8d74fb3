//! Labels as a whole: a label's words, in whatever form, are one more word of the rows that bear it. So the rows whose
//! category or type is just what was asked for are known from one list.

use super::analyzer::{for_each_word, is_stop_word, stem};

/// No word of a text starts with this.
pub(super) const MARK: char = '=';

/// The word that stands for a label as a whole.
pub(super) fn whole_label(text: &str) -> String {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    whole_of(&words)
}

/// The same of words.
pub(super) fn whole_of(words: &[String]) -> String {
    let mut label = String::from(MARK);
    for word in words.iter().filter(|word| !is_stop_word(word)) {
        label.push(' ');
        label.push_str(&stem(word));
    }
    label
}

pub(super) fn is_whole_label(word: &str) -> bool {
    word.starts_with(MARK)
}
