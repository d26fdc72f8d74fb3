//! The regulator's filings, quirk by quirk.

use lastro_model::{CompanyId, Filing, FilingId};
use lastro_sources::cvm::filings::{self, FilingsReader};
use lastro_sources::{Fault, Reject};

use crate::fixture::{bytes, day, kind};

struct Year {
    filings: Vec<Filing>,
    rejects: Vec<Reject>,
    duplicates: u64,
}

fn read_bytes(file: &[u8]) -> Result<Year, Fault> {
    let mut reader = FilingsReader::new(file, "ipe.csv", 2025)?;
    let (mut filings, mut rejects) = (Vec::new(), Vec::new());
    for line in reader.by_ref() {
        match line? {
            Ok(filing) => filings.push(filing),
            Err(reject) => rejects.push(reject),
        }
    }
    Ok(Year { filings, rejects, duplicates: reader.duplicates() })
}

fn read(name: &str) -> Year {
    read_bytes(&bytes(name)).unwrap()
}

fn clean(name: &str) -> Vec<Filing> {
    let year = read(name);
    assert_eq!(year.rejects, []);
    year.filings
}

fn ids(year: &Year) -> Vec<String> {
    year.filings.iter().map(|filing| filing.id.to_string()).collect()
}

#[test]
fn each_year_is_a_file() {
    let request = filings::request(lastro_sources::cvm::OFFICIAL_BASE, 2025);
    assert_eq!(
        request.url,
        "https://dados.cvm.gov.br/dados/CIA_ABERTA/DOC/IPE/DADOS/ipe_cia_aberta_2025.zip"
    );
    assert_eq!(request.what, "filings of 2025");
}

#[test]
fn every_field_is_where_the_dictionary_says() {
    let filings = clean("cvm/ipe_latin1_crlf.csv");
    let expected = Filing {
        id: FilingId::Protocol(1_400_001),
        company_id: CompanyId(90_011),
        company_name: "COMPANHIA IMAGINÁRIA DE AÇO S.A.".to_owned(),
        category: "Fato Relevante".to_owned(),
        kind: None,
        delivered_on: day("2025-02-12"),
        reference_day: Some(day("2025-02-11")),
        description: "Projeções 2025".to_owned(),
        version: 1,
        url:
            "https://www.rad.example/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1\
              &numProtocolo=1400001&numSequencia=924707&numVersao=1"
                .to_owned(),
    };
    assert_eq!(filings[0], expected);
    assert_eq!((filings[1].kind.as_deref(), filings[1].version), (Some("AGO/E"), 2));
}

#[test]
fn filing_without_subject_falls_back_to_type_or_category() {
    let descriptions: Vec<_> =
        clean("cvm/ipe_description_falls_back.csv").into_iter().map(|filing| filing.description).collect();
    assert_eq!(descriptions, ["AGO/E / Edital de Convocação", "AGE", "Ata", "Fato Relevante"]);
}

#[test]
fn a_blank_protocol_or_a_placeholder_cnpj_does_not_matter() {
    assert_eq!(clean("cvm/ipe_blank_protocol.csv")[0].id, FilingId::Protocol(1_400_001));
    assert_eq!(clean("cvm/ipe_placeholder_cnpj.csv")[0].company_id, CompanyId(80_001));
}

#[test]
fn repeated_lines_are_one_filing_and_are_counted() {
    let year = read("cvm/ipe_duplicate_lines.csv");
    assert_eq!(ids(&year), ["1400001", "1400002"]);
    assert_eq!((year.duplicates, year.rejects.len()), (2, 0));
}

#[test]
fn conflicting_filings_of_one_number_are_rejected() {
    let year = read("cvm/ipe_one_protocol_for_two_filings.csv");
    assert_eq!((year.filings.len(), year.duplicates), (1, 0));
    assert_eq!(year.rejects[0].line, 3);
    assert_eq!(year.rejects[0].reason, "numProtocolo already names a filing that differs");
}

#[test]
fn separators_in_a_subject_are_joined_again() {
    let filings = clean("cvm/ipe_separator_in_the_subject.csv");
    assert_eq!(filings[0].description, "Ata; deliberações; anexos");
    assert_eq!(filings[0].id, FilingId::Protocol(1_400_001));
    assert_eq!(filings.len(), 2);
}

#[test]
fn too_few_fields_are_rejected() {
    let year = read("cvm/ipe_too_few_fields.csv");
    assert_eq!(ids(&year), ["1400001", "1400002"]);
    let expected =
        Reject { file: "ipe.csv".to_owned(), line: 3, reason: "3 fields where the header has 13".to_owned() };
    assert_eq!(year.rejects, [expected]);
}

#[test]
fn absurd_reference_days_are_missing() {
    let days: Vec<_> =
        clean("cvm/ipe_absurd_reference_day.csv").into_iter().map(|filing| filing.reference_day).collect();
    let kept = [None, None, None, Some(day("2027-12-31")), Some(day("1990-01-01")), None, None, None];
    assert_eq!(days, kept);
}

#[test]
fn unbalanced_quotes_swallow_nothing() {
    let descriptions: Vec<_> =
        clean("cvm/ipe_unbalanced_quote.csv").into_iter().map(|filing| filing.description).collect();
    assert_eq!(descriptions, ["\"Aspa que não fecha", "Meio \"citado\"\" de novo", "Projeções 2025"]);
}

#[test]
fn padded_codes_hard_blanks_dashes_and_long_subjects_are_read() {
    assert_eq!(clean("cvm/ipe_padded_code.csv")[0].company_id, CompanyId(9512));
    let trimmed = &clean("cvm/ipe_trailing_nbsp.csv")[0];
    assert_eq!(
        (trimmed.category.as_str(), trimmed.description.as_str(), trimmed.company_name.as_str()),
        ("Fato Relevante", "Projeções", "COMPANHIA IMAGINÁRIA")
    );
    assert_eq!(clean("cvm/ipe_dash_of_windows_1252.csv")[0].description, "Decisão – processo");
    assert_eq!(clean("cvm/ipe_long_subject.csv")[0].description.chars().count(), 29 * 60 - 1);
}

#[test]
fn a_link_names_its_filing_in_any_order_of_parameters() {
    assert_eq!(clean("cvm/ipe_link_parameters_in_another_order.csv")[0].id, FilingId::Protocol(1_400_001));
}

/// The expected ids were computed with `sha256sum` over the lines without their ends.
#[test]
fn a_link_without_number_is_named_by_the_hash_of_its_line() {
    let year = read("cvm/ipe_link_without_number.csv");
    assert_eq!(ids(&year), ["h-5c91dbbeb1ff3764", "h-397f56ae8f2b32b9"]);
    let reordered = read("cvm/ipe_columns_in_another_order.csv");
    assert_eq!(ids(&reordered), ["h-5c91dbbeb1ff3764"], "the name outlives a change of columns");
}

#[test]
fn control_character_rejects_the_row_and_names_the_column() {
    let header = filings::COLUMNS.join(";");
    let fields = "00.000.000/0001-91;NOME;90011;2025-02-11;CAT;TIPO;ESP;SUBJ;2025-02-11;AP;P;1;https://x/?numProtocolo=7";
    for (column, name) in filings::COLUMNS.into_iter().enumerate() {
        for byte in [0x00, 0x07, 0x1B, 0x7F, 0x81, 0x9D] {
            let mut row: Vec<Vec<u8>> = fields.split(';').map(|field| field.as_bytes().to_vec()).collect();
            row[column].insert(1, byte);
            let file = [header.as_bytes(), b"\r\n", &row.join(&b';'), b"\r\n"].concat();
            let year = read_bytes(&file).unwrap();
            // These are not kept: `Especie` is only used without a subject, and an invalid reference day is ignored.
            let kept =
                !["CNPJ_Companhia", "Data_Referencia", "Especie", "Tipo_Apresentacao", "Protocolo_Entrega"]
                    .contains(&name);
            let reasons: Vec<&str> = year.rejects.iter().map(|reject| reject.reason.as_str()).collect();
            let expected = format!("{name} holds a control character");
            assert_eq!(reasons, if kept { vec![expected.as_str()] } else { vec![] }, "{name} {byte:#04x}");
        }
    }
}

#[test]
fn unreadable_rows_are_rejected_with_their_line() {
    let year = read("cvm/ipe_unreadable_rows.csv");
    assert_eq!(ids(&year), ["1400008"]);
    let rejects: Vec<_> = year.rejects.iter().map(|reject| (reject.line, reject.reason.as_str())).collect();
    assert_eq!(
        rejects,
        [
            (2, "Codigo_CVM must be a registry code: digits only"),
            (3, "Data_Entrega must be a real calendar day, YYYY-MM-DD"),
            (4, "Data_Entrega is not a day of 2025"),
            (5, "Versao is not a small number"),
            (6, "Categoria is blank"),
            (7, "Nome_Companhia is blank"),
            (8, "Link_Download is not a link"),
        ]
    );
}

#[test]
fn a_missing_column_is_named_before_any_row_is_read() {
    let fault =
        FilingsReader::new(bytes("cvm/ipe_missing_column.csv").as_slice(), "ipe.csv", 2025).unwrap_err();
    assert_eq!(fault, Fault::NotData("ipe.csv: the column Data_Entrega is missing".to_owned()));
}

#[test]
fn a_file_cut_short_ends_in_a_fault_and_then_stops() {
    let mut file = bytes("cvm/ipe_duplicate_lines.csv");
    file.truncate(file.len() - 30);
    let mut reader = FilingsReader::new(file.as_slice(), "ipe.csv", 2025).unwrap();
    let fault = reader.find_map(Result::err).unwrap();
    assert_eq!(fault, Fault::NotData("ipe.csv: line 5 has no end: the file was cut short".to_owned()));
    assert_eq!(reader.next(), None);
}

#[test]
fn a_table_of_rubbish_rows_is_not_data() {
    let mut file = bytes("cvm/ipe_latin1_crlf.csv");
    file.extend(b"x\r\n".repeat(5_000));
    assert_eq!(kind(&read_bytes(&file).err().unwrap()), "not data");
}
