//! Made-up filings, oldest first, generated one at a time, so that two million of them are never in memory together.

use std::fmt::Write;

use lastro_model::{Company, Day, Filing, FilingId, Standing};

use super::Shape;
use super::calendar::{business_days_of_last_years, end_of_last_period, newest_day};
use super::kinds::{KINDS, Kind, Reference};
use super::placeholders::{Scene, compose};
use super::random::Random;

/// Above all real protocol numbers: the regulator's have not reached two million.
const FIRST_PROTOCOL: u64 = 9_000_000;
/// The difference between a document's protocol and its sequence number at the regulator.
const PROTOCOL_AHEAD_OF_SEQUENCE: u64 = 475_294;

const YEARS_OF_SMALL_SET: i32 = 3;
const YEARS_OF_LARGE_SET: i32 = 8;
const LARGE_SET: usize = 20_000;

const PERCENT_WITHOUT_REFERENCE: u32 = 3;
const VERSION_WEIGHTS: [u32; 4] = [940, 48, 9, 3];

/// The filings of these companies, in order of delivery and of id. Without companies there are none.
pub fn filings<'a>(shape: &Shape, companies: &'a [Company]) -> Filings<'a> {
    let mut random = Random::new(shape.seed, "filings");
    let left = if companies.is_empty() { 0 } else { shape.filings };
    Filings {
        roster: roster(companies, &mut random),
        today: (newest_day(), 0),
        weights: Vec::new(),
        days: deliveries(left, &mut random).into_iter(),
        left,
        next_protocol: FIRST_PROTOCOL,
        random,
    }
}

/// An iterator with a known number of remaining filings.
#[derive(Debug)]
pub struct Filings<'a> {
    /// The companies, the busiest first.
    roster: Vec<&'a Company>,
    days: std::vec::IntoIter<(Day, usize)>,
    /// The current day and the number of filings left in it.
    today: (Day, usize),
    /// The weight of each kind in the current month.
    weights: Vec<u32>,
    left: usize,
    next_protocol: u64,
    random: Random,
}

impl Iterator for Filings<'_> {
    type Item = Filing;

    fn next(&mut self) -> Option<Filing> {
        while self.today.1 == 0 {
            self.today = self.days.next()?;
            let month = self.today.0.month();
            self.weights = KINDS.iter().map(|kind| kind.weight_in(month)).collect();
        }
        self.today.1 -= 1;
        self.left -= 1;
        Some(self.draw(self.today.0))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Filings<'_> {}

impl Filings<'_> {
    fn draw(&mut self, day: Day) -> Filing {
        let random = &mut self.random;
        let company = self.roster[random.early_position(self.roster.len())];
        let kind = &KINDS[random.weighted(self.weights.iter().copied())];
        let reference_day = reference_day(kind.reference, day, random);
        let description = description(kind, day, reference_day, random);
        let version = 1 + random.weighted(VERSION_WEIGHTS.into_iter()) as u16;
        // Leaves gaps, because other documents take numbers of the same sequence.
        let protocol = self.next_protocol;
        self.next_protocol += 1 + random.position(3) as u64;
        Filing {
            id: FilingId::Protocol(protocol),
            company_id: company.id,
            company_name: company.name.clone(),
            category: kind.category.to_owned(),
            kind: kind.name.map(str::to_owned),
            delivered_on: day,
            reference_day: (!random.chance(PERCENT_WITHOUT_REFERENCE)).then_some(reference_day),
            description,
            version,
            url: url(protocol, version),
        }
    }
}

/// Shuffles the companies, with those that left the registry last, because they file least.
fn roster<'a>(companies: &'a [Company], random: &mut Random) -> Vec<&'a Company> {
    let mut roster: Vec<_> = companies.iter().collect();
    random.shuffle(&mut roster);
    roster.sort_by_key(|company| Standing::of(&company.status) != Standing::Active);
    roster
}

/// The number of filings on each business day. The sum is exact, and the newest day has at least one.
fn deliveries(filings: usize, random: &mut Random) -> Vec<(Day, usize)> {
    let years = if filings < LARGE_SET { YEARS_OF_SMALL_SET } else { YEARS_OF_LARGE_SET };
    let weights: Vec<_> = business_days_of_last_years(years).map(|day| (day, weight(day, random))).collect();
    let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
    let (mut weight_so_far, mut filings_so_far) = (0, 0);
    weights
        .into_iter()
        .map(|(day, weight)| {
            weight_so_far += weight;
            let due = (filings as u128 * u128::from(weight_so_far) / u128::from(total)) as usize;
            let of_day = due - filings_so_far;
            filings_so_far = due;
            (day, of_day)
        })
        .collect()
}

/// The weight of a day: results come in March, May, August and November, assemblies meet in April, January is quiet.
fn weight(day: Day, random: &mut Random) -> u64 {
    let season = match day.month() {
        3 | 5 | 8 | 11 => 150,
        4 => 190,
        1 => 55,
        _ => 95,
    };
    season * random.between(60..=140) as u64
}

fn reference_day(reference: Reference, delivered_on: Day, random: &mut Random) -> Day {
    match reference {
        Reference::Delivery => delivered_on,
        Reference::Recent => delivered_on.plus_days(-random.pick(&[0, 0, 0, 1, 1, 2, 3, 5, 7, 12, 30])),
        Reference::Summoned => delivered_on.plus_days(random.between(8..=30)).min(newest_day()),
        Reference::MonthEnd => end_of_last_period(delivered_on, 1),
        Reference::QuarterEnd => end_of_last_period(delivered_on, 3),
        Reference::YearEnd => end_of_last_period(delivered_on, 12),
    }
}

fn description(kind: &Kind, delivered_on: Day, reference_day: Day, random: &mut Random) -> String {
    let paper = (!kind.papers.is_empty()).then(|| random.pick(kind.papers));
    if kind.subjects.is_empty() || random.chance(kind.untitled) {
        return kind.describe(paper);
    }
    let scene = Scene { delivered_on, reference_day, paper: paper.unwrap_or_default() };
    compose(random.pick(kind.subjects), scene, random)
}

/// An address in the regulator's format, on a host that cannot resolve.
fn url(protocol: u64, version: u16) -> String {
    let mut url = String::with_capacity(160);
    let sequence = protocol - PROTOCOL_AHEAD_OF_SEQUENCE;
    // Writing to a `String` cannot fail.
    let _ = write!(
        url,
        "https://sample.invalid/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1\
         &numProtocolo={protocol}&numSequencia={sequence}&numVersao={version}"
    );
    url
}
