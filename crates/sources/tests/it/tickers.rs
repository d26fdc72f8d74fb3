//! The registration forms and the tickers in them, quirk by quirk.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use lastro_model::{CompanyId, FormerName, TradedSecurity};
use lastro_sources::cvm::tickers::{self, UNPACKED_CAP, YearOfForms};
use lastro_sources::{Fault, MOST_REJECTS};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::fixture::{bytes, day, kind};

const FORMS: &str = "cvm/fca_forms_latin1_crlf.csv";
const SECURITIES: &str = "cvm/fca_securities_latin1_crlf.csv";
const FORM_COLUMNS: &str = "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\r\n";

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn archive(year: i16, forms: &[u8], securities: &[u8]) -> Vec<u8> {
    zipped(&[
        (&format!("fca_cia_aberta_{year}.csv"), forms),
        (&format!("fca_cia_aberta_valor_mobiliario_{year}.csv"), securities),
    ])
}

fn year(year: i16, forms: &[u8], securities: &[u8]) -> Result<YearOfForms, Fault> {
    tickers::read(Cursor::new(archive(year, forms, securities)), year, UNPACKED_CAP)
}

fn read(forms: &str, securities: &str) -> YearOfForms {
    year(2025, &bytes(forms), &bytes(securities)).unwrap()
}

fn codes(securities: &[TradedSecurity]) -> Vec<String> {
    securities.iter().map(|security| format!("{} {}", security.ticker, security.company_id)).collect()
}

fn reasons(year: &YearOfForms) -> Vec<(u64, &str)> {
    year.reading.rejects.iter().map(|reject| (reject.line, reject.reason.as_str())).collect()
}

/// One form with one ticker.
fn small(reference: &str, version: u16, number: u64, ticker: &str) -> (Vec<u8>, Vec<u8>) {
    let cnpj = "90.011.001/0001-01";
    let form = format!("{cnpj};{reference};{version};X;090011;FCA;{number};{reference};https://x/\r\n");
    let header = bytes(SECURITIES).split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
    let security =
        format!("{cnpj};{reference};{version};{number};X;Units;;;{ticker};;Bolsa;BVMF;B3;;;;;\r\n")
            .into_bytes();
    let securities = if ticker.is_empty() { header } else { [header, security].concat() };
    ([FORM_COLUMNS, &form].concat().into_bytes(), securities)
}

#[test]
fn a_year_of_forms_is_at_a_fixed_address() {
    assert_eq!(
        tickers::request(lastro_sources::cvm::OFFICIAL_BASE, 2026).url,
        "https://dados.cvm.gov.br/dados/CIA_ABERTA/DOC/FCA/DADOS/fca_cia_aberta_2026.zip"
    );
}

#[test]
fn newest_form_counts_and_rows_without_ticker_are_skipped() {
    let year = read(FORMS, SECURITIES);
    assert_eq!(year.reading.rejects, []);
    assert_eq!(
        codes(&tickers::union(&[year])),
        ["ACOX3 90011", "ACOX5 90011", "LUZF3 90022", "LUZF4 90022", "LUZF11 90022", "LUZF34 90022"]
    );
}

fn with_general(year: i16, general: &[u8]) -> Result<YearOfForms, Fault> {
    let members = [
        (format!("fca_cia_aberta_{year}.csv"), bytes(FORMS)),
        (format!("fca_cia_aberta_valor_mobiliario_{year}.csv"), bytes(SECURITIES)),
        (format!("fca_cia_aberta_geral_{year}.csv"), general.to_vec()),
    ];
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    tickers::read(Cursor::new(zipped(&members)), year, UNPACKED_CAP)
}

fn former_names(held: &[FormerName], years: &[YearOfForms]) -> Vec<String> {
    let shown = |name: &FormerName| format!("{} {} {}", name.company_id, name.name, name.until);
    tickers::all_former_names(held, years).iter().map(shown).collect()
}

#[test]
fn all_forms_have_former_names() {
    let year = with_general(2025, &bytes("cvm/fca_general_latin1_crlf.csv")).unwrap();
    assert_eq!(year.reading.rejects, []);
    let expected = ["90011 AÇOS ANTIGOS S.A. 2011-05-02", "90011 Siderúrgica Imaginária S.A. 2011-05-02"];
    assert_eq!(former_names(&[], std::slice::from_ref(&year)), expected);
    let without = read(FORMS, SECURITIES);
    assert!(!tickers::tell_former_names(std::slice::from_ref(&without)));
    assert_eq!(former_names(&[], &[year, without]), expected);
}

#[test]
fn former_names_that_are_held_stay() {
    let year = with_general(2025, &bytes("cvm/fca_general_latin1_crlf.csv")).unwrap();
    let held = |name: &str| FormerName {
        company_id: CompanyId(90_011),
        name: name.to_owned(),
        until: day("1999-03-01"),
    };
    let held = [held("FERRO VELHO S.A."), held("AÇOS ANTIGOS S.A.")];
    assert_eq!(
        former_names(&held, &[year]),
        [
            "90011 AÇOS ANTIGOS S.A. 2011-05-02",
            "90011 FERRO VELHO S.A. 1999-03-01",
            "90011 Siderúrgica Imaginária S.A. 2011-05-02",
        ],
        "a form that has a name tells its day"
    );
    assert_eq!(former_names(&held[..1], &[read(FORMS, SECURITIES)]), ["90011 FERRO VELHO S.A. 1999-03-01"]);
}

#[test]
fn a_former_name_without_a_day_has_that_of_its_form() {
    let general = "CNPJ_Companhia;ID_Documento;Nome_Empresarial_Anterior\r\n\
        90.011.001/0001-01;150007;FERRO VELHO S.A.\r\n";
    let year = with_general(2025, general.as_bytes()).unwrap();
    assert_eq!(former_names(&[], &[year]), ["90011 FERRO VELHO S.A. 2025-01-01"]);
}

#[test]
fn unreadable_former_names_are_rejects_with_their_line() {
    let year = with_general(2025, &bytes("cvm/fca_unreadable_general.csv")).unwrap();
    assert_eq!(
        reasons(&year),
        [
            (2, "Nome_Empresarial_Anterior is longer than 150 characters"),
            (3, "ID_Documento and CNPJ_Companhia name no form"),
            (4, "CNPJ_Companhia must be a CNPJ: 14 characters, with or without punctuation"),
            (5, "ID_Documento is not a number"),
            (6, "2 fields where the header has 26"),
        ]
    );
    assert_eq!(former_names(&[], &[year]), ["90022 LUZ DE ONTEM S.A. 2011-05-02"]);
    assert!(matches!(with_general(2025, b"CNPJ_Companhia;ID_Documento\r\n"), Err(Fault::NotData(_))));
}

#[test]
fn every_field_is_as_published() {
    let securities = tickers::union(&[read(FORMS, SECURITIES)]);
    let preferred = &securities[1];
    assert_eq!((preferred.company_id, preferred.kind.as_str()), (CompanyId(90_011), "Ações Preferenciais"));
    assert_eq!((preferred.class.as_deref(), preferred.segment.as_deref()), (Some("PNA"), Some("Nível 1")));
    assert_eq!((preferred.reference_day, preferred.version), (day("2025-01-01"), 2));
    assert_eq!((preferred.trading_from, preferred.trading_to), (Some(day("2010-03-08")), None));
    assert_eq!(securities[3].trading_to, Some(day("2024-12-30")));
}

#[test]
fn code_in_several_rows_keeps_the_latest_period() {
    let securities = tickers::union(&[read(FORMS, SECURITIES)]);
    let lasting = securities.iter().find(|security| security.ticker.to_string() == "LUZF3").unwrap();
    assert_eq!((lasting.trading_from, lasting.trading_to), (Some(day("2012-07-02")), None));
}

#[test]
fn rows_that_cannot_be_read_are_rejects_with_their_line() {
    let ticker = "Codigo_Negociacao must be a ticker: four letters or digits and 3-8, 11 or 31-39";
    let no_form = "ID_Documento and CNPJ_Companhia name no form";
    let year = read(FORMS, "cvm/fca_unreadable_securities.csv");
    assert_eq!(
        reasons(&year),
        [
            (2, ticker),
            (3, ticker),
            (4, ticker),
            (5, ticker),
            (6, no_form),
            (7, no_form),
            (8, "ID_Documento is not a number"),
            (9, "CNPJ_Companhia must be a CNPJ: 14 characters, with or without punctuation"),
            (10, "Data_Inicio_Negociacao must be a real calendar day, YYYY-MM-DD"),
            (11, "Data_Fim_Negociacao must be a real calendar day, YYYY-MM-DD"),
            (12, "19 fields where the header has 18"),
            (13, "3 fields where the header has 18"),
            (14, "Codigo_Negociacao holds a control character"),
        ]
    );
    assert_eq!(codes(&year.reading.rows), ["LUZF3 90022"], "a good row after them");
    assert_eq!(year.reading.rejects[0].file, "fca_cia_aberta_valor_mobiliario_2025.csv");
}

#[test]
fn unreadable_forms_are_rejected_and_duplicates_merged() {
    let year = read("cvm/fca_unreadable_forms.csv", SECURITIES);
    let no_form = "ID_Documento and CNPJ_Companhia name no form";
    assert_eq!(
        reasons(&year)[..7],
        [
            (2, "CNPJ_CIA must be a CNPJ: 14 characters, with or without punctuation"),
            (3, "DT_REFER must be a real calendar day, YYYY-MM-DD"),
            (4, "VERSAO is not a small number"),
            (5, "CD_CVM must be a registry code: digits only"),
            (6, "ID_DOC is not a number"),
            (7, "2 fields where the header has 9"),
            (10, "ID_DOC already names a form that differs"),
        ]
    );
    assert!(reasons(&year)[7..].iter().all(|(_, reason)| *reason == no_form));
    assert_eq!(year.reading.rows.len(), 4);
}

#[test]
fn newer_form_counts_even_without_a_ticker() {
    let read = |of: i16, reference: &str, version, number, ticker: &str| {
        let (forms, securities) = small(reference, version, number, ticker);
        year(of, &forms, &securities).unwrap()
    };
    let old = || read(2025, "2025-01-01", 3, 900, "OLDX3");
    assert_eq!(codes(&tickers::union(&[old(), read(2026, "2026-01-01", 1, 1, "NEWX3")])), ["NEWX3 90011"]);
    assert_eq!(codes(&tickers::union(&[read(2026, "2026-01-01", 1, 1, "NEWX3"), old()])), ["NEWX3 90011"]);
    assert_eq!(codes(&tickers::union(&[old(), read(2026, "2026-01-01", 1, 1, "")])), Vec::<String>::new());
    let nothing_yet = year(2026, FORM_COLUMNS.as_bytes(), &small("2026-01-01", 1, 1, "").1).unwrap();
    assert_eq!(codes(&tickers::union(&[old(), nothing_yet])), ["OLDX3 90011"], "January");
}

/// A reader that fails when the personal bytes are read.
struct Guarded {
    zip: Cursor<Vec<u8>>,
    personal: Range<u64>,
}

impl Read for Guarded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let start = self.zip.position();
        let count = self.zip.read(buffer)?;
        if start < self.personal.end && start + count as u64 > self.personal.start {
            return Err(io::Error::other("personal data was read"));
        }
        Ok(count)
    }
}

impl Seek for Guarded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.zip.seek(to)
    }
}

#[test]
fn members_that_hold_persons_are_never_read() {
    let persons = b"Nome;CPF\r\nFULANO INVENTADO;000.000.000-00\r\n".repeat(4_000);
    let (forms, securities) = (bytes(FORMS), bytes(SECURITIES));
    for name in ["fca_cia_aberta_dri_2025.csv", "fca_cia_aberta_auditor_2025.csv"] {
        let zip = zipped(&[
            (name, &persons),
            ("fca_cia_aberta_2025.csv", &forms),
            ("fca_cia_aberta_valor_mobiliario_2025.csv", &securities),
        ]);
        let start = zip.windows(9).position(|part| part == b"Nome;CPF\r").unwrap() as u64;
        let personal = start..start + persons.len() as u64;
        let guarded = || Guarded { zip: Cursor::new(zip.clone()), personal: personal.clone() };
        let year = tickers::read(guarded(), 2025, UNPACKED_CAP).unwrap();
        assert_eq!(year, read(FORMS, SECURITIES));
        let mut all = Vec::new();
        assert!(guarded().read_to_end(&mut all).is_err(), "the guard is awake");
    }
}

#[test]
fn a_zip_without_its_members_columns_or_bounds_is_not_data() {
    let (forms, securities) = (bytes(FORMS), bytes(SECURITIES));
    let refused = |zip: Vec<u8>, cap| {
        let fault = tickers::read(Cursor::new(zip), 2025, cap).unwrap_err();
        assert_eq!(kind(&fault), "not data", "{fault}");
        fault.to_string()
    };
    assert!(refused(archive(2024, &forms, &securities), UNPACKED_CAP).contains("is not in the zip"));
    assert!(refused(archive(2025, &securities, &forms), UNPACKED_CAP).contains("CNPJ_CIA is missing"));
    assert!(refused(archive(2025, &forms, &forms), UNPACKED_CAP).contains("CNPJ_Companhia is missing"));
    assert!(refused(archive(2025, &forms, &securities), 1_000).contains("unpacks to"));
    assert!(refused(bytes("error_page.html"), UNPACKED_CAP).contains("page for a browser"));
    let cut = securities[..securities.len() - 1].to_vec();
    assert!(refused(archive(2025, &forms, &cut), UNPACKED_CAP).contains("cut short"));
    let rubbish = [securities, b"x\r\n".repeat(MOST_REJECTS + 1)].concat();
    assert!(refused(archive(2025, &forms, &rubbish), UNPACKED_CAP).contains("more than 1000 rows"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_after_good_ones_make_the_reader_panic(
        forms in prop::collection::vec(any::<u8>(), 0..200),
        securities in prop::collection::vec(prop_oneof![Just(b';'), Just(b'\n'), any::<u8>()], 0..300),
    ) {
        let (forms, securities) = ([bytes(FORMS), forms].concat(), [bytes(SECURITIES), securities].concat());
        if let Ok(year) = year(2025, &forms, &securities) {
            prop_assert!(year.reading.rejects.len() <= MOST_REJECTS);
            prop_assert!(tickers::union(&[year]).len() >= 5);
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(tail in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = tickers::read(Cursor::new([b"PK\x03\x04", tail.as_slice()].concat()), 2025, UNPACKED_CAP);
        let _ = year(2025, &tail, &tail);
    }

    #[test]
    fn a_damaged_zip_never_panics(at in any::<prop::sample::Index>(), byte: u8) {
        let mut zip = archive(2025, &bytes(FORMS), &bytes(SECURITIES));
        let at = at.index(zip.len());
        zip[at] = byte;
        let _ = tickers::read(Cursor::new(zip), 2025, UNPACKED_CAP);
    }
}
