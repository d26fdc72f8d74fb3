//! Merges changed filings with unchanged ones.
//!
//! Unchanged filings keep their order, so their columns and lists are copied in long runs. None of their texts is
//! analyzed again, and the texts themselves are shared with the previous edition. The merged part answers every
//! request like one built from all filings.

use lastro_model::{Filing, History};
use lastro_search::MergePlan;

use super::columns::{Columns, NO_TEXT};
use super::interner::Interner;
use super::{Filings, FilingsBuilder, keys};
use crate::BuildError;
use crate::postings::Postings;

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
        let columns = self.columns.merged(&fresh.columns, &plan)?;
        let index = self.index.merged(&fresh.index, &plan)?;
        let categories = self.categories.with(&columns.categories, &columns.category)?;
        let new_lists = Postings::build(fresh.len() as u32, |row| {
            let position = plan.inserted(row);
            keys(columns.company(position), categories.of_label(columns.category(position)))
        });
        let lists = self.lists.merged(&new_lists, &plan);
        let ids = self.ids.merged((&self.columns, &columns), &plan);
        Ok(Self { columns, ids, categories, lists, index, withdrawn })
    }

    /// Plans to remove filings with the id of a changed one, and to insert the fresh ones by day and id.
    fn merge_plan(&self, fresh: &Self, changed: &[(Filing, History)]) -> MergePlan {
        let fresh_rows = 0..fresh.len() as u32;
        let mut removed: Vec<u32> =
            changed.iter().filter_map(|(filing, _)| self.listed_position(filing.id)).collect();
        removed.sort_unstable();
        removed.dedup();
        let place = |row| self.columns.first_not_before(fresh.columns.sort_key(row));
        MergePlan::new(self.len() as u32, &removed, &fresh_rows.map(place).collect::<Vec<u32>>())
    }
}

impl Columns {
    fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<Self, BuildError> {
        let (company_names, company_name) = merged_labels(
            (&self.company_names, &self.company_name),
            (&fresh.company_names, &fresh.company_name),
            plan,
        );
        let (categories, category) =
            merged_labels((&self.categories, &self.category), (&fresh.categories, &fresh.category), plan);
        let (kinds, kind) = merged_labels((&self.kinds, &self.kind), (&fresh.kinds, &fresh.kind), plan);
        let (mut links, carried) = match plan.keeps_all(self.len()) {
            true => self.links.carried_whole(),
            false => self.links.carried(plan.kept(&self.link)),
        };
        let new_rows: Vec<u32> = (0..fresh.len() as u32).collect();
        let link = plan.column(
            (&self.link, |link| carried.link(link)),
            (&new_rows, |row| links.encode(&fresh.url(row), fresh.protocol(row))),
        );
        links.seal();
        Ok(Self {
            days: plan.copied(&self.days, &fresh.days),
            numbers: plan.copied(&self.numbers, &fresh.numbers),
            hashed: plan.copied(&self.hashed, &fresh.hashed),
            companies: plan.copied(&self.companies, &fresh.companies),
            company_name,
            category,
            kind,
            reference: plan.copied(&self.reference, &fresh.reference),
            version: plan.copied(&self.version, &fresh.version),
            first_seen: self.first_seen.merged(&fresh.first_seen, plan),
            link,
            descriptions: self.descriptions.merged(&fresh.descriptions, plan)?,
            company_names,
            categories,
            kinds,
            links,
        })
    }
}

/// The labels of the merged rows, and the number of each row's label. A label that loses its last row is dropped.
fn merged_labels(
    (old_labels, old): (&Interner, &[u32]),
    (fresh_labels, fresh): (&Interner, &[u32]),
    plan: &MergePlan,
) -> (Interner, Vec<u32>) {
    let mut labels = Interner::default();
    let old_numbers = match plan.keeps_all(old.len()) {
        true => labels.take_over_all(old_labels),
        false => labels.take_over(old_labels, plan.kept(old)),
    };
    let fresh_numbers = labels.take_over(fresh_labels, fresh.iter());
    labels.seal();
    // A row without a label stays without one.
    let renumbered = |numbers: &[u32], label: u32| numbers.get(label as usize).copied().unwrap_or(NO_TEXT);
    let column = plan.column(
        (old, |label| renumbered(&old_numbers, label)),
        (fresh, |label| renumbered(&fresh_numbers, label)),
    );
    (labels, column)
}
