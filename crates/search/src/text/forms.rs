//! Forms of a Portuguese word: singular and plural, masculine and feminine.
//!
//! A stemmer would also remove derivational endings. Then `vivo` finds Vivara, `mercado` the abbreviation `merc`, and
//! `AGOE` every `AGO`: it does not suit company names and abbreviations.

/// Shorter words have no forms.
const SHORTEST: usize = 4;
/// Minimum length for gender forms. Shorter words that differ in `o` and `a` are different words: `porto` and `porta`.
const SHORTEST_WITH_GENDER: usize = 6;
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
/// Minimum number of letters left after removing an ending.
const SHORTEST_REST: usize = 2;

/// Plural endings and their replacement in the base form. A replacement that is not a singular ending contains a
/// character that no word has, otherwise `klabim` would be a form of `klabin`.
const ENDINGS: [(&str, &str); 7] =
    [("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("ois", "ol"), ("uis", "ul"), ("ns", "-m"), ("m", "-m")];

/// The only short word in `s` with a plural: `países`.
const COUNTRY: &str = "pais";

/// Words with an unstressed `il`. Their plural is like that of `el`: `contábeis` like `móveis`, but `civis`.
const UNSTRESSED_IL: [&str; 28] = [
    "agil", "contabil", "debil", "dificil", "docil", "ductil", "esteril", "facil", "fertil", "fissil",
    "fossil", "fragil", "futil", "habil", "inabil", "infertil", "inutil", "missil", "pensil", "portatil",
    "projetil", "reptil", "retratil", "tatil", "textil", "util", "versatil", "volatil",
];

/// The base that all forms of a folded word share. It need not be a word. Codes have no other forms.
pub fn base_form(folded: &str) -> String {
    if folded.len() < SHORTEST || folded.bytes().any(|b| b.is_ascii_digit()) {
        return folded.to_owned();
    }
    masculine(singular(folded))
}

/// `diretora` and `diretor`, `ordinária` and `ordinário`.
fn masculine(word: String) -> String {
    match word.strip_suffix('a') {
        Some(_) if word.len() < SHORTEST_WITH_GENDER => word,
        Some(start) if start.ends_with("or") => start.to_owned(),
        Some(start) => [start, "o"].concat(),
        None => word,
    }
}

fn singular(word: &str) -> String {
    let irregular = ENDINGS.iter().find_map(|(ending, common)| {
        let start = word.strip_suffix(ending).filter(|start| start.len() >= SHORTEST_REST)?;
        Some([start, common].concat())
    });
    let ending_in_l = || movel(word).or_else(|| civil(word));
    irregular.or_else(ending_in_l).unwrap_or_else(|| without_s(word).to_owned())
}

/// `móveis`, and `contábeis`.
fn movel(word: &str) -> Option<String> {
    let start = word.strip_suffix("eis").filter(|start| start.len() >= SHORTEST_REST)?;
    let with_il = [start, "il"].concat();
    Some(if UNSTRESSED_IL.contains(&with_il.as_str()) { with_il } else { [start, "el"].concat() })
}

/// After a consonant, `is` is the plural of `il`: `civis`, `perfis`. After few letters it is an abbreviation: `CRIs`.
fn civil(word: &str) -> Option<String> {
    let start = word.strip_suffix("is").filter(|start| start.len() > SHORTEST_REST)?;
    (!start.ends_with(VOWELS)).then(|| [start, "il"].concat())
}

/// Removes the plural `s`, or `es` after `r`, `s` and `z`: `valor` and `valores`, but also `torre` and `torres`.
fn without_s(word: &str) -> &str {
    if word == COUNTRY {
        return word;
    }
    let singular = cut(word, "s");
    let singular = if singular.ends_with('s') { word } else { singular };
    let stem = cut(singular, "e");
    if !stem.ends_with(['r', 's', 'z']) {
        return singular;
    }
    // `francês` lost its `s` as if it were a plural; `cris`, from `crise`, is too short for that.
    let singular = cut(stem, "s");
    if singular.len() >= SHORTEST && singular.ends_with(VOWELS) { singular } else { stem }
}

/// Removes an ending, if enough letters remain.
fn cut<'a>(word: &'a str, ending: &str) -> &'a str {
    word.strip_suffix(ending).filter(|rest| rest.len() > SHORTEST_REST).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::super::words::words_of;
    use super::*;
    use proptest::prelude::*;

    fn bases(text: &str) -> Vec<String> {
        words_of(text).iter().map(|word| base_form(word)).collect()
    }

    #[test]
    fn forms_of_one_word_have_one_base() {
        for forms in [
            "operação operações operacao operacoes OPERAÇÕES",
            "nacional nacionais",
            "imóvel imóveis imovel imoveis",
            "contábil contábeis contabil",
            "civil civis",
            "têxtil têxteis",
            "útil úteis",
            "papel papéis",
            "hotel hotéis",
            "fuzil fuzis",
            "perfil perfis",
            "fiscal fiscais",
            "trabalhador trabalhadores trabalhadora trabalhadoras",
            "diretor diretora diretores",
            "emprego empregos",
            "país países",
            "mês meses",
            "gás gases",
            "vez vezes",
            "base bases",
            "análise análises",
            "crise crises",
            "francês franceses",
            "CRI CRIs",
            "torre torres",
            "ação ações acao acoes",
            "debênture debêntures debenture",
            "reunião reuniões",
            "balanço balanços",
            "item itens",
            "jovem jovens",
            "real reais",
            "demonstração demonstrações",
            "acionista acionistas",
            "dividendo dividendos",
            "relevante relevantes",
            "juro juros",
            "assembleia assembleias",
            "ordinária ordinário ordinárias ordinários",
            "brasileira brasileiro",
            "holding holdings",
            "shopping shoppings",
            "gol gols",
            "tim tims",
        ] {
            let bases = bases(forms);
            assert!(bases.iter().all(|base| *base == bases[0]), "{forms}: {bases:?}");
        }
    }

    #[test]
    fn different_words_have_different_bases() {
        for pair in [
            "ação acordo",
            "fiscal fisco",
            "mais mal",
            "capital capitão",
            "agoe ago",
            "vivo vivara",
            "vivo viver",
            "mercado merc",
            "brasília brasil",
            "pontes ponto",
            "banestado banestes",
            "porto porta",
            "banco banca",
            "business busines",
            "hipera hiper",
            "brasl brasil",
            "klabim klabin",
            "basil basel",
            "basil brasil",
            "nore norse",
            "crise cri",
            "abril abrel",
            "dividendo dividend",
        ] {
            let bases = bases(pair);
            assert_ne!(bases[0], bases[1], "{pair}");
        }
    }

    proptest! {
        #[test]
        fn a_base_is_never_empty(word in "[a-zß日]{1,12}") {
            prop_assert!(!base_form(&word).is_empty());
        }
    }
}
