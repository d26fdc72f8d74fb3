//! Abbreviations and synonyms of the field: expressions that mean the same, each finding the others.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};
use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

use super::analyzer::{is_stop_word, words_of};
use super::inflection::base;

/// Expressions that mean the same.
struct Group {
    expressions: &'static [&'static str],
    /// Where it is told that they do.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the table"))]
    source: &'static str,
}

const fn group(expressions: &'static [&'static str], source: &'static str) -> Group {
    Group { expressions, source }
}

const CORPORATIONS: &str = "Lei 6.404/1976";
const DISCLOSURE: &str = "Resolução CVM 80/2022";
const REGISTRY: &str = "abbreviated names in the regulator's registry of companies";
const MARKET: &str = "usage of the market, as in filings of companies";

/// One row for each meaning. A word stands for its other forms too.
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

/// What is meant by the first is also an occasion of the second: a meeting may be both.
const OCCASIONS: [(&str, &str); 2] = [("AGOE", "AGO"), ("AGOE", "AGE")];

/// An expression of the table as words.
pub(super) struct Expression {
    pub words: Vec<String>,
    group: usize,
}

struct Expressions {
    all: Vec<Expression>,
    /// By what the forms of the first word have in common.
    by_first: HashMap<String, Vec<usize>>,
    /// All words that tell something.
    words: BTreeSet<String>,
    /// What the forms of each have in common.
    bases: HashSet<String>,
    /// The groups of [`OCCASIONS`].
    occasions: Vec<(usize, usize)>,
}

static EXPRESSIONS: LazyLock<Expressions> = LazyLock::new(|| {
    let expressions = |(number, group): (usize, &Group)| {
        let expression = move |text: &&str| Expression { words: words_of(text), group: number };
        group.expressions.iter().map(expression).collect::<Vec<_>>()
    };
    let all: Vec<Expression> = TABLE.iter().enumerate().flat_map(expressions).collect();
    let mut by_first = HashMap::<String, Vec<usize>>::new();
    for (number, expression) in all.iter().enumerate() {
        let first = expression.words.first().map(|word| base(word)).unwrap_or_default();
        by_first.entry(first).or_default().push(number);
    }
    let words = all.iter().flat_map(|expression| &expression.words);
    let words: BTreeSet<String> = words.filter(|word| !is_stop_word(word)).cloned().collect();
    let bases = words.iter().map(|word| base(word)).collect();
    let group = |text: &str| all.iter().find(|one| one.words == words_of(text)).map(|one| one.group);
    let occasions = OCCASIONS.iter().filter_map(|(one, other)| Some((group(one)?, group(other)?))).collect();
    Expressions { occasions, all, by_first, words, bases }
});

/// All expressions, numbered.
pub(super) fn all() -> &'static [Expression] {
    &EXPRESSIONS.all
}

/// All words of the table that tell something.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    EXPRESSIONS.words.iter().map(String::as_str)
}

/// Whether a word stands in the table, in some form, or begins one that does.
pub(super) fn knows(word: &str) -> bool {
    begin_with(word) || EXPRESSIONS.bases.contains(&base(word))
}

/// Whether a word of the table begins so.
pub(super) fn begin_with(letters: &str) -> bool {
    let mut from_there = EXPRESSIONS.words.range::<str, _>((Bound::Included(letters), Bound::Unbounded));
    from_there.next().is_some_and(|other| other.starts_with(letters))
}

/// Whether this very word stands in the table.
pub(super) fn have(word: &str) -> bool {
    EXPRESSIONS.words.contains(word)
}

/// An expression that words of a query are.
pub(super) struct Occurrence {
    expression: usize,
    /// Which words of the query.
    pub words: Range<usize>,
    /// Whether the query has only the beginning of it.
    pub is_begun: bool,
    /// Whether nothing stands behind it in the query.
    is_last: bool,
}

impl Occurrence {
    /// The numbers of the other expressions that mean the same, or something that is an occasion of it.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, group) = (self.expression, all()[self.expression].group);
        let is_meant = move |other: &usize| {
            let of = all()[*other].group;
            of == group || EXPRESSIONS.occasions.contains(&(of, group))
        };
        (0..all().len()).filter(move |other| *other != own && is_meant(other))
    }

    /// Whether another expression in its place makes a phrase with the words around it.
    pub(super) fn is_in_phrases(&self, other: usize) -> bool {
        self.is_last || all()[other].words.len() == self.words.len()
    }

    /// Whether an expression means the very same.
    pub(super) fn is_same(&self, number: usize) -> bool {
        all()[number].group == all()[self.expression].group
    }
}

/// The ways to divide an expression in two; small words between the halves are left out. The minutes of a board are filed as
/// `Reunião da Administração`, `Conselho de Administração`.
pub(super) fn halves(expression: &[String]) -> Vec<[&[String]; 2]> {
    let telling: Vec<usize> =
        (0..expression.len()).filter(|place| !is_stop_word(&expression[*place])).collect();
    telling.windows(2).map(|two| [&expression[..=two[0]], &expression[two[1]..]]).collect()
}

/// The expressions of the table that words hold, in any form, and those that they begin.
pub(super) fn occurrences(words: &[String]) -> Vec<Occurrence> {
    let at = |start: usize| {
        let known = EXPRESSIONS.by_first.get(&base(&words[start])).map_or(&[][..], Vec::as_slice);
        known.iter().filter_map(move |number| {
            let expression = &all()[*number].words;
            let length = beginning(&words[start..], expression)?;
            let is_begun =
                length < expression.len() || !is_form(&words[start + length - 1], &expression[length - 1]);
            let (found, is_last) = (start..start + length, start + length == words.len());
            Some(Occurrence { expression: *number, words: found, is_begun, is_last })
        })
    };
    (0..words.len()).flat_map(at).collect()
}

/// How many words of an expression these are, if that is all of it or two of them tell something. The last word of a query
/// may go on.
fn beginning(asked: &[String], expression: &[String]) -> Option<usize> {
    let same = |(place, (one, other)): &(usize, (&String, &String))| {
        is_form(one, other) || (place + 1 == asked.len() && other.starts_with(one.as_str()))
    };
    let alike = asked.iter().zip(expression).enumerate().take_while(same).count();
    if alike == expression.len() && is_form(&asked[alike - 1], &expression[alike - 1]) {
        return Some(alike);
    }
    let telling = |place: &usize| !is_stop_word(&asked[*place]);
    let last = (0..alike).rev().find(telling)?;
    ((0..=last).filter(telling).count() > 1).then_some(last + 1)
}

/// No word starts with this.
const MARK: char = '=';

/// What all forms of a word, and all words that mean the same, have in common.
pub(crate) fn meaning(word: &str) -> String {
    if is_stop_word(word) {
        return word.to_owned();
    }
    let base = base(word);
    let known = EXPRESSIONS.by_first.get(&base).map_or(&[][..], Vec::as_slice);
    let of_one_word = |number: &&usize| all()[**number].words.len() == 1;
    match known.iter().find(of_one_word) {
        Some(number) => format!("{MARK}{}", all()[*number].group),
        None => base,
    }
}

/// The numbers of the expressions that stand for what has a meaning, but for single words that have the very same.
pub(super) fn beyond_words(meaning: &str) -> impl Iterator<Item = usize> + use<> {
    let group: Option<usize> = meaning.strip_prefix(MARK).and_then(|group| group.parse().ok());
    group.into_iter().flat_map(|group| {
        (0..all().len()).filter(move |number| {
            let Expression { words, group: of } = &all()[*number];
            EXPRESSIONS.occasions.contains(&(*of, group)) || (*of == group && words.len() > 1)
        })
    })
}

/// Whether two words are forms of one another.
pub(crate) fn is_form(one: &str, other: &str) -> bool {
    one == other || (!is_stop_word(one) && !is_stop_word(other) && base(one) == base(other))
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
    fn every_row_has_a_source_and_no_expression_stands_in_two() {
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
    fn a_beginning_of_two_words_that_tell_something_is_enough() {
        assert!(meant("edital da assembleia geral").contains(&"ago".to_owned()));
        assert_eq!(meant("certificado de rec"), ["cra", "cri"]);
        assert!(meant("assembleia geral petrosul").contains(&"age".to_owned()), "also before other words");
        assert!(meant("assembleias gerais de").contains(&"ago".to_owned()));
        assert_eq!(meant("assembleia fiscal"), [""; 0]);
        assert!(knows("ordinari") && knows("ordinario") && !knows("ordinraia"));
    }
}
