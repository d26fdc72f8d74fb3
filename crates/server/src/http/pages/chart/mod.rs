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
        let height = value.mantissa() as f64 / 10f64.powi(value.scale() as i32);
        Self { day, value, height }
    }
}

/// Appends a place in a picture with at most so many decimals. A long line has thousands of places, and floats are written
/// slowly.
fn push_place(out: &mut String, place: f64, decimals: u32) {
    let unit = 10i64.pow(decimals);
    let number = (place * unit as f64).round() as i64;
    let mut digits = itoa::Buffer::new();
    if number < 0 {
        out.push('-');
    }
    let number = number.unsigned_abs();
    let (whole, fraction) = (number / unit.unsigned_abs(), number % unit.unsigned_abs());
    out.push_str(digits.format(whole));
    if fraction > 0 {
        out.push('.');
        let fraction = digits.format(fraction);
        (fraction.len()..decimals as usize).for_each(|_| out.push('0'));
        out.push_str(fraction);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_written_as_near_as_they_are_wanted(place in -2000.0f64..2000.0, decimals in 0u32..3) {
            let mut text = String::new();
            push_place(&mut text, place, decimals);
            let read: f64 = text.parse().unwrap();
            prop_assert!((read - place).abs() <= 0.51 / 10f64.powi(decimals as i32), "{place}: {text}");
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
