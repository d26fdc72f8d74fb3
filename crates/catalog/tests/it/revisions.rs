//! Earlier states computed from changes, compared with copies kept of them.

use std::collections::BTreeMap;

use lastro_catalog::{FirstDay, Revision, Revisions, Timeline};
use lastro_model::{Day, Decimal, RatePoint};
use proptest::prelude::*;

const DAY_MS: i64 = 86_400_000;

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

fn point(number: i32, value: i64) -> RatePoint {
    RatePoint { day: day(number), value: Decimal::new(value, 1) }
}

type Held = BTreeMap<i32, RatePoint>;

/// One publication: the time since the previous one, and the new value of each day, or `None` if withdrawn.
type Publication = (i64, Vec<(i32, Option<i64>)>);

fn publications() -> impl Strategy<Value = Vec<Publication>> {
    let rows = prop::collection::vec((0i32..8, prop::option::weighted(0.85, 0i64..3)), 0..6);
    prop::collection::vec((1..2 * DAY_MS, rows), 1..20)
}

/// Applies a publication and returns the revision of each point, newest days first as in the store.
fn publish(held: &mut Held, at: i64, rows: &[(i32, Option<i64>)]) -> Vec<Revision<RatePoint>> {
    let before = held.clone();
    for (number, value) in rows {
        match value {
            Some(value) => held.insert(*number, point(*number, *value)),
            None => held.remove(number),
        };
    }
    let changed = |number: &i32| {
        let (old, new) = (before.get(number).copied(), held.get(number).copied());
        (old != new).then_some(Revision { changed_unix_ms: at, old, new })
    };
    (0..8).rev().filter_map(|number| changed(&number)).collect()
}

proptest! {
    #[test]
    fn as_of_returns_the_state_at_the_end_of_every_day(publications in publications()) {
        let (mut held, mut log, mut copies) = (Held::new(), Vec::new(), Vec::new());
        let mut at = 1_000 * DAY_MS;
        for (number, (gap, rows)) in publications.iter().enumerate() {
            at += gap;
            let revised = publish(&mut held, at, rows);
            if number > 0 {
                log.splice(0..0, revised);
            }
            copies.push((at, held.clone()));
        }
        let since = copies[0].0;
        let timeline = Timeline::build(held.values().copied().collect())
            .with_revisions(Revisions::new(Some(since), log));
        let first = day((since / DAY_MS) as i32);
        for number in first.number()..(at / DAY_MS) as i32 + 3 {
            let end = (i64::from(number) + 1) * DAY_MS;
            let copy = copies.iter().rev().find(|(at, _)| *at < end).unwrap();
            let expected: Vec<RatePoint> = copy.1.values().copied().collect();
            prop_assert_eq!(timeline.as_of(day(number)), Ok(expected), "day {}", number);
        }
        prop_assert_eq!(timeline.as_of(first.plus_days(-1)), Err(FirstDay(Some(first))));
    }

    #[test]
    fn no_day_or_timestamp_panics(number: i32, since: Option<i64>, changed_unix_ms: i64) {
        let row = Revision { changed_unix_ms, old: None, new: Some(point(1, 1)) };
        let revisions = Revisions::new(since, vec![row, Revision { new: None, ..row }]);
        let timeline = Timeline::build(vec![point(1, 1)]).with_revisions(revisions);
        if let Some(day) = Day::from_number(number) {
            let _ = timeline.as_of(day);
        }
    }
}

#[test]
fn no_day_is_available_without_records() {
    let timeline = Timeline::build(vec![point(1, 1)]);
    assert_eq!(timeline.as_of(day(20_000)), Err(FirstDay(None)));
    assert_eq!(timeline.revisions().after_publication().count(), 0);
}

#[test]
fn withdrawals_are_revisions_and_additions_are_not() {
    let row = |at, old, new| Revision { changed_unix_ms: at, old, new };
    let withdrawn = row(3, Some(point(2, 1)), None);
    let changed = row(2, Some(point(2, 0)), Some(point(2, 1)));
    let added = row(1, None, Some(point(2, 0)));
    let revisions = Revisions::new(Some(0), vec![withdrawn, changed, added]);
    let told: Vec<_> = revisions.after_publication().copied().collect();
    assert_eq!(told, [withdrawn, changed]);
    assert!(told.iter().all(|row| row.day() == Some(day(2))));
}

#[test]
fn an_edition_with_a_fast_clock_hides_no_other() {
    let row = |at_day: i64, old, new| Revision {
        changed_unix_ms: at_day * DAY_MS,
        old: Some(point(1, old)),
        new: Some(point(1, new)),
    };
    let rows = vec![row(30, 2, 3), row(9_000, 1, 2), row(20, 0, 1)];
    let timeline = Timeline::build(vec![point(1, 3)]).with_revisions(Revisions::new(Some(10 * DAY_MS), rows));
    let value = |number| timeline.as_of(day(number)).unwrap()[0];
    assert_eq!([value(10), value(20), value(29), value(30)], [0, 1, 1, 3].map(|value| point(1, value)));
}
