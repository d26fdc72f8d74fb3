//! What is left of a panic that was caught.

use std::any::Any;

/// What a panic said. Our own words: nothing that a client or a publisher sent is put into them.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
