//! Charts as SVG, rendered on the server. They work without scripts, on paper, and in screen readers, for which a
//! title, a description and a table replace the picture.
//!
//! - [`plotted`]: a series to be drawn. [`scale`]: mapping of values and days to coordinates. [`shape`]: lines, steps
//!   and bars. [`table`]: the values in rows. [`figure`]: the whole chart, with axes and tables. [`picture`]: the same
//!   as a file of its own.
//!
//! The picture has no fixed width. Lines are drawn a thousand units wide and stretched. Labels are positioned in per
//! cent and keep their size, so that they are legible on a phone.

mod figure;
pub(crate) mod picture;
mod plotted;
mod scale;
mod shape;
mod table;

pub(crate) use figure::Figure;
pub(crate) use plotted::Plotted;
pub use plotted::Range;
pub(crate) use shape::{Shape, sparkline, unchanged_since};

use lastro_model::{Day, Decimal};

/// A value to be drawn. Its position is a float; its label is made of the published digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dot {
    pub(crate) day: Day,
    pub(crate) value: Decimal,
    height: f64,
}

impl Dot {
    pub(crate) fn new(day: Day, value: Decimal) -> Self {
        // Accurate enough for a picture, at a tenth of the cost of an exact conversion.
        let parts = value.unpack();
        let size = (u64::from(parts.mid) << 32 | u64::from(parts.lo)) as f64 + f64::from(parts.hi) * WORD;
        let unit = POWERS.get(parts.scale as usize).copied().unwrap_or(f64::INFINITY);
        Self { day, value, height: if parts.negative { -size / unit } else { size / unit } }
    }
}

/// 2^64, the weight of the high word of a decimal.
const WORD: f64 = 18_446_744_073_709_551_616.0;

/// Powers of ten up to the largest scale of a decimal.
static POWERS: [f64; 29] = {
    let mut powers = [1.0; 29];
    let mut place = 1;
    while place < powers.len() {
        powers[place] = powers[place - 1] * 10.0;
        place += 1;
    }
    powers
};

/// Precision of coordinates. Whole numbers suffice for sparklines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precision {
    Whole,
    Tenths,
}

/// Writes a coordinate byte by byte. A long line has thousands of them, and formatting floats is slow.
fn tell_place(place: f64, precision: Precision, mut put: impl FnMut(u8)) {
    if place < 0.0 {
        put(b'-');
    }
    let tenths = match precision {
        Precision::Whole => (place.abs() + 0.5) as u32 * 10,
        Precision::Tenths => (place.abs() * 10.0 + 0.5) as u32,
    };
    let (whole, tenth) = (tenths / 10, tenths % 10);
    // Coordinates are below ten thousand.
    for unit in [1000, 100, 10] {
        if whole >= unit {
            put(b'0' + (whole / unit % 10) as u8);
        }
    }
    put(b'0' + (whole % 10) as u8);
    if tenth > 0 {
        put(b'.');
        put(b'0' + tenth as u8);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn coordinates_are_written_with_the_given_precision(place in -2000.0f64..2000.0) {
            for (precision, near) in [(Precision::Whole, 0.5), (Precision::Tenths, 0.05)] {
                let mut text = String::new();
                tell_place(place, precision, |byte| text.push(char::from(byte)));
                let read: f64 = text.parse().unwrap();
                prop_assert!((read - place).abs() <= near + 1e-9, "{place}: {text}");
            }
        }

        #[test]
        fn dot_heights_are_close_to_exact_values(number: i64, decimals in 0u32..12) {
            let value = Decimal::new(number, decimals);
            let exact = f64::try_from(value).unwrap();
            let height = Dot::new(Day::from_number(0).unwrap(), value).height;
            prop_assert!((height - exact).abs() <= exact.abs() * 1e-12, "{value}: {height}");
        }
    }
}
