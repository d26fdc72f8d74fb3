//! The ports and the certificate of a service. All of it is opened before the database, so that a port
//! in use or a wrong file leaves nothing behind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use lastro_config::Serve;
use tokio::net::TcpListener;

use crate::http::certificate::Certificate;

#[derive(Debug)]
pub struct Listeners {
    pub(crate) api: TcpListener,
    /// The operator's listener; `None` if it is off.
    pub(crate) admin: Option<TcpListener>,
    /// `None` with plain HTTP.
    pub(crate) certificate: Option<Arc<Certificate>>,
}

impl Listeners {
    pub async fn open(settings: &Serve) -> anyhow::Result<Self> {
        let certificate = Certificate::open(&settings.tls)?.map(Arc::new);
        if let Some(certificate) = &certificate {
            certificate.warn_of_expiry();
        }
        let api = bind(settings.listen).await?;
        stay_close_to_clients(&api, settings.connections.send_timeout);
        let admin = match settings.admin_listen.0 {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        Ok(Self { api, admin, certificate })
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Limits how much of a response the system buffers ahead of the client: a socket accepts no more, so the service sees
/// whether the client reads. The system drops the buffered part when the client reads nothing for the timeout;
/// otherwise it would keep it for minutes after the connection is closed. Connections inherit both settings.
#[cfg(target_os = "linux")]
fn stay_close_to_clients(listener: &TcpListener, send_timeout: Duration) {
    const AHEAD_OF_THE_CLIENT: u32 = 128 * 1024;
    let socket = socket2::SockRef::from(listener);
    let set = socket.set_tcp_notsent_lowat(AHEAD_OF_THE_CLIENT);
    if let Err(error) = set.and_then(|()| socket.set_tcp_user_timeout(Some(send_timeout))) {
        tracing::debug!(%error, "TCP_NOTSENT_LOWAT or TCP_USER_TIMEOUT could not be set; the system's defaults apply");
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_close_to_clients(_: &TcpListener, _: Duration) {}
