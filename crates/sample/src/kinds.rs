//! Kinds of filings: the regulator's categories and types, the frequency of each, and the day it refers to.

use super::subjects;
use Reference::{Delivery, MonthEnd, QuarterEnd, Recent, Summoned, YearEnd};

/// The day a filing refers to, relative to its day of delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference {
    Delivery,
    /// A meeting or decision of the previous days.
    Recent,
    /// A meeting that may be in the future.
    Summoned,
    MonthEnd,
    QuarterEnd,
    YearEnd,
}

pub(super) struct Kind {
    pub(super) category: &'static str,
    pub(super) name: Option<&'static str>,
    /// The kind's forms (`Ata`, `Edital de Convocação`), if it has several.
    pub(super) papers: &'static [&'static str],
    pub(super) reference: Reference,
    /// Filings of this kind in a thousand.
    weight: u32,
    /// The months with most of these filings. Empty if all months are alike.
    busy_months: &'static [i8],
    /// Percentage of this kind without a subject.
    pub(super) untitled: u32,
    pub(super) subjects: &'static [&'static str],
}

const fn kind(
    category: &'static str,
    reference: Reference,
    weight: u32,
    subjects: &'static [&'static str],
) -> Kind {
    let busy_months = match reference {
        YearEnd => MONTHS_OF_ACCOUNTS,
        QuarterEnd => MONTHS_OF_RESULTS,
        Delivery | Recent | Summoned | MonthEnd => &[],
    };
    Kind { category, name: None, papers: &[], reference, weight, busy_months, untitled: 0, subjects }
}

impl Kind {
    const fn named(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    const fn on(self, papers: &'static [&'static str]) -> Self {
        Self { papers, ..self }
    }

    const fn untitled(self, percent: u32) -> Self {
        Self { untitled: percent, ..self }
    }

    const fn busy_in(self, months: &'static [i8]) -> Self {
        Self { busy_months: months, ..self }
    }

    /// The share of this kind in a month: eight times as many in a busy one as in a quiet one.
    pub(super) fn weight_in(&self, month: i8) -> u32 {
        match (self.busy_months, self.busy_months.contains(&month)) {
            ([], _) => 4 * self.weight,
            (_, true) => 8 * self.weight,
            (_, false) => self.weight,
        }
    }

    /// The text in place of a missing subject: type and paper, or the category.
    pub(super) fn describe(&self, paper: Option<&str>) -> String {
        match (self.name, paper) {
            (Some(name), Some(paper)) => format!("{name} - {paper}"),
            (Some(name), None) => name.to_owned(),
            (None, _) => self.category.to_owned(),
        }
    }
}

const ASSEMBLY: &str = "Assembleia";
const BOARD: &str = "Reunião da Administração";
const NOTICE: &str = "Comunicado ao Mercado";
const FIGURES: &str = "Dados Econômico-Financeiros";
const HOLDINGS: &str = "Valores Mobiliários negociados e detidos (art. 11 da Instr. CVM nº 358)";
const SHAREHOLDERS: &str = "Aviso aos Acionistas";
const DEEDS: &str = "Escrituras e aditamentos de debêntures";
const OFFER: &str = "Documentos de Oferta de Distribuição Pública";

const SUMMONS: &[&str] =
    &["Edital de Convocação", "Proposta da Administração", "Boletim de Voto a Distância"];
const MINUTES: &[&str] = &["Ata", "Sumário das Decisões", "Mapa final de votação detalhado"];
const ATA: &[&str] = &["Ata"];

/// Months in which the accounts of the year are closed, voted on and explained.
const MONTHS_OF_ACCOUNTS: &[i8] = &[3, 4, 5];
/// Months in which the results of a quarter come out.
const MONTHS_OF_RESULTS: &[i8] = &[3, 5, 8, 11];

pub(super) const KINDS: &[Kind] = &[
    kind(ASSEMBLY, Recent, 28, subjects::ANNUAL_ASSEMBLY)
        .named("AGO")
        .on(MINUTES)
        .busy_in(MONTHS_OF_ACCOUNTS)
        .untitled(55),
    kind(ASSEMBLY, Summoned, 24, subjects::ANNUAL_ASSEMBLY)
        .named("AGO")
        .on(SUMMONS)
        .busy_in(MONTHS_OF_ACCOUNTS)
        .untitled(55),
    kind(ASSEMBLY, Recent, 30, subjects::SPECIAL_ASSEMBLY).named("AGE").on(MINUTES).untitled(40),
    kind(ASSEMBLY, Summoned, 28, subjects::SPECIAL_ASSEMBLY).named("AGE").on(SUMMONS).untitled(40),
    kind(ASSEMBLY, Recent, 18, subjects::COMBINED_ASSEMBLY)
        .named("AGO/E")
        .on(MINUTES)
        .busy_in(MONTHS_OF_ACCOUNTS)
        .untitled(50),
    kind(ASSEMBLY, Summoned, 16, subjects::COMBINED_ASSEMBLY)
        .named("AGO/E")
        .on(SUMMONS)
        .busy_in(MONTHS_OF_ACCOUNTS)
        .untitled(50),
    kind(ASSEMBLY, Recent, 18, subjects::BONDHOLDERS_ASSEMBLY).named("AGDEB").on(MINUTES).untitled(20),
    kind(HOLDINGS, MonthEnd, 58, &[]).named("Posição Individual - Cia, Controladas e Coligadas"),
    kind(HOLDINGS, MonthEnd, 57, &[]).named("Posição Consolidada"),
    kind(NOTICE, Delivery, 62, subjects::MARKET_NOTICE)
        .named("Outros Comunicados Não Considerados Fatos Relevantes"),
    kind(NOTICE, Delivery, 30, subjects::PRESENTATION)
        .named("Apresentações a analistas/agentes do mercado")
        .untitled(15),
    kind(NOTICE, Delivery, 25, subjects::STAKE).named("Aquisição/Alienação de Participação Acionária"),
    kind(NOTICE, Delivery, 20, subjects::CLARIFICATION)
        .named("Esclarecimentos sobre questionamentos da CVM")
        .untitled(10),
    kind(NOTICE, Delivery, 8, subjects::FORECAST).named("Mudança de Projeções").untitled(10),
    kind(BOARD, Recent, 84, subjects::BOARD_MEETING).named("Conselho de Administração").on(ATA).untitled(30),
    kind(BOARD, Recent, 18, subjects::OFFICERS_MEETING).named("Diretoria").on(ATA).untitled(40),
    kind(BOARD, Recent, 18, subjects::AUDIT_MEETING).named("Conselho Fiscal").on(ATA).untitled(40),
    kind(BOARD, Recent, 8, subjects::AUDIT_MEETING).named("Comitê de Auditoria").on(ATA).untitled(30),
    kind(FIGURES, QuarterEnd, 40, subjects::RESULTS).named("Press-release"),
    kind(FIGURES, QuarterEnd, 24, subjects::INTERIM_ACCOUNTS)
        .named("Demonstrações Financeiras Intermediárias")
        .untitled(40),
    kind(FIGURES, YearEnd, 22, subjects::ANNUAL_ACCOUNTS)
        .named("Demonstrações Financeiras Anuais Completas")
        .untitled(40),
    kind(FIGURES, YearEnd, 10, subjects::ANNUAL_ACCOUNTS)
        .named("Demonstrações Financeiras em Padrões Internacionais")
        .untitled(40),
    kind(FIGURES, YearEnd, 24, subjects::TRUSTEE_REPORT).named("Relatório de Agente Fiduciário").untitled(20),
    kind("Fato Relevante", Delivery, 78, subjects::MATERIAL_FACT),
    kind(DEEDS, Recent, 24, subjects::DEED).named("Escritura").untitled(10),
    kind(DEEDS, Recent, 24, subjects::DEED_AMENDMENT).named("Aditamento").untitled(10),
    kind("Relatório Proventos", Delivery, 40, &[]),
    kind(SHAREHOLDERS, Delivery, 18, subjects::DIVIDENDS).named("Deliberação de Dividendos"),
    kind(SHAREHOLDERS, Delivery, 16, subjects::INTEREST_ON_EQUITY).named("Deliberação de JCP"),
    kind(SHAREHOLDERS, Delivery, 6, &[]).named("Aviso aos acionistas - art. 133"),
    kind(SHAREHOLDERS, Delivery, 12, subjects::SHAREHOLDERS_NOTICE).named("Outros avisos"),
    kind("Aviso aos Debenturistas", Delivery, 15, subjects::BONDHOLDERS_NOTICE).untitled(15),
    kind(OFFER, Delivery, 10, subjects::OFFER_PAPERS).named("Anúncio de Início").untitled(10),
    kind(OFFER, Delivery, 9, subjects::OFFER_PAPERS).named("Anúncio de Encerramento").untitled(10),
    kind(OFFER, Delivery, 7, subjects::OFFER_PAPERS).named("Prospecto Definitivo").untitled(10),
    kind("Calendário de Eventos Corporativos", Delivery, 14, &[]),
    kind("Estatuto Social", Recent, 10, subjects::BYLAWS).untitled(50),
    kind("Acordo de Acionistas", Recent, 6, subjects::SHAREHOLDERS_AGREEMENT).untitled(30),
    kind("Relatório de Sustentabilidade", YearEnd, 6, subjects::SUSTAINABILITY).untitled(20),
    kind("Comunicação sobre Transação entre Partes Relacionadas", Recent, 10, subjects::RELATED_PARTIES)
        .untitled(10),
    kind("Política de Divulgação de Ato ou Fato Relevante", Recent, 5, &[]),
    kind("Política de Negociação das Ações da Companhia", Recent, 5, &[]),
    kind("Política de Destinação dos Resultados", Recent, 4, &[]),
    kind("Regimento Interno do Conselho de Administração", Recent, 5, &[]),
    kind("Código de Conduta", Recent, 5, subjects::CONDUCT).untitled(50),
    kind("Carta Anual de Governança Corporativa", YearEnd, 5, &[]),
    kind("Contratos de Indenidade", Recent, 5, subjects::INDEMNITY).untitled(30),
];
