//! A connection to Redis, shared by all calls.
//!
//! A call never waits for a connection: [`Connection::connect`] makes it in the background, and a call without one fails
//! at once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, ErrorKind, RedisError, ServerErrorKind};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use crate::scripts;
use crate::settings::Settings;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

const NO_SCRIPT: ErrorKind = ErrorKind::Server(ServerErrorKind::NoScript);

pub(crate) struct Connection {
    settings: Arc<Settings>,
    open: watch::Sender<Option<Arc<Open>>>,
}

/// An open connection, and the task that reads and writes its socket. Dropping it aborts the task.
struct Open {
    channel: MultiplexedConnection,
    _task: JoinSet<()>,
}

impl Connection {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings, open: watch::Sender::new(None) }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.borrow().is_some()
    }

    pub(crate) async fn until_lost(&self) {
        // Fails only if the sender is gone, which `self` holds.
        let _ = self.open.subscribe().wait_for(Option::is_none).await;
    }

    pub(crate) fn close(&self) {
        self.open.send_replace(None);
    }

    /// Makes a new connection and sends it the scripts, so that no request waits for them. The error holds no secret.
    pub(crate) async fn connect(&self) -> Result<(), String> {
        let connecting = async {
            let mut open = self.open_socket().await?;
            load_scripts(&mut open.channel).await.map_err(|error| reason(&error))?;
            Ok::<_, String>(open)
        };
        let open = tokio::time::timeout(CONNECT_TIMEOUT, connecting).await;
        let open = open.map_err(|_| "no connection within two seconds".to_owned())??;
        self.open.send_replace(Some(Arc::new(open)));
        Ok(())
    }

    /// Connects, logs in and reads the server's clock. Changes nothing there. The error holds no secret.
    pub(crate) async fn try_out(&self) -> Result<(), String> {
        let trying = async {
            let mut open = self.open_socket().await?;
            let time = redis::cmd("TIME").query_async::<(i64, i64)>(&mut open.channel).await;
            time.map(drop).map_err(|error| reason(&error))
        };
        let tried = tokio::time::timeout(CONNECT_TIMEOUT, trying).await;
        tried.unwrap_or_else(|_| Err("no connection within two seconds".to_owned()))
    }

    async fn open_socket(&self) -> Result<Open, String> {
        let Settings { host, port, tls, .. } = &*self.settings;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, *port)).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        match tls {
            None => self.log_in(stream).await,
            Some((config, name)) => {
                let connecting = TlsConnector::from(Arc::clone(config)).connect(name.clone(), stream);
                self.log_in(connecting.await.map_err(|error| format!("TLS: {error}"))?).await
            }
        }
    }

    async fn log_in<S>(&self, stream: S) -> Result<Open, String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // The library's own timeout would drop late replies, which still have to be accounted for.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let connected = MultiplexedConnection::new_with_config(&self.settings.login, stream, config).await;
        let (channel, driver) = connected.map_err(|error| reason(&error))?;
        let mut task = JoinSet::new();
        task.spawn(driver);
        Ok(Open { channel, _task: task })
    }

    /// Runs a script and waits for its reply, without a timeout. `None` after an error, or without a connection.
    pub(crate) async fn call(&self, command: &Cmd) -> Option<Vec<i64>> {
        let open = self.open.borrow().clone()?;
        let mut channel = open.channel.clone();
        let mut reply = command.query_async(&mut channel).await;
        if reply.as_ref().is_err_and(|error: &RedisError| error.kind() == NO_SCRIPT) {
            // Somebody emptied Redis' list of scripts.
            reply = match load_scripts(&mut channel).await {
                Ok(()) => command.query_async(&mut channel).await,
                Err(error) => Err(error),
            };
        }
        let error = match reply {
            Ok(numbers) => return Some(numbers),
            Err(error) => error,
        };
        tracing::debug!(reason = reason(&error), "a call to Redis failed");
        if error.is_io_error() || error.is_unrecoverable_error() {
            self.forget(&open);
        }
        None
    }

    /// Forgets a broken connection, unless another has replaced it meanwhile.
    fn forget(&self, broken: &Arc<Open>) {
        self.open.send_if_modified(|open| open.take_if(|open| Arc::ptr_eq(open, broken)).is_some());
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_open", &self.is_open()).finish_non_exhaustive()
    }
}

async fn load_scripts(channel: &mut MultiplexedConnection) -> Result<(), RedisError> {
    for script in scripts::all() {
        script.load_async(channel).await?;
    }
    Ok(())
}

/// The library's text and the server's code. The server's own text may repeat what was sent, such as a password.
fn reason(error: &RedisError) -> String {
    match error.code() {
        Some(code) => format!("{} ({code})", error.category()),
        None => error.category().to_owned(),
    }
}
