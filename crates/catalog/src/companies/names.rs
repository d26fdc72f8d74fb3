//! Companies by any of their names, ignoring legal forms.

use hashbrown::HashMap;
use lastro_model::Standing;
use lastro_search::{is_stop_word, meaning, words_of};

use super::legal_forms::places_of_name;
use super::profile::Profile;

#[derive(Default)]
pub(super) struct NameDirectory {
    /// Companies with the same name, active ones first, and of these the listed ones.
    by_name: HashMap<String, Vec<u32>>,
    /// Companies whose names have the same letters, ignoring spaces.
    by_letters: HashMap<String, Vec<u32>>,
}

impl NameDirectory {
    /// Builds the directory from the companies in the order of their positions.
    pub(super) fn of<'a>(companies: impl Iterator<Item = Profile<'a>>) -> Self {
        let mut directory = Self::default();
        let mut companies: Vec<(u32, Profile<'a>)> = (0..).zip(companies).collect();
        companies
            .sort_by_key(|(_, profile)| (Standing::of(&profile.company.status), profile.tickers.is_empty()));
        for (position, profile) in companies {
            profile.names().for_each(|name| directory.put(&words_of(name), position));
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

    /// The companies with this name, at most `most`.
    pub(super) fn called(&self, words: &[String], most: usize) -> &[u32] {
        let same = key(words).and_then(|key| self.by_name.get(&key)).map_or(&[][..], Vec::as_slice);
        &same[..same.len().min(most)]
    }

    /// The companies whose names have these letters, however they are split into words.
    pub(super) fn written(&self, words: &[String]) -> &[u32] {
        self.by_letters.get(&letters(words)).map_or(&[], Vec::as_slice)
    }
}

/// The key shared by all forms of a name, or `None` if it has only stop words.
fn key(words: &[String]) -> Option<String> {
    let places = places_of_name(words);
    let is_name = places.iter().any(|place| !is_stop_word(&words[*place]));
    let keys = places.into_iter().map(|place| meaning(&words[place]));
    is_name.then(|| keys.collect::<Vec<_>>().join(" "))
}

/// The letters of the words that are not legal forms.
pub(super) fn letters(words: &[String]) -> String {
    places_of_name(words).into_iter().map(|place| words[place].as_str()).collect()
}
