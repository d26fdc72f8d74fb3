//! Abbreviations and synonyms of the field: expressions that mean the same, each finding the others.

use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashMap;

use super::analyzer::{is_stop_word, singular, words_of};

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

/// One row for each meaning. A word stands for its plural too.
#[rustfmt::skip]
static TABLE: &[Group] = &[
    group(&["AGO", "assembleia geral ordinária"], "Lei 6.404/1976, art. 132"),
    group(&["AGE", "assembleia geral extraordinária"], "Lei 6.404/1976, art. 135"),
    group(&["AGOE", "AGO/E", "AGO/AGE", "assembleia geral ordinária e extraordinária", "assembleias gerais ordinária e extraordinária"], CORPORATIONS),
    group(&["AGD", "assembleia geral de debenturistas"], "Lei 6.404/1976, art. 71"),
    group(&["RCA", "reunião do conselho de administração"], "Lei 6.404/1976, art. 138"),
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

/// An expression of the table as words.
pub(super) struct Expression {
    pub words: Vec<String>,
    group: usize,
}

struct Expressions {
    all: Vec<Expression>,
    /// By the singular of the first word.
    by_first: HashMap<String, Vec<usize>>,
}

static EXPRESSIONS: LazyLock<Expressions> = LazyLock::new(|| {
    let expressions = |(number, group): (usize, &Group)| {
        let expression = move |text: &&str| Expression { words: words_of(text), group: number };
        group.expressions.iter().map(expression).collect::<Vec<_>>()
    };
    let all: Vec<Expression> = TABLE.iter().enumerate().flat_map(expressions).collect();
    let mut by_first = HashMap::<String, Vec<usize>>::new();
    for (number, expression) in all.iter().enumerate() {
        let first = expression.words.first().map(|word| singular(word)).unwrap_or_default();
        by_first.entry(first).or_default().push(number);
    }
    Expressions { all, by_first }
});

/// All expressions, numbered.
pub(super) fn all() -> &'static [Expression] {
    &EXPRESSIONS.all
}

/// An expression that words of a query are.
pub(super) struct Occurrence {
    expression: usize,
    /// Which words of the query.
    pub words: Range<usize>,
}

impl Occurrence {
    /// The numbers of the other expressions that mean the same.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> {
        let (own, group) = (self.expression, all()[self.expression].group);
        (0..all().len()).filter(move |other| *other != own && all()[*other].group == group)
    }
}

/// The expressions of the table that words hold, in singular or plural.
pub(super) fn occurrences(words: &[String]) -> impl Iterator<Item = Occurrence> {
    let at = move |start: usize| {
        let known = EXPRESSIONS.by_first.get(&singular(&words[start])).map_or(&[][..], Vec::as_slice);
        known.iter().filter_map(move |expression| {
            let length = all()[*expression].words.len();
            let asked = words.get(start..start + length)?;
            let same = asked.iter().zip(&all()[*expression].words).all(|(one, other)| is_form(one, other));
            same.then(|| Occurrence { expression: *expression, words: start..start + length })
        })
    };
    (0..words.len()).flat_map(at)
}

/// What singular and plural of a word, and all words that mean the same, have in common.
pub(crate) fn name_key(word: &str) -> String {
    if is_stop_word(word) {
        return word.to_owned();
    }
    let singular = singular(word);
    let known = EXPRESSIONS.by_first.get(&singular).map_or(&[][..], Vec::as_slice);
    let of_one_word = |number: &&usize| all()[**number].words.len() == 1;
    match known.iter().find(of_one_word) {
        Some(number) => format!("={}", all()[*number].group),
        None => singular,
    }
}

/// Whether two words are singular and plural of one another. Stems would take `AGOE` for a form of `AGO`.
pub(super) fn is_form(one: &str, other: &str) -> bool {
    one == other || (!is_stop_word(one) && !is_stop_word(other) && singular(one) == singular(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(q: &str) -> Vec<String> {
        let words = words_of(q);
        let mut meant: Vec<String> = occurrences(&words)
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
        assert_eq!(meant("AGO"), ["assembleia geral ordinaria"]);
        assert_eq!(meant("Assembleias Gerais Ordinárias 2024"), ["ago"]);
        assert_eq!(meant("programa de recompra").len(), 3);
        assert!(meant("aquisição de ações próprias").contains(&"recompra".to_owned()));
        assert_eq!(meant("m&a"), ["fusoes e aquisicoes"]);
        assert_eq!(meant("assembleia ordinária"), [""; 0]);
    }
}
