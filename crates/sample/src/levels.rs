//! Made-up levels: a random walk around a typical value for each series.

use lastro_model::{Day, Decimal, RatePoint, Series};

use super::random::Random;

/// Parameters of a walk, in units of the last decimal of the series.
struct Level {
    /// The first value, to which later ones tend to return.
    home: i64,
    /// The greatest change from one value to the next.
    step: i32,
}

const fn level(home: i64, step: i32) -> Level {
    Level { home, step }
}

/// Parameters close to the real series. A series without an entry here gets an arbitrary level.
const fn of(series: Series) -> Level {
    match series {
        Series::Tjlp => level(710, 15),
        Series::TlpJ => level(560, 12),
        Series::InflationTarget => level(300, 0),
        Series::IpcaDiffusion => level(5_900, 700),
        Series::Unemployment => level(68, 3),
        Series::IbcBr => level(10_800, 250),
        Series::IbcBrSa => level(10_800, 60),
        Series::IndustrialOutput => level(10_100, 400),
        Series::GdpMonth => level(9_800_000, 350_000),
        Series::GrossDebt => level(7_650, 60),
        Series::NetDebt => level(6_150, 60),
        Series::PrimaryResult12m => level(60, 25),
        Series::Reserves => level(352_000, 900),
        Series::CurrentAccount => level(-35_000, 30_000),
        Series::TradeBalance => level(60_000, 25_000),
        Series::CreditFirms => level(2_500_000, 25_000),
        Series::CreditHouseholds => level(4_100_000, 30_000),
        Series::CreditRate => level(3_050, 60),
        Series::CreditRateHouseholds => level(3_600, 70),
        Series::Arrears => level(340, 8),
        Series::ArrearsHouseholds => level(410, 9),
        Series::HouseholdDebt => level(4_830, 20),
        Series::MonetaryBase => level(440_000_000, 9_000_000),
        _ => level(10_000, 100),
    }
}

/// An endless random walk.
pub(super) fn walk(series: Series, random: &mut Random) -> impl Iterator<Item = i64> {
    let Level { home, step } = of(series);
    let mut value = home;
    std::iter::from_fn(move || {
        value += i64::from(random.between(-step..=step)) + (home - value) / 12;
        Some(value)
    })
}

const FIRST_WAGE: i64 = 1_100;

/// A wage in whole reais that rises every January and stays for the year.
pub(super) fn wages(seed: u64, months: &[Day]) -> Vec<RatePoint> {
    let mut random = Random::new(seed, "wages");
    let mut wage = FIRST_WAGE;
    let mut of = |month: &Day| {
        if month.month() == 1 {
            wage += wage * i64::from(random.between(5..=9)) / 100;
        }
        RatePoint { day: *month, value: Decimal::new(wage * 100, 2) }
    };
    months.iter().map(&mut of).collect()
}
