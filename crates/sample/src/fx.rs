//! Made-up closing bulletins of four currencies in reais: one random walk each, on business days, oldest first.

use lastro_model::{Currency, Day, Decimal, FxQuote, Pair, RatePoint};

use super::calendar::business_days_of_last_years;
use super::random::Random;
use super::rates::with_decimals;

const YEARS: i32 = 3;
/// Decimals of the bulletin. The walks below count in units of the last one.
const DECIMALS: u32 = 5;
const MONTH_DECIMALS: u32 = 4;

struct Walk {
    currency: &'static str,
    /// The first price, to which later ones tend to return.
    home: i32,
    /// The smallest change of a price. The yen is quoted in smaller steps than the dollar.
    tick: i32,
    /// The difference between the sell and the buy price, in ticks.
    spread: i32,
}

const DOLLAR: Walk = Walk { currency: "USD", home: 512_000, tick: 10, spread: 6 };

const WALKS: [Walk; 4] = [
    DOLLAR,
    Walk { currency: "EUR", home: 574_000, tick: 10, spread: 16 },
    Walk { currency: "GBP", home: 663_000, tick: 10, spread: 21 },
    Walk { currency: "JPY", home: 3_500, tick: 1, spread: 2 },
];

/// All quotes, by pair and then by day.
pub fn fx(seed: u64) -> Vec<FxQuote> {
    WALKS.iter().flat_map(|walk| quotes(walk, seed)).collect()
}

fn quotes(walk: &Walk, seed: u64) -> Vec<FxQuote> {
    let Ok(currency) = Currency::parse(walk.currency) else { return Vec::new() };
    let mut random = Random::new(seed, walk.currency);
    let mut price = walk.home;
    business_days_of_last_years(YEARS)
        .map(|day| {
            price = next_price(&mut random, walk, price);
            let buy = price / walk.tick * walk.tick;
            let sell = buy + walk.spread * walk.tick;
            FxQuote { day, pair: Pair::in_reais(currency), buy: amount(buy), sell: amount(sell) }
        })
        .collect()
}

/// The mean sell price of the dollar in each of these months that has quotes on all its days.
pub(super) fn means_of_months(seed: u64, months: &[Day]) -> Vec<RatePoint> {
    dollar(seed, months, |sold| sold.iter().sum::<Decimal>().checked_div(Decimal::from(sold.len())))
}

/// The sell price of the dollar on the last day of each such month.
pub(super) fn ends_of_months(seed: u64, months: &[Day]) -> Vec<RatePoint> {
    dollar(seed, months, |sold| sold.last().copied())
}

fn dollar(seed: u64, months: &[Day], value: impl Fn(&[Decimal]) -> Option<Decimal>) -> Vec<RatePoint> {
    let quotes = quotes(&DOLLAR, seed);
    let sold_in = |month: Day| {
        let days = month..month.minus_months(-1);
        quotes.iter().filter(|quote| days.contains(&quote.day)).map(|quote| quote.sell).collect::<Vec<_>>()
    };
    let is_whole = |month: &&Day| quotes.first().is_some_and(|first| first.day <= **month);
    let point = |month: &Day| {
        let value = with_decimals(value(&sold_in(*month))?, MONTH_DECIMALS);
        Some(RatePoint { day: *month, value })
    };
    months.iter().filter(is_whole).filter_map(point).collect()
}

/// Moves a price by the sum of four small draws, a bell curve: mostly quiet days, up to 2 % on wild ones.
fn next_price(random: &mut Random, walk: &Walk, price: i32) -> i32 {
    let per_10_000: i32 = (0..4).map(|_| random.between(-50..=50)).sum();
    let pull_home = (walk.home - price) / 120;
    price + (i64::from(price) * i64::from(per_10_000) / 10_000) as i32 + pull_home
}

fn amount(units: i32) -> Decimal {
    Decimal::new(i64::from(units), DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{is_business_day, newest_day};

    #[test]
    fn four_pairs_are_quoted_on_the_same_business_days() {
        let quotes = fx(1);
        let days = business_days_of_last_years(YEARS).count();
        assert_eq!(quotes.len(), 4 * days);
        assert!(quotes.iter().all(|q| is_business_day(q.day) && q.day <= newest_day()));
        for of_one_pair in quotes.chunks(days) {
            assert!(of_one_pair.windows(2).all(|two| two[0].day < two[1].day && two[0].pair == two[1].pair));
        }
    }

    #[test]
    fn prices_stay_near_home_whatever_the_seed() {
        for quote in (0..12).flat_map(fx) {
            assert!(quote.buy < quote.sell);
            assert_eq!((quote.buy.scale(), quote.sell.scale()), (5, 5));
            let walk = WALKS.iter().find(|w| w.currency == quote.pair.base.as_str()).unwrap();
            let (home, half) = (amount(walk.home), amount(walk.home / 2));
            assert!(quote.buy > home - half && quote.buy < home + half, "{quote:?}");
        }
    }
}
