//! The long form of the tests that compare the stateless engine with the enumerator on generated programs.

use crate::norn::root;
use std::process::Command;

pub const DEFAULT_COUNT: u64 = 2000;

/// So many programs of each shape, from this seed on, under all models.
pub fn run(count: u64, seed: u64) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--release", "--package", "norn-stateless", "--test", "exact", "--test", "robust"])
        .env("NORN_TEST_PROGRAMS", count.to_string())
        .env("NORN_TEST_SEED", seed.to_string())
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("the engine and the enumerator differ".to_owned()) }
}
