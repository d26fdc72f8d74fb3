//! The words of a part, and where its rows have them: all that an index is made of.

use super::clause::{Clause, ListId, Occurrences};
use super::lexicon::Lexicon;
use super::postings::Lists;

#[derive(Default)]
pub(super) struct WordLists {
    /// How many rows there are in all.
    pub rows: u32,
    pub lexicon: Lexicon,
    pub lists: Lists,
    /// Where rows have a word again, after its first position.
    pub again: Lists,
}

impl WordLists {
    /// The forms of a word that stands at this place of a query.
    pub(super) fn forms(&self, word: &str, place: usize) -> Clause<'_> {
        self.clause(&self.lexicon.forms(word), place)
    }

    pub(super) fn clause(&self, forms: &[u32], place: usize) -> Clause<'_> {
        let lists = forms.iter().map(|form| self.occurrences_of(*form, 0)).collect();
        Clause { lists, offsets: vec![place], union: None }
    }

    /// The very word and no other form.
    pub(super) fn exactly(&self, word: &str, place: usize) -> Clause<'_> {
        let lists = self.lexicon.find(word).map(|word| self.occurrences_of(word, 0)).into_iter().collect();
        Clause { lists, offsets: vec![place], union: None }
    }

    pub(super) fn occurrences_of(&self, word: u32, moved: u8) -> Occurrences<'_> {
        let (list, again) = (self.lists.of(word), self.again.sparse(word..word + 1));
        Occurrences { id: ListId::Word(word), list, again, moved }
    }
}
