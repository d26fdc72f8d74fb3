//! The table of series: the only place that lists them.

use jiff::civil::{Date, date};

use super::Frequency::{BusinessDays, CalendarDays, Months, Years};
use super::Kind::{
    Change12Months, Flow, Index, Price, RatePerDay, RatePerMonth, RatePerYear, Share, SimpleRatePerMonth,
    Stock,
};
use super::Topic::{
    Activity, Credit, ExchangeRates, ExternalSector, InterestRates, Labour, Money, Prices, PublicFinance,
};
use super::{About, Frequency, Kind, Topic, Unit};

/// Defines the enumeration, its list and the row lookup, so that each series is written once.
macro_rules! series {
    ($($variant:ident = $row:expr;)*) => {
        /// A series of the central bank: one row of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Series {
            $($variant),*
        }

        impl Series {
            /// All series in the order of a first synchronisation: the most used first.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            /// The description of the series.
            pub const fn about(self) -> &'static About {
                &ROWS[self as usize]
            }
        }

        static ROWS: [About; Series::ALL.len()] = [$($row),*];
    };
}

const fn row(
    id: &'static str,
    code: u32,
    label: &'static str,
    topic: Topic,
    kind: Kind,
    unit: Unit,
) -> About {
    About {
        id,
        code,
        label,
        name: "",
        name_pt: "",
        topic,
        unit,
        kind,
        frequency: Months,
        first_day: date(1980, 1, 1),
        decimals: 2,
        lag_days: 0,
        chains: matches!(kind, RatePerMonth | RatePerDay),
        seasonally_adjusted: false,
        revised: false,
        updated_event: None,
    }
}

/// A monthly change of prices.
const fn prices(id: &'static str, code: u32, label: &'static str) -> About {
    row(id, code, label, Prices, RatePerMonth, Unit::PercentPerMonth)
}

/// The IPCA or a part of it, published about the tenth of the next month.
const fn ipca(id: &'static str, code: u32, label: &'static str) -> About {
    prices(id, code, label).after(39)
}

/// An interest rate, by its kind.
const fn interest(id: &'static str, code: u32, label: &'static str, kind: Kind) -> About {
    let unit = match kind {
        RatePerDay => Unit::PercentPerDay,
        RatePerYear => Unit::PercentPerYear,
        _ => Unit::PercentPerMonth,
    };
    row(id, code, label, InterestRates, kind, unit)
}

impl About {
    const fn named(self, name: &'static str, name_pt: &'static str) -> Self {
        Self { name, name_pt, ..self }
    }

    const fn every(self, frequency: Frequency, first_day: Date) -> Self {
        Self { frequency, first_day, ..self }
    }

    /// Makes the series monthly, with its first month.
    const fn since(self, year: i16, month: i8) -> Self {
        self.every(Months, date(year, month, 1))
    }

    const fn after(self, lag_days: i32) -> Self {
        Self { lag_days, ..self }
    }

    const fn decimals(self, decimals: u32) -> Self {
        Self { decimals, ..self }
    }

    const fn revised(self) -> Self {
        Self { revised: true, ..self }
    }

    const fn seasonally_adjusted(self) -> Self {
        Self { seasonally_adjusted: true, ..self }
    }

    const fn never_chained(self) -> Self {
        Self { chains: false, ..self }
    }

    const fn announced_as(self, event: &'static str) -> Self {
        Self { updated_event: Some(event), ..self }
    }
}

#[rustfmt::skip]
series! {
    Selic = interest("selic", 432, "Selic", RatePerYear).every(CalendarDays, date(1999, 3, 5))
        .announced_as("selic.updated")
        .named("Selic target set by Copom", "Taxa de juros – Meta Selic definida pelo Copom");
    Cdi = interest("cdi", 4389, "CDI", RatePerYear).every(BusinessDays, date(1986, 3, 6)).after(1)
        .announced_as("cdi.updated")
        .named("Interbank deposits, annualised on 252 days", "Taxa de juros – CDI anualizada base 252");
    Ipca = ipca("ipca", 433, "IPCA").since(1980, 1)
        .announced_as("ipca.updated")
        .named("Consumer prices, change in the month", "Índice nacional de preços ao consumidor – amplo (IPCA)");
    SelicDaily = interest("selic-daily", 11, "Selic, daily", RatePerDay).every(BusinessDays, date(1986, 6, 4)).after(1).decimals(6)
        .named("Selic rate in effect, per day", "Taxa de juros – Selic");
    SelicOver = interest("selic-over", 1178, "Selic over", RatePerYear).every(BusinessDays, date(1986, 6, 4)).after(1)
        .named("Selic rate in effect, annualised on 252 days", "Taxa de juros – Selic anualizada base 252");
    CdiDaily = interest("cdi-daily", 12, "CDI, daily", RatePerDay).every(BusinessDays, date(1986, 3, 6)).after(1).decimals(6)
        .named("Interbank deposits, per day", "Taxa de juros – CDI");
    Inpc = prices("inpc", 188, "INPC").since(1979, 4).after(39)
        .named("Consumer prices of households with low incomes, change in the month", "Índice nacional de preços ao consumidor (INPC)");
    Igpm = prices("igpm", 189, "IGP-M").since(1989, 6).after(28)
        .named("General market prices as announced, change in the month", "Índice geral de preços do mercado (IGP-M)");
    IgpmExact = prices("igpm-exact", 28655, "IGP-M, exact").since(1989, 6).after(28).decimals(10)
        .named("General market prices consistent with their index number, change in the month", "Índice geral de preços do mercado (IGP-M) – consistente com o número-índice");
    Ipca12m = row("ipca-12m", 13522, "IPCA, 12 months", Prices, Change12Months, Unit::Percent).since(1980, 12).after(39)
        .named("Consumer prices, change over 12 months", "Índice nacional de preços ao consumidor – amplo (IPCA) – em 12 meses");
    Ipca15 = prices("ipca-15", 7478, "IPCA-15").since(2000, 5).after(24)
        .named("Consumer prices to the middle of the month, change in the month", "Índice nacional de preços ao consumidor – amplo – 15 (IPCA-15)");
    IpcaE = prices("ipca-e", 10764, "IPCA-E").since(1992, 1).after(24)
        .named("Consumer prices, special series, change in the month", "Índice nacional de preços ao consumidor – amplo especial (IPCA-E)");
    SelicMonth = interest("selic-month", 4390, "Selic, month", RatePerMonth).since(1986, 6).after(1).never_chained()
        .named("Selic rate in effect, accumulated in the month", "Taxa de juros – Selic acumulada no mês");
    CdiMonth = interest("cdi-month", 4391, "CDI, month", RatePerMonth).since(1986, 3).after(1).never_chained()
        .named("Interbank deposits, accumulated in the month", "Taxa de juros – CDI acumulada no mês");
    Tr = interest("tr", 7811, "TR", RatePerMonth).since(1991, 2).after(1).decimals(4)
        .named("Reference rate of the first day of the month", "Taxa referencial (TR) – primeiro dia do mês");
    LegalRate = interest("legal-rate", 29543, "Taxa Legal", SimpleRatePerMonth).since(2024, 8).decimals(6)
        .named("Legal interest (Law 14,905 of 2024), simple", "Taxa legal (Lei 14.905/2024)");
    Savings = interest("savings", 7828, "Poupança", RatePerMonth).since(2012, 5).after(1).decimals(4)
        .named("Savings deposits made from May 2012 on, return in the month from its first day", "Depósitos de poupança a partir de 04.05.2012 – rentabilidade no 1º dia do mês");
    SavingsDaily = interest("savings-daily", 195, "Poupança, daily", RatePerMonth).every(CalendarDays, date(2012, 5, 4)).after(4).decimals(4).never_chained()
        .named("Savings deposits made from May 2012 on, return of the month that begins on the day", "Depósitos de poupança a partir de 04.05.2012 – rentabilidade no período");
    SavingsOldDaily = interest("savings-old-daily", 25, "Poupança until 2012, daily", RatePerMonth).every(CalendarDays, date(1991, 2, 1)).after(4).decimals(4).never_chained()
        .named("Savings deposits made until 3 May 2012, return of the month that begins on the day", "Depósitos de poupança até 03.05.2012 – rentabilidade no período");
    TrDaily = interest("tr-daily", 226, "TR, daily", RatePerMonth).every(CalendarDays, date(1991, 2, 1)).after(4).decimals(4).never_chained()
        .named("Reference rate of the month that begins on the day", "Taxa referencial (TR)");
    Tjlp = interest("tjlp", 256, "TJLP", RatePerYear).since(1994, 12)
        .named("Long-term interest rate", "Taxa de juros de longo prazo (TJLP)");
    TlpJ = interest("tlp-j", 27572, "TLP, J", RatePerYear).since(2018, 1)
        .named("Long-term rate, its fixed part J (the rate is IPCA and J)", "Taxa de longo prazo (TLP) – taxa de juros prefixada J");
    Igpdi = prices("igpdi", 190, "IGP-DI").since(1944, 2).after(36)
        .named("General prices, domestic availability, change in the month", "Índice geral de preços – disponibilidade interna (IGP-DI)");
    Igp10 = prices("igp10", 7447, "IGP-10").since(1994, 9).after(15)
        .named("General prices to the tenth of the month, change in the month", "Índice geral de preços – 10 (IGP-10)");
    IpcBr = prices("ipc-br", 191, "IPC-Br").since(1990, 1).after(36)
        .named("Consumer prices of FGV, change in the month", "Índice de preços ao consumidor – Brasil (IPC-Br)");
    IpcFipe = prices("ipc-fipe", 193, "IPC-Fipe").since(1942, 11).after(34)
        .named("Consumer prices in São Paulo, change in the month", "Índice de preços ao consumidor – São Paulo (IPC-Fipe)");
    InccDi = prices("incc-di", 192, "INCC-DI").since(1944, 2).after(36)
        .named("Construction costs, domestic availability, change in the month", "Índice nacional de custo da construção – disponibilidade interna (INCC-DI)");
    InccM = prices("incc-m", 7456, "INCC-M").since(1994, 8).after(26)
        .named("Construction costs, market, change in the month", "Índice nacional de custo da construção – mercado (INCC-M)");
    InflationTarget = row("inflation-target", 13521, "Inflation target", Prices, Share, Unit::Percent).every(Years, date(1999, 1, 1))
        .named("Inflation target of the year", "Meta para a inflação");
    UsdMonthAverage = row("usd-month-average", 3698, "USD, mean of the month", ExchangeRates, Price, Unit::Brl).since(1994, 7).after(31).decimals(4)
        .named("US dollar in reais, sell, mean of the month", "Taxa de câmbio – livre – dólar americano (venda) – média de período – mensal");
    UsdMonthEnd = row("usd-month-end", 3696, "USD, end of the month", ExchangeRates, Price, Unit::Brl).since(1994, 7).after(31).decimals(4)
        .named("US dollar in reais, sell, end of the month", "Taxa de câmbio – livre – dólar americano (venda) – fim de período – mensal");
    MinimumWage = row("minimum-wage", 1619, "Minimum wage", Labour, Price, Unit::Brl).since(1994, 7).after(1)
        .named("Minimum wage", "Salário mínimo");
    Unemployment = row("unemployment", 24369, "Unemployment", Labour, Share, Unit::Percent).since(2012, 3).after(59).decimals(1)
        .named("Unemployment, moving quarter", "Taxa de desocupação – PNADC");
    IbcBr = row("ibc-br", 24363, "IBC-Br", Activity, Index, Unit::Index).since(2003, 1).after(76).revised()
        .named("Economic activity of the central bank", "Índice de atividade econômica do Banco Central (IBC-Br)");
    IbcBrSa = row("ibc-br-sa", 24364, "IBC-Br, adjusted", Activity, Index, Unit::Index).since(2003, 1).after(76).revised().seasonally_adjusted()
        .named("Economic activity of the central bank, seasonally adjusted", "Índice de atividade econômica do Banco Central (IBC-Br) – com ajuste sazonal");
    IndustrialOutput = row("industrial-output", 21859, "Industrial output", Activity, Index, Unit::Index).since(2002, 1).after(63).revised()
        .named("Industrial output, 2022 = 100", "Produção industrial – indústria geral (2022 = 100)");
    GdpMonth = row("gdp-month", 4380, "GDP, month", Activity, Flow, Unit::BrlMillion).since(1990, 1).after(60).decimals(1).revised()
        .named("Gross domestic product of the month, current prices", "PIB mensal – valores correntes");
    Gdp12m = row("gdp-12m", 4382, "GDP, 12 months", Activity, Stock, Unit::BrlMillion).since(1990, 1).after(60).decimals(1).revised()
        .named("Gross domestic product over 12 months, current prices", "PIB acumulado dos últimos 12 meses – valores correntes");
    GrossDebt = row("gross-debt", 13762, "Gross debt", PublicFinance, Share, Unit::PercentOfGdp).since(2006, 12).after(61).revised()
        .named("Gross debt of the general government", "Dívida bruta do governo geral – % PIB");
    NetDebt = row("net-debt", 4513, "Net debt", PublicFinance, Share, Unit::PercentOfGdp).since(2001, 12).after(61).revised()
        .named("Net debt of the public sector", "Dívida líquida do setor público – % PIB");
    PrimaryResult12m = row("primary-result-12m", 5793, "Primary result", PublicFinance, Share, Unit::PercentOfGdp).since(2002, 11).after(61).revised()
        .named("Primary result of the public sector over 12 months (below zero: a surplus)", "NFSP – resultado primário – fluxo acumulado em 12 meses – % PIB");
    Reserves = row("reserves", 13621, "Reserves", ExternalSector, Stock, Unit::UsdMillion).every(BusinessDays, date(1998, 9, 1)).after(1).decimals(0).revised()
        .named("International reserves, liquidity concept", "Reservas internacionais – conceito liquidez – total");
    CurrentAccount = row("current-account", 22701, "Current account", ExternalSector, Flow, Unit::UsdMillion).since(1995, 1).after(56).decimals(1).revised()
        .named("Current account of the balance of payments", "Transações correntes – saldo");
    TradeBalance = row("trade-balance", 22707, "Trade balance", ExternalSector, Flow, Unit::UsdMillion).since(1995, 1).after(56).decimals(1).revised()
        .named("Trade balance of the balance of payments", "Balança comercial – saldo");
    Credit = row("credit", 20539, "Credit", Credit, Stock, Unit::BrlMillion).since(2007, 3).after(58).decimals(0).revised()
        .named("Credit outstanding", "Saldo da carteira de crédito – total");
    CreditFirms = row("credit-firms", 20540, "Credit, firms", Credit, Stock, Unit::BrlMillion).since(2007, 3).after(58).decimals(0).revised()
        .named("Credit outstanding, firms", "Saldo da carteira de crédito – pessoas jurídicas – total");
    CreditHouseholds = row("credit-households", 20541, "Credit, households", Credit, Stock, Unit::BrlMillion).since(2007, 3).after(58).decimals(0).revised()
        .named("Credit outstanding, households", "Saldo da carteira de crédito – pessoas físicas – total");
    CreditRate = row("credit-rate", 20714, "Loan rate", Credit, RatePerYear, Unit::PercentPerYear).since(2011, 3).after(58).revised()
        .named("Mean rate of new loans", "Taxa média de juros das operações de crédito – total");
    CreditRateHouseholds = row("credit-rate-households", 20716, "Loan rate, households", Credit, RatePerYear, Unit::PercentPerYear).since(2011, 3).after(58).revised()
        .named("Mean rate of new loans, households", "Taxa média de juros das operações de crédito – pessoas físicas – total");
    Arrears = row("arrears", 21082, "Arrears", Credit, Share, Unit::Percent).since(2011, 3).after(58).revised()
        .named("Loans in arrears, share of all", "Inadimplência da carteira de crédito – total");
    ArrearsHouseholds = row("arrears-households", 21084, "Arrears, households", Credit, Share, Unit::Percent).since(2011, 3).after(58).revised()
        .named("Loans in arrears, share of all, households", "Inadimplência da carteira de crédito – pessoas físicas – total");
    HouseholdDebt = row("household-debt", 29037, "Household debt", Credit, Share, Unit::Percent).since(2005, 1).after(90).revised()
        .named("Debt of households to their income of 12 months", "Endividamento das famílias com o SFN em relação à renda acumulada dos últimos doze meses");
    MonetaryBase = row("monetary-base", 1788, "Monetary base", Money, Stock, Unit::BrlThousand).since(2001, 12).after(50).decimals(0)
        .named("Monetary base, end of the month", "Base monetária restrita – saldo em final de período");
    IpcaFood = ipca("ipca-food", 1635, "IPCA, food").since(1991, 1)
        .named("Consumer prices, food and drink", "IPCA – alimentação e bebidas");
    IpcaHousing = ipca("ipca-housing", 1636, "IPCA, housing").since(1991, 1)
        .named("Consumer prices, housing", "IPCA – habitação");
    IpcaHouseholdGoods = ipca("ipca-household-goods", 1637, "IPCA, household goods").since(1991, 1)
        .named("Consumer prices, household goods", "IPCA – artigos de residência");
    IpcaClothing = ipca("ipca-clothing", 1638, "IPCA, clothing").since(1991, 1)
        .named("Consumer prices, clothing", "IPCA – vestuário");
    IpcaTransport = ipca("ipca-transport", 1639, "IPCA, transport").since(1991, 1)
        .named("Consumer prices, transport", "IPCA – transportes");
    IpcaCommunication = ipca("ipca-communication", 1640, "IPCA, communication").since(1999, 8)
        .named("Consumer prices, communication", "IPCA – comunicação");
    IpcaHealth = ipca("ipca-health", 1641, "IPCA, health").since(1991, 1)
        .named("Consumer prices, health and personal care", "IPCA – saúde e cuidados pessoais");
    IpcaPersonal = ipca("ipca-personal", 1642, "IPCA, personal").since(1991, 1)
        .named("Consumer prices, personal expenses", "IPCA – despesas pessoais");
    IpcaEducation = ipca("ipca-education", 1643, "IPCA, education").since(1999, 8)
        .named("Consumer prices, education", "IPCA – educação");
    IpcaTradables = ipca("ipca-tradables", 4447, "IPCA, tradables").since(1992, 1)
        .named("Consumer prices, tradable goods", "IPCA – comercializáveis");
    IpcaNonTradables = ipca("ipca-non-tradables", 4448, "IPCA, non-tradables").since(1992, 1)
        .named("Consumer prices, goods and services that are not tradable", "IPCA – não comercializáveis");
    IpcaAdministered = ipca("ipca-administered", 4449, "IPCA, administered").since(1992, 1)
        .named("Consumer prices, administered", "IPCA – preços monitorados");
    IpcaFree = ipca("ipca-free", 11428, "IPCA, free").since(1992, 1)
        .named("Consumer prices, free", "IPCA – preços livres");
    IpcaServices = ipca("ipca-services", 10844, "IPCA, services").since(1992, 1)
        .named("Consumer prices, services", "IPCA – serviços");
    CoreTrimmedSmoothed = ipca("core-trimmed-smoothed", 4466, "IPCA core, trimmed and smoothed").since(1992, 1)
        .named("Core of consumer prices, trimmed means, smoothed", "IPCA – núcleo médias aparadas com suavização");
    CoreEx0 = ipca("core-ex0", 11427, "IPCA core, EX0").since(1992, 1)
        .named("Core of consumer prices, without administered prices and food at home", "IPCA – núcleo por exclusão – EX0");
    CoreEx1 = ipca("core-ex1", 16121, "IPCA core, EX1").since(1992, 1)
        .named("Core of consumer prices, by exclusion, EX1", "IPCA – núcleo por exclusão – EX1");
    CoreDoubleWeight = ipca("core-double-weight", 16122, "IPCA core, double weight").since(1992, 1)
        .named("Core of consumer prices, double weight", "IPCA – núcleo de dupla ponderação");
    CoreEx3 = ipca("core-ex3", 27839, "IPCA core, EX3").since(1992, 1)
        .named("Core of consumer prices, by exclusion, EX3", "IPCA – núcleo por exclusão – EX3");
    CoreP55 = ipca("core-p55", 28750, "IPCA core, P55").since(1992, 1)
        .named("Core of consumer prices, 55th percentile", "IPCA – núcleo – percentil 55");
    IpcaDiffusion = row("ipca-diffusion", 21379, "IPCA, diffusion", Prices, Share, Unit::Percent).since(1994, 1).after(39)
        .named("Share of the items of the consumer price index that rose", "Índice de difusão do IPCA");
}
