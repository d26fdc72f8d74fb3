//! Streams one edition of a source, or what changed since an earlier one, out of a single reading transaction.
//!
//! Each has a connection of its own. The server is read no faster than the receiver takes, and a receiver that leaves
//! closes the connection in the middle of the answer.

use lastro_model::Source;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::server::Server;
use super::session::{Kind, Line, Session};
use crate::blocking::blocking;
use crate::rules::load::{self, CurrentEdition, Selection};
use crate::{Loaded, Result, StoreError};

/// What there is to stream: nothing, where the edition to start from is not remembered.
type Begun = Result<Option<Loaded>>;

/// All rows, or the filings that changed. Answers when the state that is read is fixed; the rows follow.
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
        Err(failure) => return tell(begun, Err(failure.error)),
    };
    let current = match fixed(&session, source, selection) {
        Ok(Some(current)) => current,
        Ok(None) => return tell(begun, Ok(None)),
        Err(error) => return tell(begun, Err(error)),
    };
    let (loaded, batches) = load::under_way(current);
    tell(begun, Ok(Some(loaded)));
    // A reading cut short never looks like a whole one: the channel is open until it is known how it ended.
    if let Err(error) = load::stream(&session, source, selection, &batches) {
        // If nobody listens any more, nobody misses the error.
        let _ = batches.blocking_send(Err(error));
    }
}

/// Whoever asked may have left.
fn tell(begun: oneshot::Sender<Begun>, outcome: Begun) {
    let _ = begun.send(outcome);
}

/// This first read fixes the state that all later ones see.
fn fixed(session: &Session<'_>, source: Source, selection: Selection) -> Result<Option<CurrentEdition>> {
    let current = CurrentEdition::of(session, source)?;
    let is_known = match selection {
        Selection::Whole => true,
        Selection::ChangedSince(edition) => load::is_remembered(session, edition)?,
    };
    Ok(is_known.then_some(current))
}
