//! No word of one language stands in pages of the other.

use lastro_model::{Plan, Series};

use super::PAGES;
use crate::app::TestApp;

/// English words that are no Portuguese ones, common in sentences, names of series and messages of the API.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "of", "and", "is", "are", "was", "with", "without", "from", "to", "this", "that", "which", "what", "where", "when",
    "your", "you", "at", "on", "in", "or", "not", "by", "must", "please", "it", "its", "be", "each", "than", "before", "until",
    "value", "values", "month", "months", "year", "years", "day", "days", "daily", "monthly", "rate", "rates", "index", "exact",
    "food", "housing", "goods", "clothing", "communication", "health", "education", "services", "core", "weight", "trimmed",
    "tradables", "administered", "mean", "end", "target", "wage", "wages", "unemployment", "debt", "reserves", "loan", "loans",
    "arrears", "households", "firms", "savings", "prices", "price", "change", "rent", "amount", "interest", "series",
    "company", "companies", "filings", "filing", "search", "show", "more", "key", "request", "requests", "page", "nothing",
    "share", "download", "chart", "table", "name", "source", "unit", "frequency", "held", "late", "fresh", "empty", "yes",
];

/// Portuguese words that no English page has, not even in an official name.
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "não", "você", "uma", "chave", "dados", "gráfico", "página", "requisição", "requisições", "calcular", "empresas", "documentos",
    "planos", "sua", "seu", "esta", "este", "pela", "séries", "mais", "até", "período", "janeiro", "dezembro",
];

/// The answers of forms, and pages that cannot be shown, beside those of [`PAGES`].
const OTHERS: [&str; 11] = [
    "/calculator/accumulation?rate=cdi&rate_percent=110&from=2026-01-02&to=2026-02-02&amount=1000",
    "/calculator/legal-interest?from=2026-01-02&to=2026-02-02&amount=1000",
    "/calculator/rent?index=igpm-exact&month=2026-05&amount=1000&negative=apply",
    "/calculator/minimum-wages?month=2026-01&amount=1000",
    "/calculator/correction?index=ipca&from=2026-06&to=2026-01&amount=1",
    "/calculator/correction?index=ipca&from=1900-01&to=2026-01&amount=1",
    "/calculator/correction?index=nada&from=2026-01&to=2026-02&amount=1",
    "/series/ipca-food",
    "/series/ipca-food/chart.svg",
    "/nada",
    "/series/ipca?compare=nada",
];

/// Removes the elements with this opening and their content.
fn without(html: &str, opening: &str, closing: &str) -> String {
    let mut parts = html.split(opening);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + " " + part.split_once(closing).map_or("", |(_, after)| after))
}

/// The attributes of a tag that are read to people or shown by scripts; the text that a filter looks in is neither.
fn spoken(tag: &str) -> String {
    let attributes = tag.split("=\"").collect::<Vec<_>>();
    let is_description = tag.contains("name=\"description\"");
    let texts = attributes.windows(2).filter_map(|pair| {
        let (name, value) = (pair[0].rsplit([' ', '"']).next()?, pair[1].split('"').next()?);
        let is_text = matches!(name, "aria-label" | "placeholder" | "title" | "alt")
            || name.starts_with("data-") && name != "data-search" && value.contains(' ')
            || name == "content" && is_description;
        is_text.then_some(value)
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// The words of a page in lower case: no code, no other language.
fn words(html: &str) -> Vec<String> {
    let removed = [
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<code", "</code>"),
        ("<pre", "</pre>"),
        ("<article class=\"prose\" lang=\"en\"", "</article>"),
    ];
    let html =
        removed.iter().fold(html.to_owned(), |html, (opening, closing)| without(&html, opening, closing));
    let text = html.split('<').map(|part| match part.split_once('>') {
        Some((tag, text)) => format!("{} {text} ", spoken(tag)),
        None => part.to_owned(),
    });
    let text = text.collect::<String>().to_lowercase();
    let prose = text.split_whitespace().filter(|word| !is_name_in_the_api(word));
    prose.flat_map(|word| word.split(|letter: char| !letter.is_alphabetic())).map(str::to_owned).collect()
}

/// Whether this is an address, a placeholder or the id of a series, which are the same in both languages.
fn is_name_in_the_api(word: &str) -> bool {
    word.contains(['/', '=', '{']) || Series::parse(word).is_some()
}

async fn foreign_words(language: &str, foreign: &[&str]) -> Vec<String> {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    let mut found = Vec::new();
    for path in PAGES.into_iter().chain(OTHERS) {
        let joint = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{joint}lang={language}");
        let html = app.get(&path).key(&key).header("accept", "text/html").send().await.text();
        let words = words(&html);
        assert!(words.len() > 20, "{path}");
        found.extend(
            words.iter().filter(|word| foreign.contains(&&***word)).map(|word| format!("{path}: {word}")),
        );
    }
    found
}

#[tokio::test]
async fn portuguese_pages_have_no_english_words() {
    assert_eq!(foreign_words("pt", ENGLISH).await, Vec::<String>::new());
}

#[tokio::test]
async fn english_pages_have_no_portuguese_words() {
    assert_eq!(foreign_words("en", PORTUGUESE).await, Vec::<String>::new());
}

#[test]
fn words_are_read_from_text_and_spoken_attributes_alone() {
    let html = "<p class=\"the\" aria-label=\"Um of\" data-x=\"of\">Dois<code>the</code> três</p><script>the</script>";
    assert_eq!(words(html).join(" ").split_whitespace().collect::<Vec<_>>(), ["um", "of", "dois", "três"]);
}
