//! Room for the long arrays of a part, such that its memory is given back when the part is dropped.
//!
//! Measured with the system's allocator, which the binary has since given up for another (decision 0005); whether it is
//! still needed there is not known. That one takes a block above a threshold straight from the system and returns it at once. Smaller ones
//! come from heaps it keeps; after a part of two million rows was replaced a few times, holes in those held half as much
//! memory as the part. The threshold rises with what is freed, but to no more than 32 MB.

/// A block of this size is always taken from the system. What is reserved and never written takes no memory.
const BLOCK: usize = 33 << 20;

/// Shorter arrays leave holes that are not worth the trouble.
const LONG: usize = 1 << 20;

/// How many values to reserve for `length` of them.
pub(crate) fn reserve_for<T>(length: usize) -> usize {
    let size = size_of::<T>().max(1);
    if length.saturating_mul(size) < LONG { length } else { length.max(BLOCK / size) }
}

/// Room for so many.
pub(crate) fn room_for<T>(length: usize) -> Vec<T> {
    Vec::with_capacity(reserve_for::<T>(length))
}
