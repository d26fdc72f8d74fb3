//! The units in which a series can be shown, and which of them its kind allows: a percentage change of a rate is
//! meaningless, and so is a sum of stocks.

use lastro_model::{About, Frequency, Kind, Unit, api_words};

use crate::periods::{Aggregation, Period};

api_words! {
    /// The unit of the shown values. The first seven have the widely known names of the Federal Reserve Bank of St.
    /// Louis.
    Units {
        /// As published.
        Lin = "lin",
        /// Difference from the previous value.
        Chg = "chg",
        /// Difference from the value a year before.
        Ch1 = "ch1",
        /// Percent change from the previous value.
        Pch = "pch",
        /// Percent change from the value a year before.
        Pc1 = "pc1",
        /// Percent change from the previous value, annualised.
        Pca = "pca",
        /// Natural logarithm.
        Log = "log",
        /// Chained over twelve months.
        Acc12 = "acc12",
        /// Chained since January.
        Ytd = "ytd",
        /// Chained since the first requested day.
        Acc = "acc",
        /// 100 on the base day, and in proportion on all others.
        Index = "index",
    }
}

impl Units {
    /// The units allowed for a series, in the order above.
    pub fn legal(about: &About) -> Vec<Self> {
        Self::ALL.into_iter().filter(|units| units.fault(about, None).is_none()).collect()
    }

    /// The reason why these units are not allowed for the series, with the allowed ones; `None` if they are.
    pub fn refusal(self, about: &About) -> Option<String> {
        self.refusal_after(about, None)
    }

    /// The same for values that were aggregated first.
    pub fn refusal_after(self, about: &About, period: Option<(Period, Aggregation)>) -> Option<String> {
        let fault = self.fault(about, period)?;
        let legal = Self::ALL.into_iter().filter(|units| units.fault(about, period).is_none());
        let legal: Vec<&str> = legal.map(Self::id).collect();
        Some(format!("`units={}` is not possible: {fault}; possible are {}", self.id(), legal.join(", ")))
    }

    fn fault(self, about: &About, period: Option<(Period, Aggregation)>) -> Option<&'static str> {
        match self {
            Self::Lin => None,
            _ if about.overlaps() => Some(OVERLAPPING),
            Self::Chg | Self::Ch1 => (about.kind == Kind::SimpleRatePerMonth)
                .then_some("the values are rates that are added up, and their differences say nothing"),
            Self::Pch | Self::Pc1 => not_in_proportion(about),
            Self::Pca => not_in_proportion(about).or_else(|| {
                (about.frequency == Frequency::CalendarDays && period.is_none())
                    .then_some("a year has no fixed number of such days")
            }),
            Self::Log => (!is_level(about.kind))
                .then_some("logarithms are taken of index numbers, prices and stocks only"),
            Self::Acc12 => not_chained(about, period).or_else(|| not_monthly(about, period)),
            Self::Ytd => not_chained(about, period).or_else(|| {
                matches!(period, Some((Period::Quarterly | Period::Yearly, _)))
                    .then_some("it is chained from months or days")
            }),
            Self::Acc => not_chained(about, period),
            Self::Index if is_level(about.kind) => None,
            Self::Index => not_chained(about, period),
        }
    }
}

/// The reason why values that overlap are neither chained nor compared with their neighbours.
pub(crate) const OVERLAPPING: &str =
    "each value is the return of the month that begins on its day, and they overlap";

/// Whether values of this kind are positive with meaningful proportions.
pub(crate) fn is_level(kind: Kind) -> bool {
    matches!(kind, Kind::Index | Kind::Price | Kind::Stock)
}

fn not_in_proportion(about: &About) -> Option<&'static str> {
    (!is_level(about.kind) && about.kind != Kind::Flow)
        .then_some("the values are percentages themselves, and a percentage of a percentage misleads")
}

fn not_chained(about: &About, period: Option<(Period, Aggregation)>) -> Option<&'static str> {
    let compounds = matches!(about.kind, Kind::RatePerMonth | Kind::RatePerDay);
    match period {
        _ if !compounds => Some("the values are not rates that compound from one period to the next"),
        _ if !about.chains => {
            Some("the values are rounded sums of days, and chaining them adds up the rounding")
        }
        Some((_, aggregation)) if aggregation != Aggregation::Chain => {
            Some("what is not aggregated by `chain` cannot be chained any further")
        }
        _ => None,
    }
}

fn not_monthly(about: &About, period: Option<(Period, Aggregation)>) -> Option<&'static str> {
    let months = match period {
        Some((period, _)) => period == Period::Monthly,
        None => about.frequency == Frequency::Months,
    };
    (!months).then_some("it is chained from months; `frequency=monthly` makes them of days")
}

/// The unit of the shown values: one of the `model` crate's, `percentage_points` or `natural_logarithm`.
pub fn shown_unit(about: &About, units: Units, period: Option<(Period, Aggregation)>) -> &'static str {
    match units {
        Units::Lin => aggregated_unit(about, period),
        Units::Chg | Units::Ch1 if is_percentage(about.unit) => "percentage_points",
        Units::Chg | Units::Ch1 => about.unit.id(),
        Units::Pch | Units::Pc1 | Units::Acc12 | Units::Ytd | Units::Acc => Unit::Percent.id(),
        Units::Pca => Unit::PercentPerYear.id(),
        Units::Log => "natural_logarithm",
        Units::Index => Unit::Index.id(),
    }
}

fn is_percentage(unit: Unit) -> bool {
    match unit {
        Unit::PercentPerYear
        | Unit::PercentPerMonth
        | Unit::PercentPerDay
        | Unit::Percent
        | Unit::PercentOfGdp => true,
        Unit::Index | Unit::Brl | Unit::BrlThousand | Unit::BrlMillion | Unit::UsdMillion => false,
    }
}

/// The unit after aggregation. A mean or last value keeps the unit of its rows. Rates compounded or summed over a
/// period are in percent, and per month only if the period is a month.
fn aggregated_unit(about: &About, period: Option<(Period, Aggregation)>) -> &'static str {
    match period {
        Some((Period::Monthly, Aggregation::Chain)) => Unit::PercentPerMonth.id(),
        Some((_, Aggregation::Chain)) => Unit::Percent.id(),
        Some((_, Aggregation::Sum)) if is_percentage(about.unit) => Unit::Percent.id(),
        _ => about.unit.id(),
    }
}
