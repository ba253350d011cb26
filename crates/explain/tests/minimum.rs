//! Well-known bugs have stories with well-known numbers of switches, whichever execution they are found in.

mod support;

use norn_testing::compile;
use norn_testing::switches::fewest;
use norn_verdict::claim::Expected;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::trace::EventKind;
use std::collections::BTreeSet;
use support::{found, shortened};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nextern int nondet_int(void);\n";

/// A program with two threads. Main creates them, waits for them, and then does this.
fn threads(globals: &str, one: &str, other: &str, then: &str) -> String {
    format!(
        "{HEAD}{globals}\nvoid *one(void *arg) {{ {one} return 0; }}\nvoid *other(void *arg) {{ {other} return 0; }}\n\
         int main(void) {{\n  pthread_t a, b;\n  pthread_create(&a, 0, one, 0);\n  pthread_create(&b, 0, other, 0);\n  \
         pthread_join(a, 0);\n  pthread_join(b, 0);\n  {then}\n}}\n"
    )
}

/// All random executions that violate the property have one story, with so many switches and so many stores that wait while
/// another thread has its turn.
#[track_caller]
fn check_with(text: &str, model: Model, checks: Checks, switches: usize, waiting: usize) {
    let program = compile(text);
    let mut stories = BTreeSet::new();
    for first in 0..8 {
        let Some(first) = found(&program, model, checks, first * 500..first * 500 + 500) else { continue };
        let shorter = shortened(&program, checks, &first);
        let story = &shorter.counterexample;
        assert!(shorter.is_fewest, "all executions should be looked at");
        assert_eq!(story.trace().switches(), switches, "{}", story.schedule());
        assert_eq!(waits(story.trace()), waiting, "{}", story.schedule());
        let expected = Expected::from(first.violation());
        if story.schedule().inputs.is_empty() {
            assert_eq!(fewest(&program, model, checks, expected), Some(switches));
        }
        stories.insert((format!("{:?}", first.violation().span), story.schedule().to_string()));
    }
    assert!(!stories.is_empty(), "no random execution violates anything");
    let places = stories.iter().map(|(place, _)| place).collect::<BTreeSet<_>>();
    assert_eq!(stories.len(), places.len(), "the stories differ: {stories:#?}");
}

#[track_caller]
fn check(text: &str, model: Model, switches: usize, waiting: usize) {
    check_with(text, model, Checks::usual(), switches, waiting);
}

/// Stores that are in a buffer while another thread has its turn.
fn waits(trace: &norn_verdict::trace::Trace) -> usize {
    let waits = |at: usize| {
        let own = trace.events[at].thread;
        let rest = &trace.events[at + 1..];
        let until =
            rest.iter().position(|event| matches!(event.kind, EventKind::Commit { write, .. } if write.index() == at));
        rest[..until.unwrap_or(rest.len())].iter().any(|event| event.thread != own && event.kind.is_turn())
    };
    let is_buffered = |&at: &usize| matches!(trace.events[at].kind, EventKind::Write { buffered: true, .. });
    (0..trace.events.len()).filter(is_buffered).filter(|&at| waits(at)).count()
}

#[test]
fn store_buffering() {
    let text = threads("volatile int x, y, r, s;", "x = 1; r = y;", "y = 1; s = x;", "assert(r || s);");
    // main, one thread, the other, main; the first store waits, and with it what was read.
    for model in [Model::Tso, Model::Pso] {
        check(&text, model, 3, if model == Model::Tso { 2 } else { 1 });
    }
}

#[test]
fn message_passing() {
    let text = threads("volatile int data, flag;", "data = 1; flag = 1;", "if (flag) assert(data);", "");
    check(&text, Model::Pso, 2, 1);
}

/// A store that nobody needs to miss is not among those that wait.
#[test]
fn stores_do_not_wait_without_need() {
    let one = "count = 1; data = 1; flag = 1;";
    let text = threads("volatile int data, flag, count;", one, "if (flag) assert(data); count = 2;", "");
    check(&text, Model::Pso, 2, 1);
}

#[test]
fn dekker() {
    let enter =
        |own: &str, other: &str| format!("{own} = 1; if (!{other}) {{ inside++; assert(inside == 1); inside--; }}");
    let text = threads("volatile int a, b, inside;", &enter("a", "b"), &enter("b", "a"), "");
    let program = compile(&text);
    for model in [Model::Tso, Model::Pso] {
        let first = found(&program, model, Checks::usual(), 0..2000).expect("some execution violates it");
        let story = shortened(&program, Checks::usual(), &first).counterexample;
        assert_eq!(story.trace().switches(), 2, "{}", story.schedule());
    }
}

#[test]
fn lost_update() {
    let text = threads("volatile int x;", "x = x + 1;", "x = x + 1;", "assert(x == 2);");
    // One thread reads, the other does all, the first writes, main looks. A store that waits needs a turn less.
    check(&text, Model::Sc, 4, 0);
    for model in [Model::Tso, Model::Pso] {
        check(&text, model, 3, 1);
    }
}

#[test]
fn ring_buffer_with_a_relaxed_tail() {
    let text = std::fs::read_to_string("../../examples/ring_buffer.c").expect("the example should be there");
    let program = compile(&text);
    let first = found(&program, Model::Pso, Checks::usual(), 0..2000).expect("some execution violates it");
    let shorter = shortened(&program, Checks::usual(), &first);
    assert!(shorter.is_fewest);
    assert_eq!(shorter.counterexample.trace().switches(), 2, "{}", shorter.counterexample.schedule());
}

#[test]
fn deadlock() {
    let locks = |one: &str, other: &str| {
        let lock = |name: &str| format!("pthread_mutex_lock(&{name});");
        let unlock = |name: &str| format!("pthread_mutex_unlock(&{name});");
        [lock(one), lock(other), unlock(other), unlock(one)].concat()
    };
    let globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;";
    let text = threads(globals, &locks("m", "n"), &locks("n", "m"), "");
    check_with(&text, Model::Sc, Checks { deadlock: true, ..Checks::usual() }, 2, 0);
}

#[test]
fn lost_memory() {
    let globals = "#include <stdlib.h>\nvoid *volatile p;";
    let replace = "void *q = p; p = malloc(8); free(q);";
    let text = threads(globals, replace, replace, "free(p);");
    let checks = Checks { memory_leak: true, basic: norn_verdict::outcome::Basic::Nothing, ..Checks::default() };
    let program = compile(&text);
    let first = found(&program, Model::Sc, checks, 0..500).expect("memory is lost if both read the same pointer");
    let shorter = shortened(&program, checks, &first);
    assert!(shorter.is_fewest && shorter.counterexample.trace().switches() <= first.trace().switches());
    assert_eq!(shorter.counterexample.violation().kind, norn_verdict::outcome::ViolationKind::MemoryLeak);
}

#[test]
fn data_race() {
    let text = threads("int x; atomic_int a;", "a = 1; x = 1; a = 2;", "a = 3; x = 2; a = 4;", "");
    check_with(&text, Model::Sc, Checks { data_race: true, ..Checks::usual() }, 2, 0);
}

#[test]
fn use_after_free_and_overflow() {
    let text = threads(
        "#include <stdlib.h>\nint *volatile p; volatile int x;",
        "x = 1; p = malloc(sizeof *p); *p = 1; free(p);",
        "x = 2; int *q = p; if (q) *q = 2;",
        "",
    );
    check(&text, Model::Sc, 3, 0);
    let text = threads("volatile int x = 2147483646;", "x = x + 1;", "x = x + 1;", "");
    // Main goes on, too, as soon as the first thread has ended.
    check_with(&text, Model::Sc, Checks { overflow: true, ..Checks::usual() }, 3, 0);
}

#[test]
fn inputs_become_small() {
    let text = threads("volatile int x;", "x = nondet_int();", "if (x > 40) assert(x < 41);", "");
    let program = compile(&text);
    let first = found(&program, Model::Sc, Checks::usual(), 0..2000).expect("some execution violates it");
    let story = shortened(&program, Checks::usual(), &first).counterexample;
    let values = story.schedule().inputs.iter().flat_map(|(_, values)| values).copied().collect::<Vec<_>>();
    assert_eq!(values, [41]);
}

#[test]
fn what_others_do_is_left_out() {
    let text = format!(
        "{HEAD}volatile int x, y;\nvoid *busy(void *arg) {{ y = x + 1; y = x + 1; return 0; }}\n\
         void *wrong(void *arg) {{ x = 1; assert(!x); return 0; }}\nint main(void) {{\n  pthread_t a, b, c;\n  \
         pthread_create(&a, 0, busy, 0);\n  pthread_create(&b, 0, wrong, 0);\n  pthread_create(&c, 0, busy, 0);\n}}\n"
    );
    check(&text, Model::Sc, 1, 0);
    let program = compile(&text);
    let first = found(&program, Model::Sc, Checks::usual(), 0..2000).expect("some execution violates it");
    let story = shortened(&program, Checks::usual(), &first).counterexample;
    let steps = story.schedule().steps.len();
    assert_eq!(steps, 4, "two creations, a store and a load: {}", story.schedule());
}
