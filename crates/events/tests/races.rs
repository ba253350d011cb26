//! Random small programs: whether there is a data race is what exhaustive enumeration says, under every model and in
//! both encodings.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

use norn_engine::{Engine, Prepared, Query};
use norn_events::{Encoding, Events};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    extern void __VERIFIER_assume(int);\nint x, y, k;\natomic_int a, b;\nunion { int i; char c[4]; } u;\nint *p;\n_Atomic(int *) q;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\nsem_t s;\npthread_barrier_t bar;\n\
    pthread_once_t once = PTHREAD_ONCE_INIT;\nvoid init(void) { x = 5; }\n";

fn any<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.index(list.len())]
}

fn load(random: &mut Random) -> String {
    let order = any(random, &["relaxed", "acquire", "acquire", "seq_cst"]);
    format!("atomic_load_explicit(&{}, memory_order_{order})", any(random, &["a", "a", "b"]))
}

/// An access that is not atomic.
fn plain(random: &mut Random) -> String {
    let place = match random.below(8) {
        0 => any(random, &["u.i", "u.c[1]", "u.c[2]"]),
        1 => any(random, &["*(int *)&a", "((char *)&a)[1]"]),
        _ => any(random, &["x", "x", "y"]),
    };
    match random.below(3) {
        0 => format!("r += {place};"),
        1 => format!("{place} += 1;"),
        _ => format!("{place} = {};", 1 + random.below(2)),
    }
}

fn statement(random: &mut Random) -> String {
    let value = 1 + random.below(2);
    let atomic = any(random, &["a", "a", "b"]);
    let inner = plain(random);
    match random.below(30) {
        0..=1 => inner,
        2..=4 => {
            let order = any(random, &["relaxed", "release", "release", "seq_cst"]);
            let first = if random.below(2) == 0 { inner } else { String::new() };
            format!("{first} atomic_store_explicit(&{atomic}, {value}, memory_order_{order});")
        }
        5..=8 => format!("if ({} == {value}) {{ {inner} }}", load(random)),
        9 => {
            let fence = any(random, &["acquire", "acq_rel", "seq_cst"]);
            format!("if ({} == {value}) {{ atomic_thread_fence(memory_order_{fence}); {inner} }}", load(random))
        }
        10 => {
            let order = any(random, &["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
            format!("if (atomic_fetch_add_explicit(&{atomic}, {value}, memory_order_{order}) == {value}) {{ {inner} }}")
        }
        11 => {
            let order = any(random, &["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
            format!("r += atomic_exchange_explicit(&{atomic}, {value}, memory_order_{order});")
        }
        12..=13 => {
            let order = any(random, &["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
            let failure = any(random, &["relaxed", "acquire", "seq_cst"]);
            let not = any(random, &["", "!"]);
            format!(
                "{{ int e = {}; if ({not}atomic_compare_exchange_strong_explicit(&{atomic}, &e, {value}, \
                 memory_order_{order}, memory_order_{failure})) {{ {inner} }} }}",
                random.below(3)
            )
        }
        14 => {
            let order = any(random, &["acquire", "release", "release", "acq_rel", "seq_cst"]);
            format!("{inner} atomic_thread_fence(memory_order_{order});")
        }
        15..=17 => {
            let lock = any(random, &["m", "m", "m", "n"]);
            format!("pthread_mutex_lock(&{lock}); {inner} pthread_mutex_unlock(&{lock});")
        }
        18 => format!("if (pthread_mutex_trylock(&m) == 0) {{ {inner} pthread_mutex_unlock(&m); }}"),
        19 => format!("__VERIFIER_atomic_begin(); {inner} __VERIFIER_atomic_end();"),
        20 => format!("pthread_rwlock_{}lock(&rw); {inner} pthread_rwlock_unlock(&rw);", any(random, &["rd", "wr"])),
        21 => format!("{inner} sem_post(&s);"),
        22 => format!("sem_wait(&s); {inner}"),
        23 => match random.below(3) {
            0 => "pthread_once(&once, init); r += x;".to_owned(),
            1 => format!("{inner} pthread_barrier_wait(&bar); {}", plain(random)),
            _ => format!("if (x == 0) {{ {inner} }}"),
        },
        24 => {
            let order = any(random, &["relaxed", "release"]);
            let make = "int *o = malloc(sizeof *o); *o = 1;";
            format!("{{ {make} atomic_store_explicit(&q, o, memory_order_{order}); }}")
        }
        26..=27 => spin_loop(random, &inner),
        28 => section_lock(random, &inner),
        _ => {
            let order = any(random, &["relaxed", "acquire"]);
            let use_it = any(random, &["r += *o;", "*o = 2;"]);
            format!("{{ int *o = atomic_load_explicit(&q, memory_order_{order}); if (o) {{ {use_it} }} }}")
        }
    }
}

/// A lock made of atomic sections; only some of them read it before they give it back.
fn section_lock(random: &mut Random, inner: &str) -> String {
    let (begin, end) = ("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();");
    let checked = any(random, &["__VERIFIER_assume(k == 1);", ""]);
    let how = any(random, &["k = 0;", "k = 0;", "k -= 1;", "k = 2;"]);
    format!("{begin} __VERIFIER_assume(k == 0); k = 1; {end} {inner} {begin} {checked} {how} {end}")
}

/// Loops that wait, some of which can be run through once and some of which cannot.
fn spin_loop(random: &mut Random, inner: &str) -> String {
    let value = 1 + random.below(2);
    match random.below(8) {
        0..=2 => format!("while ({} != {value}); {inner}", load(random)),
        3 => format!("while ({} != {value} && {} == {value}); {inner}", load(random), load(random)),
        4 => format!("for (;;) {{ int v = {}; if (v == {value}) break; if (v) r += x; }}", load(random)),
        5 => {
            let order = any(random, &["relaxed", "acquire", "seq_cst"]);
            format!(
                "{{ int e = 0; while (!atomic_compare_exchange_strong_explicit(&b, &e, 1, memory_order_{order}, \
                 memory_order_relaxed)) e = 0; }} {inner} atomic_store_explicit(&b, 0, memory_order_release);"
            )
        }
        6 => format!("while (atomic_exchange_explicit(&b, 1, memory_order_acquire)); {inner} atomic_store(&b, 0);"),
        _ => format!("while (!x); {inner}"),
    }
}

const ANY_ORDER: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

fn fence(random: &mut Random) -> String {
    format!("atomic_thread_fence(memory_order_{});", any(random, &ANY_ORDER[1..]))
}

/// Raises a flag to `value`, mostly in a way that releases what was done before.
fn publish(random: &mut Random, flag: &str, value: u64) -> String {
    let fenced = if random.below(2) == 0 { fence(random) } else { String::new() };
    let order = any(random, &["relaxed", "release", "seq_cst"]);
    let again = any(random, &["relaxed", "release"]);
    match random.below(6) {
        4 => format!(
            "{fenced} atomic_store_explicit(&{flag}, 5, memory_order_{order}); \
             atomic_store_explicit(&{flag}, {value}, memory_order_{again});"
        ),
        5 => format!(
            "atomic_store_explicit(&{flag}, 5, memory_order_{order}); {fenced} if (r) {flag} = 6; \
             atomic_store_explicit(&{flag}, {value}, memory_order_relaxed);"
        ),
        0 | 1 => format!("{fenced} atomic_store_explicit(&{flag}, {value}, memory_order_{order});"),
        2 => format!("{fenced} atomic_exchange_explicit(&{flag}, {value}, memory_order_{});", any(random, &ANY_ORDER)),
        _ => format!("*(int *)&{flag} = {value};"),
    }
}

/// Does something only where a flag has been seen to be `value`, mostly in a way that acquires.
fn consume(random: &mut Random, flag: &str, value: u64, inner: &str) -> String {
    let fenced = if random.below(2) == 0 { fence(random) } else { String::new() };
    let load = any(random, &["relaxed", "acquire", "seq_cst"]);
    let failure = any(random, &["relaxed", "acquire", "seq_cst"]);
    let order = any(random, &ANY_ORDER);
    let exchange = "atomic_compare_exchange_strong_explicit";
    match random.below(6) {
        0 | 1 => format!("if (atomic_load_explicit(&{flag}, memory_order_{load}) == {value}) {{ {fenced} {inner} }}"),
        2 => {
            format!(
                "if (atomic_fetch_add_explicit(&{flag}, 1, memory_order_{order}) == {value}) {{ {fenced} {inner} }}"
            )
        }
        3 => format!(
            "{{ int e = {value}; if ({exchange}(&{flag}, &e, 3, memory_order_{order}, memory_order_{failure})) \
             {{ {fenced} {inner} }} }}"
        ),
        4 => format!(
            "{{ int e = 7; if (!{exchange}(&{flag}, &e, 3, memory_order_{order}, memory_order_{failure}) && e == {value}) \
             {{ {fenced} {inner} }} }}"
        ),
        _ => {
            format!("while (atomic_load_explicit(&{flag}, memory_order_{load}) != {value}); {fenced} {inner}")
        }
    }
}

/// Message passing, directly or by way of a third thread: races are rare here, and every order matters.
fn messages(random: &mut Random) -> String {
    let write = any(random, &["x = 1;", "u.c[1] = 1;", "x += 1;"]);
    let read = any(random, &["r += x;", "x = 2;", "r += u.i;"]);
    let order = any(random, &ANY_ORDER);
    let (relay, flag, value) = match random.below(5) {
        0 => (format!("atomic_fetch_add_explicit(&a, 1, memory_order_{order});"), "a", 2),
        1 => (format!("atomic_exchange_explicit(&a, 2, memory_order_{order});"), "a", 2),
        2 => (format!("{} {}", fence(random), publish(random, "a", 2)), "a", 2),
        3 => {
            let next = publish(random, "b", 1);
            (consume(random, "a", 1, &next), "b", 1)
        }
        _ => (String::new(), "a", 1),
    };
    let first = publish(random, "a", 1);
    let last = consume(random, flag, value, read);
    // The middle thread may look at what it passes on to itself.
    let own = if random.below(3) == 0 { consume(random, "a", 2, read) } else { String::new() };
    let mut text = HEAD.to_owned();
    for (thread, body) in [format!("{write} {first}"), format!("{relay} {own}"), last].iter().enumerate() {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;\n  {body}\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0;\n  pthread_t id[3];\n");
    for thread in 0..3 {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, t{thread}, 0);");
    }
    if random.below(3) == 0 {
        let _ = writeln!(text, "  pthread_join(id[{}], 0);\n  {read}", random.below(3));
    }
    text + "  return 0;\n}\n"
}

fn program(random: &mut Random) -> String {
    if random.below(2) == 0 {
        return messages(random);
    }
    let mut text = HEAD.to_owned();
    let threads = 2 + random.below(2);
    // The last thread may be created, and waited for, by the one before it.
    let nested = threads == 3 && random.below(3) == 0;
    for thread in (0..threads).rev() {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        for _ in 0..1 + random.below(2) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        if nested && thread == 1 {
            let _ = writeln!(text, "  pthread_t id2;\n  pthread_create(&id2, 0, t2, 0);\n  {}", statement(random));
            if random.below(2) == 0 {
                let _ = writeln!(text, "  pthread_join(id2, 0);\n  {}", plain(random));
            }
        }
        let _ = writeln!(text, "  return 0;\n}}");
    }
    let some = |text: &mut String, random: &mut Random| {
        if random.below(3) == 0 {
            let _ = writeln!(text, "  {}", plain(random));
        }
    };
    text.push_str("int main(void) {\n  int r = 0;\n  sem_init(&s, 0, 0);\n  pthread_barrier_init(&bar, 0, 2);\n");
    let created = if nested { 2 } else { threads };
    some(&mut text, random);
    for thread in 0..created {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
        if thread == 0 {
            some(&mut text, random);
        }
    }
    if random.below(2) == 0 {
        for thread in 0..created {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
            some(&mut text, random);
        }
    }
    text.push_str("  return 0;\n}\n");
    text
}

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
