//! The engine of the database that an address names.

use crate::address::Address;
use crate::engine::{Engine, Presence};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::{Options, Result};

pub(crate) async fn engine(url: &str, options: &Options, presence: Presence) -> Result<Box<dyn Engine>> {
    Ok(match Address::parse(url)? {
        Address::Sqlite(path) => Box::new(Sqlite::open(path, presence).await?),
        Address::Postgres(server) => Box::new(Postgres::open(*server, options, presence).await?),
    })
}
