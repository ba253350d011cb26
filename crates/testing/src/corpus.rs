//! The corpus of programs with known verdicts. It is no part of the project, and tests that need it are left out without it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the corpus lies, if it is there: where `NORN_CORPUS` says, or beside the project.
pub fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("NORN_CORPUS").map_or_else(beside, PathBuf::from);
    path.is_dir().then_some(path)
}

/// The corpus for a test. Without one a line on stderr, which no test runner catches, says that the test was left out.
pub fn for_test(test: &str) -> Option<PathBuf> {
    let found = folder();
    if found.is_none() {
        left_out(test, "there is no corpus in ../shared/corpus, and NORN_CORPUS names none");
    }
    found
}

/// Says that a test was left out, and why.
pub fn left_out(test: &str, why: &str) {
    // Not by a macro: the test runner hides what those print.
    let _ = writeln!(std::io::stderr(), "left out: {test}: {why}");
}
