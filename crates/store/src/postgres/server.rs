//! Connections to the server: a few that are shared, and one of its own for whatever takes long.

use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::ServerAddress;
use super::failure::Failure;
use super::session::Kind;
use super::tls;
use crate::{Options, Result, StoreError};

/// How long a question waits for a connection that is free.
const WAIT: Duration = Duration::from_secs(5);

/// For a connection to be there, with greetings, keys and passwords; several addresses may be tried.
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

pub(super) struct Server {
    pub(super) address: ServerAddress,
    tls: MakeRustlsConnect,
    pool: Pool,
    answered_within: Option<Duration>,
}

impl Server {
    pub(super) fn at(address: ServerAddress, options: &Options) -> Result<Self> {
        let tls = tls::connector(&address)?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), tls.clone(), recycling);
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(options.answered_within.unwrap_or(CONNECTED_WITHIN)))
            .recycle_timeout(Some(WAIT))
            .build()
            .map_err(|error| StoreError::Backend(error.to_string()))?;
        Ok(Self { address, tls, pool, answered_within: options.answered_within })
    }

    /// How long the server may keep silent in such a transaction.
    pub(super) fn answers_within(&self, kind: Kind) -> Duration {
        self.answered_within.unwrap_or(kind.answered_within())
    }

    /// One of the shared connections.
    pub(super) async fn lend(&self) -> Result<Lent> {
        match self.pool.get().await {
            Ok(object) => Ok(Lent { object: Some(object), clean: false }),
            Err(PoolError::Backend(error)) => Err(error.into()),
            Err(PoolError::Timeout(TimeoutType::Wait)) => Err(StoreError::Busy),
            Err(PoolError::Timeout(_)) => Err(Failure::silence().error),
            Err(error) => Err(StoreError::Backend(error.to_string())),
        }
    }

    /// Forgets the shared connections that nobody uses: one of them turned out to be dead, and the rest may be.
    pub(super) fn distrust(&self) {
        self.pool.retain(|_, _| false);
    }

    /// A connection of its own, which ends with what is returned, also in the middle of an answer.
    pub(super) async fn connect(&self) -> Result<ClientWrapper> {
        let connecting = self.address.config.connect(self.tls.clone());
        let within = self.answered_within.unwrap_or(CONNECTED_WITHIN);
        let (client, connection) =
            tokio::time::timeout(within, connecting).await.map_err(|_| Failure::silence().error)??;
        let task = tokio::spawn(async move {
            // Whoever waits for an answer hears of it.
            let _ = connection.await;
        });
        Ok(ClientWrapper::new(client, task))
    }
}

/// A shared connection while it is used. It goes back only if nothing is left open on it: whatever a panic or a lost
/// connection interrupted must not become part of the next transaction.
pub(super) struct Lent {
    object: Option<Object>,
    clean: bool,
}

impl Lent {
    pub(super) fn client(&self) -> Result<&ClientWrapper> {
        let gone = || StoreError::Backend("a connection was given back".to_owned());
        self.object.as_deref().ok_or_else(gone)
    }

    pub(super) fn give_back(mut self, clean: bool) {
        self.clean = clean;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(object) = self.object.take().filter(|_| !self.clean) {
            drop(Object::take(object));
        }
    }
}
