//! Programs of a few lines, each of which goes wrong if one thing in the event list or its terms does: what is known of the
//! values of a cell, where pointers point, lives of objects, fences, names of threads.

use norn_engine::{Engine, Query};
use norn_events::{Encoding, Events};
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_testing::prepare;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int);\nint x, y, g;\npthread_t id;\n";

const CHECKS: Checks = Checks { memory_safety: true, ..Checks::DEFAULT };

/// Whether there is a violation, which the machine has replayed. The bounds suffice.
#[track_caller]
fn is_unsafe(text: &str, model: Model, checks: Checks) -> bool {
    let program = prepare(&format!("{HEAD}{text}"));
    let (limits, bounds) = (Limits::for_seconds(60.0), Bounds { default: 4, ..Bounds::default() });
    let query = Query { program: &program, model, checks, bounds: Some(&bounds), limits: &limits };
    let engine = Events { encoding: Encoding::Order, certify: false };
    match engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model}: {mismatch}\n{text}")).outcome {
        Outcome::Unsafe(_) => true,
        Outcome::Safe { bounds } if bounds.iter().all(|bound| bound.exhausted) => false,
        other => panic!("{model}: {other:?}\n{text}"),
    }
}

/// One thread `t`, started by a `main` that goes on with the second part.
#[track_caller]
fn two_threads(t: &str, main: &str, model: Model, expected: bool) {
    let text = format!(
        "void *t(void *arg) {{ {t} return 0; }}\nint main(void) {{ pthread_create(&id, 0, t, 0); {main} return 0; }}"
    );
    assert_eq!(is_unsafe(&text, model, CHECKS), expected, "{text}");
}

#[track_caller]
fn alone(main: &str, expected: bool) {
    let text = format!("int main(void) {{ int v = __VERIFIER_nondet_int(); {main} return 0; }}");
    assert_eq!(is_unsafe(&text, Model::Sc, CHECKS), expected, "{text}");
}

#[test]
fn a_cell_has_room_for_all_its_values() {
    for (first, second) in [(4, 7), (5, 6), (-1, 1), (1, -1), (-2, 1), (-1, 127), (0, i32::MIN), (8, 9)] {
        let main = |expected: i32| format!("x = {second}; int v = x; assert(v != {expected});");
        two_threads(&format!("x = {first};"), &main(first), Model::Sc, true);
        two_threads(&format!("x = {first};"), &main(second), Model::Sc, true);
        let none = format!("x = {second}; int v = x; assert(v == {first} || v == {second});");
        two_threads(&format!("x = {first};"), &none, Model::Sc, false);
    }
}

#[test]
fn a_pointer_is_followed_to_all_its_places() {
    for (first, second) in [(0, 1), (1, 3), (3, 2), (0, 6), (5, 2)] {
        let joined = format!("int a[8] = {{0}}; int *p = v > 9 ? &a[{first}] : &a[{second}]; *p = 5;");
        for place in 0..8 {
            alone(&format!("{joined} assert(a[{place}] != 5);"), place == first || place == second);
        }
        alone(&format!("{joined} assert(a[{first}] + a[{second}] == 5);"), false);
    }
}

#[test]
fn an_offset_just_behind_an_object_is_outside() {
    for (size, mask, expected) in
        [(3, 3, true), (4, 3, false), (7, 7, true), (8, 7, false), (15, 15, true), (16, 15, false)]
    {
        alone(&format!("char b[{size}]; b[v & {mask}] = 1;"), expected);
        let shared = format!("static char b[{size}]; b[x & {mask}] = 1;");
        two_threads("x = __VERIFIER_nondet_int();", &shared, Model::Tso, expected);
    }
}

#[test]
fn an_object_that_may_be_freed_is_not_used() {
    alone("int *p = malloc(4); if (v) free(p); *p = 1;", true);
    alone("int *p = malloc(4); if (!v) free(p); if (v) *p = 1;", false);
    alone("int *p = malloc(4); if (v > 3) free(p); else if (v > 2) free(p); if (v <= 2) *p = 1;", false);
    alone("int *p = malloc(4); if (v > 3) free(p); else if (v > 2) free(p); if (v <= 3) *p = 1;", true);
}

#[test]
fn signed_arithmetic() {
    alone("__VERIFIER_assume(v < 0); assert(v >> 31 == -1);", false);
    alone("__VERIFIER_assume(v == -9); assert(v >> 1 == -5);", false);
    alone("__VERIFIER_assume(v >= -9 && v < 20); int s = v & 3; assert(v >> s >= -9);", false);
    let overflow = Checks { overflow: true, ..CHECKS };
    let sum = |condition: &str, sum: &str| {
        let text = format!(
            "int main(void) {{ int v = __VERIFIER_nondet_int(), w = __VERIFIER_nondet_int(); if ({condition}) g = {sum}; }}"
        );
        is_unsafe(&text, Model::Sc, overflow)
    };
    assert!(!sum("v > 0 && w < 0", "v + w"));
    assert!(!sum("v > 0 && w >= 0", "v - w"));
    assert!(sum("v > 0 && w > 0", "v + w"));
    assert!(sum("v < 0 && w > 0", "v - w"));
}

#[test]
fn a_fence_between_stores_orders_them() {
    let passed = "if (y == 1) assert(x == 1);";
    two_threads("x = 1; y = 1;", passed, Model::Pso, true);
    two_threads("x = 1; __asm__ volatile(\"sfence\" ::: \"memory\"); y = 1;", passed, Model::Pso, false);
}

#[test]
fn an_update_of_what_nobody_shares_is_no_step() {
    for model in Model::ALL {
        let update = "int l = 0, v = __VERIFIER_nondet_int(); int *p = v ? &l : &g; __sync_fetch_and_add(p, 1);";
        two_threads("g = 3;", &format!("{update} assert(l == 0);"), model, true);
        two_threads("g = 3;", &format!("{update} assert(g != 4 || l == 0);"), model, false);
        two_threads("g = 3;", &format!("{update} assert(g != 3 || l == 0);"), model, true);
    }
}

#[test]
fn threads_of_a_creation_with_a_choice_have_their_names() {
    let text = |violated: &str| {
        format!(
            "void *a(void *arg) {{ x = 1; return 0; }}\nvoid *b(void *arg) {{ y = 1; return 0; }}\n\
             void *c(void *arg) {{ if ({violated}) g = 1; assert(g == 0); return 0; }}\n\
             int main(void) {{ pthread_create(&id, 0, __VERIFIER_nondet_int() ? a : b, 0); pthread_create(&id, 0, c, 0); }}"
        )
    };
    for model in Model::ALL {
        assert!(is_unsafe(&text("x"), model, CHECKS));
        assert!(is_unsafe(&text("y"), model, CHECKS));
        assert!(!is_unsafe(&text("x && y"), model, CHECKS));
    }
}
