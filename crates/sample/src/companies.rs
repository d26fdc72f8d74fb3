//! Made-up companies, by registry code.

use std::collections::HashSet;

use lastro_model::{Cnpj, Company, CompanyId, Day, FormerName, Standing};

use super::calendar::is_business_day;
use super::coined_words::push_word;
use super::random::Random;
use super::sectors::{SECTORS, Sector};
use super::{NEWEST_DAY, Shape};

/// Above all real codes: the regulator's have not reached 30,000.
const FIRST_CODE: u32 = 90_001;

/// Above all issued roots of the tax registry. The number of roots is prime, so that every index gets a different one.
const FIRST_CNPJ_ROOT: u64 = 90_000_000;
const CNPJ_ROOTS: u64 = 9_999_991;

/// Range of registration days, which ends before the oldest filing of the largest data set.
const FIRST_REGISTRATION: jiff::civil::Date = jiff::civil::date(1968, 3, 1);
const LAST_REGISTRATION: jiff::civil::Date = jiff::civil::date(2018, 6, 29);

const STATUSES: [(&str, u32); 3] = [("ATIVO", 70), ("CANCELADA", 27), ("SUSPENSO(A) - DECISÃO ADM", 3)];
const ENDINGS: [(&str, u32); 4] = [(" S.A.", 70), (" S/A", 15), (" SA", 13), (" S.A. - EM LIQUIDAÇÃO", 2)];
const LANDSCAPES: [&str; 10] =
    ["SERRA", "RIO", "MONTE", "VALE", "PORTO", "CAMPO", "LAGOA", "NOVA", "COSTA", "PEDRA"];

const PERCENT_WITH_LANDSCAPE: u32 = 20;
const PERCENT_WITHOUT_SECTOR: u32 = 4;
const PERCENT_WITHOUT_TRADING_NAME: u32 = 7;
const PERCENT_RENAMED: u32 = 25;

pub fn companies(shape: &Shape) -> Vec<Company> {
    let mut random = Random::new(shape.seed, "companies");
    let mut taken = HashSet::with_capacity(shape.companies);
    let codes = FIRST_CODE..;
    codes.zip(0..shape.companies).map(|(code, index)| company(&mut random, &mut taken, code, index)).collect()
}

/// The former names of some active companies, by company.
pub fn former_names(shape: &Shape) -> Vec<FormerName> {
    let mut random = Random::new(shape.seed, "former names");
    let until = Day::from(NEWEST_DAY.first_of_year());
    let is_active = |company: &Company| Standing::of(&company.status) == Standing::Active;
    let mut companies = companies(shape);
    companies.retain(|company| is_active(company) && random.chance(PERCENT_RENAMED));
    let renamed = companies.into_iter().map(|company| {
        let mut name = String::new();
        push_word(&mut name, &mut random);
        FormerName { company_id: company.id, name: name.to_uppercase() + " PARTICIPAÇÕES S.A.", until }
    });
    renamed.collect()
}

fn company(random: &mut Random, taken: &mut HashSet<String>, code: u32, index: usize) -> Company {
    let sector = sector(random, index);
    let name = Name::free(random, sector, taken);
    let sector_is_known = index < SECTORS.len() || !random.chance(PERCENT_WITHOUT_SECTOR);
    Company {
        id: CompanyId(code),
        cnpj: cnpj(index as u64),
        status: weighted(random, &STATUSES).to_owned(),
        sector: sector_is_known.then(|| sector.name.to_owned()),
        trading_name: name.trading(random),
        registered_on: Some(registration(random)),
        name: name.registered,
    }
}

/// Takes each sector once, so that a small data set has them all, then draws at random.
fn sector(random: &mut Random, index: usize) -> &'static Sector {
    SECTORS
        .get(index)
        .unwrap_or_else(|| &SECTORS[random.weighted(SECTORS.iter().map(|sector| sector.weight))])
}

fn weighted(random: &mut Random, entries: &[(&'static str, u32)]) -> &'static str {
    entries[random.weighted(entries.iter().map(|(_, weight)| *weight))].0
}

struct Name {
    /// `SERRA ITABERUNA ENERGIA S.A.`
    registered: String,
    /// `SERRA ITABERUNA ENERGIA`
    without_ending: String,
    /// `SERRA ITABERUNA`
    coined: String,
}

impl Name {
    /// Draws an unused name. There are some millions, so the next draw is nearly always unused.
    fn free(random: &mut Random, sector: &Sector, taken: &mut HashSet<String>) -> Self {
        loop {
            let name = Self::draw(random, sector);
            if taken.insert(name.without_ending.clone()) {
                return name;
            }
        }
    }

    fn draw(random: &mut Random, sector: &Sector) -> Self {
        let mut coined = String::new();
        push_word(&mut coined, random);
        coined = coined.to_uppercase();
        if random.chance(PERCENT_WITH_LANDSCAPE) {
            coined = format!("{} {coined}", random.pick(&LANDSCAPES));
        }
        let without_ending = random.pick(sector.forms).replace('*', &coined);
        let registered = format!("{without_ending}{}", weighted(random, &ENDINGS));
        Self { registered, without_ending, coined }
    }

    fn trading(&self, random: &mut Random) -> Option<String> {
        if random.chance(PERCENT_WITHOUT_TRADING_NAME) {
            return None;
        }
        Some(if random.chance(40) { self.coined.clone() } else { self.without_ending.clone() })
    }
}

/// Scatters the numbers, so that those of neighbours in the registry do not look sequential.
fn cnpj(index: u64) -> Cnpj {
    let root = FIRST_CNPJ_ROOT + (index + 1) * 7_368_787 % CNPJ_ROOTS;
    let mut base = *b"000000000001";
    let mut left = root;
    for digit in base[..8].iter_mut().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
    }
    Cnpj::with_check_digits(base)
}

fn registration(random: &mut Random) -> Day {
    let (first, last) = (Day::from(FIRST_REGISTRATION), Day::from(LAST_REGISTRATION));
    let mut day = first.plus_days(random.between(0..=last.number() - first.number()));
    while !is_business_day(day) {
        day = day.plus_days(-1);
    }
    day
}
