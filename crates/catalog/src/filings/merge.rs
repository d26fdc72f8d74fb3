//! Merges changed filings with unchanged ones.
//!
//! Unchanged filings keep their order, and nearly all of them their position, so that groups of records, lists and parts of
//! the index are shared with the previous edition. The merged part answers every request like one built from all filings.

use std::ops::Range;

use lastro_model::{Filing, History};
use lastro_search::{MergePlan, Origin};

use super::labels::Labels;
use super::record::{Entry, Record};
use super::records::{Records, RecordsBuilder, in_groups};
use super::{Filings, FilingsBuilder, first_label, keys};
use crate::BuildError;

impl Filings {
    /// Returns the same filings with `changed` added; these replace filings with the same ids, listed or withdrawn.
    pub fn with_changes(&self, changed: &[(Filing, History)]) -> Result<Self, BuildError> {
        let mut fresh = FilingsBuilder::with_capacity(changed.len());
        let listed = changed.iter().filter(|(_, history)| !history.is_withdrawn());
        listed.for_each(|(filing, history)| fresh.push_with(filing.clone(), *history));
        self.merged(&fresh.finish()?, changed)
    }

    fn merged(&self, fresh: &Self, changed: &[(Filing, History)]) -> Result<Self, BuildError> {
        let plan = self.merge_plan(fresh, changed);
        let withdrawn = self.withdrawn.with_changes(changed)?;
        let index = self.index.merged(&fresh.index, &plan)?;
        let positions = index.index().rows();
        let plan = plan.numbered(self.listed(), positions.start, fresh.listed().start);
        let records = self.records.merged(&fresh.records, &plan, positions)?;
        let mut categories = self.categories.with(&records.labels.categories);
        let keys_of = |new| {
            let record = records.record(plan.inserted(new));
            keys(record.company, categories.of_label(record.category))
        };
        let lists = self.lists.merged(fresh.listed(), keys_of, &plan);
        categories.show(&records.labels.categories, |category| first_label(&lists, &records, category))?;
        let ids = self.ids.merged((&self.records, &records), &plan);
        Ok(Self { records, ids, categories, lists, index, withdrawn })
    }

    /// Plans to remove filings with the id of a changed one, and to insert the fresh ones by day and id.
    fn merge_plan(&self, fresh: &Self, changed: &[(Filing, History)]) -> MergePlan {
        let first = self.listed().start;
        let old = changed.iter().filter_map(|(filing, _)| self.listed_position(filing.id));
        let mut removed: Vec<u32> = old.map(|position| position - first).collect();
        removed.sort_unstable();
        removed.dedup();
        let place = |new| self.records.first_not_before(fresh.records.record(new).sort_key()) - first;
        let places: Vec<u32> = fresh.listed().map(place).collect();
        MergePlan::new(self.len() as u32, &removed, &places)
    }
}

impl Records {
    fn merged(&self, fresh: &Self, plan: &MergePlan, positions: Range<u32>) -> Result<Self, BuildError> {
        let are_kept = self.len() > 0 && !self.labels.are_wasteful();
        let mut labels = if are_kept { self.labels.clone() } else { Labels::default() };
        let mut merged = RecordsBuilder::from(positions.start);
        for positions in in_groups(positions) {
            let same = self.group_of(&positions).filter(|_| are_kept && plan.keeps(&positions));
            if let Some(group) = same {
                merged.share(group);
                continue;
            }
            for position in positions {
                let (entry, has_labels) = match plan.origin(position) {
                    Origin::Old(old) => (self.get(old), are_kept),
                    Origin::New(new) => (fresh.get(new), false),
                };
                let record = if has_labels { *entry.record } else { with_labels(entry, &mut labels) };
                merged.push(&record, entry.description)?;
            }
        }
        Ok(merged.finish(if are_kept { labels } else { labels.all_used() }))
    }
}

/// The same record with the numbers that these labels have.
fn with_labels(entry: Entry<'_>, labels: &mut Labels) -> Record {
    Record::new(&entry.filing(), entry.first_seen(), labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::{CompanyId, Day, FilingId};

    fn filing(number: u64, name: &str) -> (Filing, History) {
        let filing = Filing {
            id: FilingId::Protocol(number),
            company_id: CompanyId(9512),
            company_name: name.to_owned(),
            category: "Ata".to_owned(),
            kind: None,
            delivered_on: Day::from_number(10_000 + number as i32 / 100).unwrap(),
            reference_day: None,
            description: name.to_owned(),
            version: 1,
            url: String::new(),
        };
        (filing, History::default())
    }

    fn filings(numbers: Range<u64>, name: impl Fn(u64) -> String) -> Vec<(Filing, History)> {
        numbers.map(|number| filing(number, &name(number))).collect()
    }

    fn of(filings: &[(Filing, History)]) -> Filings {
        Filings::empty().with_changes(filings).unwrap()
    }

    fn restored(part: &Filings) -> Filings {
        let mut bytes = Vec::new();
        part.save("merge", &mut bytes).unwrap();
        Filings::restore("merge", &bytes[..], bytes.len() as u64).unwrap()
    }

    #[test]
    fn a_merge_shares_the_groups_that_it_does_not_change() {
        let before = of(&filings(0..20_000, |_| "Aurora".to_owned()));
        let copied = |changed: &[(Filing, History)]| {
            let after = before.with_changes(changed).unwrap();
            assert_eq!(after.records.groups().count(), 6, "the first and the last are not full");
            let is_new = |group: &[Record]| {
                before.records.groups().all(|(old, _)| !std::ptr::eq(old.as_ptr(), group.as_ptr()))
            };
            after.records.groups().filter(|(group, _)| is_new(group)).count()
        };
        assert_eq!(copied(&filings(20_000..20_010, |_| "Bela".to_owned())), 1);
        assert_eq!(copied(&[filing(9_000, "Bela")]), 1);
        assert_eq!(copied(&[]), 0);
        assert_eq!(copied(&scattered()), 2);
    }

    /// More corrections than a plan has ranges to search: a hundred of new filings, and one of an old one.
    fn scattered() -> Vec<(Filing, History)> {
        let new = (0..100).map(|number| filing(17_000 + 2 * number, "Bela"));
        new.chain([filing(3_000, "Bela")]).collect()
    }

    #[test]
    fn a_merge_shares_the_tables_that_it_does_not_change() {
        let before = of(&filings(0..20_000, |_| "Aurora".to_owned()));
        let copied = |changed: &[(Filing, History)]| {
            let after = before.with_changes(changed).unwrap();
            (after.lists.tables_of_its_own(&before.lists), after.ids.tables_of_its_own(&before.ids))
        };
        let (lists, ids) = copied(&filings(20_000..20_010, |_| "Bela".to_owned()));
        assert!((1..=30).contains(&lists) && (1..=10).contains(&ids), "{lists}, {ids}");
        let (_, ids) = copied(&scattered());
        assert!((1..=101).contains(&ids), "{ids}");
        assert_eq!(copied(&[]), (0, 0));
    }

    #[test]
    fn merged_groups_hold_what_they_would_if_they_were_built() {
        let random = &mut fastrand::Rng::with_seed(5);
        let all = || (0..10_000).filter(|number| number % 3 > 0);
        let mut rows: std::collections::BTreeMap<u64, (Filing, History)> =
            all().map(|number| (number, filing(number, "Aurora"))).collect();
        let mut merged = of(&rows.values().cloned().collect::<Vec<_>>());
        for round in 0..12 {
            // New ones at the end, late ones between the others, and changed ones.
            let changed: Vec<(Filing, History)> = (0..random.u64(1..9))
                .map(|_| filing(random.u64(..11_000), &format!("Bela {round}")))
                .collect();
            merged = merged.with_changes(&changed).unwrap();
            rows.extend(changed.into_iter().map(|(filing, history)| match filing.id {
                FilingId::Protocol(number) | FilingId::Hash(number) => (number, (filing, history)),
            }));
            let of_merged = merged.listed().map(|position| merged.filing(position));
            assert!(of_merged.eq(rows.values().rev().map(|(filing, _)| filing.clone())));
            assert!(rows.values().all(|(filing, _)| merged.position(filing.id).is_some()));
        }
    }

    #[test]
    fn labels_out_of_use_do_not_accumulate() {
        let mut part = of(&filings(0..300, |number| format!("Aurora {number}")));
        for round in 1..20 {
            let renamed = filings(0..300, |number| format!("Aurora {number} {round}"));
            part = restored(&part.with_changes(&renamed).unwrap());
            assert!(part.records.labels.len() < 2 * 300 + 1_000 + 400, "{}", part.records.labels.len());
            let names = part.listed().map(|position| part.filing(position).company_name);
            assert!(names.eq((0..300).rev().map(|number| format!("Aurora {number} {round}"))));
        }
    }
}
