//! What event lists look like: the one in the architecture document, and how wide cells are.

use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{Encoding, Finding, SectionKind, Symbolic, ThreadId, execute};
use norn_testing::compile;
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Checks, ViolationKind};

/// Two threads with these bodies; main joins them and then does something.
fn list(globals: &str, one: &str, two: &str, last: &str, unwind: u32) -> Symbolic {
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n{globals}\n\
         void *one(void *arg) {{ {one} return 0; }}\nvoid *two(void *arg) {{ {two} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {last} return 0; }}\n"
    );
    let bounds = Bounds { default: unwind, ..Bounds::default() };
    execute(&Analysed::new(compile(&text)), &bounds, Checks::default(), &Limits::none())
        .unwrap_or_else(|r| panic!("{r:?}"))
}

fn width(symbolic: &Symbolic, name: &str) -> u32 {
    symbolic.cells.iter().find(|cell| cell.name == name).unwrap_or_else(|| panic!("there is no cell {name}")).width
}

#[test]
fn store_buffering() {
    let symbolic = list("int x, y, p, q;", "x = 1; p = y;", "y = 1; q = x;", "assert(p + q > 0);", 1);
    let expected = "\
cell 0 'p': 1 bits, at first 0
cell 1 'q': 1 bits, at first 0
cell 2 'x': 1 bits, at first 0
cell 3 'y': 1 bits, at first 0
thread 0 if true
  0: fence Call if true
  1: create 1 if true
  2: fence Call if true
  3: create 2 if true
  4: fence Call if true
  5: join 1 if b0
  6: fence Call if b0
  7: join 2 if and(b0 b1)
  8: read v2 from 0 if and(b0 b1)
  9: read v3 from 1 if and(b0 b1)
";
    let text = symbolic.to_string();
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("  10: write 1 to 2 if true\n  11: read v4 from 3 if true\n  12: write v4 to 0 if true\n"),
        "{text}"
    );
    // Nothing known, what is written, what is copied from there.
    assert_eq!(symbolic.stats.passes, 3);
    assert_eq!(symbolic.checks.len(), 1);
    assert!(matches!(&symbolic.checks[0].what, Finding::Violation(v) if v.kind == ViolationKind::Assertion));
}

#[test]
fn cells_are_as_wide_as_what_they_hold() {
    let symbolic = list(
        "int flag, count, balance, any, five = 5; int *volatile p; int x, y;",
        "flag = 1; count++; count++; balance--; p = &x; any = count * balance + five;",
        "count++; balance++; p = &y; if (flag) any = five; int *q = p; if (q) *q = 1;",
        "",
        1,
    );
    let five = symbolic.cells.iter().find(|cell| cell.name == "five").expect("it is read");
    assert_eq!(five.encoding, Encoding::Bits { varying: 0, ones: 5, indeterminate: false });
    assert_eq!(width(&symbolic, "flag"), 1);
    // 0 to 3
    assert_eq!(width(&symbolic, "count"), 2);
    // -1 to 1
    assert_eq!(width(&symbolic, "balance"), 2);
    // null, x and y
    assert_eq!(width(&symbolic, "p"), 2);
    assert_eq!(width(&symbolic, "any"), 32);
}

#[test]
fn a_loop_counts_no_further_than_its_bound() {
    let counter = "for (int i = 0; i < 100; i++) n++;";
    let symbolic = list("int n;", counter, counter, "", 3);
    // Four iterations by each thread: 0 to 8.
    assert_eq!(width(&symbolic, "n"), 4, "{symbolic}");
    assert_eq!(symbolic.cuts.len(), 2);
    assert!(symbolic.cuts.iter().all(|cut| cut.bound == 3));
}

#[test]
fn a_constant_that_was_read_counts_where_it_is_written() {
    let symbolic = list("int unit = 1, x;", "int v = unit; x = 1;", "int v = unit; x += 1;", "", 1);
    // 0 to 2
    assert_eq!(width(&symbolic, "x"), 2, "{symbolic}");
}

#[test]
fn an_array_with_an_unknown_index_has_a_target_per_element() {
    let symbolic = list("int n[5], i;", "n[i & 3] = 7;", "n[4] = 1; i = 2;", "", 1);
    let written = symbolic.events.iter().filter(|event| event.targets().len() > 1).map(|event| event.targets().len());
    assert_eq!(written.collect::<Vec<_>>(), [2], "i is 0 or 2");
    assert!(symbolic.checks.is_empty(), "{symbolic}");
}

#[test]
fn several_sizes_make_groups_of_bytes() {
    let symbolic = list("union { int i; char c[4]; } u;", "u.i = 258;", "char c = u.c[1];", "int i = u.i;", 1);
    let groups: Vec<usize> =
        symbolic.sections.iter().filter(|s| s.kind == SectionKind::Group).map(|s| s.events.len()).collect();
    assert_eq!(groups, [4, 4]);
    assert!(symbolic.cells.iter().all(|cell| cell.size == 1));
}

#[test]
fn the_observer_comes_only_where_deadlocks_are_looked_for() {
    let program = compile("#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_lock(&m); }");
    let with = |deadlock: bool| {
        let checks = Checks { deadlock, ..Checks::default() };
        let list = execute(&Analysed::new(program.clone()), &Bounds::default(), checks, &Limits::none());
        list.expect("it should have a list").observer
    };
    assert_eq!((with(false), with(true)), (None, Some(ThreadId(1))));
}
