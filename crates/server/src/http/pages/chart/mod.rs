//! Charts drawn here, as SVG: they are read without scripts, on paper, and aloud, where a title, a description and a table
//! stand for the picture.
//!
//! - [`scale`]: from values and days to places. [`shape`]: how a series is drawn. [`table`]: its values in rows. [`figure`]: the
//!   whole, with axes and tables.
//!
//! The picture has no fixed width. Lines are drawn a thousand units wide and stretched; labels are placed by per cent and
//! keep their size, so that they can be read on a phone.

mod figure;
mod scale;
mod shape;
mod table;

pub use figure::{Figure, Plotted, Range};
pub use shape::{Shape, sparkline, unchanged_since};

use lastro_model::{Day, Decimal};

/// A value to be drawn. Its place is a float; its label is made of the digits that were published.
#[derive(Debug, Clone, Copy)]
pub struct Dot {
    pub day: Day,
    pub value: Decimal,
    height: f64,
}

impl Dot {
    pub fn new(day: Day, value: Decimal) -> Self {
        // Few numbers are longer than a word; those that are take the longer way.
        let mantissa = i64::try_from(value.mantissa()).map_or(value.mantissa() as f64, |short| short as f64);
        let unit = POWERS.get(value.scale() as usize).copied().unwrap_or(f64::INFINITY);
        Self { day, value, height: mantissa / unit }
    }
}

/// Of ten, as far as a decimal has places.
static POWERS: [f64; 29] = {
    let mut powers = [1.0; 29];
    let mut place = 1;
    while place < powers.len() {
        powers[place] = powers[place - 1] * 10.0;
        place += 1;
    }
    powers
};

/// How exactly a place is told: a small picture needs whole numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precision {
    Whole,
    Tenths,
}

/// Appends a place in a picture. A long line has thousands of places, and floats are written slowly.
fn push_place(out: &mut String, place: f64, precision: Precision) {
    if place < 0.0 {
        out.push('-');
    }
    let tenths = match precision {
        Precision::Whole => (place.abs() + 0.5) as u32 * 10,
        Precision::Tenths => (place.abs() * 10.0 + 0.5) as u32,
    };
    out.push_str(itoa::Buffer::new().format(tenths / 10));
    if tenths % 10 > 0 {
        out.push('.');
        out.push(char::from(b'0' + (tenths % 10) as u8));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_written_as_near_as_they_are_wanted(place in -2000.0f64..2000.0) {
            for (precision, near) in [(Precision::Whole, 0.5), (Precision::Tenths, 0.05)] {
                let mut text = String::new();
                push_place(&mut text, place, precision);
                let read: f64 = text.parse().unwrap();
                prop_assert!((read - place).abs() <= near + 1e-9, "{place}: {text}");
            }
        }

        #[test]
        fn a_value_lies_where_it_belongs(number: i64, decimals in 0u32..12) {
            let value = Decimal::new(number, decimals);
            let exact = f64::try_from(value).unwrap();
            let height = Dot::new(Day::from_number(0).unwrap(), value).height;
            prop_assert!((height - exact).abs() <= exact.abs() * 1e-12, "{value}: {height}");
        }
    }
}
