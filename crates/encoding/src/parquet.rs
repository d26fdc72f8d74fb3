//! Writes the rows of a table as a Parquet file: typed columns in groups of rows, compressed with zstd.
//!
//! The same rows give the same bytes, so that all replicas serve one file and ranges of it fit together.

use std::fs::File;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, ensure};
use jiff::Timestamp;
use lastro_catalog::{Cell, ColumnType, Page};
use lastro_model::{Day, Decimal};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

/// Rows of a group. They are kept in memory until the group is written: some ten megabytes.
const GROUP_ROWS: usize = 20_000;
/// Rows read from the catalog at once.
const PAGE_ROWS: usize = 1000;
/// Digits of a decimal: the most that sixteen bytes and all readers take.
const PRECISION: u32 = 38;
/// Digits after the point. More than publishers give, so that the type of a column does not change with the data.
const USUAL_SCALE: u32 = 12;
const ZSTD_LEVEL: i32 = 3;

/// Selected rows of a table, read page by page.
pub trait Rows {
    fn total(&self) -> usize;

    fn columns(&self) -> &'static [&'static str];

    fn types(&self) -> &'static [ColumnType];

    /// Passes the cells of a page to `put`, each with its column, and returns the number of rows.
    fn cells(&self, page: Page, put: &mut dyn FnMut(usize, Cell<'_>)) -> usize;
}

/// Writes all rows.
pub fn write(rows: &dyn Rows, file: File) -> anyhow::Result<()> {
    let scale = scale(rows)?;
    let schema = Arc::new(schema(rows, scale)?);
    let properties = WriterProperties::builder()
        .set_created_by("lastro".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let total = rows.total();
    let mut written = 0;
    while written < total {
        let group = group(rows, written, scale)?;
        let mut open = writer.next_row_group()?;
        for column in &group.columns {
            let mut place = open.next_column()?.context("a column has no place")?;
            column.write(&mut place)?;
            place.close()?;
        }
        open.close()?;
        written += group.rows;
    }
    writer.close()?;
    Ok(())
}

/// The schema. All values are optional; lists may be empty.
fn schema(rows: &dyn Rows, scale: u32) -> anyhow::Result<Type> {
    let columns = rows.columns().iter().zip(rows.types()).map(|(name, kind)| match kind {
        ColumnType::Text => format!("OPTIONAL BYTE_ARRAY {name} (STRING);"),
        ColumnType::Day => format!("OPTIONAL INT32 {name} (DATE);"),
        ColumnType::Instant => format!("OPTIONAL INT64 {name} (TIMESTAMP(MICROS,true));"),
        ColumnType::Integer => format!("OPTIONAL INT64 {name};"),
        ColumnType::Decimal => {
            format!("OPTIONAL FIXED_LEN_BYTE_ARRAY (16) {name} (DECIMAL({PRECISION},{scale}));")
        }
        ColumnType::TextList => format!(
            "REQUIRED GROUP {name} (LIST) {{ REPEATED GROUP list {{ REQUIRED BYTE_ARRAY element (STRING); }} }}"
        ),
    });
    let columns: Vec<String> = columns.collect();
    Ok(parse_message_type(&format!("message lastro {{ {} }}", columns.join(" ")))?)
}

/// The digits after the point that the decimals need.
fn scale(rows: &dyn Rows) -> anyhow::Result<u32> {
    let mut most = USUAL_SCALE;
    if !rows.types().contains(&ColumnType::Decimal) {
        return Ok(most);
    }
    let (mut read, total) = (0, rows.total());
    while read < total {
        let count = rows.cells(Page { limit: PAGE_ROWS, offset: read }, &mut |_, cell| {
            if let Cell::Number(number) = cell {
                let text = number.to_string();
                most = most.max(text.split_once('.').map_or(0, |(_, places)| places.len() as u32));
            }
        });
        ensure!(count > 0, "there were fewer rows than announced");
        read += count;
    }
    Ok(most)
}

struct Group {
    columns: Vec<Column>,
    rows: usize,
}

/// The next rows, by column.
fn group(rows: &dyn Rows, from: usize, scale: u32) -> anyhow::Result<Group> {
    let columns = rows.types().iter().map(|kind| Column::new(*kind)).collect();
    let mut group = Group { columns, rows: 0 };
    let mut failed = None;
    while group.rows < GROUP_ROWS {
        let page = Page { limit: PAGE_ROWS, offset: from + group.rows };
        let count = rows.cells(page, &mut |column, cell| {
            if let Err(error) = group.columns[column].push(&cell, scale) {
                failed.get_or_insert(error);
            }
        });
        group.rows += count;
        if count < PAGE_ROWS {
            break;
        }
    }
    ensure!(group.rows > 0, "there were fewer rows than announced");
    failed.map_or(Ok(group), Err)
}

/// The values of one column, and the levels that tell nulls and lists apart.
struct Column {
    values: Values,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

enum Values {
    Texts(Vec<ByteArray>),
    Lists(Vec<ByteArray>),
    Days(Vec<i32>),
    Instants(Vec<i64>),
    Integers(Vec<i64>),
    Decimals(Vec<FixedLenByteArray>),
}

impl Column {
    fn new(kind: ColumnType) -> Self {
        let values = match kind {
            ColumnType::Text => Values::Texts(Vec::new()),
            ColumnType::TextList => Values::Lists(Vec::new()),
            ColumnType::Day => Values::Days(Vec::new()),
            ColumnType::Instant => Values::Instants(Vec::new()),
            ColumnType::Integer => Values::Integers(Vec::new()),
            ColumnType::Decimal => Values::Decimals(Vec::new()),
        };
        Self { values, definitions: Vec::new(), repetitions: Vec::new() }
    }

    fn push(&mut self, cell: &Cell<'_>, scale: u32) -> anyhow::Result<()> {
        let text = match cell {
            Cell::List(texts, _) => return self.push_list(texts),
            Cell::Nothing => None,
            Cell::Text(text) => Some((*text).to_owned()),
            Cell::Token(value) | Cell::Number(value) => Some(value.to_string()),
        };
        self.definitions.push(i16::from(text.is_some()));
        let Some(text) = text else { return Ok(()) };
        match &mut self.values {
            Values::Texts(texts) => texts.push(text.into_bytes().into()),
            Values::Days(days) => days.push(day(&text)?),
            Values::Instants(instants) => instants.push(text.parse::<Timestamp>()?.as_microsecond()),
            Values::Integers(integers) => integers.push(text.parse()?),
            Values::Decimals(decimals) => decimals.push(decimal(&text, scale)?),
            Values::Lists(_) => anyhow::bail!("a list was expected"),
        }
        Ok(())
    }

    fn push_list(&mut self, texts: &[String]) -> anyhow::Result<()> {
        let Values::Lists(values) = &mut self.values else { anyhow::bail!("no list was expected") };
        if texts.is_empty() {
            self.definitions.push(0);
            self.repetitions.push(0);
        }
        for (place, text) in texts.iter().enumerate() {
            values.push(text.as_str().into());
            self.definitions.push(1);
            self.repetitions.push(i16::from(place > 0));
        }
        Ok(())
    }

    fn write(&self, place: &mut SerializedColumnWriter<'_>) -> anyhow::Result<()> {
        let levels = Some(self.definitions.as_slice());
        match &self.values {
            Values::Texts(values) => place.typed::<ByteArrayType>().write_batch(values, levels, None),
            Values::Lists(values) => {
                place.typed::<ByteArrayType>().write_batch(values, levels, Some(&self.repetitions))
            }
            Values::Days(values) => place.typed::<Int32Type>().write_batch(values, levels, None),
            Values::Instants(values) | Values::Integers(values) => {
                place.typed::<Int64Type>().write_batch(values, levels, None)
            }
            Values::Decimals(values) => {
                place.typed::<FixedLenByteArrayType>().write_batch(values, levels, None)
            }
        }?;
        Ok(())
    }
}

/// Days since 1970, from a day or a midnight.
fn day(text: &str) -> anyhow::Result<i32> {
    Ok(Day::parse(text.get(..10).unwrap_or(text))?.number())
}

/// A decimal as an integer of this many digits after the point, most significant byte first.
fn decimal(text: &str, scale: u32) -> anyhow::Result<FixedLenByteArray> {
    let value = Decimal::from_str(text).ok().with_context(|| format!("{text} is no decimal"))?;
    let missing = scale.checked_sub(value.scale()).context("more digits after the point than expected")?;
    let units = 10_i128.checked_pow(missing).and_then(|factor| value.mantissa().checked_mul(factor));
    let units = units.filter(|units| units.unsigned_abs() < 10_u128.pow(PRECISION));
    let units = units.with_context(|| format!("{text} has too many digits"))?;
    Ok(units.to_be_bytes().to_vec().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str, scale: u32) -> Option<i128> {
        let bytes = decimal(text, scale).ok()?;
        Some(i128::from_be_bytes(bytes.data().try_into().unwrap()))
    }

    #[test]
    fn decimals_keep_every_digit_or_are_refused() {
        assert_eq!(units("14.25", 4), Some(142_500));
        assert_eq!(units("-0.02", 2), Some(-2));
        assert_eq!(units("0.123", 2), None, "a digit would be lost");
        assert_eq!(
            units("99999999999999999999999999", 12),
            Some(99_999_999_999_999_999_999_999_999 * 10_i128.pow(12))
        );
        assert_eq!(units("999999999999999999999999999", 12), None);
    }

    #[test]
    fn days_and_midnights_are_numbers() {
        assert_eq!(day("1970-01-02").unwrap(), 1);
        assert_eq!(day("1969-12-31T00:00:00").unwrap(), -1);
        assert!(day("ontem").is_err());
    }
}
