//! The source, unit and edition of an answer.

use std::fmt;

use lastro_catalog::Catalog;
use lastro_model::{Edition, Pair, Series};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::members::Members;

/// The kind of data that a tool answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Catalogue,
    Series,
    /// One series, or the overview.
    Current,
    Fx,
    Calculation,
    Calendar,
    Companies,
    Filings,
}

/// The publisher's name for what was asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceName {
    publisher: &'static str,
    system: &'static str,
    code: Option<u32>,
}

impl SourceName {
    const SGS: Self = Self { publisher: "Banco Central do Brasil", system: "SGS", code: None };
    const PTAX: Self = Self { system: "PTAX", ..Self::SGS };
    const BOTH: Self = Self { system: "SGS and PTAX", ..Self::SGS };
    const REGISTRY: Self =
        Self { publisher: "Comissão de Valores Mobiliários (CVM)", system: "CAD", code: None };
    const FILINGS: Self = Self { system: "IPE", ..Self::REGISTRY };
    const CALENDAR: Self = Self { publisher: "Lastro", system: "bank holidays by law", code: None };

    pub(super) fn json(self) -> Value {
        let Self { publisher, system, code } = self;
        match code {
            Some(code) => json!({ "publisher": publisher, "system": system, "code": code }),
            None => json!({ "publisher": publisher, "system": system }),
        }
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.publisher, self.system)?;
        self.code.map_or(Ok(()), |code| write!(f, " {code}"))
    }
}

#[derive(Debug)]
pub(super) struct Provenance {
    pub(super) source: SourceName,
    pub(super) unit: Option<String>,
    /// The editions that the answer was made from, by the name of their source.
    pub(super) editions: Vec<(String, u64)>,
    /// Whether any of them is made up.
    pub(super) sample: bool,
}

impl Provenance {
    /// The provenance of an answer that also has exchange rates.
    fn beside(self, fx: Self, unit: Option<String>) -> Self {
        Self {
            source: SourceName::BOTH,
            unit,
            editions: self.editions.into_iter().chain(fx.editions).collect(),
            sample: self.sample || fx.sample,
        }
    }
}

pub(super) fn of(
    about: About,
    catalog: &Catalog,
    arguments: &Arguments,
    members: &Members<'_>,
) -> Provenance {
    let named = |id: Option<&str>| id.and_then(Series::parse);
    match about {
        About::Catalogue => listed(catalog, members),
        About::Current if !arguments.has("id") => overview(catalog),
        About::Current | About::Series => match named(arguments.get("id")) {
            Some(series) => of_series(catalog, &[series], Some(series.about().unit.id().to_owned())),
            None => fx(catalog, arguments.get("id")),
        },
        About::Fx => fx(catalog, arguments.get("pair")),
        About::Calculation => {
            let used = named(members.text("series").as_deref());
            of_series(catalog, used.as_slice(), members.text("currency_to"))
        }
        About::Calendar => Provenance {
            source: SourceName::CALENDAR,
            unit: Some("business_days".to_owned()),
            editions: Vec::new(),
            sample: false,
        },
        About::Companies => companies(catalog),
        About::Filings => {
            let Provenance { mut editions, sample, .. } = companies(catalog);
            editions.insert(0, edition("filings", catalog.filings.stamp.edition));
            let sample = sample || catalog.filings.sample;
            Provenance { source: SourceName::FILINGS, unit: None, editions, sample }
        }
    }
}

fn edition(name: &str, edition: Edition) -> (String, u64) {
    (name.to_owned(), edition.0)
}

fn of_series(catalog: &Catalog, used: &[Series], unit: Option<String>) -> Provenance {
    let code = match used {
        [one] => Some(one.about().code),
        _ => None,
    };
    let editions =
        used.iter().map(|series| edition(series.about().id, catalog.series[*series].stamp.edition)).collect();
    let sample = used.iter().any(|series| catalog.series[*series].sample);
    Provenance { source: SourceName { code, ..SourceName::SGS }, unit, editions, sample }
}

/// The series and the pairs of currencies that a list shows, which are of two systems.
fn listed(catalog: &Catalog, members: &Members<'_>) -> Provenance {
    let rows = members.rows().map(|(_, rows)| rows).unwrap_or_default();
    let id = |row: &RawValue| serde_json::from_str::<Members<'_>>(row.get()).ok()?.text("id");
    let ids: Vec<String> = rows.into_iter().filter_map(id).collect();
    let series: Vec<Series> = ids.iter().filter_map(|id| Series::parse(id)).collect();
    let of_series = of_series(catalog, &series, None);
    if !ids.iter().any(|id| Series::parse(id).is_none() && Pair::from_id(id).is_some()) {
        return of_series;
    }
    let source = if series.is_empty() { SourceName::PTAX } else { SourceName::BOTH };
    Provenance { source, ..of_series.beside(fx(catalog, None), None) }
}

/// An exchange rate, of a pair such as `EUR/USD` or `eur-usd`.
fn fx(catalog: &Catalog, pair: Option<&str>) -> Provenance {
    let pair = pair.unwrap_or("USD/BRL").to_uppercase();
    let unit = pair.split_once(['/', '-']).map(|(base, quote)| format!("{quote} per {base}"));
    let editions = vec![edition("fx", catalog.fx.stamp.edition)];
    Provenance { source: SourceName::PTAX, unit, editions, sample: catalog.fx.sample }
}

fn overview(catalog: &Catalog) -> Provenance {
    let rates = [Series::Selic, Series::Cdi, Series::Ipca];
    let units = rates.map(|series| format!("{} {}", series.about().id, series.about().unit.id())).join("; ");
    let rates = of_series(catalog, &rates, None);
    let fx = fx(catalog, None);
    let unit = format!("{units}; fx {}", fx.unit.as_deref().unwrap_or_default());
    rates.beside(fx, Some(unit))
}

fn companies(catalog: &Catalog) -> Provenance {
    let editions = vec![
        edition("companies", catalog.companies.stamp.edition),
        edition("tickers", catalog.companies.tickers_stamp().edition),
    ];
    Provenance { source: SourceName::REGISTRY, unit: None, editions, sample: catalog.companies.sample }
}
