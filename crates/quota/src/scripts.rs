//! The scripts that run inside Redis, each as one atomic step.

use std::sync::LazyLock;

use redis::Script;

macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("scripts/common.lua"),
                include_str!(concat!("scripts/", $name, ".lua"))
            ))
        })
    };
}

pub(crate) static RING: LazyLock<Script> = script!("ring");
pub(crate) static GIVE_BACK: LazyLock<Script> = script!("give_back");
pub(crate) static BLOCK: LazyLock<Script> = script!("block");
pub(crate) static PROBE: LazyLock<Script> = script!("probe");
pub(crate) static SLOT: LazyLock<Script> = script!("slot");

pub(crate) fn all() -> [&'static Script; 5] {
    [&RING, &GIVE_BACK, &BLOCK, &PROBE, &SLOT]
}
