//! The index beside a plain scan, and by examples.

mod examples;
mod scan;

use super::*;

struct Row {
    category: String,
    company: String,
    prose: String,
}

fn built(rows: &[Row]) -> TextIndex {
    let mut index = IndexBuilder::default();
    for row in rows {
        let (category, company) = (index.label(&row.category), index.title(&row.company));
        index.push(&[(Field::Category, &category), (Field::Company, &company)], &row.prose).unwrap();
    }
    index.finish().unwrap()
}
