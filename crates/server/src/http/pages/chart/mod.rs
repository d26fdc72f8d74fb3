//! Charts drawn here, as SVG: they are read without scripts, on paper, and aloud, where a title, a description and a table
//! stand for the picture.
//!
//! - [`scale`]: from values and days to places. [`shape`]: how a series is drawn. [`figure`]: the whole, with axes and table.
//!
//! The picture has no fixed width. Lines are drawn a thousand units wide and stretched; labels are placed by per cent and
//! keep their size, so that they can be read on a phone.

mod figure;
mod scale;
mod shape;

pub use figure::{Figure, Plotted, Range};
pub use shape::{Shape, sparkline};

use lastro_model::{Day, Decimal};

/// A value to be drawn. Its place is a float; its label is made of the digits that were published.
#[derive(Debug, Clone, Copy)]
pub struct Dot {
    pub day: Day,
    pub value: Decimal,
}

impl Dot {
    fn height(&self) -> f64 {
        f64::try_from(self.value).unwrap_or(0.0)
    }
}
