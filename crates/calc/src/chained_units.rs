//! Chained compounding rates: over a period, over twelve months, since January, since a day, or as an index. Nothing
//! is chained across a missing period.

use std::ops::Range;

use lastro_model::{About, Day, Decimal, RatePoint};

use crate::asked::{Asked, Derived, base_place, year_before};
use crate::periods::{Group, Rhythm, groups};
use crate::product::{Factor, Product};
use crate::units::Units;

pub(crate) fn derive(about: &About, rows: &[RatePoint], asked: &Asked) -> Result<Vec<Derived>, String> {
    let chain = Chain::new(about, rows, asked);
    Ok(match asked.units {
        Units::Acc12 => chain.twelve_months(),
        Units::Ytd => chain.since_january(),
        Units::Acc => chain.since(asked.start),
        Units::Index => base_place(asked, &chain.days)?.map(|base| chain.index(base)).unwrap_or_default(),
        Units::Chg => chain.differences(|place| chain.place_before(place)),
        Units::Ch1 => chain.differences(|place| year_before(chain.days[place], &chain.days, false)),
        _ => chain.each(),
    })
}

/// The rows as factors, and the groups to show: single rows, or the periods made of them.
struct Chain<'a> {
    rows: &'a [RatePoint],
    factors: Vec<Option<Factor>>,
    /// Run numbers: rows with the same number follow one another without a gap.
    runs: Vec<u32>,
    groups: Vec<Group>,
    days: Vec<Day>,
    /// The spacing of the rows, and that of the groups.
    rhythm: Rhythm,
    shown: Rhythm,
}

impl<'a> Chain<'a> {
    fn new(about: &About, rows: &'a [RatePoint], asked: &Asked) -> Self {
        let rhythm = Rhythm::of(about, None);
        let factors: Vec<Option<Factor>> = rows.iter().map(|row| Factor::of_percent(row.value)).collect();
        let alone = |(place, row): (usize, &RatePoint)| Group { day: row.day, rows: place..place + 1 };
        let groups = match asked.period {
            Some((period, _)) => groups(rhythm, rows, period, true),
            None => rows.iter().enumerate().map(alone).collect(),
        };
        let days = groups.iter().map(|group| group.day).collect();
        let shown = Rhythm::of(about, asked.period.map(|(period, _)| period));
        Self { rows, runs: runs(rhythm, rows, &factors), factors, groups, days, rhythm, shown }
    }

    /// The chained rate of each period.
    fn each(&self) -> Vec<Derived> {
        let whole = self.groups.iter().filter(|group| self.is_unbroken(&group.rows));
        whole
            .filter_map(|group| self.derived(group, group.rows.start, self.product(&group.rows).percent()))
            .collect()
    }

    /// Chains every twelve months as the end of one block of twelve joined to the beginning of the next.
    fn twelve_months(&self) -> Vec<Derived> {
        let mut derived = Vec::with_capacity(self.groups.len());
        let mut ends: Vec<Product<'_>> = Vec::new();
        for block in self.groups.chunks(12) {
            let mut beginning = Product::before(&self.factors, block[0].rows.start);
            for (place, group) in block.iter().enumerate() {
                beginning.extend_to(group.rows.end);
                let product = match ends.get(place + 1) {
                    Some(end) => end.joined(&beginning),
                    None if place == 11 => beginning.clone(),
                    None => continue,
                };
                // Twelve rows in one run are twelve consecutive months.
                if self.is_unbroken(product.range()) {
                    derived.extend(self.derived(group, product.range().start, product.percent()));
                }
            }
            ends = self.ends(block);
        }
        derived
    }

    /// The products from each group of a block to the end of the block.
    fn ends(&self, block: &[Group]) -> Vec<Product<'_>> {
        let mut product = Product::before(&self.factors, block[block.len() - 1].rows.end);
        let down_to = |group: &Group| {
            product.extend_back_to(group.rows.start);
            product.clone()
        };
        let mut ends: Vec<Product<'_>> = block.iter().rev().map(down_to).collect();
        ends.reverse();
        ends
    }

    fn since_january(&self) -> Vec<Derived> {
        let mut derived = Vec::with_capacity(self.groups.len());
        for year in self.groups.chunk_by(|a, b| a.day.year() == b.day.year()) {
            let start = year[0].rows.start;
            if self.begins_a_year(start) {
                self.accumulate(start, year, &mut derived);
            }
        }
        derived
    }

    fn since(&self, start: Option<Day>) -> Vec<Derived> {
        let first = self.days.partition_point(|day| start.is_some_and(|start| *day < start));
        let mut derived = Vec::with_capacity(self.groups.len() - first);
        if let Some(group) = self.groups.get(first) {
            self.accumulate(group.rows.start, &self.groups[first..], &mut derived);
        }
        derived
    }

    /// Appends the product from `start` to the end of each group, up to the first gap.
    fn accumulate(&self, start: usize, groups: &[Group], derived: &mut Vec<Derived>) {
        let mut product = Product::before(&self.factors, start);
        for group in groups.iter().take_while(|group| self.is_unbroken(&(start..group.rows.end))) {
            product.extend_to(group.rows.end);
            derived.extend(self.derived(group, start, product.percent()));
        }
    }

    /// The index with 100 at group `base`, in both directions up to the first gap.
    fn index(&self, base: usize) -> Vec<Derived> {
        let (middle, since) = (self.groups[base].rows.end, self.groups[base].rows.start);
        let same_run = |group: &&Group| self.runs[group.rows.end - 1] == self.runs[middle - 1];
        let mut derived = Vec::with_capacity(self.groups.len());
        let mut product = Product::before(&self.factors, middle);
        for group in self.groups[..base].iter().rev().take_while(same_run) {
            product.extend_back_to(group.rows.end);
            derived.extend(self.derived(group, group.rows.start, product.inverse_index()));
        }
        derived.reverse();
        let mut product = Product::before(&self.factors, middle);
        for group in self.groups[base..].iter().take_while(same_run) {
            product.extend_to(group.rows.end);
            derived.extend(self.derived(group, since, product.index()));
        }
        derived
    }

    /// Differences between the rate of one period and that of another, in percentage points with six decimals.
    fn differences(&self, other: impl Fn(usize) -> Option<usize>) -> Vec<Derived> {
        let mut derived = Vec::new();
        for (place, group) in self.groups.iter().enumerate() {
            let Some(then) = other(place).map(|place| &self.groups[place]) else { continue };
            if self.is_unbroken(&group.rows) && self.is_unbroken(&then.rows) {
                let difference = || {
                    let now = self.product(&group.rows).exact()?;
                    now.minus(&self.product(&then.rows).exact()?)?.percent()
                };
                derived.extend(self.derived(group, then.rows.start, difference()));
            }
        }
        derived
    }

    fn place_before(&self, place: usize) -> Option<usize> {
        place.checked_sub(1).filter(|before| self.shown.follows(self.days[*before], self.days[place]))
    }

    /// Whether the row is the first of its year: by the calendar, or because it follows a row of the previous year.
    fn begins_a_year(&self, place: usize) -> bool {
        let day = self.rows[place].day;
        let january = Day::from_ymd(day.year(), 1, 1).unwrap_or(day);
        let follows_another_year =
            || place > 0 && self.rows[place - 1].day < january && self.runs[place - 1] == self.runs[place];
        self.rhythm.first_row(january).map_or_else(follows_another_year, |first| day <= first)
    }

    fn is_unbroken(&self, range: &Range<usize>) -> bool {
        self.factors[range.start].is_some() && self.runs[range.start] == self.runs[range.end - 1]
    }

    fn product(&self, range: &Range<usize>) -> Product<'_> {
        let mut product = Product::before(&self.factors, range.start);
        product.extend_to(range.end);
        product
    }

    fn derived(&self, group: &Group, start: usize, value: Option<Decimal>) -> Option<Derived> {
        value.map(|value| Derived { day: group.day, value, since: self.rows[start].day })
    }
}

/// Numbers the rows by chainable run: a row without a factor, or after a gap, starts a new run.
fn runs(rhythm: Rhythm, rows: &[RatePoint], factors: &[Option<Factor>]) -> Vec<u32> {
    let mut run = 0;
    let mut runs = Vec::with_capacity(rows.len());
    for (place, factor) in factors.iter().enumerate() {
        let follows = place > 0 && rhythm.follows(rows[place - 1].day, rows[place].day);
        run += u32::from(!follows || factor.is_none());
        runs.push(run);
    }
    runs
}
