//! The table of plans: prices, limits, features, and the plan each feature needs.
//!
//! The only such list: the gate, the plan list, the pricing page, the API description and the plan header all read it.
//! The server's routes declare the [`Feature`] of each endpoint.

use std::sync::LazyLock;

use lastro_model::{Plan, Series};

/// Months of a series, back from its newest point, that are open to plans without [`Feature::History`].
pub const HISTORY_MONTHS: i32 = 12;

/// The window of the rate limit.
pub const WINDOW_SECONDS: u64 = 60;

/// A feature that a request may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Open to all clients, with or without a key.
    Public,
    /// Open to the holder of any valid key.
    OwnKey,
    Market,
    Companies,
    Search,
    Filings,
    /// A series beyond its newest [`HISTORY_MONTHS`] months.
    History,
    BulkExport,
    Changes,
    CsvExport,
    Webhooks,
}

/// A sentence for people in the languages of the pages. The API uses the English one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    pub en: &'static str,
    pub pt: &'static str,
}

const fn text(en: &'static str, pt: &'static str) -> Text {
    Text { en, pt }
}

/// One row of the table of features.
struct FeatureRow {
    id: &'static str,
    label: &'static str,
    plan: Plan,
    /// The sentence in lists of plans; `None` for features that every plan has anyway.
    sentence: Option<Text>,
}

impl FeatureRow {
    const fn open(id: &'static str, label: &'static str) -> Self {
        Self { id, label, plan: Plan::Free, sentence: None }
    }

    const fn sold(plan: Plan, id: &'static str, label: &'static str, sentence: Text) -> Self {
        Self { id, label, plan, sentence: Some(sentence) }
    }
}

impl Feature {
    /// All features, in the order of the lists of plans.
    pub const ALL: [Self; 11] = [
        Self::Public,
        Self::OwnKey,
        Self::Market,
        Self::Companies,
        Self::Search,
        Self::Filings,
        Self::History,
        Self::BulkExport,
        Self::Changes,
        Self::CsvExport,
        Self::Webhooks,
    ];

    #[rustfmt::skip]
    const fn row(self) -> FeatureRow {
        use Plan::{Bronze, Free, Gold, Platinum};
        match self {
            Self::Public => FeatureRow::open("public", "Public pages"),
            Self::OwnKey => FeatureRow::open("own_key", "Your own key"),
            Self::Market => FeatureRow::sold(Free, "market_data", "Market data",
                text("Market data: {series}, exchange rates and {others} more series",
                    "Dados de mercado: {series}, câmbio e mais {others} séries")),
            Self::Companies => FeatureRow::sold(Bronze, "companies", "Companies",
                text("Companies: the whole registry, by filter, code or CNPJ",
                    "Empresas: o cadastro completo, com filtros e consulta por código ou CNPJ")),
            Self::Search => FeatureRow::sold(Bronze, "search", "Search",
                text("Search across companies and filings",
                    "Busca em empresas e documentos")),
            Self::Filings => FeatureRow::sold(Gold, "filings", "Filings",
                text("Filings of every company, with links to the documents",
                    "Documentos de todas as empresas, com links para os originais na CVM")),
            Self::History => FeatureRow::sold(Gold, "historical_data", "Historical data",
                text("Historical data: every series from its first day",
                    "Histórico completo: todas as séries desde o início")),
            Self::BulkExport => FeatureRow::sold(Gold, "bulk_export", "Bulk export",
                text("Bulk export of whole data sets",
                    "Exportação em lote de bases de dados inteiras")),
            Self::Changes => FeatureRow::sold(Gold, "changes", "Changes",
                text("Changes: every new, corrected and withdrawn row, to keep a copy true",
                    "Alterações: cada registro novo, corrigido ou retirado, para manter uma cópia sempre atualizada")),
            Self::CsvExport => FeatureRow::sold(Platinum, "csv_export", "CSV export",
                text("CSV export of every list, search and series, and of whole data sets",
                    "Exportação em CSV de listas, buscas, séries e bases de dados inteiras")),
            Self::Webhooks => FeatureRow::sold(Platinum, "webhooks", "Webhooks",
                text("Webhooks when new data arrives",
                    "Webhooks que avisam quando há dados novos")),
        }
    }

    /// The name used by the API.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// The cheapest plan that includes it.
    pub const fn required_plan(self) -> Plan {
        self.row().plan
    }

    /// The sentence in lists of plans, with the names of the series filled in.
    fn sentence(self) -> Option<Text> {
        static SENTENCES: LazyLock<Vec<Option<[String; 2]>>> = LazyLock::new(|| {
            let labels: Vec<&str> = Series::market().map(|series| series.about().label).collect();
            let others = Series::ALL.len() - labels.len();
            let filled = |sentence: &str| {
                sentence.replace("{series}", &labels.join(", ")).replace("{others}", &others.to_string())
            };
            let both = |Text { en, pt }| [filled(en), filled(pt)];
            Feature::ALL.iter().map(|feature| feature.row().sentence.map(both)).collect()
        });
        let [en, pt] = SENTENCES[self as usize].as_ref()?;
        Some(Text { en, pt })
    }

    /// A short name for people.
    pub const fn label(self) -> &'static str {
        self.row().label
    }
}

/// One plan's row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub plan: Plan,
    /// A month.
    pub price_usd: u32,
    pub requests_per_minute: u32,
    pub tagline: Text,
    /// Additions of the plan that are not a [`Feature`].
    pub extras: &'static [Text],
    pub restrictions: &'static [Text],
}

#[rustfmt::skip]
static TABLE: [Terms; 4] = [
    Terms {
        plan: Plan::Free,
        price_usd: 0,
        requests_per_minute: 30,
        tagline: text("The rates everybody needs, without signing up", "As taxas de que todo mundo precisa, sem cadastro"),
        extras: &[text("Market data without an API key", "Dados de mercado sem chave de API")],
        restrictions: &[
            text("Without a key, limited per client IP address", "Sem chave, limite por endereço IP"),
            text("Historical data: the newest 12 months of each series", "Histórico: os 12 meses mais recentes de cada série"),
            text("No companies, search or filings", "Sem empresas, busca nem documentos"),
            text("No bulk export, changes, CSV export or webhooks", "Sem exportação em lote, alterações, CSV nem webhooks"),
        ],
    },
    Terms {
        plan: Plan::Bronze,
        price_usd: 29,
        requests_per_minute: 100,
        tagline: text("Every registered company, and search", "Todas as companhias registradas, com busca"),
        extras: &[],
        restrictions: &[
            text("Historical data: the newest 12 months of each series", "Histórico: os 12 meses mais recentes de cada série"),
            text("Filings appear in search results only; no filings endpoints", "Documentos apenas nos resultados da busca; sem endpoints de documentos"),
            text("No bulk export, changes, CSV export or webhooks", "Sem exportação em lote, alterações, CSV nem webhooks"),
        ],
    },
    Terms {
        plan: Plan::Gold,
        price_usd: 99,
        requests_per_minute: 500,
        tagline: text("Filings and the whole history", "Documentos e histórico completo"),
        extras: &[],
        restrictions: &[text("No CSV export or webhooks", "Sem exportação em CSV nem webhooks")],
    },
    Terms {
        plan: Plan::Platinum,
        price_usd: 299,
        requests_per_minute: 2000,
        tagline: text("Everything, pushed to you as it happens", "Tudo, com avisos assim que há novidades"),
        extras: &[text("Priority support", "Atendimento prioritário")],
        restrictions: &[],
    },
];

/// Every plan, cheapest first.
pub fn plans() -> &'static [Terms] {
    &TABLE
}

pub fn terms(plan: Plan) -> &'static Terms {
    // The table has one row for each plan, in the order of the enum; a test checks this.
    &TABLE[plan as usize]
}

impl Terms {
    pub fn includes(&self, feature: Feature) -> bool {
        feature.required_plan() <= self.plan
    }

    /// The plan's features in sentences, those of cheaper plans first.
    pub fn features(&self) -> Vec<Text> {
        let sold = Feature::ALL.into_iter().filter(|feature| self.includes(*feature));
        let cheaper = TABLE.iter().filter(|terms| terms.plan <= self.plan);
        sold.filter_map(Feature::sentence)
            .chain(cheaper.flat_map(|terms| terms.extras.iter().copied()))
            .collect()
    }
}
