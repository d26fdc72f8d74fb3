//! Words for the enums of the series table, in either language. A new variant does not compile until it has its words.

use std::collections::HashMap;
use std::sync::LazyLock;

use lastro_model::{About, Currency, Frequency, Kind, Pair, Series, Topic, Unit};

use crate::language::Language;

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
        let names = |about: &About| [english_name(about), portuguese_name(about.name_pt)];
        Series::ALL.map(Series::about).into_iter().map(|about| (about.id, names(about))).collect()
    });
    let names = NAMES.get(about.id).map(|[english, portuguese]| of(language, english, portuguese));
    names.unwrap_or(of(language, about.name, about.name_pt))
}

fn english_name(about: &About) -> String {
    let About { label, name, .. } = about;
    if name.starts_with(label) { (*name).to_owned() } else { format!("{label}: {name}") }
}

/// The official name, with an abbreviation in parentheses moved to its beginning: `TR: Taxa referencial`.
fn portuguese_name(official: &str) -> String {
    let parts = official.split_once(" (").and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    match parts {
        Some((before, (inside, after))) if is_abbreviation(inside) => format!("{inside}: {before}{after}"),
        _ => official.to_owned(),
    }
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

pub(crate) const fn frequency(frequency: Frequency, language: Language) -> &'static str {
    match frequency {
        Frequency::BusinessDays => of(language, "business days", "diária (dias úteis)"),
        Frequency::CalendarDays => of(language, "every day", "diária (dias corridos)"),
        Frequency::Months => of(language, "monthly", "mensal"),
        Frequency::Years => of(language, "yearly", "anual"),
    }
}

/// Explains to the reader how values of this kind are interpreted.
pub(crate) const fn reading(kind: Kind, language: Language) -> &'static str {
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
        Kind::Flow => of(
            language,
            "How much came about within the period. It may be below zero.",
            "Total do período. Pode ser negativo.",
        ),
        Kind::Share => of(
            language,
            "A part of a whole. Two of its values are compared by their difference, in percentage points.",
            "Proporção, em percentual. Para comparar dois valores, use a diferença em pontos percentuais.",
        ),
        Kind::Price => of(language, "A price in reais.", "Preço em reais."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portuguese_names_begin_with_the_abbreviation() {
        for (series, expected) in [
            (Series::Ipca, "IPCA: Índice nacional de preços ao consumidor – amplo"),
            (Series::IgpmExact, "IGP-M: Índice geral de preços do mercado – consistente com o número-índice"),
            (Series::IpcFipe, "IPC-Fipe: Índice de preços ao consumidor – São Paulo"),
            (Series::IpcaFood, "IPCA – alimentação e bebidas"),
            (Series::LegalRate, "Taxa legal (Lei 14.905/2024)"),
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
