//! Examples of rows and their order.

use super::*;

fn row(category: &str, company: &str, prose: &str) -> Row {
    Row {
        category: category.to_owned(),
        company: company.to_owned(),
        prose: prose.to_owned(),
        code: String::new(),
    }
}

fn found(index: &Searcher, q: &str) -> Vec<u32> {
    index.search(q, Page { limit: 99, offset: 0 }).rows
}

#[test]
fn exact_labels_come_before_texts_with_the_words() {
    let index = built(&[
        row("Comunicado", "Fato Relevante S.A.", "Esclarecimentos"),
        row("Política de Divulgação de Ato ou Fato Relevante", "Aurora S.A.", "Política"),
        row("Comunicado", "Aurora S.A.", "Relevante é o fato"),
        row("Comunicado", "Aurora S.A.", "Esclarece o fato relevante"),
        row("Fato Relevante", "Aurora S.A.", "Aquisição de participação e outros assuntos da companhia"),
    ]);
    assert_eq!(found(&index, "fato relevante"), [4, 1, 3, 0, 2]);
    assert_eq!(found(&index, "aurora SA").len(), 4);
}

#[test]
fn stop_words_count_in_phrases() {
    let index = built(&[
        row("", "", "Banco Sul Brasil"),
        row("", "", "Banco no Brasil"),
        row("", "", "Banco do Brasil"),
    ]);
    assert_eq!(found(&index, "banco do brasil"), [2, 0, 1]);
    assert_eq!(found(&index, "banco no brasil"), [1, 0, 2]);
}

#[test]
fn synonyms_find_each_other() {
    let index = built(&[
        row("", "", "Ata da AGO de 2024"),
        row("", "", "Ata da Assembleia Geral Ordinária de 2024"),
        row("", "", "Assembleia Geral Extraordinária, ações ordinárias"),
        row("", "", "Assembleia Geral Extraordinária"),
        row("", "", "Programa de recompra"),
        row("", "", "Aquisição de ações próprias"),
    ]);
    assert_eq!(found(&index, "AGO"), [0, 1]);
    assert_eq!(found(&index, "assembleia geral ordinária"), [0, 1, 2]);
    assert_eq!(found(&index, "assembleias gerais ordinárias 2024"), [0, 1]);
    assert_eq!(found(&index, "AGE"), [2, 3]);
    assert_eq!(found(&index, "recompra"), [4, 5]);
    assert_eq!(found(&index, "aquisição de ações próprias"), [4, 5]);
}

#[test]
fn only_unknown_words_are_corrected() {
    let index = built(&[
        row("", "", "Petrobras e dividendos"),
        row("", "", "Petrobras"),
        row("", "", "Petrobas"),
        row("", "", "Reunião 2024"),
    ]);
    let corrected = |q: &str| index.search(q, Page { limit: 9, offset: 0 }).interpretation.corrected;
    assert_eq!(corrected("petrobrsa").as_deref(), Some("petrobras"));
    assert_eq!(found(&index, "petrobrsa"), [0, 1]);
    assert_eq!(corrected("dividendso petrobras").as_deref(), Some("dividendos petrobras"));
    assert_eq!(corrected("reunaio").as_deref(), Some("reuniao"));
    assert_eq!(corrected("divdend").as_deref(), Some("dividend"), "the last word may be a beginning");
    for (q, whole) in [("petrobrsa M&A", "petrobras m&a"), ("petrobrsa M.A.", "petrobras m.a")] {
        assert_eq!(corrected(q).as_deref(), Some(whole), "what is whole stays so, as it was typed");
    }
    for q in ["petrobas", "petrobras", "divi", "reunioes", "2042", "xyz", "qwertyuiop", "petr0bras", "dos"] {
        assert_eq!(corrected(q), None, "{q}");
    }
}

#[test]
fn without_full_matches_the_rarest_word_comes_first() {
    let index = built(&[
        row("", "", "lucro"),
        row("", "", "lucro venda"),
        row("", "", "venda compra"),
        row("", "", "ata"),
    ]);
    let search = |q: &str| index.search(q, Page { limit: 9, offset: 0 });
    for (q, rows) in
        [("lucro venda compra", vec![2, 1]), ("ata zebra", vec![3]), ("lucro ata", vec![3, 0, 1])]
    {
        let found = search(q);
        assert_eq!(
            (found.rows, found.total, found.interpretation.relaxed),
            (rows.clone(), rows.len(), true),
            "{q}"
        );
    }
    assert!(!search("lucro venda").interpretation.relaxed && !search("zebra girafa").interpretation.relaxed);
    assert_eq!(search("zebra girafa").total, 0);
}

#[test]
fn prefixes_find_rows_after_the_last_exact_one() {
    let word = |number: u32| if number < 300 { "petro" } else { "petroleiro" };
    let index = built(&(0..1_000).map(|number| row("", "", word(number))).collect::<Vec<_>>());
    assert_eq!(index.rows_with_all(&["petro".to_owned()], true).len(), 1_000);
    assert_eq!(index.rows_with_all(&["petro".to_owned()], false).len(), 300);
}

#[test]
fn a_page_beyond_all_numbers_is_empty() {
    let index = built(&[row("", "Banco Aurora", ""), row("", "Aurora Banco", "")]);
    let found = index.search("banco aurora", Page { limit: 20, offset: usize::MAX });
    assert_eq!((found.total, found.rows.len()), (2, 0));
}

/// The rows that are found where these names are known, and how the query was read.
fn naming(index: &Searcher, q: &str, names: &[(&str, &[&str])]) -> (Vec<u32>, Interpretation) {
    let directory = Directory::of(names);
    let found = index.search_in(q, Page { limit: 9, offset: 0 }, directory.context());
    (found.rows, found.interpretation)
}

#[test]
fn names_find_the_rows_with_their_code() {
    let of = |code: &str, row: Row| Row { code: code.to_owned(), ..row };
    let index = built(&[
        of("77", row("Ata", "CSN Mineração", "reunião")),
        of("4030", row("Ata", "Siderúrgica Nacional", "reunião")),
        of("9", row("Ata", "Pão Quente", "reunião de 4030 acionistas")),
        of("4030", row("Edital", "Siderúrgica Nacional", "açúcar")),
    ]);
    let as_typed = Interpretation::default();
    let is_csn: &[(&str, &[&str])] = &[("csn", &["4030"])];
    assert_eq!(naming(&index, "csn", &[]), (vec![0], as_typed.clone()));
    assert_eq!(naming(&index, "csn", is_csn), (vec![0, 1, 3], as_typed.clone()), "and not what was kept");
    assert_eq!(naming(&index, "ata csn", is_csn), (vec![0, 1], as_typed.clone()), "a number is no code");
    let bread: &[(&str, &[&str])] = &[("pão de açúcar", &["4030", "77"])];
    assert_eq!(
        naming(&index, "pão de açúcar", bread),
        (vec![0, 1, 3], as_typed.clone()),
        "of all who bear it"
    );
    assert_eq!(
        naming(&index, "paes edital", &[("paes", &["5"])]).1.corrected,
        None,
        "a name is not mistyped"
    );
    assert_eq!(naming(&index, "csn", &[]), (vec![0], as_typed));
}

#[test]
fn corrected_words_are_names_too() {
    let mut rows = vec![row("Ata", "Academias", "reunião"), row("Ata", "Lojas Renner", "edital smartfita")];
    rows[0].code = "5".to_owned();
    let index = built(&rows);
    let names: &[(&str, &[&str])] = &[("smartfita", &["5"])];
    assert_eq!(naming(&index, "smartfita ata", names), (vec![0, 1], Interpretation::default()));
    for q in ["smartfjta ata", "smart fita ata"] {
        let (rows, reading) = naming(&index, q, names);
        assert_eq!((rows, reading.corrected.as_deref()), (vec![0, 1], Some("smartfita ata")), "{q}");
    }
    for q in ["lojasrenner eedital", "lojasrenner edital"] {
        let (rows, reading) = naming(&index, q, names);
        assert_eq!((rows, reading.corrected.as_deref()), (vec![1], Some("lojas renner edital")), "{q}");
    }
}

#[test]
fn a_final_stop_word_is_optional() {
    let rows = ["Banco Aurora", "Banco do Sul", "Banco Doce", "Bancos", "Bancorp", "Doce"];
    let index = built(&rows.map(|name| row("", name, "")));
    let found = |q: &str| found(&index, q);
    assert_eq!(found("banco"), [0, 1, 2, 3, 4]);
    assert_eq!(found("banco do"), [1, 0, 2, 3], "the prefix belongs to the last word typed");
    assert_eq!(found("banco e"), [0, 1, 2, 3]);
    assert_eq!(found("banco do s"), [1]);
    assert_eq!(found("banco do doc"), [2]);
    assert_eq!(found("do"), [1, 2, 5], "what is nothing but stop words is asked for as it stands");
}

#[test]
fn abbreviations_of_meetings_are_told_apart() {
    let index = built(&[
        row("AGO", "", "Ata"),
        row("AGO/E", "", "Ata"),
        row("AGOE", "", "Ata"),
        row("Assembleia", "", "Assembleia Geral Ordinária e Extraordinária"),
        row("AGE", "", "Ata"),
        row("", "", "Fusões e aquisições"),
        row("", "", "M de maria"),
    ]);
    for q in ["AGO/E", "AGOE", "AGO e AGE", "assembleia geral ordinária e extraordinária"] {
        assert_eq!(found(&index, q), [1, 2, 3], "{q}");
    }
    assert_eq!(found(&index, "AGE"), [4, 1, 2, 3], "a meeting may be both");
    assert_eq!(found(&index, "AGO"), [0, 1, 2, 3], "the category itself first");
    assert_eq!(found(&index, "assembleia geral ordinária"), [0, 1, 2, 3], "and also by what means the same");
    assert_eq!(found(&index, "M&A"), [5]);
}

#[test]
fn an_expression_may_be_scattered_over_category_and_type() {
    let index = built(&[
        row("Reunião da Administração Conselho de Administração", "", "Eleição"),
        row("Reunião da Administração", "", "Eleição do conselho fiscal"),
        row("Reunião da Administração Conselho Fiscal", "", "Eleição"),
    ]);
    assert_eq!(found(&index, "RCA"), [0]);
    assert_eq!(found(&index, "RCA eleição"), [0]);
}

#[test]
fn a_label_counts_beside_other_words() {
    let index = built(&[
        row("Outros Comunicados Não Considerados Fatos Relevantes", "Aurora", "Aviso"),
        row("Fato Relevante", "Aurora", "Aviso"),
    ]);
    assert_eq!(found(&index, "fato relevante aurora"), [1, 0]);
}

#[test]
fn beside_a_label_phrases_come_first() {
    let index = built(&[
        row("Fato Relevante", "Banco Sul do Brasil", "Aviso"),
        row("Fato Relevante", "Banco do Brasil", "Aviso"),
        row("Comunicado", "Banco do Brasil", "Fato relevante"),
    ]);
    for q in ["fato relevante banco do brasil", "banco do brasil fato relevante"] {
        assert_eq!(found(&index, q), [1, 0, 2], "{q}");
    }
}

/// Rows enough of each text that its words are common ones, and two others behind them.
fn with_common_words(texts: &[&str], others: [(&str, &str); 2]) -> Searcher {
    let common = texts.iter().flat_map(|text| (0..300).map(|_| row("", "", text)));
    built(&common.chain(others.map(|(category, prose)| row(category, "", prose))).collect::<Vec<_>>())
}

#[test]
fn a_word_of_a_label_may_be_repeated_beside_it() {
    let others = [("Fato Relevante", "Social fato"), ("Fato Relevante", "Fato social")];
    let index = with_common_words(&["relevante social fato"], others);
    assert_eq!(found(&index, "fato relevante fato social")[..2], [301, 300]);
}

#[test]
fn a_word_of_an_expression_may_be_repeated() {
    let texts = ["relevante assembleia", "geral assembleia ordinária"];
    let others = [("", "Assembleia social geral ordinária relevante"), ("", "AGO relevante AGO")];
    let index = with_common_words(&texts, others);
    assert_eq!(found(&index, "assembleia relevante assembleia geral ordinária"), [601, 600]);
}

#[test]
fn a_synonym_does_not_extend_a_phrase_past_its_text() {
    let before = "palavra ".repeat(66);
    let mut rows = vec![row("", "Ypsilon Zeta", &format!("{before} xis JCP"))];
    rows.push(row("", "", "xis juros sobre o capital próprio ypsilon zeta"));
    let q = "xis juros sobre o capital próprio ypsilon zeta";
    assert_eq!(found(&built(&rows), q), [1, 0]);
}

#[test]
fn many_common_words_are_found() {
    let text: Vec<String> = (0..300).map(|number| format!("w{number}w")).collect();
    let rows: Vec<Row> =
        text.chunks(50).flat_map(|words| (0..250).map(|_| row("", "", &words.join(" ")))).collect();
    let index = built(&rows);
    let q = format!("{} {}", text[20], text[21]);
    assert_eq!(index.search(&q, Page { limit: 9, offset: 0 }).total, 250);
}

#[test]
fn an_abbreviation_ends_a_phrase() {
    let index = built(&[
        row("", "", "Ordinária a aurora, geral, da assembleia"),
        row("", "", "AGO aurora"),
        row("", "", "Aurora AGO"),
    ]);
    assert_eq!(found(&index, "aurora assembleia geral ordinária"), [2, 0, 1]);
    assert_eq!(found(&index, "assembleia geral ordinária aurora"), [0, 1, 2]);
}
