//! Parsers of the publishers' formats: bytes in, records and rejects out.
//!
//! One module per publisher: [`sgs`] and [`ptax`] of the central bank, [`cvm`] of the securities regulator. Each
//! builds the requests (a [`Request`](request::Request) is data, not a call), parses the responses, and lists known
//! faults in its header. [`judgement`] decides whether parsed data may replace the stored data.
//!
//! This crate opens no file and no socket, never waits and reads no clock. `ingest` fetches and calls it.

mod answer;
pub mod cvm;
pub mod judgement;
mod number;
pub mod ptax;
mod reading;
pub mod request;
pub mod sgs;

pub use answer::Answer;
pub use lastro_model::Reject;
pub use reading::{Fault, MOST_REJECTS, Reading};
