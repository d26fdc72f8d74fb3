//! The table of series: the only place that lists them.

use jiff::civil::date;

use super::{About, Frequency, Kind};

/// Makes the enumeration, its list and the look-up of the rows, so that a series is written down once.
macro_rules! series {
    ($($(#[$doc:meta])* $variant:ident = $id:literal { $($column:ident: $value:expr),* $(,)? })*) => {
        /// A series of the central bank: one row of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Series {
            $($(#[$doc])* $variant),*
        }

        impl Series {
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$variant),*];

            /// What there is to say of the series.
            pub const fn about(self) -> &'static About {
                &ROWS[self as usize]
            }
        }

        static ROWS: [About; Series::ALL.len()] = [
            $(About { id: $id, updated_event: concat!($id, ".updated"), $($column: $value),* }),*
        ];
    };
}

series! {
    Selic = "selic" {
        code: 432,
        label: "Selic",
        name: "Selic target set by Copom",
        name_pt: "Meta da taxa Selic definida pelo Copom",
        unit: "% a year",
        kind: Kind::RatePerYear,
        frequency: Frequency::CalendarDays,
        first_day: date(1999, 3, 5),
        decimals: 2,
        served: true,
    }
    Cdi = "cdi" {
        code: 4389,
        label: "CDI",
        name: "Interbank deposits, annualised on 252 days",
        name_pt: "Taxa de juros CDI anualizada base 252",
        unit: "% a year",
        kind: Kind::RatePerYear,
        frequency: Frequency::BusinessDays,
        first_day: date(1986, 3, 6),
        decimals: 2,
        served: true,
    }
    Ipca = "ipca" {
        code: 433,
        label: "IPCA",
        name: "Consumer prices, change in the month",
        name_pt: "Índice nacional de preços ao consumidor amplo, variação no mês",
        unit: "% a month",
        kind: Kind::RatePerMonth,
        frequency: Frequency::Months,
        first_day: date(1980, 1, 1),
        decimals: 2,
        served: true,
    }
}
