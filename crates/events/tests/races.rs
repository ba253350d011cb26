//! Random small programs: whether there is a data race is what exhaustive enumeration says, under every model and in
//! both encodings.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

use norn_engine::{Engine, Prepared, Query};
use norn_events::{Encoding, Events};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_testing::programs::races::{HEAD, program};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::fmt::Write;

const CHECKS: Checks = Checks { data_race: true, ..Checks::DEFAULT };

/// Whether there is a violation; nothing if that takes too long or something undefined is met.
fn enumerated(program: &Prepared, model: Model) -> Option<bool> {
    let limits = at_most(1 << 18);
    let found =
        states::explore(&Question { program, model, checks: CHECKS, limits: &limits, domain: None, observed: &[] });
    match (found.violation, found.incomplete) {
        (Some(_), _) => Some(true),
        (None, None) => Some(false),
        (None, Some(_)) => None,
    }
}

/// Whether there is a violation, and whether that is the last word.
fn solved(program: &Prepared, model: Model, encoding: Encoding) -> Option<(bool, bool)> {
    let limits = Limits::for_seconds(60.0);
    let bounds = Bounds { default: 2, ..Bounds::default() };
    let certify = encoding == Encoding::Order;
    let query = Query { program, model, checks: CHECKS, bounds: Some(&bounds), limits: &limits };
    let engine = Events { encoding, certify };
    match engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model} {encoding:?}: {mismatch}")).outcome {
        Outcome::Unsafe(_) => Some((true, true)),
        Outcome::Safe { bounds } => Some((false, bounds.iter().all(|bound| bound.exhausted))),
        Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => {
            assert!(reason.to_string().contains("without checking memory safety"), "{model} {encoding:?}: {reason}");
            None
        }
    }
}

/// For each model: whether the program is racy, if both know.
fn check(text: &str) -> Vec<Option<bool>> {
    let program = prepare(text);
    let check = |model: Model| {
        let expected = enumerated(&program, model)?;
        for encoding in [Encoding::Order, Encoding::Clocks] {
            let (found, complete) = solved(&program, model, encoding)?;
            if !complete && expected {
                return None;
            }
            assert_eq!(found, expected, "{model} {encoding:?}: is there a race?");
            assert!(complete || text.contains("for (;;)") || text.contains("while"), "there is no loop");
        }
        Some(expected)
    };
    Model::ALL.into_iter().map(check).collect()
}

/// Whether the threads with these bodies race, under all models.
fn check_threads(bodies: &[&str], racy: bool) {
    let mut text = HEAD.to_owned();
    for (thread, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;\n  {body}\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  pthread_t id;\n");
    for thread in 0..bodies.len() {
        let _ = writeln!(text, "  pthread_create(&id, 0, t{thread}, 0);");
    }
    text.push_str("  return 0;\n}\n");
    assert_eq!(check(&text), [Some(racy); 3], "{text}");
}

const STORE: &str = "x = 1; atomic_store_explicit(&a, 1, memory_order_release);";
const LOAD: &str = "if (atomic_load_explicit(&a, memory_order_acquire) == 1) r = x;";

#[test]
fn release_and_acquire() {
    check_threads(&[STORE, LOAD], false);
    check_threads(&["x = 1; atomic_store_explicit(&a, 1, memory_order_relaxed);", LOAD], true);
    check_threads(&[STORE, "if (atomic_load_explicit(&a, memory_order_relaxed) == 1) r = x;"], true);
    check_threads(&[STORE, "if (*(int *)&a == 1) r = x;"], true);
    let fenced =
        "x = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&a, 1, memory_order_relaxed);";
    let fences =
        "if (atomic_load_explicit(&a, memory_order_relaxed)) { atomic_thread_fence(memory_order_acquire); r = x; }";
    check_threads(&[fenced, fences], false);
    check_threads(
        &["atomic_thread_fence(memory_order_release); x = 1; atomic_store_explicit(&a, 1, 0);", fences],
        true,
    );
}

/// An iteration of a spin loop that goes on takes part in races like any other.
#[test]
fn idle_iterations_race() {
    let waits = |idle: &str| format!("while (!atomic_load_explicit(&a, memory_order_acquire)) {{ {idle} }}");
    let sets = |write: &str| format!("{write} atomic_store_explicit(&a, 1, memory_order_release);");
    // Only an iteration that goes on reads what the other thread writes.
    check_threads(&[&waits("r = x;"), &sets("x = 1;")], true);
    check_threads(&[&waits("r = y;"), &sets("x = 1;")], false);
    let reads = waits("r = atomic_load_explicit(&b, memory_order_relaxed);");
    check_threads(&[&reads, &sets("*(int *)&b = 1;")], true);
    check_threads(&[&reads, &sets("atomic_store_explicit(&b, 1, memory_order_relaxed);")], false);
}

/// Nor where the object is also accessed plainly.
#[test]
fn two_atomic_accesses_do_not_race() {
    let first = "*(int *)&b = 1; atomic_store_explicit(&a, 1, memory_order_release);";
    let later = |write: &str| format!("if (atomic_load_explicit(&a, memory_order_acquire)) {{ {write} }}");
    let atomic = later("atomic_store_explicit(&b, 2, memory_order_relaxed);");
    check_threads(&[first, &atomic, &atomic], false);
    check_threads(&[first, &atomic, &later("*(int *)&b = 2;")], true);
}

/// To look at a semaphore is not to wait for it.
#[test]
fn looking_at_a_semaphore_synchronises_nothing() {
    let posts = "x = 1; sem_post(&s);";
    check_threads(&[posts, "int v; sem_getvalue(&s, &v); if (v == 1) r = x;"], true);
    check_threads(&[posts, "if (sem_trywait(&s) == 0) r = x;"], false);
}

#[test]
fn release_sequences() {
    let sees_two = "if (atomic_load_explicit(&a, memory_order_acquire) == 2) r = x;";
    check_threads(&[STORE, "atomic_fetch_add_explicit(&a, 1, memory_order_relaxed);", sees_two], false);
    // A store begins a sequence of its own, even after having read the first.
    let stores =
        "if (atomic_load_explicit(&a, memory_order_relaxed)) atomic_store_explicit(&a, 2, memory_order_relaxed);";
    check_threads(&[STORE, stores, sees_two], true);
}

#[test]
fn sequences_of_the_releasing_thread() {
    let relaxed = |value: u32| format!("atomic_store_explicit(&a, {value}, memory_order_relaxed);");
    let sees = |value: u32| format!("if (atomic_load_explicit(&a, memory_order_acquire) == {value}) r = x;");
    let later = format!("{STORE} {}", relaxed(2));
    check_threads(&[&later, &sees(2)], false);
    check_threads(&[&format!("{} {STORE}", relaxed(2)), &sees(2)], true);
    check_threads(&[&format!("{STORE} if (y) {} {}", relaxed(3), relaxed(2)), &sees(2)], false);
    check_threads(&[&format!("if (y) {{ {STORE} }} else x = 1; {}", relaxed(2)), &sees(2)], true);
    // Others break it by stores alone.
    check_threads(&[&later, &relaxed(4), &sees(2)], true);
    check_threads(&[&later, "atomic_fetch_add_explicit(&a, 4, memory_order_relaxed);", &sees(2)], false);
    check_threads(&[&later, "atomic_fetch_add_explicit(&a, 4, memory_order_relaxed);", &sees(6)], false);
    check_threads(&[&later, "*(int *)&a = 4;", &sees(2)], true);
}

#[test]
fn freeing_is_writing() {
    let text = |order: &str, access: &str, free: &str, load: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nint *p; atomic_int f;\n\
             extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
             void *t(void *arg) {{ {access} atomic_store_explicit(&f, 1, memory_order_{order}); return 0; }}\n\
             int main(void) {{ pthread_t id; p = malloc(4); *p = 1; pthread_create(&id, 0, t, 0);\n\
             if (atomic_load_explicit(&f, memory_order_{load}) == 1) {{ {free} }} return 0; }}"
        )
    };
    for access in ["int v = *p; (void)v;", "*p = 2;", "__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);", "p[0]++;"] {
        for free in ["free(p);", "p = realloc(p, 8); free(p);"] {
            assert_eq!(check(&text("release", access, free, "acquire")), [Some(false); 3], "{access} {free}");
            assert_eq!(check(&text("relaxed", access, free, "acquire")), [Some(true); 3], "{access} {free}");
            assert_eq!(check(&text("release", access, free, "relaxed")), [Some(true); 3], "{access} {free}");
        }
    }
    // Another object, and a pointer alone.
    assert_eq!(check(&text("relaxed", "int *q = p; (void)q;", "free(p);", "relaxed")), [Some(false); 3]);
    assert_eq!(
        check(&text("relaxed", "int *q = malloc(4); *q = 1; free(q);", "free(p);", "relaxed")),
        [Some(false); 3]
    );
}

/// Who drops the last reference frees the object with its lock: what `unlock` did with it is no race.
#[test]
fn a_lock_may_be_freed_by_its_last_user() {
    let program = |before: &str, after: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\nstruct {{ pthread_mutex_t m; int users; int v; }} *o;\n\
             void drop(void) {{ pthread_mutex_lock(&o->m); {before} int last = --o->users == 0;\n\
             pthread_mutex_unlock(&o->m); {after} if (last) {{ pthread_mutex_destroy(&o->m); free(o); }} }}\n\
             void *t(void *arg) {{ drop(); return 0; }}\n\
             int main(void) {{ pthread_t id; o = malloc(sizeof *o); o->users = 2; o->v = 0;\n\
             pthread_mutex_init(&o->m, 0); pthread_create(&id, 0, t, 0); drop(); return 0; }}"
        )
    };
    assert_eq!(check(&program("o->v++;", "")), [Some(false); 3]);
    assert_eq!(check(&program("", "if (!last) { int v = o->v; (void)v; }")), [Some(true); 3]);
}

#[test]
fn an_exchange_that_fails_has_an_order_of_its_own() {
    let fails = |failure: &str| {
        let exchange = "atomic_compare_exchange_strong_explicit(&a, &e, 2, memory_order_acquire, memory_order_";
        format!("int e = 0; if (!{exchange}{failure})) r = x;")
    };
    check_threads(&[STORE, &fails("acquire")], false);
    check_threads(&[STORE, &fails("relaxed")], true);
    // One that never succeeds is a read.
    let never = "int e = 7; atomic_compare_exchange_strong(&a, &e, 9);";
    check_threads(&["*(int *)&a = 1;", never], true);
    check_threads(&["r = *(int *)&a;", never], false);
}

#[test]
fn locks_and_sections() {
    let locked = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    check_threads(&[locked, locked, locked], false);
    check_threads(&[locked, "pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n);"], true);
    check_threads(&[locked, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); r = x;"], true);
    let section = "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();";
    check_threads(&[section, section], false);
    check_threads(&[section, "r = x;"], true);
    let lock = "__VERIFIER_atomic_begin(); __VERIFIER_assume(k == 0); k = 1; __VERIFIER_atomic_end();";
    let unlock = "__VERIFIER_atomic_begin(); __VERIFIER_assume(k == 1); k = 0; __VERIFIER_atomic_end();";
    let careless = "__VERIFIER_atomic_begin(); k = 0; __VERIFIER_atomic_end();";
    let locked = format!("{lock} x++; {unlock}");
    check_threads(&[&locked, &locked, &locked], false);
    check_threads(&[&locked, &format!("{lock} x++; {careless}"), &locked], false);
    check_threads(&[&locked, &format!("{careless} x++;")], true);
}

/// Bytes race where they overlap.
#[test]
fn parts_of_objects() {
    check_threads(&["u.c[1] = 1;", "u.c[2] = 1;"], false);
    check_threads(&["u.c[1] = 1;", "r = u.i;"], true);
    check_threads(&["atomic_store(&a, 1);", "r = ((char *)&a)[2];"], true);
}

/// Loops that wait need no bound (else nothing would be compared), but what only a failing iteration does counts.
#[test]
fn loops_that_wait() {
    check_threads(&[STORE, "while (atomic_load_explicit(&a, memory_order_acquire) == 0); r = x;"], false);
    check_threads(&[STORE, "while (atomic_load_explicit(&a, memory_order_relaxed) == 0); r = x;"], true);
    check_threads(&[STORE, "while (atomic_load(&a) == 0 || atomic_load(&b) == 1); r = x;"], false);
    check_threads(&["b = 1;", "while (*(int *)&b == 0);"], true);
    check_threads(&["*(int *)&b = 3;", "while (atomic_load(&b) < 9);"], true);
    let looks = "for (;;) { int v = atomic_load(&a); if (v == 2) break; if (v == 1) r += x; }";
    check_threads(&["x = 1; atomic_store(&a, 1); x = 2; atomic_store(&a, 2);", looks], true);
}

/// Two threads do the same, but what main does between their creations happens before all that the second one does only.
#[test]
fn threads_that_differ_in_when_they_are_created() {
    let creations = |between: &str| {
        format!(
            "{HEAD}void *t(void *arg) {{ int r = 0; if (atomic_fetch_add_explicit(&a, 1, memory_order_relaxed) == 1) r = x;\n\
             return 0; }}\n\
             int main(void) {{ pthread_t i, j; pthread_create(&i, 0, t, 0); {between} pthread_create(&j, 0, t, 0);\n\
             return 0; }}\n"
        )
    };
    assert_eq!(check(&creations("x = 1;")), [Some(true); 3]);
    assert_eq!(check(&creations("")), [Some(false); 3]);
}

#[test]
fn races_are_those_of_the_enumerator() {
    let seed = 3000 + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(16);
    let (mut racy, mut free, mut open) = (0, 0, 0);
    for number in seed..seed + count {
        let text = program(&mut Random::new(number));
        for result in checked(&format!("program {number}"), &text, check) {
            match result {
                Some(true) => racy += 1,
                Some(false) => free += 1,
                None => open += 1,
            }
        }
    }
    assert!(racy * 8 >= count && free * 8 >= count, "{racy} racy, {free} free of races, {open} not compared");
}
