//! A digest of the way in which this version renders rows. The digest differs if a version renders rows differently;
//! followers then get `source.replaced`.

use jiff::Timestamp;
use lastro_catalog::companies_with_brands;
use lastro_model::{
    Cnpj, Company, CompanyId, Day, Decimal, Filing, FilingId, FxQuote, History, Pair, RatePoint, Series,
    Source, Ticker, digest_of,
};
use lastro_store::{ShownCompany, ShownRow};

use super::entry::shown;

/// The digest for a source. Tickers and former names are shown with their companies, as are the brands of this version.
pub fn shape(source: Source) -> String {
    let day = Day::from(jiff::civil::date(2026, 1, 2));
    let history = History { first_seen: Some(Timestamp::UNIX_EPOCH), withdrawn: None };
    let rows = match source {
        Source::Series(_) => vec![ShownRow::Rate(Series::Selic, RatePoint { day, value: Decimal::TEN })],
        Source::Fx => quote(day).into_iter().collect(),
        Source::Companies => {
            let others = companies_with_brands().map(|id| (id, History::default()));
            let all = [(CompanyId(1), history)].into_iter().chain(others);
            all.filter_map(|(id, history)| company(id, day, history)).collect()
        }
        Source::Filings => vec![filing(day, history), filing(day, History::default())],
        Source::Tickers => Vec::new(),
    };
    let json: Vec<Vec<u8>> = rows.iter().map(shown).collect();
    format!("{:016x}", digest_of(&json.concat()))
}

fn quote(day: Day) -> Option<ShownRow> {
    let pair = Pair::parse("USD/BRL").ok()?;
    Some(ShownRow::Quote(FxQuote { day, pair, buy: Decimal::ONE, sell: Decimal::TWO }))
}

fn company(id: CompanyId, day: Day, history: History) -> Option<ShownRow> {
    let is_full = history.first_seen.is_some();
    let text = |text: &str| is_full.then(|| text.to_owned());
    let company = Company {
        id,
        name: "Name".to_owned(),
        cnpj: Cnpj::parse("33.000.167/0001-01").ok()?,
        status: "ATIVO".to_owned(),
        sector: text("Sector"),
        trading_name: text("Trading name"),
        registered_on: is_full.then_some(day),
    };
    let tickers = Ticker::parse("ABCD3").into_iter().filter(|_| is_full).collect();
    // The last one is its name but for the legal form, and is not shown.
    let former_names = ["Former name", "Older name S.A.", "Name S.A."].map(str::to_owned).to_vec();
    Some(ShownRow::Company(Box::new(ShownCompany { company, history, tickers, former_names })))
}

fn filing(day: Day, history: History) -> ShownRow {
    let is_full = history.first_seen.is_some();
    let filing = Filing {
        id: if is_full { FilingId::Protocol(1) } else { FilingId::Hash(1) },
        company_id: CompanyId(1),
        company_name: "Name".to_owned(),
        category: "Category".to_owned(),
        kind: is_full.then(|| "Type".to_owned()),
        delivered_on: day,
        reference_day: is_full.then_some(day),
        description: "Description".to_owned(),
        version: 1,
        url: "https://example.com/?numProtocolo=1".to_owned(),
    };
    ShownRow::Filing(Box::new((filing, history)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_rows_have_a_shape_of_their_own() {
        let shapes =
            [Source::Series(Series::Selic), Source::Fx, Source::Companies, Source::Filings].map(shape);
        let distinct: std::collections::BTreeSet<&String> = shapes.iter().collect();
        assert_eq!(distinct.len(), shapes.len());
        assert_eq!(shape(Source::Series(Series::Cdi)), shapes[0]);
        assert!(!shapes.contains(&shape(Source::Tickers)), "no specimen could be made");
    }
}
