//! About nineteen thousand words that sound like Brazilian places but name none, for companies, towns and projects.
//!
//! Each has three parts, and no name in the registry of June 2024 contains one. They are also the rare words of the
//! search index: with two million filings, each word is in some tens of them.

use super::random::Random;

const HEADS: [&str; 46] = [
    "Aba", "Aca", "Ani", "Ara", "Bora", "Buri", "Cabi", "Cara", "Coti", "Cuia", "Ema", "Gara", "Guari",
    "Iba", "Imbu", "Ira", "Ita", "Jabi", "Jaca", "Jeri", "Jura", "Lambi", "Mandu", "Maru", "Mira", "Mura",
    "Nami", "Oiti", "Pari", "Peri", "Pira", "Poti", "Quiri", "Sabu", "Sapi", "Soru", "Tabo", "Tapi", "Timbo",
    "Tucu", "Ubi", "Umbu", "Uru", "Vera", "Xavi", "Zabe",
];

const JOINTS: [&str; 15] =
    ["be", "co", "du", "ju", "la", "lo", "mi", "na", "ne", "po", "ri", "su", "ta", "ve", "vi"];

const TAILS: [&str; 29] = [
    "bara", "beré", "bira", "catu", "çaba", "coara", "dema", "guaçu", "guira", "jubá", "lândia", "mirim",
    "moré", "nema", "nhanga", "peva", "poranga", "poti", "puã", "quara", "ruí", "runa", "sara", "tinga",
    "tuba", "tuva", "vara", "vira", "xaba",
];

/// Appends a coined word to the text.
pub(super) fn push_word(text: &mut String, random: &mut Random) {
    let mut parts = draw(random);
    while stutters(parts) {
        parts = draw(random);
    }
    for part in parts {
        text.push_str(part);
    }
}

fn draw(random: &mut Random) -> [&'static str; 3] {
    [random.pick(&HEADS), random.pick(&JOINTS), random.pick(&TAILS)]
}

/// Whether a syllable is repeated, as in `Itataruna` or `Jurapoporanga`, which do not sound like a place.
fn stutters([head, joint, tail]: [&str; 3]) -> bool {
    head.ends_with(joint) || tail.starts_with(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_combinations_make_the_same_word() {
        let mut words = HashSet::new();
        for head in HEADS {
            for joint in JOINTS {
                for tail in TAILS {
                    let word = format!("{head}{joint}{tail}");
                    assert!(stutters([head, joint, tail]) || words.insert(word.clone()), "{word}");
                }
            }
        }
        assert!(words.len() >= 18_500, "{}", words.len());
    }
}
