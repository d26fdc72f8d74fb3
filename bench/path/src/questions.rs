//! The questions of `bench/run`, for the small data set.

pub(crate) struct Question {
    pub title: &'static str,
    pub path: &'static str,
    pub status: u16,
    pub keyed: bool,
    /// The value of `Accept-Encoding`.
    pub coding: Option<&'static str>,
}

const fn question(title: &'static str, path: &'static str) -> Question {
    Question { title, path, status: 200, keyed: true, coding: None }
}

pub(crate) const QUESTIONS: &[Question] = &[
    question("current Selic", "/api/v1/market/selic/current"),
    Question {
        title: "current Selic without a key: refused (429)",
        path: "/api/v1/market/selic/current",
        status: 429,
        keyed: false,
        coding: None,
    },
    question("20 Selic points between two days", "/api/v1/market/selic?from=2024-01-01&to=2026-06-30"),
    question("current Selic, as one of all series", "/api/v1/series/selic/current"),
    question(
        "20 Selic points, as one of all series",
        "/api/v1/series/selic/observations?from=2024-01-01&to=2026-06-30",
    ),
    question("20 months of IPCA in twelve", "/api/v1/series/ipca/observations?units=acc12"),
    question("company by id", "/api/v1/companies/90123"),
    question(
        "20 filings by category and days, counted",
        "/api/v1/filings?category=Comunicado%20ao%20Mercado&from=2020-01-01&to=2026-06-30",
    ),
    question(
        "the same at offset 2,000",
        "/api/v1/filings?category=Comunicado%20ao%20Mercado&from=2020-01-01&to=2026-06-30&offset=2000",
    ),
    Question {
        coding: Some("zstd"),
        ..question(
            "the same, compressed before",
            "/api/v1/filings?category=Comunicado%20ao%20Mercado&from=2020-01-01&to=2026-06-30&offset=2000",
        )
    },
    question("search, a rare word, counted", "/api/v1/filings/search?q=Abanepeva"),
    question("search, a medium word, counted", "/api/v1/filings/search?q=saneamento"),
    question("search, the commonest word, counted", "/api/v1/filings/search?q=administra%C3%A7%C3%A3o"),
    question("companies, two words mistyped", "/api/v1/companies/search?q=energai+holdnig"),
    question("suggestions while one types", "/api/v1/search/suggest?q=comuni"),
    question("the front page, drawn before", "/"),
    question("a chart of two series, drawn", "/series/cdi/chart?range=all&compare=ipca"),
    question("the same over thirty years", "/series/cdi-daily/chart?range=all&compare=selic-daily"),
    question(
        "a calculation, drawn as a page",
        "/calculator/correction?index=ipca&from=2026-01&to=2026-06&amount=1000",
    ),
];

/// The bytes of a request as `wrk` would send it.
pub(crate) fn request(path: &str, key: Option<&str>, coding: Option<&str>) -> Vec<u8> {
    let key = key.map_or_else(String::new, |key| format!("X-API-Key: {key}\r\n"));
    let coding = coding.map_or_else(String::new, |coding| format!("Accept-Encoding: {coding}\r\n"));
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}{coding}\r\n").into_bytes()
}
