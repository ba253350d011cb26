//! The long forms of tests that compare engines with the enumerator on generated programs.

use crate::norn::root;
use std::process::Command;

/// How many programs are compared unless told.
pub const EXECUTIONS: u64 = 2000;
pub const ENDLESS: u64 = 1000;

/// The executions of the stateless engine, on so many programs of each shape, from this seed on, under all models.
pub fn executions(count: u64, seed: u64) -> Result<(), String> {
    run("norn-stateless", &["exact", "robust"], count, seed)
}

/// Executions that never end.
pub fn endless(count: u64, seed: u64) -> Result<(), String> {
    run("norn-states", &["termination"], count, seed)
}

fn run(package: &str, tests: &[&str], count: u64, seed: u64) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--release", "--package", package])
        .args(tests.iter().flat_map(|test| ["--test", test]))
        .env("NORN_TEST_PROGRAMS", count.to_string())
        .env("NORN_TEST_SEED", seed.to_string())
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("an engine and the enumerator differ".to_owned()) }
}
