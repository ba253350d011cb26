//! Which texts are C: a table of small ones, made with GCC 12 and clang 14 (`-std=gnu11 -fsyntax-only`).
//!
//! A line of `accepted.txt` begins with `+` if the text is accepted, with `-` if it is rejected, as by GCC, and with `!` if it is rejected
//! though GCC accepts it: mostly extensions that clang does not have either.

use super::check;
use norn_ir::diag::Severity;

#[test]
fn texts_are_accepted_or_rejected_as_by_compilers() {
    let mut wrong = String::new();
    for line in include_str!("accepted.txt").lines() {
        let (mark, text) = line.split_at(2);
        let errors = check(text).messages(Severity::Unsupported);
        if errors.is_empty() != (mark == "+ ") {
            wrong += &format!("{line}: {errors:?}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
