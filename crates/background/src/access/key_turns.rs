//! Turns for key lookups: of concurrent requests with the same new key, one queries the store and the others wait for
//! its result.

use std::collections::HashMap;
use std::sync::Arc;

use lastro_model::KeyId;
use parking_lot::Mutex;
use tokio::sync::MutexGuard;

/// One lock for each key being looked up.
#[derive(Debug, Default)]
pub struct KeyTurns(Mutex<HashMap<KeyId, Arc<tokio::sync::Mutex<()>>>>);

/// A request's place in the queue for its key, released when dropped.
#[derive(Debug)]
pub struct KeyPlace<'a> {
    turns: &'a KeyTurns,
    id: KeyId,
    line: Arc<tokio::sync::Mutex<()>>,
}

impl KeyTurns {
    pub fn place(&self, id: KeyId) -> KeyPlace<'_> {
        let line = Arc::clone(self.0.lock().entry(id).or_default());
        KeyPlace { turns: self, id, line }
    }
}

impl KeyPlace<'_> {
    /// Waits until no other request is looking up this key.
    pub async fn turn(&self) -> MutexGuard<'_, ()> {
        self.line.lock().await
    }
}

impl Drop for KeyPlace<'_> {
    fn drop(&mut self) {
        let mut turns = self.turns.0.lock();
        // Only the table's reference and our own are left.
        if Arc::strong_count(&self.line) == 2 {
            turns.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn id(text: &str) -> KeyId {
        KeyId::parse(text).unwrap()
    }

    #[tokio::test]
    async fn serializes_lookups_per_key_and_cleans_up() {
        let turns = KeyTurns::default();
        let (first, second, other) =
            (turns.place(id("aaaaaaaa")), turns.place(id("aaaaaaaa")), turns.place(id("bbbbbbbb")));
        let held = first.turn().await;
        assert!(second.turn().now_or_never().is_none());
        assert!(other.turn().now_or_never().is_some(), "another key");
        drop(held);
        drop(first);
        assert!(second.turn().now_or_never().is_some());
        drop((second, other));
        assert!(turns.0.lock().is_empty());
    }
}
