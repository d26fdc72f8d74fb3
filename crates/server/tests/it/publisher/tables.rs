//! The publishers' formats, row by row: the regulator's tables and archives, and the central bank's bulletins.

use std::io::{Cursor, Write};

use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, TradedSecurity};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The persons in the registry, who must not appear in our files.
pub(crate) const PERSONS: [&str; 4] =
    ["QUITERIA BRANDAO MACHADO", "quiteria.machado@example.com", "RUA DAS ACACIAS 77", "ri@coined.example"];

pub(super) const REGISTRY_COLUMNS: &str = "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV;TP_MERC;CATEG_REG;DT_INI_CATEG;SIT_EMISSOR;DT_INI_SIT_EMISSOR;CONTROLE_ACIONARIO;TP_ENDER;LOGRADOURO;COMPL;BAIRRO;MUN;UF;PAIS;CEP;DDD_TEL;TEL;DDD_FAX;FAX;EMAIL;TP_RESP;RESP;DT_INI_RESP;LOGRADOURO_RESP;COMPL_RESP;BAIRRO_RESP;MUN_RESP;UF_RESP;PAIS_RESP;CEP_RESP;DDD_TEL_RESP;TEL_RESP;DDD_FAX_RESP;FAX_RESP;EMAIL_RESP;CNPJ_AUDITOR;AUDITOR";

pub(super) const FORMS_COLUMNS: &str =
    "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC";
pub(super) const SECURITIES_COLUMNS: &str = "CNPJ_Companhia;Data_Referencia;Versao;ID_Documento;Nome_Empresarial;Valor_Mobiliario;Sigla_Classe_Acao_Preferencial;Classe_Acao_Preferencial;Codigo_Negociacao;Composicao_BDR_Unit;Mercado;Sigla_Entidade_Administradora;Entidade_Administradora;Data_Inicio_Negociacao;Data_Fim_Negociacao;Segmento;Data_Inicio_Listagem;Data_Fim_Listagem";

pub(super) const GENERAL_COLUMNS: &str =
    "CNPJ_Companhia;ID_Documento;Nome_Empresarial;Nome_Empresarial_Anterior;Descricao_Atividade";

pub(crate) fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    zipped_all(&[(name, content)])
}

pub(super) fn zipped_all(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The number of a form. A company has one form a year and version.
fn form_number(security: &TradedSecurity) -> u32 {
    security.company_id.0 * 100 + u32::from(security.version)
}

pub(super) fn form_row(security: &TradedSecurity, cnpj: Cnpj) -> String {
    let TradedSecurity { reference_day, version, company_id, .. } = security;
    let number = form_number(security);
    format!(
        "{cnpj};{reference_day};{version};COINED;{:06};FCA;{number};{reference_day};https://x/\r\n",
        company_id.0
    )
}

pub(super) fn general_row(security: &TradedSecurity, former_name: &str, cnpj: Cnpj) -> String {
    format!("{cnpj};{};COINED;{former_name};Indústria; comércio\r\n", form_number(security))
}

pub(super) fn security_row(security: &TradedSecurity, cnpj: Cnpj) -> String {
    let day = |day: Option<Day>| day.map(|day| day.to_string()).unwrap_or_default();
    format!(
        "{cnpj};{};{};{};COINED;{};;;{};;Bolsa;BVMF;B3;{};{};{};;\r\n",
        security.reference_day,
        security.version,
        form_number(security),
        security.kind,
        security.ticker,
        day(security.trading_from),
        day(security.trading_to),
        security.segment.as_deref().unwrap_or(""),
    )
}

/// Encodes a text in Latin-1. Panics on other characters.
pub(crate) fn latin_1(text: &str) -> Vec<u8> {
    assert!(encoding_rs::mem::is_str_latin1(text));
    encoding_rs::mem::encode_latin1_lossy(text).into_owned()
}

pub(super) fn registry_row(company: &Company, market: &str) -> String {
    let [person, address, street, office] = PERSONS;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let CompanyId(code) = company.id;
    format!(
        "{};{};{};{};1950-01-01;;;{};2001-01-01;{code};{};{market};Categoria A;2010-01-01;FASE OPERACIONAL;2001-01-01;PRIVADO;SEDE;{street};;CENTRO;SÃO PAULO;SP;BRASIL;1311000;11;5550000;;;{office};DIRETOR DE RELAÇÕES COM INVESTIDORES;{person};2020-01-01;{street};;CENTRO;SÃO PAULO;SP;BRASIL;1311000;11;5550001;;;{address};11.111.111/0001-11;AUDITORES COINED\r\n",
        company.cnpj,
        company.name,
        text(&company.trading_name),
        company.registered_on.map(|day| day.to_string()).unwrap_or_default(),
        company.status,
        text(&company.sector),
    )
}

pub(super) fn filing_row(filing: &Filing) -> String {
    let reference = filing.reference_day.map_or_else(|| "3026-04-30".to_owned(), |day| day.to_string());
    format!(
        "11.111.111/0001-11;{};{:06};{reference};{};{};;{};{};AP - Apresentação;;{};{}\r\n",
        filing.company_name,
        filing.company_id.0,
        filing.category,
        filing.kind.as_deref().unwrap_or(""),
        filing.description,
        filing.delivered_on,
        filing.version,
        filing.url
    )
}

/// The five bulletins of a day. Old years have two, and the last has another name.
pub(super) fn bulletins(day: Day, (buy, sell): &(String, String)) -> String {
    let one = |time: &str, kind: &str, buy: &str, sell: &str| {
        format!(
            r#"{{"paridadeCompra":1.00000,"paridadeVenda":1.00000,"cotacaoCompra":{buy},"cotacaoVenda":{sell},"dataHoraCotacao":"{day} {time}","tipoBoletim":"{kind}"}}"#
        )
    };
    let closing = if day.year() < 2000 { "Fechamento PTAX" } else { "Fechamento" };
    let mut told = vec![one("10:03:11.059773", "Abertura", "1.00000", "1.00010")];
    if day.year() >= 2000 {
        told.extend(
            ["11:05:09.1", "12:04:00.54", "13:03:17.119"]
                .map(|t| one(t, "Intermediário", "2.00000", "2.00010")),
        );
    }
    told.push(one("13:03:17.126", closing, buy, sell));
    told.join(",")
}
