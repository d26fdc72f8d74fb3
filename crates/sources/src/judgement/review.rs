//! Reviews single points: which values of a response may be stored, and which look like errors.
//!
//! A value is compared with its neighbours in time, before and after, and must be near one of them; requiring both
//! would be too strict where the level shifts. So one wrong neighbour does not condemn a good value.

use std::collections::BTreeMap;

use lastro_model::{Day, FxQuote, Kind, RatePoint};
use rust_decimal::Decimal;

use super::measure::{has_seasons, is_another_value, strain};

/// Neighbours considered on each side: one of two may be an error that was believed.
const NEIGHBOURS: usize = 2;

/// A point of a series or of a currency.
pub trait Judged: Copy + PartialEq {
    fn day(&self) -> Day;

    /// Its numbers with their names, in the same order for all points.
    fn numbers(&self) -> impl Iterator<Item = (&'static str, Decimal)>;

    /// A contradiction within the point itself.
    fn contradiction(&self) -> Option<&'static str> {
        None
    }
}

impl Judged for RatePoint {
    fn day(&self) -> Day {
        self.day
    }

    fn numbers(&self) -> impl Iterator<Item = (&'static str, Decimal)> {
        [("value", self.value)].into_iter()
    }
}

impl Judged for FxQuote {
    fn day(&self) -> Day {
        self.day
    }

    fn numbers(&self) -> impl Iterator<Item = (&'static str, Decimal)> {
        [("buy", self.buy), ("sell", self.sell)].into_iter()
    }

    fn contradiction(&self) -> Option<&'static str> {
        (self.sell < self.buy).then_some("its sell is below its buy")
    }
}

/// The decision about the points of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review<P> {
    /// In order of days, including points already stored unchanged.
    pub accepted: Vec<P>,
    pub doubted: Vec<Doubted<P>>,
}

/// A point that looks like an error, and the reason as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubted<P> {
    pub point: P,
    pub reason: String,
}

/// Judges the points `read` of one series or currency against all stored points `held`.
///
/// Without stored points nothing is judged. `believe` is called for each doubted point: one that it believes is
/// accepted anyway, and supports those after it. That is how a new level gets in.
pub fn review<P: Judged>(
    kind: Kind,
    held: &BTreeMap<Day, P>,
    read: impl IntoIterator<Item = P>,
    mut believe: impl FnMut(&P, &str) -> bool,
) -> Review<P> {
    let read: BTreeMap<Day, P> = read.into_iter().map(|point| (point.day(), point)).collect();
    let mut review = Review { accepted: Vec::new(), doubted: Vec::new() };
    let mut standing = settled(held, &read);
    for (day, point) in read {
        let old = held.get(&day).copied();
        let doubt =
            if held.is_empty() || old == Some(point) { None } else { doubt(kind, old, &point, &standing) };
        match doubt.filter(|reason| !believe(&point, reason)) {
            None => {
                standing.insert(day, point);
                review.accepted.push(point);
            }
            Some(reason) => {
                standing.extend(old.map(|old| (day, old)));
                review.doubted.push(Doubted { point, reason });
            }
        }
    }
    review
}

/// The stored points that do not change. A value being replaced supports no other.
fn settled<P: Judged>(held: &BTreeMap<Day, P>, read: &BTreeMap<Day, P>) -> BTreeMap<Day, P> {
    let stays = |(day, point): &(&Day, &P)| read.get(day).is_none_or(|new| new == *point);
    held.iter().filter(stays).map(|(day, point)| (*day, *point)).collect()
}

/// The reason to doubt a point that is new, or differs from the `old` one.
fn doubt<P: Judged>(kind: Kind, old: Option<P>, new: &P, standing: &BTreeMap<Day, P>) -> Option<String> {
    let contradiction = new.contradiction().filter(|_| old.is_none_or(|old| old.contradiction().is_none()));
    if let Some(contradiction) = contradiction {
        return Some(contradiction.to_owned());
    }
    let neighbours = neighbours(kind, standing, new.day());
    match old {
        None => {
            nearest(kind, new, &neighbours).filter(Pairing::is_implausible).map(|pairing| pairing.beside())
        }
        Some(old) => doubt_change(kind, &old, new, &neighbours),
    }
}

/// Doubts a change of a published value: it may be corrected a little, or towards its neighbours, but not away from
/// them.
fn doubt_change<P: Judged>(kind: Kind, old: &P, new: &P, neighbours: &[P]) -> Option<String> {
    let strain_of = |point| nearest(kind, point, neighbours).map_or(Decimal::ZERO, |pairing| pairing.strain);
    let (before, after) = (strain_of(old), strain_of(new));
    let leaves = before <= Decimal::ONE && after > Decimal::ONE;
    let another = || pairs(old, new).any(|(_, old, new)| is_another_value(kind, old, new));
    if leaves || (after >= before && another()) {
        return widest(kind, new, old).map(|pairing| pairing.instead());
    }
    None
}

/// The neighbours before and after the day, and for seasonal series the same month of the adjacent years.
fn neighbours<P: Judged>(kind: Kind, standing: &BTreeMap<Day, P>, day: Day) -> Vec<P> {
    let before = standing.range(..day).rev().take(NEIGHBOURS).map(|(_, point)| point);
    let after = standing.range(day.plus_days(1)..).take(NEIGHBOURS).map(|(_, point)| point);
    let years = [12, -12].into_iter().filter(|_| has_seasons(kind));
    let of_the_season = years.filter_map(|months| standing.get(&day.minus_months(months)));
    before.chain(after).chain(of_the_season).copied().collect()
}

/// A number compared with the same number of another day or edition.
struct Pairing {
    name: &'static str,
    number: Decimal,
    other: Decimal,
    day: Day,
    strain: Decimal,
}

impl Pairing {
    fn is_implausible(&self) -> bool {
        self.strain > Decimal::ONE
    }

    fn beside(&self) -> String {
        let Self { name, number, other, day, .. } = self;
        format!("its {name} is {number} beside {other} of {day}: an implausible step")
    }

    fn instead(&self) -> String {
        let Self { name, number, other, .. } = self;
        format!("its {name} is {number} where {other} was published: an implausible change")
    }
}

/// The pairing with the nearest neighbour.
fn nearest<P: Judged>(kind: Kind, point: &P, neighbours: &[P]) -> Option<Pairing> {
    neighbours.iter().filter_map(|other| widest(kind, point, other)).min_by_key(|pairing| pairing.strain)
}

/// The pairing of those numbers of two points that are furthest apart.
fn widest<P: Judged>(kind: Kind, point: &P, other: &P) -> Option<Pairing> {
    let pairing = |(name, other_number, number)| Pairing {
        name,
        number,
        other: other_number,
        day: other.day(),
        strain: strain(kind, number, other_number),
    };
    pairs(other, point).map(pairing).max_by_key(|pairing| pairing.strain)
}

fn pairs<P: Judged>(old: &P, new: &P) -> impl Iterator<Item = (&'static str, Decimal, Decimal)> {
    old.numbers().zip(new.numbers()).map(|((name, old), (_, new))| (name, old, new))
}
