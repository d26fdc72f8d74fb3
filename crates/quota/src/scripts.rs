//! The scripts that run inside Redis, each as one atomic step, and the commands that call them.

use std::fmt::Display;
use std::sync::LazyLock;

use redis::{Cmd, RedisWrite, Script};

/// Enough for the words and the bytes of any call, so that a command is allocated once.
const WORDS: usize = 12;
const BYTES: usize = 256;

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

/// A command that runs a script with these keys. The caller appends the arguments.
pub(crate) fn command(script: &Script, keys: &[&dyn Display]) -> Cmd {
    let mut command = Cmd::with_capacity(WORDS, BYTES);
    command.arg("EVALSHA").arg(script.get_hash()).arg(keys.len());
    keys.iter().for_each(|key| command.write_arg_fmt(key));
    command
}
