//! The front end is linear in the size of its input: a file of 100,000 lines in seconds, and four times the lines in about
//! four times the time. `cargo xtask bench` measures the release build against its limits.

use norn_c::driver::{Input, compile};
use norn_c::session::Options;
use norn_testing::measured;
use std::fmt::Write;
use std::time::Duration;

/// Functions with loops, branches, structs and shared variables, ten lines each.
fn program(lines: usize) -> String {
    let mut text = String::from("#include <pthread.h>\nstruct node { int key; struct node *next; };\nint total;\n");
    for i in 0..lines / 10 {
        let _ = write!(
            text,
            "static int step_{i}(struct node *list, int limit)\n{{\n    int found = 0;\n    \
             for (struct node *n = list; n; n = n->next)\n        if (n->key == {i} && limit > found)\n            \
             found += n->key;\n    total += found;\n    return found ? limit : {i};\n}}\n\n"
        );
    }
    text.push_str("int main(void)\n{\n    struct node one = { 1, 0 };\n    int sum = 0;\n");
    for i in 0..lines / 10 {
        let _ = writeln!(text, "    sum += step_{i}(&one, {i});");
    }
    text + "    return sum;\n}\n"
}

fn time(lines: usize) -> Duration {
    let text = program(lines);
    let input = Input::Text { name: "large.c".to_owned(), text };
    let (compiled, took) = measured(|| compile(Options::default(), None, vec![input]));
    assert!(compiled.program.is_some(), "{:?}", compiled.diagnostics.first());
    took
}

#[test]
fn time_grows_with_the_number_of_lines() {
    // The best of three: caches are shared with whatever else runs.
    let best = |lines: usize| (0..3).map(|_| time(lines)).min().expect("three runs");
    let (small, large) = (best(25_000), best(100_000));
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });
    assert!(large < limit, "100,000 lines took {large:?}");
    assert!(large < small * 12, "25,000 lines took {small:?}, but 100,000 lines {large:?}");
}
