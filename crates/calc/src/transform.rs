//! The rows of a series as they were asked for: aggregated first, then in other units.

use lastro_model::{About, RatePoint};

use crate::asked::{Asked, Derived};
use crate::{chained, levels};

/// Computes what was asked of `rows`, the oldest first. The error is a sentence for whoever asked.
///
/// Rows that cannot be computed are left out: where a period is missing or not whole, or where a base is not above zero.
pub fn derive(about: &About, rows: &[RatePoint], asked: &Asked) -> Result<Vec<Derived>, String> {
    match asked.refusal(about) {
        Some(refusal) => Err(refusal),
        None if asked.is_chained(about) => chained::derive(about, rows, asked),
        None => levels::derive(about, rows, asked),
    }
}
