//! Who is called so: companies by their names and trading names, legal forms aside.

use hashbrown::HashMap;
use lastro_model::{Company, Standing};

use super::legal_forms::places_of_name;
use crate::search::{analyzed, is_stop_word, meaning};

#[derive(Default)]
pub(super) struct NameDirectory {
    /// Those with the same name, active ones first.
    by_name: HashMap<String, Vec<u32>>,
    /// All that are written so, spaces aside.
    by_letters: HashMap<String, Vec<u32>>,
}

impl NameDirectory {
    /// Of companies, by position.
    pub(super) fn of(companies: &[Company]) -> Self {
        let mut directory = Self::default();
        let mut positions: Vec<u32> = (0..companies.len() as u32).collect();
        positions.sort_by_key(|position| Standing::of(&companies[*position as usize].status));
        for position in positions {
            let company = &companies[position as usize];
            for name in [Some(&company.name), company.trading_name.as_ref()].into_iter().flatten() {
                directory.put(&analyzed(name), position);
            }
        }
        directory
    }

    fn put(&mut self, name: &[String], position: u32) {
        let Some(key) = key(name) else { return };
        for same in [self.by_name.entry(key).or_default(), self.by_letters.entry(letters(name)).or_default()]
        {
            if same.last() != Some(&position) {
                same.push(position);
            }
        }
    }

    /// The companies whose name this is, so many at most.
    pub(super) fn called(&self, words: &[String], most: usize) -> &[u32] {
        let same = key(words).and_then(|key| self.by_name.get(&key)).map_or(&[][..], Vec::as_slice);
        &same[..same.len().min(most)]
    }

    /// The companies whose names are written so, however they are divided into words.
    pub(super) fn written(&self, words: &[String]) -> &[u32] {
        self.by_letters.get(&letters(words)).map_or(&[], Vec::as_slice)
    }
}

/// What forms of the same name have in common, if it tells something.
fn key(words: &[String]) -> Option<String> {
    let places = places_of_name(words);
    let tells = places.iter().any(|place| !is_stop_word(&words[*place]));
    let keys = places.into_iter().map(|place| meaning(&words[place]));
    tells.then(|| keys.collect::<Vec<_>>().join(" "))
}

/// The letters of a name.
pub(super) fn letters(words: &[String]) -> String {
    places_of_name(words).into_iter().map(|place| words[place].as_str()).collect()
}
