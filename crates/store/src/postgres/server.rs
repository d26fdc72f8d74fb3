//! Connections to the server: a shared pool, and separate ones for long transactions.

use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::ServerAddress;
use super::failure::Failure;
use super::session::Kind;
use super::tls;
use crate::calls::PoolState;
use crate::{Options, Result, StoreError};

/// Timeout of waiting for a free connection.
const WAIT: Duration = Duration::from_secs(5);

/// Timeout of connecting, including TLS and authentication; several addresses may be tried.
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

    /// Timeout of the server's reply in this kind of transaction.
    pub(super) fn answers_within(&self, kind: Kind) -> Duration {
        self.answered_within.unwrap_or(kind.answered_within())
    }

    /// Takes a connection from the pool.
    pub(super) async fn lend(&self) -> Result<Lent> {
        match self.pool.get().await {
            Ok(object) => Ok(Lent { object: Some(object), clean: false }),
            Err(PoolError::Backend(error)) => Err(error.into()),
            Err(PoolError::Timeout(TimeoutType::Wait)) => Err(StoreError::Busy),
            Err(PoolError::Timeout(_)) => Err(Failure::silence().error),
            Err(error) => Err(StoreError::Backend(error.to_string())),
        }
    }

    pub(super) fn pool_state(&self) -> PoolState {
        let status = self.pool.status();
        PoolState {
            limit: status.max_size,
            in_use: status.size.saturating_sub(status.available),
            idle: status.available,
            waiting: status.waiting,
        }
    }

    /// Drops the idle connections of the pool: one of them was dead, and the rest may be.
    pub(super) fn distrust(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Opens a separate connection, which closes when the returned value is dropped, even in the middle of a reply.
    pub(super) async fn connect(&self) -> Result<ClientWrapper> {
        let connecting = self.address.config.connect(self.tls.clone());
        let within = self.answered_within.unwrap_or(CONNECTED_WITHIN);
        let (client, connection) =
            tokio::time::timeout(within, connecting).await.map_err(|_| Failure::silence().error)??;
        let task = tokio::spawn(async move {
            // Callers that wait for a reply receive the error.
            let _ = connection.await;
        });
        Ok(ClientWrapper::new(client, task))
    }
}

/// A connection taken from the pool. It is returned only if it is clean: a transaction interrupted by a panic or a
/// lost connection must not become part of the next one.
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
