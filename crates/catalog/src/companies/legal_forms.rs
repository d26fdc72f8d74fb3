//! Words in company names beside the name itself: legal forms, the state of a company, the kind of company.

/// Legal forms, ignored anywhere in a name.
const FORMS: [&str; 8] = ["cia", "companhia", "eireli", "holding", "holdings", "ltda", "sa", "spe"];

/// Phrases added to the name of a company in trouble, or dropped from it by bankruptcy. Longer ones come first.
const STATES: [&[&str]; 15] = [
    &["em", "recuperacao", "extrajudicial"],
    &["em", "recuperacao", "judicial"],
    &["em", "liquidacao", "extrajudicial"],
    &["em", "liquidacao", "ordinaria"],
    &["em", "liquidacao", "judicial"],
    &["massa", "falida", "da"],
    &["massa", "falida", "de"],
    &["massa", "falida", "do"],
    &["em", "liquidacao"],
    &["em", "falencia"],
    &["em", "concordata"],
    &["em", "organizacao"],
    &["empresa", "falida"],
    &["massa", "falida"],
    &["falida"],
];

/// Words before a name that state the kind of company. A search for Aurora may return Banco Aurora.
const KINDS: [&str; 3] = ["banco", "bco", "grupo"];

/// The indexes of the words that form the name itself.
pub(super) fn places_of_name(words: &[String]) -> Vec<usize> {
    let mut places = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        match state_at(&words[at..]) {
            Some(length) => at += length,
            None => {
                if !FORMS.contains(&words[at].as_str()) {
                    places.push(at);
                }
                at += 1;
            }
        }
    }
    places
}

/// The number of leading words that form a state. The registry truncates long names, so the last word may be cut.
fn state_at(words: &[String]) -> Option<usize> {
    let is_state = |state: &&&[&str]| {
        let there = words.get(..state.len());
        there.is_some_and(|there| {
            let is_end = there.len() == words.len();
            let is_same = |(one, other): (&String, &&str)| {
                one == other || (is_end && one.len() >= 5 && other.starts_with(one.as_str()))
            };
            there.iter().zip(**state).all(is_same)
        })
    };
    STATES.iter().find(is_state).map(|state| state.len())
}

/// The words without an incompletely typed legal form or state at their end.
pub(super) fn strip_partial_legal_form(words: &[String]) -> Option<&[String]> {
    let is_partial = |partial: &[String], whole: &[&str]| {
        let Some((last, others)) = partial.split_last() else { return false };
        let (before, rest) = whole.split_at(others.len().min(whole.len()));
        others == before && rest.first().is_some_and(|word| word.starts_with(last.as_str()))
    };
    let (others, last) = words.split_at(words.len().checked_sub(1)?);
    if FORMS.iter().any(|form| is_partial(last, &[form])) {
        return Some(others);
    }
    let starts = (0..words.len()).filter(|start| words.len() - start > 1);
    starts
        .map(|start| words.split_at(start))
        .find_map(|(others, partial)| STATES.iter().any(|state| is_partial(partial, state)).then_some(others))
}

/// The number of leading words that only state the kind of company or its legal form.
pub(super) fn leading_kinds(words: &[String]) -> usize {
    let is_kind = |word: &&String| KINDS.contains(&word.as_str()) || FORMS.contains(&word.as_str());
    words.iter().take_while(is_kind).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_search::words_of;

    fn name(text: &str) -> String {
        let words = words_of(text);
        places_of_name(&words).into_iter().map(|place| words[place].as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn forms_and_states_are_no_part_of_a_name() {
        for (text, expected) in [
            ("AURORA S.A. - EM RECUPERAÇÃO JUDICIAL", "aurora"),
            ("Cia. Aurora de Energia S/A", "aurora de energia"),
            ("AURORA HOLDING S. A. EM LIQUIDAÇÃO EXTRAJUDICIAL", "aurora"),
            ("MASSA FALIDA DA AURORA SA", "aurora"),
            ("AURORA EQUIPAMENTOS S/A - EM RECUPERACAO JUDICIA", "aurora equipamentos"),
            ("AURORA EM LIQUIDACAO", "aurora"),
            ("SA", ""),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }

    #[test]
    fn incomplete_forms_and_states_are_dropped() {
        let rest = |text: &str| strip_partial_legal_form(&words_of(text)).map(|words| words.join(" "));
        for text in [
            "aurora c",
            "aurora compan",
            "aurora hold",
            "aurora em recuperação",
            "aurora em r",
            "aurora massa fal",
        ] {
            assert_eq!(rest(text).as_deref(), Some("aurora"), "{text}");
        }
        assert_eq!(rest("aurora em recuperação j").as_deref(), Some("aurora"));
        for text in ["aurora companhias", "aurora em rede", "aurora em rec judicial", "aurora", "em", ""] {
            assert_eq!(rest(text), None, "{text}");
        }
    }

    #[test]
    fn only_leading_words_are_kinds() {
        assert_eq!(leading_kinds(&words_of("Banco Aurora")), 1);
        assert_eq!(leading_kinds(&words_of("Aurora Banco")), 0);
    }
}
