//! The connection to Redis: the one module that knows the library for it.
//!
//! A call waits for an answer as long as its caller does, and never for a connection: that is made in the background, by
//! [`Connection::connect`], and a call that finds none fails at once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Cmd, ErrorKind, FromRedisValue, RedisError, RedisWrite, Script, ServerErrorKind,
};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_rustls::TlsConnector;

use crate::settings::Settings;

/// How long a connection may take to be made, in the background.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

const NO_SCRIPT: ErrorKind = ErrorKind::Server(ServerErrorKind::NoScript);

/// What a command takes, about: words beside its keys, bytes, and bytes for each key.
const WORDS: usize = 12;
const COMMAND_BYTES: usize = 256;
const KEY_BYTES: usize = 80;

/// Calls that may wait to be written to the socket.
const UNSENT_CALLS: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallError {
    /// No answer within the budget.
    Late,
    /// An error instead of an answer, or no connection.
    Failed,
}

/// The command that runs a script, as it is put together: its keys, and after them its arguments. The library's own way to
/// make one takes an allocation for each of them, and this is on the path of requests.
pub(crate) struct Evaluation<'a> {
    script: &'a Script,
    command: Cmd,
}

impl<'a> Evaluation<'a> {
    /// A script that has so many keys.
    pub(crate) fn of(script: &'a Script, keys: usize) -> Self {
        let mut command = Cmd::with_capacity(WORDS + keys, COMMAND_BYTES + keys * KEY_BYTES);
        command.arg("EVALSHA").arg(script.get_hash()).arg(keys);
        Self { script, command }
    }

    pub(crate) fn key(mut self, key: impl fmt::Display) -> Self {
        self.command.write_arg_fmt(key);
        self
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        self.command.arg(number);
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.command.arg(text);
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.command.arg(bytes);
        self
    }
}

pub(crate) struct Connection {
    settings: Arc<Settings>,
    open: ArcSwapOption<Open>,
    lost: Notify,
}

/// An open connection, and the task that speaks through it. It ends with the last call that uses it.
struct Open {
    channel: MultiplexedConnection,
    task: AbortHandle,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Connection {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings, open: ArcSwapOption::empty(), lost: Notify::new() }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.load().is_some()
    }

    /// Until the connection is lost; at once where that happened since this was last asked.
    pub(crate) async fn until_lost(&self) {
        self.lost.notified().await;
    }

    /// Ends a connection through which nothing comes.
    pub(crate) fn close(&self) {
        self.open.store(None);
        self.lost.notify_one();
    }

    /// Makes a connection in place of the present one, and sends the scripts ahead, so that no request waits for that.
    /// The reason why there is none holds no secret.
    pub(crate) async fn connect(&self, scripts: &[&Script]) -> Result<(), String> {
        let making = async {
            let mut open = self.make().await?;
            for script in scripts {
                script.load_async(&mut open.channel).await.map_err(|error| reason(&error))?;
            }
            Ok::<_, String>(open)
        };
        let open = tokio::time::timeout(CONNECT_TIMEOUT, making).await;
        let open = open.map_err(|_| "no connection within two seconds".to_owned())??;
        self.open.store(Some(Arc::new(open)));
        Ok(())
    }

    async fn make(&self) -> Result<Open, String> {
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
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let config =
            AsyncConnectionConfig::new().set_response_timeout(None).set_pipeline_buffer_size(UNSENT_CALLS);
        let made = MultiplexedConnection::new_with_config(&self.settings.login, stream, config).await;
        let (channel, speaking) = made.map_err(|error| reason(&error))?;
        Ok(Open { channel, task: tokio::spawn(speaking).abort_handle() })
    }

    /// Runs a script, which answers with whole numbers. How long that may take is the caller's business.
    pub(crate) async fn call(&self, evaluation: Evaluation<'_>) -> Result<Vec<i64>, CallError> {
        self.run(evaluation).await
    }

    /// Runs a script, which answers with one string.
    pub(crate) async fn call_for_bytes(&self, evaluation: Evaluation<'_>) -> Result<Vec<u8>, CallError> {
        self.run(evaluation).await
    }

    async fn run<T: FromRedisValue>(&self, evaluation: Evaluation<'_>) -> Result<T, CallError> {
        let open = self.open.load_full().ok_or(CallError::Failed)?;
        let mut channel = open.channel.clone();
        let Evaluation { script, command } = evaluation;
        let mut answer = command.query_async(&mut channel).await;
        if answer.as_ref().is_err_and(|error: &RedisError| error.kind() == NO_SCRIPT) {
            // It was there when we connected: somebody emptied Redis' list of scripts.
            answer = match script.load_async(&mut channel).await {
                Ok(_) => command.query_async(&mut channel).await,
                Err(error) => Err(error),
            };
        }
        answer.map_err(|error: RedisError| {
            if error.is_io_error() || error.is_unrecoverable_error() {
                self.forget(&open);
            } else {
                tracing::debug!(reason = reason(&error), "Redis refused a call");
            }
            CallError::Failed
        })
    }

    /// Nobody else's: another may have been made meanwhile.
    fn forget(&self, broken: &Arc<Open>) {
        let nothing: Option<Arc<Open>> = None;
        let before = self.open.compare_and_swap(broken, nothing);
        if before.as_ref().is_some_and(|open| Arc::ptr_eq(open, broken)) {
            self.lost.notify_one();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_open", &self.is_open()).finish_non_exhaustive()
    }
}

/// The words of the library and the code of the server. What the server says beside may repeat what was sent, and that may
/// have been a password.
fn reason(error: &RedisError) -> String {
    match error.code() {
        Some(code) => format!("{} ({code})", error.category()),
        None => error.category().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tokio::sync::oneshot;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    fn fixture(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls").join(name)
    }

    /// A server for `localhost` with this certificate.
    async fn server(name: &str) -> (u16, oneshot::Receiver<Vec<u8>>) {
        let certificate = CertificateDer::from_pem_file(fixture(&format!("{name}.crt"))).unwrap();
        let key = PrivateKeyDer::from_pem_file(fixture(&format!("{name}.key"))).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        heard_by(TlsAcceptor::from(Arc::new(config))).await
    }

    /// The port of a server, and what it is told first, if anything.
    async fn heard_by(acceptor: TlsAcceptor) -> (u16, oneshot::Receiver<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, (tell, heard)) = (listener.local_addr().unwrap().port(), oneshot::channel());
        tokio::spawn(async move {
            let mut words = vec![0; 1024];
            let (stream, _) = listener.accept().await.unwrap();
            let read = match acceptor.accept(stream).await {
                Ok(mut stream) => stream.read(&mut words).await.unwrap_or(0),
                Err(_) => 0,
            };
            words.truncate(read);
            let _ = tell.send(words);
        });
        (port, heard)
    }

    /// The error of connecting to a server with this certificate, and the bytes that it received.
    async fn tried(certificate: &str) -> (String, String) {
        let (port, heard) = server(certificate).await;
        let url = format!("rediss://lastro:s3cret@localhost:{port}");
        let settings = Settings::new(&url, Some(&fixture("authority.crt")), "lastro").unwrap();
        let refusal = Connection::new(Arc::new(settings)).connect(&[]).await.unwrap_err();
        (refusal, String::from_utf8_lossy(&heard.await.unwrap()).into_owned())
    }

    #[tokio::test]
    async fn a_server_that_nobody_vouches_for_is_told_no_password() {
        for (certificate, reason) in [("foreign", "UnknownIssuer"), ("expired", "certificate expired")] {
            let (refusal, heard) = tried(certificate).await;
            assert!(refusal.contains(&format!("invalid peer certificate: {reason}")), "{refusal}");
            assert_eq!(heard, "");
        }
        // A server with a good certificate is told it.
        let (_, heard) = tried("good").await;
        assert!(heard.contains("s3cret"), "{heard}");
    }
}
