//! The streams of an HTTP/2 connection, whose responses are written together.
//!
//! hyper gives each stream to an executor. As a task of its own, each would wake the connection as soon as its response is
//! ready, and every response would be a write, and with TLS a record, of its own. So the connection's task polls new
//! streams once, after it has read all requests that are there, and only those that wait become tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::rt::Executor;

type Stream = BoxFuture<'static, ()>;

/// Takes new streams from hyper.
#[derive(Debug, Clone)]
pub struct Streams(Sender<Stream>);

/// Streams that have not been polled yet.
#[derive(Debug)]
pub struct NewStreams(Receiver<Stream>);

pub fn streams() -> (Streams, NewStreams) {
    let (sender, receiver) = channel();
    (Streams(sender), NewStreams(receiver))
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        // A connection that has ended needs no response any more.
        let _ = self.0.send(stream.boxed());
    }
}

impl NewStreams {
    /// Lets each new stream respond, or wait in a task. Responses wake the connection, which then writes them.
    pub fn advance(&self) {
        for mut stream in self.0.try_iter() {
            let mut first = Context::from_waker(Waker::noop());
            // A panic ends the stream alone, as it would in a task.
            let polled = catch_unwind(AssertUnwindSafe(|| stream.poll_unpin(&mut first)));
            if matches!(polled, Ok(Poll::Pending)) {
                tokio::spawn(stream);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn ready_streams_end_at_once_and_others_in_a_task() {
        let (streams, new) = streams();
        let (ready, mut has_ended) = oneshot::channel();
        streams.execute(async { ready.send(()).unwrap() });
        let (answer, awaited) = oneshot::channel();
        let (waiting, ends) = oneshot::channel();
        streams.execute(async { waiting.send(awaited.await.unwrap()).unwrap() });

        assert!(has_ended.try_recv().is_err());
        new.advance();
        has_ended.try_recv().unwrap();
        answer.send("an answer").unwrap();
        assert_eq!(ends.await, Ok("an answer"));
    }

    #[tokio::test]
    async fn a_stream_that_panics_ends_alone() {
        let (streams, new) = streams();
        let (ready, mut has_ended) = oneshot::channel();
        streams.execute(async { unreachable!("a defect") });
        streams.execute(async { ready.send(()).unwrap() });
        new.advance();
        has_ended.try_recv().unwrap();
    }

    #[tokio::test]
    async fn a_connection_that_has_ended_drops_its_streams() {
        let (streams, new) = streams();
        let (held, dropped) = oneshot::channel::<()>();
        let executor = streams.clone();
        // As hyper does: the stream keeps the executor.
        streams.execute(async move { drop((executor, held)) });
        drop(new);
        assert!(dropped.await.is_err());
    }
}
