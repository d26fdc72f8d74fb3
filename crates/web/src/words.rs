//! Words for the enums of the series table, in either language. A new variant does not compile until it has its words.

use std::collections::HashMap;
use std::sync::LazyLock;

use lastro_model::{About, Currency, Frequency, Kind, Pair, Series, Topic, Unit};

use crate::language::Language;
use crate::typed;

/// Selects one of two texts.
const fn of(language: Language, english: &'static str, portuguese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Portuguese => portuguese,
    }
}

/// Name of a series, with its familiar abbreviation first, by which people look for it in a list.
pub(crate) fn name(about: &'static About, language: Language) -> &'static str {
    static NAMES: LazyLock<HashMap<&str, [String; 2]>> = LazyLock::new(|| {
        let names = |about: &About| [english_name(about), portuguese_name(about)];
        Series::ALL.map(Series::about).into_iter().map(|about| (about.id, names(about))).collect()
    });
    let names = NAMES.get(about.id).map(|[english, portuguese]| of(language, english, portuguese));
    names.unwrap_or(of(language, about.name, about.name_pt))
}

fn english_name(about: &About) -> String {
    let About { label, name, .. } = about;
    if name.starts_with(label) { (*name).to_owned() } else { format!("{label}: {name}") }
}

/// The official name with days as people write them, and with an abbreviation in parentheses moved to its beginning:
/// `TR: Taxa referencial`. Names that do not say which rate of several is meant are replaced.
fn portuguese_name(about: &About) -> String {
    match about.id {
        "selic-daily" => return "Selic diária".to_owned(),
        "cdi-daily" => return "CDI diário".to_owned(),
        _ => {}
    }
    let official: Vec<String> = about.name_pt.split(' ').map(with_slashes).collect();
    let official = &*official.join(" ");
    let parts = official.split_once(" (").and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    match parts {
        Some((before, (inside, after))) if is_abbreviation(inside) => format!("{inside}: {before}{after}"),
        _ => official.to_owned(),
    }
}

/// The word; `04/05/2012` if it is `04.05.2012`.
fn with_slashes(word: &str) -> String {
    let is_day = word.contains('.') && typed::day(word).is_some();
    if is_day { word.replace('.', "/") } else { word.to_owned() }
}

/// Whether this is one word that begins with a capital letter, unlike `venda` and `2022 = 100`.
fn is_abbreviation(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_uppercase()) && !text.contains(' ')
}

/// Name of a pair: that of its base currency, since all are quoted in reais.
pub(crate) fn pair(pair: Pair, language: Language) -> String {
    match currency(pair.base, language) {
        Some(name) => format!("{name} ({pair})"),
        None => pair.to_string(),
    }
}

/// Name of a currency that the central bank quotes. A newly quoted one is shown by its code until it is named here.
fn currency(currency: Currency, language: Language) -> Option<&'static str> {
    Some(match currency.as_str() {
        "AUD" => of(language, "Australian dollar", "Dólar australiano"),
        "CAD" => of(language, "Canadian dollar", "Dólar canadense"),
        "CHF" => of(language, "Swiss franc", "Franco suíço"),
        "DKK" => of(language, "Danish krone", "Coroa dinamarquesa"),
        "EUR" => "Euro",
        "GBP" => of(language, "Pound sterling", "Libra esterlina"),
        "JPY" => of(language, "Japanese yen", "Iene japonês"),
        "NOK" => of(language, "Norwegian krone", "Coroa norueguesa"),
        "SEK" => of(language, "Swedish krona", "Coroa sueca"),
        "USD" => of(language, "US dollar", "Dólar americano"),
        _ => return None,
    })
}

pub(crate) const fn topic(topic: Topic, language: Language) -> &'static str {
    match topic {
        Topic::InterestRates => of(language, "Interest rates", "Juros"),
        Topic::Prices => of(language, "Prices", "Preços"),
        Topic::Activity => of(language, "Activity", "Atividade"),
        Topic::Labour => of(language, "Labour", "Trabalho"),
        Topic::PublicFinance => of(language, "Public finance", "Contas públicas"),
        Topic::ExternalSector => of(language, "External sector", "Setor externo"),
        Topic::Credit => of(language, "Credit", "Crédito"),
        Topic::Money => of(language, "Money", "Moeda"),
        Topic::ExchangeRates => of(language, "Exchange rates", "Câmbio"),
    }
}

pub(crate) const fn unit(unit: Unit, language: Language) -> &'static str {
    match unit {
        Unit::PercentPerYear => of(language, "% a year", "% ao ano"),
        Unit::PercentPerMonth => of(language, "% in the month", "% no mês"),
        Unit::PercentPerDay => of(language, "% a day", "% ao dia"),
        Unit::Percent => of(language, "%", "%"),
        Unit::PercentOfGdp => of(language, "% of GDP", "% do PIB"),
        Unit::Index => of(language, "index number", "número-índice"),
        Unit::Brl => of(language, "reais", "reais"),
        Unit::BrlThousand => of(language, "thousands of reais", "milhares de reais"),
        Unit::BrlMillion => of(language, "millions of reais", "milhões de reais"),
        Unit::UsdMillion => of(language, "millions of US dollars", "milhões de dólares"),
    }
}

/// Unit beside a value, which already has its sign: `R$ 958.142,2` is followed by `milhões`, `0,33%` by `no mês`.
pub(crate) fn unit_beside(of: Unit, language: Language) -> &'static str {
    match of {
        Unit::Brl | Unit::BrlThousand | Unit::BrlMillion | Unit::UsdMillion => magnitude(of, language),
        _ => unit(of, language).trim_start_matches('%').trim(),
    }
}

/// Word for the thousands or millions that values of this unit are given in; empty for other units.
pub(crate) const fn magnitude(unit: Unit, language: Language) -> &'static str {
    match unit {
        Unit::BrlThousand => of(language, "thousand", "mil"),
        Unit::BrlMillion | Unit::UsdMillion => of(language, "million", "milhões"),
        _ => "",
    }
}

/// Sentence for an identity between series, given its name in the API.
pub(crate) fn identity(name: &'static str, language: Language) -> &'static str {
    match name {
        "selic-over-is-selic-daily-annualised" => of(
            language,
            "The Selic rate of the year is the daily rate annualised",
            "A Selic ao ano é a taxa diária anualizada",
        ),
        "selic-daily-is-selic-over-per-day" => of(
            language,
            "The daily Selic rate is the rate of the year for one business day",
            "A Selic diária é a taxa ao ano convertida para um dia útil",
        ),
        "cdi-daily-is-cdi-per-day" => of(
            language,
            "The daily CDI rate is the rate of the year for one business day",
            "O CDI diário é a taxa ao ano convertida para um dia útil",
        ),
        "selic-month-is-its-days-chained" => of(
            language,
            "The Selic rate of the month is the product of its days",
            "A Selic do mês é o acumulado das taxas diárias",
        ),
        "ipca-12m-is-twelve-months-chained" => of(
            language,
            "The IPCA of twelve months is the product of the months",
            "O IPCA em 12 meses é o acumulado das doze variações mensais",
        ),
        "announced-market-prices-are-the-exact-ones-rounded" => of(
            language,
            "The announced IGP-M is the exact change rounded",
            "O IGP-M divulgado é a variação exata arredondada",
        ),
        "selic-daily-has-every-business-day" => of(
            language,
            "There is a daily Selic rate for every business day",
            "Há uma Selic diária para cada dia útil",
        ),
        "legal-rate-is-selic-above-ipca-15" => of(
            language,
            "The legal rate is the Selic rate above the IPCA-15",
            "A Taxa Legal é a Selic, descontado o IPCA-15",
        ),
        "old-savings-are-the-reference-rate-and-half-a-percent" => of(
            language,
            "Old savings return the reference rate (TR) and 0.5%",
            "A poupança antiga rende a TR mais 0,5%",
        ),
        other => other,
    }
}

pub(crate) const fn frequency(frequency: Frequency, language: Language) -> &'static str {
    match frequency {
        Frequency::BusinessDays => of(language, "business days", "diária (dias úteis)"),
        Frequency::CalendarDays => of(language, "every day", "diária (dias corridos)"),
        Frequency::Months => of(language, "monthly", "mensal"),
        Frequency::Years => of(language, "yearly", "anual"),
    }
}

/// Explains to the reader how values of the series are interpreted.
pub(crate) fn reading(about: &About, language: Language) -> &'static str {
    reading_of_one(about, language).unwrap_or_else(|| match about.kind {
        Kind::RatePerDay | Kind::RatePerMonth if !about.chains => of(
            language,
            "A rate of its period. The published rates should not be chained.",
            "Taxa do período. As taxas publicadas não devem ser encadeadas.",
        ),
        Kind::RatePerMonth if about.topic == Topic::InterestRates => of(
            language,
            "A rate for one month. Months compound: they are multiplied, not added, to make a year.",
            "Taxa do mês. Para acumular vários meses, os fatores são multiplicados, e não somados.",
        ),
        kind => reading_of_kind(kind, language),
    })
}

/// The sentences of series of which those of their kind say too little, or something else.
fn reading_of_one(about: &About, language: Language) -> Option<&'static str> {
    Some(match about.id {
        "gdp-12m" => of(
            language,
            "The total of the twelve months that end with the month shown.",
            "Total dos doze meses encerrados no mês indicado.",
        ),
        "inflation-target" => of(
            language,
            "The target for the change of the IPCA, set by the National Monetary Council.",
            "Meta para a variação do IPCA, fixada pelo Conselho Monetário Nacional.",
        ),
        "primary-result-12m" => of(
            language,
            "A part of the GDP. Two of its values are compared by their difference, in percentage points. Below zero: a surplus.",
            "Proporção do PIB. Para comparar dois valores, use a diferença em pontos percentuais. Valor negativo: superávit.",
        ),
        _ => return None,
    })
}

const fn reading_of_kind(kind: Kind, language: Language) -> &'static str {
    match kind {
        Kind::RatePerYear => of(
            language,
            "A rate for a whole year. Two of its values are compared by their difference, in percentage points.",
            "Taxa anual. Para comparar dois valores, use a diferença em pontos percentuais.",
        ),
        Kind::RatePerDay => of(
            language,
            "A rate for one business day. Days compound: each one multiplies what the day before left.",
            "Taxa de um dia útil. As taxas se acumulam por multiplicação: cada uma incide sobre o resultado do dia anterior.",
        ),
        Kind::RatePerMonth => of(
            language,
            "A change within one month. Months compound: they are multiplied, not added, to make a year.",
            "Variação no mês. Para acumular vários meses, os fatores são multiplicados, e não somados.",
        ),
        Kind::SimpleRatePerMonth => of(
            language,
            "Simple interest for a month. Months are added, not compounded.",
            "Juros simples do mês. As taxas mensais são somadas, sem juros sobre juros.",
        ),
        Kind::Change12Months => of(
            language,
            "The change over the twelve months that end with the month shown.",
            "Variação acumulada nos doze meses encerrados no mês indicado.",
        ),
        Kind::Index => of(
            language,
            "A level beside that of a base period. What counts is the change from one value to another.",
            "Nível em relação a um período-base. O que importa é a variação de um valor para outro.",
        ),
        Kind::Stock => {
            of(language, "How much there is at the end of the period.", "Saldo no fim do período.")
        }
        Kind::Flow => of(language, "The total of the period.", "Total do período."),
        Kind::Share => of(
            language,
            "A part of a whole. Two of its values are compared by their difference, in percentage points.",
            "Proporção, em percentual. Para comparar dois valores, use a diferença em pontos percentuais.",
        ),
        Kind::Price => of(language, "An amount in reais.", "Valor em reais."),
    }
}

#[cfg(test)]
mod tests {
    use lastro_model::BySeries;

    use super::*;

    #[test]
    fn every_identity_has_a_sentence() {
        let checks = lastro_calc::checks(&BySeries::new(|_| &[][..]));
        let names: Vec<&str> =
            Series::ALL.iter().flat_map(|series| &checks[*series]).map(|check| check.name).collect();
        assert!(!names.is_empty());
        for name in names {
            for language in Language::ALL {
                assert_ne!(identity(name, language), name);
            }
        }
    }

    #[test]
    fn no_unit_repeats_the_sign_of_the_value() {
        for (unit, english, portuguese) in [
            (Unit::Brl, "", ""),
            (Unit::BrlThousand, "thousand", "mil"),
            (Unit::UsdMillion, "million", "milhões"),
            (Unit::PercentPerMonth, "in the month", "no mês"),
            (Unit::Index, "index number", "número-índice"),
        ] {
            let beside =
                [Language::English, Language::Portuguese].map(|language| unit_beside(unit, language));
            assert_eq!(beside, [english, portuguese]);
        }
    }

    #[test]
    fn leads_say_what_the_values_of_a_series_are() {
        for (series, english, portuguese) in [
            (Series::Ipca, "A change within one month.", "Variação no mês."),
            (Series::Tr, "A rate for one month.", "Taxa do mês."),
            (Series::SelicMonth, "should not be chained", "não devem ser encadeadas"),
            (Series::SavingsDaily, "should not be chained", "não devem ser encadeadas"),
            (Series::SelicDaily, "A rate for one business day.", "Taxa de um dia útil."),
            (Series::Gdp12m, "The total of the twelve months", "Total dos doze meses"),
            (Series::Credit, "at the end of the period", "Saldo no fim do período."),
            (Series::InflationTarget, "National Monetary Council", "Conselho Monetário Nacional"),
            (Series::PrimaryResult12m, "a surplus", "Valor negativo: superávit."),
        ] {
            let read = |language| reading(series.about(), language);
            assert!(read(Language::English).contains(english), "{}", read(Language::English));
            assert!(read(Language::Portuguese).contains(portuguese), "{}", read(Language::Portuguese));
        }
    }

    #[test]
    fn portuguese_names_begin_with_the_abbreviation() {
        for (series, expected) in [
            (Series::Ipca, "IPCA: Índice nacional de preços ao consumidor – amplo"),
            (Series::SelicDaily, "Selic diária"),
            (Series::CdiDaily, "CDI diário"),
            (Series::IgpmExact, "IGP-M: Índice geral de preços do mercado – consistente com o número-índice"),
            (Series::IpcFipe, "IPC-Fipe: Índice de preços ao consumidor – São Paulo"),
            (Series::IpcaFood, "IPCA – alimentação e bebidas"),
            (Series::LegalRate, "Taxa legal (Lei 14.905/2024)"),
            (
                Series::Savings,
                "Depósitos de poupança a partir de 04/05/2012 – rentabilidade no 1º dia do mês",
            ),
            (
                Series::UsdMonthEnd,
                "Taxa de câmbio – livre – dólar americano (venda) – fim de período – mensal",
            ),
            (Series::IndustrialOutput, "Produção industrial – indústria geral (2022 = 100)"),
        ] {
            assert_eq!(name(series.about(), Language::Portuguese), expected);
        }
    }
}
