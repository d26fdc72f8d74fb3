//! Background jobs. Each is one loop that ends when the service stops. [`supervisor`] starts it, and restarts it if it
//! ends earlier.

pub mod forget;
pub mod shared_limits;
pub mod supervisor;
pub mod sweep;
pub mod synchronise;
