//! The regulator's registry, quirk by quirk.

use lastro_model::{Company, CompanyId};
use lastro_sources::cvm::companies;
use lastro_sources::{Fault, Reading};

use crate::fixture::{bytes, day, kind};

fn read(name: &str) -> Result<Reading<Company>, Fault> {
    companies::read(bytes(name).as_slice(), "cad.csv")
}

fn names(reading: &Reading<Company>) -> Vec<&str> {
    reading.rows.iter().map(|company| company.name.as_str()).collect()
}

#[test]
fn the_registry_is_one_file_at_a_fixed_address() {
    let request = companies::request(lastro_sources::cvm::OFFICIAL_BASE);
    assert_eq!(request.url, "https://dados.cvm.gov.br/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv");
}

#[test]
fn accents_are_read_and_every_field_is_as_published() {
    let reading = read("cvm/cad_latin1_crlf.csv").unwrap();
    assert!(reading.rejects.is_empty());
    let first = &reading.rows[0];
    assert_eq!(first.id, CompanyId(90_011));
    assert_eq!(first.name, "COMPANHIA IMAGINÁRIA DE AÇO S.A.");
    assert_eq!(first.trading_name.as_deref(), Some("AÇO IMAGINÁRIO"));
    assert!(first.cnpj.has_valid_check_digits());
    assert_eq!(first.status, "ATIVO");
    assert_eq!(first.sector.as_deref(), Some("Metalurgia e Siderurgia"));
    assert_eq!(first.registered_on, Some(day("2010-03-08")));
    let statuses: Vec<_> = reading.rows.iter().map(|company| company.status.as_str()).collect();
    assert_eq!(statuses, ["ATIVO", "ATIVO", "CANCELADA", "SUSPENSO(A) - DECISÃO ADM"]);
}

#[test]
fn persons_and_addresses_are_never_kept() {
    let kept = format!("{:?}", read("cvm/cad_latin1_crlf.csv").unwrap());
    for personal in ["Fulano", "Rua", "@", "invalid"] {
        assert!(!kept.contains(personal), "{personal}");
    }
}

#[test]
fn quotes_are_data_and_swallow_nothing() {
    let reading = read("cvm/cad_quotes_are_data.csv").unwrap();
    assert_eq!(names(&reading), ["\"ASPAS\" NO NOME S.A.", "\"ASPA SOZINHA S.A.", "DEPOIS DA ASPA S.A."]);
    assert!(reading.rejects.is_empty());
}

#[test]
fn rows_that_differ_in_their_market_are_one_company() {
    let reading = read("cvm/cad_a_row_for_each_market.csv").unwrap();
    assert_eq!(reading.rows.iter().map(|company| company.id.0).collect::<Vec<_>>(), [90_011, 90_022]);
    assert!(reading.rejects.is_empty());
}

#[test]
fn one_cnpj_may_have_several_codes() {
    let reading = read("cvm/cad_two_codes_of_one_cnpj.csv").unwrap();
    assert_eq!(reading.rows.len(), 2);
    assert_eq!(reading.rows[0].cnpj, reading.rows[1].cnpj);
}

#[test]
fn blank_fields_are_missing_and_a_name_falls_back() {
    let reading = read("cvm/cad_blank_fields.csv").unwrap();
    assert_eq!((&reading.rows[0].sector, reading.rows[0].registered_on), (&None, None));
    assert_eq!(reading.rows[1].name, "LUZ FICTÍCIA ENERGIA S.A.");
    assert_eq!(reading.rows[2].trading_name, None);
    assert!(reading.rejects.is_empty());
}

#[test]
fn control_characters_are_rejected_and_hard_blanks_trimmed() {
    let file = bytes("cvm/cad_control_byte_and_nbsp.csv");
    let reading = companies::read(file.as_slice(), "cad.csv").unwrap();
    assert_eq!((reading.rows.len(), reading.rejects[0].line), (0, 2));
    assert_eq!(reading.rejects[0].reason, "DENOM_SOCIAL holds a control character");
    // A tab becomes a space, and unused columns may contain anything.
    let tabbed: Vec<u8> = file.iter().map(|byte| if *byte == 0x03 { b'\t' } else { *byte }).collect();
    let ending = b"AUDITORES INVENTADOS";
    let at = tabbed.windows(ending.len()).position(|part| part == ending).unwrap();
    let file = [&tabbed[..at], b"\x07", &tabbed[at..]].concat();
    let reading = companies::read(file.as_slice(), "cad.csv").unwrap();
    assert_eq!(reading.rejects, []);
    assert_eq!(reading.rows[0].name, "COMPANHIA  IMAGINÁRIA");
    assert_eq!(reading.rows[0].sector.as_deref(), Some("Bancos"));
}

#[test]
fn padded_codes_and_letters_in_a_cnpj_are_read() {
    assert_eq!(read("cvm/cad_padded_code.csv").unwrap().rows[0].id, CompanyId(9512));
    assert_eq!(read("cvm/cad_letters_in_cnpj.csv").unwrap().rows[0].cnpj.to_string(), "12.ABC.345/01DE-35");
}

#[test]
fn a_row_that_contradicts_an_earlier_one_is_rejected() {
    let reading = read("cvm/cad_conflicting_row.csv").unwrap();
    assert_eq!(reading.rows.len(), 2);
    assert_eq!(reading.rows[0].status, "ATIVO");
    assert_eq!((reading.rejects[0].line, reading.rejects[0].file.as_str()), (3, "cad.csv"));
}

#[test]
fn columns_are_found_by_name() {
    assert_eq!(
        read("cvm/cad_columns_in_another_order.csv").unwrap().rows,
        [read("cvm/cad_latin1_crlf.csv").unwrap().rows[0].clone()]
    );
    let fault = read("cvm/cad_missing_column.csv").unwrap_err();
    assert_eq!(fault, Fault::NotData("cad.csv: the column SETOR_ATIV is missing".to_owned()));
}

#[test]
fn unreadable_rows_are_rejected_with_their_line() {
    let reading = read("cvm/cad_unreadable_rows.csv").unwrap();
    assert_eq!(reading.rows.iter().map(|company| company.id.0).collect::<Vec<_>>(), [90_011, 90_022]);
    let rejects: Vec<_> =
        reading.rejects.iter().map(|reject| (reject.line, reject.reason.as_str())).collect();
    assert_eq!(
        rejects,
        [
            (3, "40 fields where the header has 47"),
            (4, "48 fields where the header has 47"),
            (5, "CNPJ_CIA must be a CNPJ: 14 characters, with or without punctuation"),
            (6, "DT_REG must be a real calendar day, YYYY-MM-DD"),
            (7, "CD_CVM must be a registry code: digits only"),
            (8, "SIT is blank"),
            (9, "DENOM_SOCIAL and DENOM_COMERC are blank"),
        ]
    );
}

#[test]
fn other_files_are_not_the_registry() {
    for name in [
        "cvm/cad_empty.csv",
        "cvm/cad_cut_short.csv",
        "cvm/cad_cut_after_a_row.csv",
        "cvm/cad_turned_to_utf8.csv",
        "error_page.html",
        "cvm/ipe_latin1_crlf.csv",
        "sgs/error_200_empty_object.json",
    ] {
        assert_eq!(kind(&read(name).unwrap_err()), "not data", "{name}");
    }
    assert_eq!(read("cvm/cad_header_only.csv"), Ok(Reading::default()));
}

#[test]
fn overlong_line_is_skipped_in_bounded_memory() {
    let mut file = bytes("cvm/cad_latin1_crlf.csv");
    file.extend(std::iter::repeat_n(b'x', 1 << 20));
    file.extend(b"\r\n");
    let reading = companies::read(file.as_slice(), "cad.csv").unwrap();
    assert_eq!((reading.rows.len(), reading.rejects.len()), (4, 1));
    assert_eq!(reading.rejects[0].line, 6);
}

#[test]
fn a_table_of_rubbish_rows_is_not_data() {
    let mut file = bytes("cvm/cad_latin1_crlf.csv");
    file.extend(b"x\r\n".repeat(5_000));
    assert_eq!(kind(&companies::read(file.as_slice(), "cad.csv").unwrap_err()), "not data");
}
