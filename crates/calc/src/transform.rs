//! Transforms the rows of a series as requested: aggregated first, then converted to other units.

use lastro_model::{About, RatePoint};

use crate::asked::{Asked, Derived};
use crate::{chained_units, levels};

/// Computes the requested view of `rows`, oldest first. The error is a sentence for the caller.
///
/// Rows that cannot be computed are left out: where a period is missing or incomplete, or a base is not positive.
pub fn derive(about: &About, rows: &[RatePoint], asked: &Asked) -> Result<Vec<Derived>, String> {
    match asked.refusal(about) {
        Some(refusal) => Err(refusal),
        None if asked.is_chained(about) => chained_units::derive(about, rows, asked),
        None => levels::derive(about, rows, asked),
    }
}
