//! The company list against a plain model, lookups, and the rendered JSON.

use lastro_catalog::{Companies, CompanyFilter, Page};
use lastro_model::{Cnpj, Company, CompanyId, Day, Standing};
use proptest::prelude::*;

prop_compose! {
    fn any_company()(
        id in 0u32..40,
        name in prop_oneof!["[A-C]{1,2}", any::<String>()],
        number in 0u8..4,
        status in prop::sample::select(vec!["ATIVO", "Ativo ", "CANCELADA", "SUSPENSO(A) - DECISÃO ADM", "Fase X"]),
        sector in prop::option::of(prop::sample::select(vec!["Bancos", "BANCOS", "Petróleo e Gás", "petroleo e gas "])),
        trading_name in prop::option::of(any::<String>()),
        registered in prop::option::of(0i32..20_000),
    ) -> Company {
        Company {
            id: CompanyId(id),
            name,
            cnpj: Cnpj::with_check_digits([b'0' + number; 12]),
            status: status.to_owned(),
            sector: sector.map(str::to_owned),
            trading_name,
            registered_on: registered.and_then(Day::from_number),
        }
    }
}

fn model(companies: &[Company]) -> Vec<Company> {
    let mut kept: Vec<Company> = Vec::new();
    for company in companies {
        kept.retain(|other| other.id != company.id);
        kept.push(company.clone());
    }
    kept.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    kept
}

fn plain(label: &str) -> String {
    label.trim().to_lowercase().replace('ó', "o").replace(['á', 'ã'], "a")
}

fn fits(company: &Company, filter: &CompanyFilter<'_>) -> bool {
    let status = filter.status.is_none_or(|status| match status {
        "active" => Standing::of(&company.status) == Standing::Active,
        "suspended" => Standing::of(&company.status) == Standing::Suspended,
        published => plain(published) == plain(&company.status),
    });
    let sector =
        filter.sector.is_none_or(|sector| company.sector.as_deref().map(plain) == Some(plain(sector)));
    let is_inside = |is_inside: &dyn Fn(Day) -> bool| company.registered_on.is_some_and(is_inside);
    status
        && sector
        && filter.cnpj.is_none_or(|cnpj| company.cnpj == cnpj)
        && filter.from.is_none_or(|from| is_inside(&|day| day >= from))
        && filter.to.is_none_or(|to| is_inside(&|day| day <= to))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_filter_and_its_pages_match_the_model(
        companies in prop::collection::vec(any_company(), 0..50),
        status in prop::option::of(prop::sample::select(vec!["active", "suspended", "ativo", " cancelada", "fase x", "?"])),
        sector in prop::option::of(prop::sample::select(vec!["bancos", "Petroleo e Gas", "outro"])),
        from in prop::option::of((0i32..20_000).prop_map(|number| Day::from_number(number).unwrap())),
        to in prop::option::of((0i32..20_000).prop_map(|number| Day::from_number(number).unwrap())),
        by_cnpj: bool,
        limit in 1usize..7,
    ) {
        let part = Companies::build(companies.clone()).unwrap();
        let cnpj = companies.first().filter(|_| by_cnpj).map(|company| company.cnpj);
        let filter = CompanyFilter { status, sector, cnpj, from, to, withdrawn: false };
        let expected: Vec<Company> = model(&companies).into_iter().filter(|company| fits(company, &filter)).collect();
        let counted: usize = part.sector_counts(&filter).iter().map(|(_, count)| count).sum();
        prop_assert_eq!(counted, expected.iter().filter(|company| company.sector.is_some()).count());
        let mut listed = Vec::new();
        for offset in (0..=expected.len() + limit).step_by(limit) {
            let listing = part.list(&filter, Page { limit, offset });
            prop_assert_eq!(listing.total, expected.len());
            listed.extend(listing.rows.iter().map(|position| part.company(position).clone()));
        }
        prop_assert_eq!(listed, expected);
    }

    #[test]
    fn lookups_return_companies_unchanged(companies in prop::collection::vec(any_company(), 0..40)) {
        let part = Companies::build(companies.clone()).unwrap();
        for (position, company) in (0..).zip(&model(&companies)) {
            prop_assert_eq!(part.position(company.id), Some(position));
            let shown: serde_json::Value = serde_json::from_slice(part.json(position)).unwrap();
            prop_assert_eq!(shown, record(company));
            let best = part.company(part.by_cnpj(&company.cnpj).unwrap());
            let rank = |company: &Company| (Standing::of(&company.status) == Standing::Active, company.registered_on);
            prop_assert!(best.cnpj == company.cnpj && rank(best) >= rank(company));
            prop_assert!(part.ids_of_cnpj(&company.cnpj).any(|id| id == company.id));
        }
        prop_assert_eq!(part.position(CompanyId(99)), None);
    }
}

fn record(company: &Company) -> serde_json::Value {
    serde_json::json!({
        "id": company.id.to_string(),
        "name": company.name,
        "cnpj": company.cnpj.to_string(),
        "status": company.status,
        "sector": company.sector,
        "trading_name": company.trading_name,
        "registered_on": company.registered_on.map(|day| day.to_string()),
        "tickers": [],
        "also_known_as": [],
        "first_seen_at": null,
    })
}

#[test]
fn fields_are_in_the_order_of_the_contract() {
    let company = Company {
        id: CompanyId(9512),
        name: "Lastro \"S.A.\"".to_owned(),
        cnpj: Cnpj::parse("33000167000101").unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: None,
        registered_on: Day::parse("1977-07-20").ok(),
    };
    let part = Companies::build(vec![company]).unwrap();
    assert_eq!(
        std::str::from_utf8(part.json(0)).unwrap(),
        "{\"id\":\"9512\",\"name\":\"Lastro \\\"S.A.\\\"\",\"cnpj\":\"33.000.167/0001-01\",\"status\":\"ATIVO\",\
         \"sector\":null,\"trading_name\":null,\"registered_on\":\"1977-07-20\",\"tickers\":[],\
         \"also_known_as\":[],\"first_seen_at\":null}"
    );
}
