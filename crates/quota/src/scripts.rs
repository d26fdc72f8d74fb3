//! The scripts that run inside Redis, where nobody comes between their steps.

use redis::Script;

#[derive(Debug)]
pub(crate) struct Scripts {
    pub(crate) ring: Script,
    pub(crate) block: Script,
    pub(crate) slot: Script,
    pub(crate) epoch: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            ring: Script::new(include_str!("scripts/ring.lua")),
            block: Script::new(include_str!("scripts/block.lua")),
            slot: Script::new(include_str!("scripts/slot.lua")),
            epoch: Script::new(include_str!("scripts/epoch.lua")),
        }
    }

    pub(crate) fn all(&self) -> [&Script; 4] {
        [&self.ring, &self.block, &self.slot, &self.epoch]
    }
}
