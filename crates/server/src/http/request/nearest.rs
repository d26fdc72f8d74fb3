//! The known word that is nearest to an unknown one, for error messages.

use lastro_model::text::has_control;
use strsim::osa_distance;

/// Most characters of a client's word that an error repeats.
const LONGEST_SHOWN: usize = 40;
/// Every key begins with this.
const KEY_PREFIX: &str = "lastro_";

/// The nearest of the candidates: one that contains the word before the others, then by the number of edits. Of equals
/// the first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = shown(word).to_lowercase();
    candidates.into_iter().min_by_key(|candidate| {
        let candidate = candidate.to_lowercase();
        let is_part = !word.is_empty() && candidate.contains(&word);
        (!is_part, osa_distance(&word, &candidate))
    })
}

/// The known words, and the nearest to an unknown one.
pub fn must_be_one_of(known: &[&str], word: &str) -> String {
    let near = nearest(word, known.iter().copied()).unwrap_or_default();
    format!("must be one of {}; the nearest to `{}` is `{near}`", known.join(", "), shown(word))
}

/// An unknown id, and the nearest of the known ones.
pub fn is_none<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(word, known).unwrap_or_default();
    format!("`{}` is none, and the nearest is `{near}`", shown(word))
}

/// A client's word as an error repeats it: no control characters, not too long, and nothing of a key.
pub fn shown(word: &str) -> String {
    let word = word.find(KEY_PREFIX).map_or(word, |key| &word[..key + KEY_PREFIX.len()]);
    let is_shown = |letter: &char| *letter != '`' && !has_control(letter.encode_utf8(&mut [0; 4]));
    word.chars().filter(is_shown).take(LONGEST_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_word_that_was_meant() {
        let known = ["limit", "offset", "from", "to", "category", "company_id", "format", "locale"];
        for (typed, meant) in [
            ("company", "company_id"),
            ("companyId", "company_id"),
            ("Category", "category"),
            ("catgory", "category"),
            ("lmit", "limit"),
            ("fromat", "format"),
            ("date_from", "from"),
        ] {
            assert_eq!(nearest(typed, known), Some(meant), "{typed}");
        }
        assert_eq!(nearest("any", []), None);
    }

    #[test]
    fn repeats_little_of_a_hostile_word() {
        assert_eq!(shown("a\u{0}`\nb"), "ab");
        assert_eq!(shown(&"x".repeat(5_000)).len(), LONGEST_SHOWN);
        assert_eq!(shown("my lastro_Ex4mp1e0_secret"), "my lastro_");
    }
}
