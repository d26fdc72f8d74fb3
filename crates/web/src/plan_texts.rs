//! Portuguese translation of the plan table, which is in English like the API.

use lastro_model::Series;

use crate::language::Language;

/// Sentences of the table and their translations. One that ends in `…` matches every sentence with that prefix.
#[rustfmt::skip]
const PORTUGUESE: &[(&str, &str)] = &[
    ("The rates everybody needs, without signing up", "As taxas de que todo mundo precisa, sem cadastro"),
    ("Every registered company, and search", "Todas as empresas registradas, e busca"),
    ("Filings and the whole history", "Documentos e o histórico inteiro"),
    ("Everything, pushed to you as it happens", "Tudo, entregue a você assim que acontece"),
    ("Market data without an API key", "Dados de mercado sem chave de API"),
    ("Priority support", "Atendimento prioritário"),
    ("Without a key, limited per client IP address", "Sem chave, limite por endereço IP"),
    ("Historical data: the newest 12 months of each series", "Histórico: os 12 meses mais recentes de cada série"),
    ("No companies, search or filings", "Sem empresas, busca ou documentos"),
    ("No bulk export, CSV export or webhooks", "Sem exportação em massa, CSV ou webhooks"),
    ("Filings appear in search results only; no filings endpoints", "Documentos só nos resultados da busca; sem endpoints de documentos"),
    ("No CSV export or webhooks", "Sem exportação CSV ou webhooks"),
    ("Market data: …", "Dados de mercado: {series}, câmbio e mais {others} séries"),
    ("Companies: …", "Empresas: o cadastro inteiro, por filtro, código ou CNPJ"),
    ("Search …", "Busca em empresas e documentos"),
    ("Filings of every company…", "Documentos de todas as empresas, com links para os originais"),
    ("Historical data: every …", "Histórico: cada série desde o primeiro dia"),
    ("Bulk export …", "Exportação em massa de conjuntos inteiros"),
    ("CSV export …", "CSV de cada lista, busca e série, e de conjuntos inteiros"),
    ("Webhooks …", "Webhooks quando chegam dados novos"),
];

/// A sentence of the table in this language, or unchanged if it has no translation.
pub(crate) fn translated(english: &'static str, language: Language) -> String {
    let is_it = |known: &&(&str, &str)| match known.0.strip_suffix('…') {
        Some(beginning) => english.starts_with(beginning),
        None => known.0 == english,
    };
    let found = PORTUGUESE.iter().find(is_it).filter(|_| language == Language::Portuguese);
    found.map_or_else(|| english.to_owned(), |(_, portuguese)| with_series(portuguese))
}

fn with_series(sentence: &str) -> String {
    let labels: Vec<&str> = Series::market().map(|series| series.about().label).collect();
    let others = Series::ALL.len() - labels.len();
    sentence.replace("{series}", &labels.join(", ")).replace("{others}", &others.to_string())
}

#[cfg(test)]
mod tests {
    use lastro_access::plans;

    use super::*;

    #[test]
    fn every_sentence_of_the_plan_table_is_translated() {
        for terms in plans() {
            let sentences =
                terms.features().into_iter().chain(terms.restrictions.iter().copied()).chain([terms.tagline]);
            for sentence in sentences {
                assert_ne!(translated(sentence, Language::Portuguese), sentence);
                assert_eq!(translated(sentence, Language::English), sentence);
            }
        }
    }
}
