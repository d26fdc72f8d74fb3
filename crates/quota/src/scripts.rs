//! The scripts that run inside Redis, where nobody comes between their steps.

use redis::Script;

/// Those that count know the epoch.
macro_rules! counting {
    ($name:literal) => {
        Script::new(concat!(
            include_str!("scripts/epoch.lua"),
            include_str!(concat!("scripts/", $name, ".lua"))
        ))
    };
}

#[derive(Debug)]
pub(crate) struct Scripts {
    pub(crate) ring: Script,
    pub(crate) block: Script,
    pub(crate) look: Script,
    pub(crate) slot: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            ring: counting!("ring"),
            block: counting!("block"),
            look: counting!("look"),
            slot: Script::new(include_str!("scripts/slot.lua")),
        }
    }

    pub(crate) fn all(&self) -> [&Script; 4] {
        [&self.ring, &self.block, &self.look, &self.slot]
    }
}
