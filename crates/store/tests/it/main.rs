//! Tests of the store's public interface: one suite for every database, then tests of each backend.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "only tests, also where a function lacks the attribute"
)]

mod catching_up;
mod conformance;
mod crash;
mod damage;
mod erasure;
mod faulty;
mod layout;
mod postgres;
mod postgres_silence;
mod postgres_tls;
mod promptness;
mod specimen;
mod sqlite;
mod tables;
mod transfer;
