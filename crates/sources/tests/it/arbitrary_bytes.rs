//! Arbitrary bytes never make a parser panic, hang or use unbounded memory.

use lastro_model::text::has_control;
use lastro_model::{Currency, Series};
use lastro_sources::cvm::companies;
use lastro_sources::cvm::filings::{COLUMNS, FilingsReader};
use lastro_sources::{Answer, MOST_REJECTS, ptax, sgs};
use proptest::prelude::*;

use crate::fixture::{answer, bytes, day};

/// Bytes that partly look like the format: pieces of its syntax among noise.
fn noise(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec());
    let other = prop::collection::vec(any::<u8>(), 0..12);
    prop::collection::vec(prop_oneof![3 => piece, 1 => other], 0..120).prop_map(|parts| parts.concat())
}

const JSON: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "null",
    "-",
    "1e999",
    "\"data\":",
    "\"valor\":",
    "\"01/02/2024\"",
    "\"1.50\"",
    "\"value\":",
    "[{",
    "}]",
    "{\"value\":[",
    "\"cotacaoCompra\":",
    "\"tipoBoletim\":\"Fechamento\"",
    "\\u0000",
    "\"dataHoraCotacao\":\"2024-01-02 10:00:00.0\"",
    "{\"data\":\"02/01/2024\",\"valor\":\"1.0\"}",
    "Value(s) not found",
];

const TABLE: &[&str] = &[
    ";",
    "\r\n",
    "\n",
    "\r",
    "\"",
    "\u{a0}",
    "\0",
    "\t",
    "\u{7f}",
    "2025-02-11",
    "1",
    "90011",
    ";;;;;;",
    "https://x/?numProtocolo=7",
    "00.000.000/0001-91",
    "00.000.000/0001-91;A;90011;2025-02-11;C;T;E;S;2025-02-11;AP;P;1;https://x/?numProtocolo=7\r\n",
];

fn read_everything(fixture: &str, tail: &[u8]) -> (usize, usize) {
    let file = [bytes(fixture).as_slice(), tail].concat();
    let Ok(reader) = FilingsReader::new(file.as_slice(), "ipe.csv", 2025) else { return (0, 0) };
    let lines: Vec<_> = reader.filter_map(Result::ok).collect();
    (lines.len(), lines.iter().filter(|line| line.is_err()).count())
}

proptest! {
    #[test]
    fn series_survive(body in noise(JSON), status in prop::sample::select(&[200u16, 404, 500][..])) {
        let asked = Some((day("2024-01-01"), day("2024-12-31")));
        for (series, asked) in [(Series::Selic, None), (Series::Cdi, asked), (Series::Ipca, asked)] {
            if let Ok(reading) = sgs::read(series, asked, &answer(status, &body)) {
                prop_assert!(reading.rows.len() + reading.rejects.len() <= body.len());
            }
        }
    }

    #[test]
    fn rates_of_exchange_survive(body in noise(JSON)) {
        let asked = (day("1994-07-01"), day("2026-12-31"));
        let _ = ptax::read_currencies(&answer(200, &body));
        let listing = [b"{\"value\":[", body.as_slice(), b"]}"].concat();
        for body in [&body, &listing] {
            if let Ok(reading) = ptax::read(Currency::BRL, asked, &answer(200, body)) {
                prop_assert!(reading.rows.len() + reading.rejects.len() <= body.len());
            }
        }
    }

    #[test]
    fn the_registry_survives(tail in noise(TABLE), with_header: bool) {
        let head = if with_header { bytes("cvm/cad_latin1_crlf.csv") } else { Vec::new() };
        let file = [head, tail].concat();
        if let Ok(reading) = companies::read(file.as_slice(), "cad.csv") {
            prop_assert!(reading.rejects.len() <= MOST_REJECTS);
            for company in reading.rows {
                let optional = [company.sector, company.trading_name];
                prop_assert!(is_clean([company.name, company.status].into_iter().chain(optional.into_iter().flatten())));
            }
        }
    }

    #[test]
    fn filings_survive(tail in noise(TABLE)) {
        let (lines, rejects) = read_everything("cvm/ipe_latin1_crlf.csv", &tail);
        prop_assert!(lines >= 2, "the good lines before the noise are read");
        prop_assert!(rejects <= MOST_REJECTS);
        read_everything("cvm/cad_empty.csv", &tail);
    }

    #[test]
    fn no_reader_lets_a_control_character_through(field in prop::collection::vec(any::<u8>(), 0..20), place in 0usize..13) {
        let good = "00.000.000/0001-91;NOME;90011;2025-02-11;CAT;TIPO;ESP;SUBJ;2025-02-11;AP;P;1;https://x/?numProtocolo=7";
        let mut row: Vec<Vec<u8>> = good.split(';').map(|field| field.as_bytes().to_vec()).collect();
        row[place] = field;
        let file = [COLUMNS.join(";").as_bytes(), b"\r\n", &row.join(&b';'), b"\r\n"].concat();
        for filing in FilingsReader::new(file.as_slice(), "ipe.csv", 2025).unwrap().flatten().flatten() {
            let texts = [filing.company_name, filing.category, filing.description, filing.url];
            prop_assert!(is_clean(texts.into_iter().chain(filing.kind)));
        }
    }

    #[test]
    fn fault_messages_are_short_and_printable(body in noise(JSON), status: u16, content_type in ".{0,200}") {
        let answer = Answer { content_type: Some(&content_type), ..answer(status, &body) };
        let asked = (day("1994-07-01"), day("2026-12-31"));
        let faults = [
            sgs::read(Series::Selic, None, &answer).err(),
            ptax::read(Currency::BRL, asked, &answer).err(),
            ptax::read_currencies(&answer).err(),
        ];
        for sentence in faults.into_iter().flatten().map(|fault| fault.to_string()) {
            prop_assert!(sentence.len() < 400 && !has_control(&sentence), "{:?}", sentence);
        }
    }
}

fn is_clean(mut texts: impl Iterator<Item = String>) -> bool {
    texts.all(|text| !has_control(&text) && !text.is_empty())
}

/// An endless input: the memory used for it must be bounded.
struct Endless(u8);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(self.0);
        Ok(buffer.len())
    }
}

#[test]
fn a_header_without_end_is_given_up() {
    assert!(FilingsReader::new(Endless(b'x'), "ipe.csv", 2025).is_err());
    assert!(companies::read(Endless(b';'), "cad.csv").is_err());
}

#[test]
fn endless_rubbish_rows_are_given_up() {
    struct Rows(u64);
    impl std::io::Read for Rows {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            for (byte, row) in buffer.iter_mut().zip(b";\n".iter().cycle().skip((self.0 % 2) as usize)) {
                *byte = *row;
            }
            self.0 += buffer.len() as u64;
            Ok(buffer.len())
        }
    }
    let file = std::io::Read::chain(std::io::Cursor::new(bytes("cvm/ipe_latin1_crlf.csv")), Rows(0));
    let lines: Vec<_> = FilingsReader::new(file, "ipe.csv", 2025).unwrap().collect();
    assert_eq!(lines.len(), 2 + MOST_REJECTS + 1);
    assert!(lines.last().unwrap().is_err());
}
