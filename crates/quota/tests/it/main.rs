//! The limits of a fleet against real Redis servers: the shared one of `scripts/servers`, and separate ones for tests that
//! kill, pause or empty them.

// The set-up is test code too, though the lint only knows functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod blocks;
mod breaker;
mod concurrent;
mod fleet;
mod outage;
mod replica;
mod ring;
mod security;
mod server;
mod settings;
mod simulation;
mod slots;
mod unreliable;
