//! What names of companies say beside the name: legal forms, the state of a company, what kind of company it is.

/// Words that say how a company is organised, wherever they stand.
const FORMS: [&str; 8] = ["cia", "companhia", "eireli", "holding", "holdings", "ltda", "sa", "spe"];

/// What is added to the name of a company in trouble, or taken off by its bankruptcy. Longer ones come first.
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

/// Words in front of a name that say what kind of company it is. Nobody who asks for Aurora is surprised by Banco Aurora.
const KINDS: [&str; 3] = ["banco", "bco", "grupo"];

/// The places of the words that are the name itself.
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

/// How many words at the start are a state. The registry cuts long names, and whoever types has not typed all of it yet: two
/// words of a state are enough at the end, and the last one may be cut.
fn state_at(words: &[String]) -> Option<usize> {
    STATES.iter().find_map(|state| {
        let there = words.get(..state.len()).unwrap_or(words);
        let (last, others) = there.split_last()?;
        let (end, before) = state.get(..there.len())?.split_last()?;
        let is_cut =
            there.len() == words.len() && is_beginning(last, end, if others.is_empty() { 5 } else { 3 });
        let is_enough = there.len() == state.len() || there.len() > 1;
        (is_enough && others == before && (last == end || is_cut)).then_some(there.len())
    })
}

fn is_beginning(word: &str, whole: &str, letters: usize) -> bool {
    word.len() >= letters && whole.starts_with(word)
}

/// Whether a word is the beginning of a legal form.
pub(super) fn begins_form(word: &str) -> bool {
    FORMS.iter().any(|form| is_beginning(word, form, 3))
}

/// How many words at the start only say what kind of company it is, or how it is organised.
pub(super) fn leading_kinds(words: &[String]) -> usize {
    let is_kind = |word: &&String| KINDS.contains(&word.as_str()) || FORMS.contains(&word.as_str());
    words.iter().take_while(is_kind).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::analyzed;

    fn name(text: &str) -> String {
        let words = analyzed(text);
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
            ("aurora em recuperação", "aurora"),
            ("aurora em rec", "aurora"),
            ("aurora em re", "aurora em re"),
            ("aurora em rede", "aurora em rede"),
            ("aurora massa fal", "aurora"),
            ("aurora em rec judicial", "aurora em rec judicial"),
            ("SA", ""),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }

    #[test]
    fn three_letters_begin_a_form() {
        assert!(["com", "compan", "hold", "ltd", "cia"].into_iter().all(begins_form));
        assert!(["co", "s", "comp1", "companhias"].into_iter().all(|word| !begins_form(word)));
    }

    #[test]
    fn only_words_in_front_are_kinds() {
        assert_eq!(leading_kinds(&analyzed("Banco Aurora")), 1);
        assert_eq!(leading_kinds(&analyzed("Aurora Banco")), 0);
    }
}
