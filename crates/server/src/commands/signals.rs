//! The signals that a command reacts to.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop a command: SIGTERM and Ctrl-C.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    pub(super) async fn requested(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// A request to a running service that does not stop it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// SIGHUP: read the settings again.
    Reload,
    /// SIGUSR1 or SIGUSR2: log the state.
    State,
}

/// The signals that would kill a process that does not listen to them. Those that come during the start are acted on
/// after it.
pub(super) struct Requests {
    hangup: Signal,
    user1: Signal,
    user2: Signal,
}

impl Requests {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            user1: signal(SignalKind::user_defined1())?,
            user2: signal(SignalKind::user_defined2())?,
        })
    }

    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.hangup.recv() => Request::Reload,
            _ = self.user1.recv() => Request::State,
            _ = self.user2.recv() => Request::State,
        }
    }
}
