//! Forms of one word, the Portuguese way: singular and plural, masculine and feminine.
//!
//! No more than that on purpose. A stemmer also takes off what makes one word of another, and then `vivo` finds Vivara, `mercado`
//! the abbreviation `merc` and `AGOE` every `AGO`; names of companies and abbreviations do not survive it.

/// Shorter words have no forms.
const SHORTEST: usize = 4;
/// Shorter words are different words if one ends in `o` and the other in `a`: `porto` and `porta`.
const SHORTEST_WITH_GENDER: usize = 6;
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
/// So much of a word stays, whatever its ending is.
const SHORTEST_REST: usize = 2;

/// Endings that come together, the plural's first, and what they have in common. Where that is no ending of the singular it has a
/// sign that no word has, or else `klabim` would be taken for a form of `klabin`.
const ENDINGS: [(&str, &str); 7] =
    [("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("ois", "ol"), ("uis", "ul"), ("ns", "-m"), ("m", "-m")];

/// The one short word in `s` with a plural: `países`.
const COUNTRY: &str = "pais";

/// What `il` ends without the stress on it; the plural is that of `el`: `contábeis` like `móveis`, but `civis`.
const UNSTRESSED_IL: [&str; 28] = [
    "agil", "contabil", "debil", "dificil", "docil", "ductil", "esteril", "facil", "fertil", "fissil",
    "fossil", "fragil", "futil", "habil", "inabil", "infertil", "inutil", "missil", "pensil", "portatil",
    "projetil", "reptil", "retratil", "tatil", "textil", "util", "versatil", "volatil",
];

/// What all forms of a folded word have in common, which need not be a word itself. A code has no other form.
pub(crate) fn base(folded: &str) -> String {
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

/// After a consonant `is` is the plural of `il`: `civis`, `perfis`. Before so few letters it is that of an abbreviation: `CRIs`.
fn civil(word: &str) -> Option<String> {
    let start = word.strip_suffix("is").filter(|start| start.len() > SHORTEST_REST)?;
    (!start.ends_with(VOWELS)).then(|| [start, "il"].concat())
}

/// Without the `s` of the plural, or its `es` after `r`, `s` and `z`: `valor` and `valores`, but also `torre` and `torres`.
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
    // `francês` has lost its `s` as if it were a plural; `cris`, of `crise`, is too short to be such a word.
    let singular = cut(stem, "s");
    if singular.len() >= SHORTEST && singular.ends_with(VOWELS) { singular } else { stem }
}

/// The word without an ending, if enough of it stays.
fn cut<'a>(word: &'a str, ending: &str) -> &'a str {
    word.strip_suffix(ending).filter(|rest| rest.len() > SHORTEST_REST).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::super::analyzer::words_of;
    use super::*;
    use proptest::prelude::*;

    fn bases(text: &str) -> Vec<String> {
        words_of(text).iter().map(|word| base(word)).collect()
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
            prop_assert!(!base(&word).is_empty());
        }
    }
}
