//! Streams one edition of a source, or its changes since an earlier one, from a single read transaction.
//!
//! Each load has its own connection. The server is read no faster than the receiver consumes, and a receiver that is
//! dropped closes the connection in the middle of the reply.

use lastro_model::Source;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::server::Server;
use super::session::{Kind, Line, Session};
use crate::blocking::blocking;
use crate::rules::load::{self, CurrentEdition, Selection};
use crate::{Loaded, Result, StoreError};

/// The started stream; `None` if the edition to start from is not remembered.
type Begun = Result<Option<Loaded>>;

/// Streams all rows, or the changed filings. Returns once the state to read is fixed; the rows follow.
pub(super) async fn begin(server: &Server, source: Source, selection: Selection) -> Begun {
    let (begun, beginning) = oneshot::channel();
    let connection = server.connect().await?;
    let (runtime, answered_within) = (Handle::current(), server.answers_within(Kind::Load));
    let reading = blocking(move || {
        let line = Line { client: &connection, runtime: &runtime, answered_within };
        read(line, source, selection, begun);
        Ok(())
    });
    tokio::spawn(reading);
    beginning.await.unwrap_or_else(|_| Err(StoreError::Backend("its thread stopped unexpectedly".to_owned())))
}

fn read(line: Line<'_>, source: Source, selection: Selection, begun: oneshot::Sender<Begun>) {
    let session = match Session::begin(line, Kind::Load) {
        Ok(session) => session,
        Err(failure) => return reply(begun, Err(failure.error)),
    };
    let current = match fixed(&session, source, selection) {
        Ok(Some(current)) => current,
        Ok(None) => return reply(begun, Ok(None)),
        Err(error) => return reply(begun, Err(error)),
    };
    let (loaded, batches) = load::under_way(current);
    reply(begun, Ok(Some(loaded)));
    // The channel stays open until the result of the read is known, so that an interrupted read never looks complete.
    if let Err(error) = load::stream(&session, source, selection, &batches) {
        // A receiver that has gone does not need the error.
        let _ = batches.blocking_send(Err(error));
    }
}

/// Sends the outcome. The caller may have gone.
fn reply(begun: oneshot::Sender<Begun>, outcome: Begun) {
    let _ = begun.send(outcome);
}

/// Reads the current edition. This first read fixes the state that all later reads see.
fn fixed(session: &Session<'_>, source: Source, selection: Selection) -> Result<Option<CurrentEdition>> {
    let current = CurrentEdition::of(session, source)?;
    let is_known = match selection {
        Selection::Whole => true,
        Selection::ChangedSince(edition) => load::is_remembered(session, edition)?,
    };
    Ok(is_known.then_some(current))
}
