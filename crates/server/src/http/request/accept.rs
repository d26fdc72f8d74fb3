//! Headers that list what a client accepts, such as `text/csv;q=0.9, */*;q=0.1`.

use http::HeaderMap;
use http::header::HeaderName;

/// The items of all lines of a header, each with its parameters.
pub fn items(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(|item| {
        let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
        (name.trim(), parameters)
    })
}

/// The `q` among the parameters of an item, in thousandths.
pub fn weight(parameters: &str) -> u32 {
    let mut named = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let Some((_, text)) = named.find(|(name, _)| name.eq_ignore_ascii_case("q")) else { return 1000 };
    text.trim().parse::<f32>().map_or(0, |weight| (weight.clamp(0.0, 1.0) * 1000.0) as u32)
}
