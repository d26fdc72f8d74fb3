//! What the publishers' bytes mean: bytes in, records and rejects out.
//!
//! One module a publisher: [`sgs`] and [`ptax`] of the central bank, [`cvm`] of the securities regulator. Each says what to
//! ask for (a [`Request`](request::Request) is data, not a call), how to read the answer, and in its header which faults are known.
//! [`judgement`] decides whether a reading may replace what is held.
//!
//! This crate opens no file and no socket, waits for nothing and reads no clock. `ingest` fetches and calls it.

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
