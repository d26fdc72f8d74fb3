//! Every part as a table: the cells of a row have the same names and values as its JSON object.

use lastro_catalog::{Cell, FilingsBuilder, FxBook, FxFilter, Page, Table, Timeline};
use lastro_model::{CompanyId, Currency, Day, Decimal, Filing, FilingId, FxQuote, Pair, RatePoint};
use proptest::prelude::*;

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

/// A row's cells as JSON, in the order of the columns.
fn told<T: Table>(table: &T, position: u32) -> String {
    let mut members = Vec::new();
    let mut columns = T::COLUMNS.iter();
    table.cells(position, &mut |cell| {
        let column = columns.next().unwrap();
        let value = match cell {
            Cell::Text(text) => serde_json::to_string(text).unwrap(),
            Cell::Token(token) => format!("\"{token}\""),
            Cell::Number(number) => number.to_string(),
            Cell::List(texts, _) => serde_json::to_string(texts).unwrap(),
            Cell::Nothing => "null".to_owned(),
        };
        members.push(format!("\"{column}\":{value}"));
    });
    assert_eq!((columns.next(), T::TYPES.len()), (None, T::COLUMNS.len()));
    format!("{{{}}}", members.join(","))
}

fn written<T: Table>(table: &T, position: u32) -> String {
    let mut out = Vec::new();
    table.write_json(position, &mut out);
    String::from_utf8(out).unwrap()
}

proptest! {
    #[test]
    fn cells_and_json_of_points_agree(points in prop::collection::vec((0i32..400, any::<i32>(), 0u32..6), 1..20)) {
        let point = |(number, mantissa, scale)| RatePoint { day: day(number), value: Decimal::new(i64::from(mantissa), scale) };
        let timeline = Timeline::build(points.into_iter().map(point).collect());
        let all = timeline.list(None, None, Page { limit: usize::MAX, offset: 0 });
        prop_assert_eq!(all.total, timeline.len());
        for position in &all.rows {
            prop_assert_eq!(told(&timeline, position), written(&timeline, position));
        }
    }

    #[test]
    fn cells_and_json_of_filings_agree(
        texts in prop::collection::vec((any::<String>(), prop::option::of(any::<String>())), 1..8),
        reference in prop::option::of(0i32..20_000),
        hashed: bool,
    ) {
        let mut builder = FilingsBuilder::new();
        for (id, (text, kind)) in (1..).zip(texts) {
            builder.push(Filing {
                id: if hashed { FilingId::Hash(id) } else { FilingId::Protocol(id) },
                company_id: CompanyId(9),
                company_name: text.clone(),
                category: text.clone(),
                kind,
                delivered_on: day(id as i32),
                reference_day: reference.map(day),
                description: text.clone(),
                version: 3,
                url: text,
            });
        }
        let filings = builder.finish().unwrap();
        for position in filings.listed() {
            prop_assert_eq!(told(&filings, position), written(&filings, position));
        }
    }

    #[test]
    fn pages_of_the_book_list_pair_after_pair(
        quotes in prop::collection::vec((0usize..3, 0i32..30), 0..60),
        only in prop::option::of(0usize..4),
        from in prop::option::of(0i32..30),
        length in prop::option::of(0i32..20),
        limit in 1usize..9,
    ) {
        let pair = |index: usize| Pair::in_reais(Currency::parse(["EUR", "GBP", "USD", "JPY"][index]).unwrap());
        let quote = |(index, number)| FxQuote { day: day(number), pair: pair(index), buy: Decimal::ONE, sell: Decimal::TWO };
        let book = FxBook::build(quotes.into_iter().map(quote).collect());
        let to = length.map(|length| day(from.unwrap_or(0) + length));
        let filter = FxFilter { pair: only.map(pair), from: from.map(day), to };
        let mut expected = Vec::new();
        for held in book.pairs().iter().filter(|held| filter.pair.is_none_or(|pair| pair == **held)) {
            let timeline = book.get(*held).unwrap();
            let days = timeline.between(filter.from, filter.to);
            expected.extend(days.map(|place| written(timeline, place as u32)));
        }
        let mut gathered = Vec::new();
        loop {
            let page = book.list(&filter, Page { limit, offset: gathered.len() });
            prop_assert_eq!(page.total, expected.len());
            for position in &page.rows {
                prop_assert_eq!(told(&book, position), written(&book, position));
                gathered.push(written(&book, position));
            }
            if page.rows.len() < limit { break }
        }
        prop_assert_eq!(gathered, expected);
    }
}
