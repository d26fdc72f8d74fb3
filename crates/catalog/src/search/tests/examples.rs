//! What is found, and in which order, by examples.

use super::*;

fn row(category: &str, company: &str, prose: &str) -> Row {
    Row {
        category: category.to_owned(),
        company: company.to_owned(),
        prose: prose.to_owned(),
        code: String::new(),
    }
}

fn found(index: &TextIndex, q: &str) -> Vec<u32> {
    index.search(q, Page { limit: 99, offset: 0 }).rows.iter().collect()
}

#[test]
fn a_label_that_says_just_this_stands_before_texts_that_say_it_too() {
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
fn small_words_count_in_phrases() {
    let index = built(&[
        row("", "", "Banco Sul Brasil"),
        row("", "", "Banco no Brasil"),
        row("", "", "Banco do Brasil"),
    ]);
    assert_eq!(found(&index, "banco do brasil"), [2, 0, 1]);
    assert_eq!(found(&index, "banco no brasil"), [1, 0, 2]);
}

#[test]
fn expressions_find_what_they_stand_for_and_the_reverse() {
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
fn mistyped_words_stand_for_the_nearest_and_words_that_rows_have_never_do() {
    let index = built(&[
        row("", "", "Petrobras e dividendos"),
        row("", "", "Petrobras"),
        row("", "", "Petrobas"),
        row("", "", "Reunião 2024"),
    ]);
    let corrected = |q: &str| index.search(q, Page { limit: 9, offset: 0 }).reading.corrected;
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
fn where_nothing_has_all_words_rows_with_the_most_are_found_the_rarest_first() {
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
            (found.rows.iter().collect::<Vec<_>>(), found.total, found.reading.relaxed),
            (rows.clone(), rows.len(), true),
            "{q}"
        );
    }
    assert!(!search("lucro venda").reading.relaxed && !search("zebra girafa").reading.relaxed);
    assert_eq!(search("zebra girafa").total, 0);
}

#[test]
fn all_rows_of_a_word_and_of_longer_ones_are_found_wherever_its_own_end() {
    let word = |number: u32| if number < 300 { "petro" } else { "petroleiro" };
    let index = built(&(0..1_000).map(|number| row("", "", word(number))).collect::<Vec<_>>());
    assert_eq!(index.all(&["petro".to_owned()], true).len(), 1_000);
    assert_eq!(index.all(&["petro".to_owned()], false).len(), 300);
}

#[test]
fn a_page_beyond_all_numbers_is_empty() {
    let index = built(&[row("", "Banco Aurora", ""), row("", "Aurora Banco", "")]);
    let found = index.search("banco aurora", Page { limit: 20, offset: usize::MAX });
    assert_eq!((found.total, found.rows.iter().count()), (2, 0));
}

#[test]
fn the_forms_of_a_common_word_are_one_set() {
    let texts = ["ação", "ações", "ação ações", "AGO", "assembleia geral ordinária", "lucro"];
    let index = built(&(0..1_200).map(|number| row("", "", texts[number % 6])).collect::<Vec<_>>());
    let count = |word: &str| {
        let query = SearchQuery::new(&[word.to_owned()], false, &index);
        query.into_words()[0].union.map(|union| (union.count, union.rows.len()))
    };
    for (word, rows) in [("acao", 600), ("acoes", 600), ("ago", 400)] {
        assert_eq!(count(word), Some((rows, rows)), "{word}");
    }
    assert_eq!(count("lucro"), None, "it has one list");
    assert_eq!(index.search("acoes", Page { limit: 9, offset: 0 }).total, 600);
}

/// The rows that are found where these names are known, and how the query was read.
fn naming(index: &TextIndex, q: &str, names: &[(&str, &[&str])]) -> (Vec<u32>, Reading) {
    let found = index.search_naming(q, Page { limit: 9, offset: 0 }, &Directory::of(names));
    (found.rows.iter().collect(), found.reading)
}

#[test]
fn words_that_name_something_find_the_rows_with_its_code() {
    let of = |code: &str, row: Row| Row { code: code.to_owned(), ..row };
    let index = built(&[
        of("77", row("Ata", "CSN Mineração", "reunião")),
        of("4030", row("Ata", "Siderúrgica Nacional", "reunião")),
        of("9", row("Ata", "Pão Quente", "reunião de 4030 acionistas")),
        of("4030", row("Edital", "Siderúrgica Nacional", "açúcar")),
    ]);
    let as_typed = Reading::default();
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
fn what_was_corrected_names_what_it_names_when_it_is_asked_for() {
    let mut rows = vec![row("Ata", "Academias", "reunião"), row("Ata", "Lojas Renner", "edital smartfita")];
    rows[0].code = "5".to_owned();
    let index = built(&rows);
    let names: &[(&str, &[&str])] = &[("smartfita", &["5"])];
    assert_eq!(naming(&index, "smartfita ata", names), (vec![0, 1], Reading::default()));
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
fn a_small_word_at_the_end_takes_nothing_away_and_counts_in_phrases() {
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
fn beside_a_label_a_phrase_stands_before_scattered_words() {
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
fn with_common_words(texts: &[&str], others: [(&str, &str); 2]) -> TextIndex {
    let common = texts.iter().flat_map(|text| (0..300).map(|_| row("", "", text)));
    built(&common.chain(others.map(|(category, prose)| row(category, "", prose))).collect::<Vec<_>>())
}

#[test]
fn of_common_words_too_one_of_a_label_may_stand_once_more_beside_it() {
    let others = [("Fato Relevante", "Social fato"), ("Fato Relevante", "Fato social")];
    let index = with_common_words(&["relevante social fato"], others);
    assert_eq!(found(&index, "fato relevante fato social")[..2], [301, 300]);
}

#[test]
fn a_common_word_that_is_part_of_an_expression_may_stand_once_more_beside_others() {
    let texts = ["relevante assembleia", "geral assembleia ordinária"];
    let others = [("", "Assembleia social geral ordinária relevante"), ("", "AGO relevante AGO")];
    let index = with_common_words(&texts, others);
    assert_eq!(found(&index, "assembleia relevante assembleia geral ordinária"), [601, 600]);
}

#[test]
fn a_phrase_ends_with_its_text_also_where_one_word_stands_for_several() {
    let before = "palavra ".repeat(66);
    let mut rows = vec![row("", "Ypsilon Zeta", &format!("{before} xis JCP"))];
    rows.push(row("", "", "xis juros sobre o capital próprio ypsilon zeta"));
    let q = "xis juros sobre o capital próprio ypsilon zeta";
    assert_eq!(found(&built(&rows), q), [1, 0]);
}

#[test]
fn more_words_than_have_a_number_are_common() {
    let text: Vec<String> = (0..300).map(|number| format!("w{number}w")).collect();
    let rows: Vec<Row> =
        text.chunks(50).flat_map(|words| (0..250).map(|_| row("", "", &words.join(" ")))).collect();
    let index = built(&rows);
    let q = format!("{} {}", text[20], text[21]);
    assert_eq!(index.search(&q, Page { limit: 9, offset: 0 }).total, 250);
}

#[test]
fn an_abbreviation_is_part_of_a_phrase_at_its_end() {
    let index = built(&[
        row("", "", "Ordinária a aurora, geral, da assembleia"),
        row("", "", "AGO aurora"),
        row("", "", "Aurora AGO"),
    ]);
    assert_eq!(found(&index, "aurora assembleia geral ordinária"), [2, 0, 1]);
    assert_eq!(found(&index, "assembleia geral ordinária aurora"), [0, 1, 2]);
}
