//! Abbreviations and synonyms of the field: expressions with the same meaning, each of which finds the others.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};
use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

use super::forms::base_form;
use super::words::{is_stop_word, words_of};

/// Expressions with the same meaning.
struct Group {
    expressions: &'static [&'static str],
    /// The law or usage that says so.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    source: &'static str,
}

const fn group(expressions: &'static [&'static str], source: &'static str) -> Group {
    Group { expressions, source }
}

const CORPORATIONS: &str = "Lei 6.404/1976";
const DISCLOSURE: &str = "Resolução CVM 80/2022";
const REGISTRY: &str = "abbreviated names in the regulator's registry of companies";
const MARKET: &str = "usage of the market, as in filings of companies";

/// One row for each meaning. A word includes its other forms.
#[rustfmt::skip]
static TABLE: &[Group] = &[
    group(&["AGO", "assembleia geral ordinária"], "Lei 6.404/1976, art. 132"),
    group(&["AGE", "assembleia geral extraordinária"], "Lei 6.404/1976, art. 135"),
    group(&["AGOE", "AGEO", "AGO/AGE", "AGE/AGO", "AGO e AGE", "AGE e AGO", "assembleia geral ordinária e extraordinária", "assembleias gerais ordinária e extraordinária"], CORPORATIONS),
    group(&["AGD", "assembleia geral de debenturistas"], "Lei 6.404/1976, art. 71"),
    group(&["RCA", "reunião do conselho de administração", "reunião do CA"], "Lei 6.404/1976, art. 138"),
    group(&["ITR", "informações trimestrais"], "Resolução CVM 80/2022, art. 31"),
    group(&["DFP", "demonstrações financeiras padronizadas"], "Resolução CVM 80/2022, art. 30"),
    group(&["FRE", "formulário de referência"], "Resolução CVM 80/2022, art. 25"),
    group(&["FCA", "formulário cadastral"], "Resolução CVM 80/2022, art. 24"),
    group(&["JCP", "JSCP", "juros sobre capital próprio", "juros sobre o capital próprio"], "Lei 9.249/1995, art. 9"),
    group(&["OPA", "oferta pública de aquisição"], "Resolução CVM 85/2022"),
    group(&["IPO", "oferta pública inicial"], MARKET),
    group(&["follow on", "oferta subsequente"], MARKET),
    group(&["M&A", "fusões e aquisições"], MARKET),
    group(&["recompra", "aquisição de ações próprias", "aquisição de ações de emissão própria", "aquisição de ações de própria emissão"], "Resolução CVM 77/2022"),
    group(&["release", "press release", "divulgação de resultados"], MARKET),
    group(&["balanço", "demonstrações financeiras", "demonstrações contábeis"], "Lei 6.404/1976, art. 176"),
    group(&["edital", "edital de convocação"], "Lei 6.404/1976, art. 124"),
    group(&["proposta", "proposta da administração"], "Resolução CVM 81/2022"),
    group(&["guidance", "projeções"], "Resolução CVM 80/2022, art. 21"),
    group(&["BVD", "boletim de voto a distância"], "Resolução CVM 81/2022"),
    group(&["CRI", "certificado de recebíveis imobiliários"], "Lei 14.430/2022"),
    group(&["CRA", "certificado de recebíveis do agronegócio"], "Lei 11.076/2004"),
    group(&["DRI", "diretor de relações com investidores"], DISCLOSURE),
    group(&["RI", "relações com investidores"], DISCLOSURE),
    group(&["PLR", "participação nos lucros e resultados"], "Lei 10.101/2000"),
    group(&["ESG", "ASG", "ambiental, social e governança"], MARKET),
    group(&["CVM", "comissão de valores mobiliários"], "Lei 6.385/1976"),
    group(&["Bco", "banco"], REGISTRY),
    group(&["Cia", "companhia"], REGISTRY),
    group(&["Part", "Particip", "participações"], REGISTRY),
    group(&["Empreend", "empreendimentos"], REGISTRY),
    group(&["Ind", "Inds", "indústria"], REGISTRY),
    group(&["Bras", "brasileira", "brasileiro"], REGISTRY),
    group(&["Brazil", "brasil"], "names in both languages in the regulator's registry of companies"),
    group(&["Nac", "nacional"], REGISTRY),
    group(&["Adm", "administração"], REGISTRY),
    group(&["Conc", "concessionária"], REGISTRY),
    group(&["Distrib", "distribuidora"], REGISTRY),
    group(&["Energ", "energética"], REGISTRY),
    group(&["Elet", "Eletr", "elétrica"], REGISTRY),
    group(&["Transm", "transmissão"], REGISTRY),
    group(&["Sid", "siderúrgica"], REGISTRY),
    group(&["Metal", "metalúrgica"], REGISTRY),
    group(&["Telec", "telecomunicações"], REGISTRY),
    group(&["Invest", "Invests", "investimentos"], REGISTRY),
    group(&["Arrend", "Arr", "arrendamento"], REGISTRY),
    group(&["Imob", "imobiliária"], REGISTRY),
    group(&["Incorp", "incorporadora"], REGISTRY),
    group(&["Constr", "construtora"], REGISTRY),
    group(&["Eng", "engenharia"], REGISTRY),
    group(&["Equip", "equipamentos"], REGISTRY),
    group(&["Prod", "produtos"], REGISTRY),
    group(&["Metrop", "metropolitana"], REGISTRY),
    group(&["Emp", "empresa"], REGISTRY),
    group(&["Serv", "serviços"], REGISTRY),
    group(&["Sec", "securitizadora"], REGISTRY),
];

/// Meanings that include another: an AGOE is also an AGO and an AGE.
const INCLUDED: [(&str, &str); 2] = [("AGOE", "AGO"), ("AGOE", "AGE")];

/// An expression of the table as words.
pub(crate) struct Expression {
    pub words: Vec<String>,
    group: usize,
}

struct Expressions {
    all: Vec<Expression>,
    /// The expressions by the base form of their first word.
    by_first: HashMap<String, Vec<usize>>,
    /// All words except stop words.
    words: BTreeSet<String>,
    /// The base forms of these words.
    bases: HashSet<String>,
    /// The groups of [`INCLUDED`].
    included: Vec<(usize, usize)>,
}

static EXPRESSIONS: LazyLock<Expressions> = LazyLock::new(|| {
    let expressions = |(number, group): (usize, &Group)| {
        let expression = move |text: &&str| Expression { words: words_of(text), group: number };
        group.expressions.iter().map(expression).collect::<Vec<_>>()
    };
    let all: Vec<Expression> = TABLE.iter().enumerate().flat_map(expressions).collect();
    let mut by_first = HashMap::<String, Vec<usize>>::new();
    for (number, expression) in all.iter().enumerate() {
        let first = expression.words.first().map(|word| base_form(word)).unwrap_or_default();
        by_first.entry(first).or_default().push(number);
    }
    let words = all.iter().flat_map(|expression| &expression.words);
    let words: BTreeSet<String> = words.filter(|word| !is_stop_word(word)).cloned().collect();
    let bases = words.iter().map(|word| base_form(word)).collect();
    let group = |text: &str| all.iter().find(|one| one.words == words_of(text)).map(|one| one.group);
    let included = INCLUDED.iter().filter_map(|(one, other)| Some((group(one)?, group(other)?))).collect();
    Expressions { included, all, by_first, words, bases }
});

/// All expressions, numbered by index.
pub(crate) fn all() -> &'static [Expression] {
    &EXPRESSIONS.all
}

/// All words of the table except stop words.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    EXPRESSIONS.words.iter().map(String::as_str)
}

/// Whether the table has a form of the word, or a word that starts with it.
pub(crate) fn knows(word: &str) -> bool {
    has_prefix(word) || EXPRESSIONS.bases.contains(&base_form(word))
}

/// Whether a word of the table starts with these letters.
pub(crate) fn has_prefix(letters: &str) -> bool {
    let mut from_there = EXPRESSIONS.words.range::<str, _>((Bound::Included(letters), Bound::Unbounded));
    from_there.next().is_some_and(|other| other.starts_with(letters))
}

/// Whether the table has exactly this word.
pub(crate) fn has_word(word: &str) -> bool {
    EXPRESSIONS.words.contains(word)
}

/// An expression of the table in a query.
pub(crate) struct Occurrence {
    expression: usize,
    /// The indexes of its words in the query.
    pub words: Range<usize>,
    /// Whether the query has only a prefix of it.
    pub is_partial: bool,
    /// Whether it ends the query.
    is_last: bool,
}

impl Occurrence {
    /// The numbers of the other expressions with the same meaning, or with one that includes it.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, group) = (self.expression, all()[self.expression].group);
        let is_meant = move |other: &usize| {
            let of = all()[*other].group;
            of == group || EXPRESSIONS.included.contains(&(of, group))
        };
        (0..all().len()).filter(move |other| *other != own && is_meant(other))
    }

    /// Whether another expression in its place forms a phrase with the surrounding words.
    pub(crate) fn keeps_phrase(&self, other: usize) -> bool {
        self.is_last || all()[other].words.len() == self.words.len()
    }

    /// Whether an expression has exactly the same meaning.
    pub(crate) fn is_same(&self, number: usize) -> bool {
        all()[number].group == all()[self.expression].group
    }
}

/// The ways to split an expression in two, without stop words at the split. Board minutes are filed under the labels
/// `Reunião da Administração` and `Conselho de Administração`.
pub(crate) fn halves(expression: &[String]) -> Vec<[&[String]; 2]> {
    let content: Vec<usize> =
        (0..expression.len()).filter(|place| !is_stop_word(&expression[*place])).collect();
    content.windows(2).map(|two| [&expression[..=two[0]], &expression[two[1]..]]).collect()
}

/// The expressions of the table that words contain, in any form, and those of which they contain a prefix.
pub(crate) fn occurrences(words: &[String]) -> Vec<Occurrence> {
    let at = |start: usize| {
        let known = EXPRESSIONS.by_first.get(&base_form(&words[start])).map_or(&[][..], Vec::as_slice);
        known.iter().filter_map(move |number| {
            let expression = &all()[*number].words;
            let length = prefix_length(&words[start..], expression)?;
            let is_partial =
                length < expression.len() || !is_form(&words[start + length - 1], &expression[length - 1]);
            let (found, is_last) = (start..start + length, start + length == words.len());
            Some(Occurrence { expression: *number, words: found, is_partial, is_last })
        })
    };
    (0..words.len()).flat_map(at).collect()
}

/// The number of words of an expression that a query starts with: all of them, or a prefix with at least two words that
/// are not stop words. The last word of the query may itself be a prefix.
fn prefix_length(query: &[String], expression: &[String]) -> Option<usize> {
    let same = |(place, (one, other)): &(usize, (&String, &String))| {
        is_form(one, other) || (place + 1 == query.len() && other.starts_with(one.as_str()))
    };
    let alike = query.iter().zip(expression).enumerate().take_while(same).count();
    if alike == expression.len() && is_form(&query[alike - 1], &expression[alike - 1]) {
        return Some(alike);
    }
    let is_content = |place: &usize| !is_stop_word(&query[*place]);
    let last = (0..alike).rev().find(is_content)?;
    ((0..=last).filter(is_content).count() > 1).then_some(last + 1)
}

/// A key shared by all forms of a word and all single words with the same meaning.
pub fn meaning(word: &str) -> String {
    if is_stop_word(word) {
        return word.to_owned();
    }
    let base = base_form(word);
    let known = EXPRESSIONS.by_first.get(&base).map_or(&[][..], Vec::as_slice);
    let is_single = |number: &&usize| all()[**number].words.len() == 1;
    match known.iter().find(is_single) {
        // No word contains this sign.
        Some(number) => format!("={}", all()[*number].group),
        None => base,
    }
}

/// Whether two words are forms of one another.
pub fn is_form(one: &str, other: &str) -> bool {
    one == other || (!is_stop_word(one) && !is_stop_word(other) && base_form(one) == base_form(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(q: &str) -> Vec<String> {
        let words = words_of(q);
        let mut meant: Vec<String> = occurrences(&words)
            .iter()
            .flat_map(|found| found.others().map(|other| all()[other].words.join(" ")).collect::<Vec<_>>())
            .collect();
        meant.sort_unstable();
        meant.dedup();
        meant
    }

    #[test]
    fn rows_have_sources_and_expressions_are_unique() {
        let mut seen: Vec<String> = all().iter().map(|expression| expression.words.join(" ")).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(TABLE.iter().all(|group| !group.source.is_empty() && group.expressions.len() > 1));
        assert!(all().iter().all(|expression| !expression.words.is_empty()));
    }

    #[test]
    fn expressions_find_each_other_in_both_directions() {
        assert!(meant("AGO").contains(&"assembleia geral ordinaria".to_owned()));
        assert!(meant("AGE").contains(&"agoe".to_owned()), "a meeting may be both");
        assert!(!meant("AGOE").contains(&"ago".to_owned()));
        assert!(meant("Assembleias Gerais Ordinárias 2024").contains(&"ago".to_owned()));
        assert_eq!(meant("programa de recompra").len(), 3);
        assert!(meant("aquisição de ações próprias").contains(&"recompra".to_owned()));
        assert_eq!(meant("m&a"), ["fusoes e aquisicoes"]);
        assert_eq!(meant("assembleia ordinária"), [""; 0]);
        assert_eq!(meant("assembleia"), [""; 0]);
    }

    #[test]
    fn a_prefix_of_two_content_words_is_enough() {
        assert!(meant("edital da assembleia geral").contains(&"ago".to_owned()));
        assert_eq!(meant("certificado de rec"), ["cra", "cri"]);
        assert!(meant("assembleia geral petrosul").contains(&"age".to_owned()), "also before other words");
        assert!(meant("assembleias gerais de").contains(&"ago".to_owned()));
        assert_eq!(meant("assembleia fiscal"), [""; 0]);
        assert!(knows("ordinari") && knows("ordinario") && !knows("ordinraia"));
    }
}
