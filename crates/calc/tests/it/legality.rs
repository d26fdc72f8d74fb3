//! Units and aggregations allowed for each series.

use lastro_calc::{Aggregation, Asked, Period, Units, derive, shown_unit};
use lastro_model::{Frequency, Kind, Series};

use crate::{about, aggregated, asked};

fn legal(id: &str) -> String {
    let words: Vec<&str> = Units::legal(about(id)).into_iter().map(Units::id).collect();
    words.join(" ")
}

fn aggregations(id: &str) -> String {
    let words: Vec<&str> = Aggregation::legal(about(id)).into_iter().map(Aggregation::id).collect();
    words.join(" ")
}

#[test]
fn the_kind_decides_which_units_are_legal() {
    for (id, units) in [
        ("ipca", "lin chg ch1 acc12 ytd acc index"),
        ("selic-daily", "lin chg ch1 ytd acc index"),
        ("selic-month", "lin chg ch1"),
        ("cdi-month", "lin chg ch1"),
        ("legal-rate", "lin"),
        ("selic", "lin chg ch1"),
        ("cdi", "lin chg ch1"),
        ("ipca-12m", "lin chg ch1"),
        ("unemployment", "lin chg ch1"),
        ("inflation-target", "lin chg ch1"),
        ("ibc-br", "lin chg ch1 pch pc1 pca log index"),
        ("reserves", "lin chg ch1 pch pc1 pca log index"),
        ("minimum-wage", "lin chg ch1 pch pc1 pca log index"),
        ("gdp-month", "lin chg ch1 pch pc1 pca"),
    ] {
        assert_eq!(legal(id), units, "{id}");
    }
}

#[test]
fn the_kind_decides_how_periods_are_made() {
    for (id, legal, default) in [
        ("ipca", "end chain", "chain"),
        ("selic-daily", "end chain", "chain"),
        ("selic-month", "end", "end"),
        ("legal-rate", "sum end", "sum"),
        ("cdi", "mean end", "mean"),
        ("ipca-12m", "end", "end"),
        ("unemployment", "mean end", "mean"),
        ("ibc-br", "mean end", "mean"),
        ("usd-month-end", "mean end", "mean"),
        ("reserves", "mean end", "end"),
        ("gdp-month", "mean sum", "sum"),
    ] {
        assert_eq!(
            (aggregations(id).as_str(), Aggregation::default_for(about(id)).id()),
            (legal, default),
            "{id}"
        );
    }
}

#[test]
fn the_default_is_legal_for_every_series() {
    for series in Series::ALL {
        let default = Aggregation::default_for(series.about());
        assert_eq!(default.refusal(series.about()), None, "{series:?}");
    }
}

#[test]
fn a_refusal_says_why_and_what_is_possible() {
    assert_eq!(
        Units::Pch.refusal(about("ipca")).unwrap(),
        "`units=pch` is not possible: the values are percentages themselves, and a percentage of a percentage misleads; \
         possible are lin, chg, ch1, acc12, ytd, acc, index"
    );
    assert_eq!(
        Aggregation::Sum.refusal(about("reserves")).unwrap(),
        "`aggregation=sum` is not possible: only flows and simple rates are added up; possible are mean, end"
    );
    assert!(Units::Acc12.refusal(about("cdi-month")).unwrap().contains("rounded sums of days"));
    assert!(Units::Acc12.refusal(about("selic-daily")).unwrap().contains("frequency=monthly"));
    assert!(Period::Monthly.refusal(about("ipca")).unwrap().contains("the series is monthly"));
    assert!(Period::Yearly.refusal(about("inflation-target")).unwrap().ends_with("possible: none"));
    assert_eq!(Period::Quarterly.refusal(about("ipca")), None);
}

#[test]
fn refused_units_are_not_computed() {
    for series in Series::ALL {
        for units in Units::ALL {
            let refused = units.refusal(series.about()).is_some();
            assert_eq!(derive(series.about(), &[], &asked(units)).is_err(), refused, "{series:?} {units:?}");
            assert_eq!(Units::legal(series.about()).contains(&units), !refused);
        }
    }
}

#[test]
fn units_are_judged_after_aggregation() {
    let refused = |id: &str, asked: Asked| asked.refusal(about(id)).is_some();
    assert!(!refused("selic-daily", aggregated(Units::Acc12, Period::Monthly, Aggregation::Chain)));
    assert!(refused("selic-daily", aggregated(Units::Acc12, Period::Yearly, Aggregation::Chain)));
    assert!(refused("selic-daily", aggregated(Units::Acc12, Period::Monthly, Aggregation::End)));
    assert!(refused("ipca", aggregated(Units::Acc, Period::Yearly, Aggregation::End)));
    assert!(refused("ipca", aggregated(Units::Ytd, Period::Quarterly, Aggregation::Chain)));
    assert!(!refused("ipca", aggregated(Units::Index, Period::Yearly, Aggregation::Chain)));
    assert!(refused("ipca", aggregated(Units::Lin, Period::Yearly, Aggregation::Mean)));
    assert!(refused("ipca", aggregated(Units::Lin, Period::Monthly, Aggregation::Chain)));
    assert!(!refused("reserves", aggregated(Units::Pca, Period::Yearly, Aggregation::Mean)));
}

#[test]
fn unit_matches_the_shown_values() {
    let unit = |id: &str, units| shown_unit(about(id), units, None);
    assert_eq!(unit("ipca", Units::Lin), "percent_per_month");
    assert_eq!(unit("ipca", Units::Chg), "percentage_points");
    assert_eq!(unit("gross-debt", Units::Ch1), "percentage_points");
    assert_eq!(unit("reserves", Units::Chg), "usd_million");
    assert_eq!(unit("ibc-br", Units::Chg), "index");
    assert_eq!(unit("ipca", Units::Acc12), "percent");
    assert_eq!(unit("reserves", Units::Pca), "percent_per_year");
    assert_eq!(unit("reserves", Units::Index), "index");
    assert_eq!(unit("reserves", Units::Log), "natural_logarithm");
    let period =
        |id: &str, period, aggregation| shown_unit(about(id), Units::Lin, Some((period, aggregation)));
    assert_eq!(period("selic-daily", Period::Monthly, Aggregation::Chain), "percent_per_month");
    assert_eq!(period("ipca", Period::Yearly, Aggregation::Chain), "percent");
    assert_eq!(period("legal-rate", Period::Yearly, Aggregation::Sum), "percent");
    assert_eq!(period("ipca", Period::Yearly, Aggregation::End), "percent_per_month");
    assert_eq!(period("gdp-month", Period::Yearly, Aggregation::Sum), "brl_million");
    assert_eq!(period("selic", Period::Yearly, Aggregation::Mean), "percent_per_year");
}

#[test]
fn words_round_trip() {
    assert!(Units::ALL.into_iter().all(|units| Units::parse(units.id()) == Some(units)));
    assert_eq!((Units::parse("LIN"), Units::parse("")), (None, None));
    // The rules rely on this: no level and no compounding rate is published on calendar days.
    let daily = |series: &Series| series.about().frequency == Frequency::CalendarDays;
    assert!(
        Series::ALL
            .iter()
            .filter(|series| daily(series))
            .all(|series| series.about().kind == Kind::RatePerYear || series.about().overlaps())
    );
}

#[test]
fn returns_that_overlap_are_shown_only_as_published() {
    for id in ["savings-daily", "savings-old-daily", "tr-daily"] {
        assert_eq!(Units::legal(about(id)), [Units::Lin], "{id}");
        assert_eq!(Aggregation::legal(about(id)), [Aggregation::End], "{id}");
        assert_eq!(Aggregation::default_for(about(id)), Aggregation::End, "{id}");
        assert!(!about(id).grows_by_day(), "{id}");
    }
}
