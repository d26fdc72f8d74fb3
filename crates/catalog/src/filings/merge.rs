//! Filings that changed, merged with those that did not.
//!
//! The unchanged ones keep their order, so that what was made of them is carried over in long stretches: no text is cut
//! into words again, and the texts themselves are shared with the part that came before. The outcome answers as one
//! that was built of all rows.

use lastro_model::Filing;

use super::columns::{Columns, NO_TEXT};
use super::ids::IdTable;
use super::interner::Interner;
use super::{Filings, FilingsBuilder, keys};
use crate::BuildError;
use crate::moves::Moves;
use crate::postings::Postings;

impl Filings {
    /// The same filings but for these, which are new or take the place of those with their ids.
    pub fn with_changes(&self, changed: &[Filing]) -> Result<Self, BuildError> {
        let mut fresh = FilingsBuilder::with_capacity(changed.len());
        changed.iter().for_each(|filing| fresh.push(filing.clone()));
        self.merged(&fresh.finish()?)
    }

    fn merged(&self, fresh: &Self) -> Result<Self, BuildError> {
        let moves = self.moves_for(fresh);
        let columns = self.columns.merged(&fresh.columns, &moves)?;
        let index = self.index.merged(&fresh.index, &moves)?;
        let category_groups = self.category_groups.with(&columns.categories, &columns.category);
        let arrived = Postings::build(fresh.len() as u32, |arrival| {
            let position = moves.arrival(arrival);
            keys(columns.company(position), category_groups.group_of(columns.category(position)))
        });
        let lists = self.lists.merged(&arrived, &moves);
        let ids = IdTable::of(columns.len() as u32, |row| columns.id(row));
        Ok(Self { columns, ids, category_groups, lists, index })
    }

    /// The filings that others take the place of leave; the others arrive where their day and id belong.
    fn moves_for(&self, fresh: &Self) -> Moves {
        let fresh_rows = 0..fresh.len() as u32;
        let mut leaving: Vec<u32> =
            fresh_rows.clone().filter_map(|row| self.position(fresh.columns.id(row))).collect();
        leaving.sort_unstable();
        let place = |row| self.columns.first_not_before(fresh.columns.rank(row));
        Moves::new(self.len() as u32, &leaving, &fresh_rows.map(place).collect::<Vec<u32>>())
    }
}

impl Columns {
    fn merged(&self, fresh: &Self, moves: &Moves) -> Result<Self, BuildError> {
        let (company_names, company_name) = merged_labels(
            (&self.company_names, &self.company_name),
            (&fresh.company_names, &fresh.company_name),
            moves,
        );
        let (categories, category) =
            merged_labels((&self.categories, &self.category), (&fresh.categories, &fresh.category), moves);
        let (kinds, kind) = merged_labels((&self.kinds, &self.kind), (&fresh.kinds, &fresh.kind), moves);
        let (mut links, carried) = self.links.carried(moves.kept(&self.link));
        let arriving: Vec<u32> = (0..fresh.len() as u32).collect();
        let link = moves.column(
            (&self.link, |link| carried.link(link)),
            (&arriving, |row| links.encode(&fresh.url(row), fresh.own(row))),
        );
        links.seal();
        Ok(Self {
            days: moves.copied(&self.days, &fresh.days),
            numbers: moves.copied(&self.numbers, &fresh.numbers),
            hashed: moves.copied(&self.hashed, &fresh.hashed),
            companies: moves.copied(&self.companies, &fresh.companies),
            company_name,
            category,
            kind,
            reference: moves.copied(&self.reference, &fresh.reference),
            version: moves.copied(&self.version, &fresh.version),
            link,
            descriptions: self.descriptions.merged(&fresh.descriptions, moves)?,
            company_names,
            categories,
            kinds,
            links,
        })
    }
}

/// The labels that rows still bear, and which each row bears. No label outlives its last row.
fn merged_labels(
    (old_labels, old): (&Interner, &[u32]),
    (fresh_labels, fresh): (&Interner, &[u32]),
    moves: &Moves,
) -> (Interner, Vec<u32>) {
    let mut labels = Interner::default();
    let stays = labels.take_over(old_labels, moves.kept(old));
    let arrives = labels.take_over(fresh_labels, fresh.iter());
    labels.seal();
    // What stands for no label is no number of one and stays as it is.
    let renumbered = |numbers: &[u32], label: u32| numbers.get(label as usize).copied().unwrap_or(NO_TEXT);
    let column =
        moves.column((old, |label| renumbered(&stays, label)), (fresh, |label| renumbered(&arrives, label)));
    (labels, column)
}
