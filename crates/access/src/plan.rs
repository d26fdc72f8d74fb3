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
    CsvExport,
    Webhooks,
}

/// One row of the table of features.
struct Row {
    id: &'static str,
    label: &'static str,
    plan: Plan,
    /// The sentence in lists of plans; `None` for features that every plan has anyway.
    sentence: Option<&'static str>,
}

impl Row {
    const fn open(id: &'static str, label: &'static str) -> Self {
        Self { id, label, plan: Plan::Free, sentence: None }
    }

    const fn sold(plan: Plan, id: &'static str, label: &'static str, sentence: &'static str) -> Self {
        Self { id, label, plan, sentence: Some(sentence) }
    }
}

impl Feature {
    /// All features, in the order of the lists of plans.
    pub const ALL: [Self; 10] = [
        Self::Public,
        Self::OwnKey,
        Self::Market,
        Self::Companies,
        Self::Search,
        Self::Filings,
        Self::History,
        Self::BulkExport,
        Self::CsvExport,
        Self::Webhooks,
    ];

    #[rustfmt::skip]
    const fn row(self) -> Row {
        use Plan::{Bronze, Free, Gold, Platinum};
        match self {
            Self::Public => Row::open("public", "Public pages"),
            Self::OwnKey => Row::open("own_key", "Your own key"),
            Self::Market => Row::sold(Free, "market_data", "Market data", "Market data: {series}, exchange rates and {others} more series"),
            Self::Companies => Row::sold(Bronze, "companies", "Companies", "Companies: the whole registry, by filter, code or CNPJ"),
            Self::Search => Row::sold(Bronze, "search", "Search", "Search across companies and filings"),
            Self::Filings => Row::sold(Gold, "filings", "Filings", "Filings of every company, with links to the documents"),
            Self::History => Row::sold(Gold, "historical_data", "Historical data", "Historical data: every series from its first day"),
            Self::BulkExport => Row::sold(Gold, "bulk_export", "Bulk export", "Bulk export of whole data sets"),
            Self::CsvExport => Row::sold(Platinum, "csv_export", "CSV export", "CSV export of every list, search and series, and of whole data sets"),
            Self::Webhooks => Row::sold(Platinum, "webhooks", "Webhooks", "Webhooks when new data arrives"),
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
    fn sentence(self) -> Option<&'static str> {
        static SENTENCES: LazyLock<Vec<Option<String>>> = LazyLock::new(|| {
            let labels: Vec<&str> = Series::market().map(|series| series.about().label).collect();
            let others = Series::ALL.len() - labels.len();
            let written = |sentence: &str| {
                sentence.replace("{series}", &labels.join(", ")).replace("{others}", &others.to_string())
            };
            Feature::ALL.iter().map(|feature| feature.row().sentence.map(written)).collect()
        });
        SENTENCES[self as usize].as_deref()
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
    pub tagline: &'static str,
    /// Additions of the plan that are not a [`Feature`].
    pub extras: &'static [&'static str],
    pub restrictions: &'static [&'static str],
}

static TABLE: [Terms; 4] = [
    Terms {
        plan: Plan::Free,
        price_usd: 0,
        requests_per_minute: 30,
        tagline: "The rates everybody needs, without signing up",
        extras: &["Market data without an API key"],
        restrictions: &[
            "Without a key, limited per client IP address",
            "Historical data: the newest 12 months of each series",
            "No companies, search or filings",
            "No bulk export, CSV export or webhooks",
        ],
    },
    Terms {
        plan: Plan::Bronze,
        price_usd: 29,
        requests_per_minute: 100,
        tagline: "Every registered company, and search",
        extras: &[],
        restrictions: &[
            "Historical data: the newest 12 months of each series",
            "Filings appear in search results only; no filings endpoints",
            "No bulk export, CSV export or webhooks",
        ],
    },
    Terms {
        plan: Plan::Gold,
        price_usd: 99,
        requests_per_minute: 500,
        tagline: "Filings and the whole history",
        extras: &[],
        restrictions: &["No CSV export or webhooks"],
    },
    Terms {
        plan: Plan::Platinum,
        price_usd: 299,
        requests_per_minute: 2000,
        tagline: "Everything, pushed to you as it happens",
        extras: &["Priority support"],
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
    pub fn features(&self) -> Vec<&'static str> {
        let sold = Feature::ALL.into_iter().filter(|feature| self.includes(*feature));
        let cheaper = TABLE.iter().filter(|terms| terms.plan <= self.plan);
        sold.filter_map(Feature::sentence)
            .chain(cheaper.flat_map(|terms| terms.extras.iter().copied()))
            .collect()
    }
}
