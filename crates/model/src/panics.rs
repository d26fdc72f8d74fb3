//! The message of a caught panic.

use std::any::Any;

/// Returns the message of a panic. The wording is our own: it never contains data sent by a client or a publisher.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
