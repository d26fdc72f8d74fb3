//! Words: folding, splitting, forms, spelling, synonyms.

pub(crate) mod fold;
pub(crate) mod forms;
pub(crate) mod label;
pub(crate) mod spelling;
pub(crate) mod synonyms;
pub(crate) mod words;

pub use fold::fold_label;
pub use forms::base_form;
pub use synonyms::{is_form, meaning};
pub use words::{is_stop_word, words_of};
