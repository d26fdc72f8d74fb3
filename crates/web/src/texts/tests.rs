use std::collections::BTreeSet;

use super::{en, pt};

/// Texts that are deliberately the same in both languages.
const SAME: [&str; 9] = [
    "API",
    "API ",
    "E-mail",
    "Endpoint",
    "Banco Central do Brasil, SGS {code}",
    "CDI",
    "Factor",
    "Total",
    "Subtotal",
];

#[test]
fn no_text_is_empty_or_untranslated() {
    for ((name, english), (_, portuguese)) in en::TEXTS.all().into_iter().zip(pt::TEXTS.all()) {
        assert!(!english.is_empty() && !portuguese.is_empty(), "{name}");
        assert!(english != portuguese || SAME.contains(&english), "{name}: {english}");
    }
}

/// Placeholders of a text.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

#[test]
fn placeholders_are_the_same_in_both_languages() {
    for ((name, english), (_, portuguese)) in en::TEXTS.all().into_iter().zip(pt::TEXTS.all()) {
        assert_eq!(places(english), places(portuguese), "{name}");
    }
}
