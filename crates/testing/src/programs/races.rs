//! Random small programs in which threads share plain memory under locks, messages, fences and the like.

use super::any;
use crate::Random;
use std::fmt::Write;

/// What all programs begin with.
pub const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    extern void __VERIFIER_assume(int);\nint x, y, k;\natomic_int a, b;\nunion { int i; char c[4]; } u;\nint *p;\n_Atomic(int *) q;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\nsem_t s;\npthread_barrier_t bar;\n\
    pthread_once_t once = PTHREAD_ONCE_INIT;\nvoid init(void) { x = 5; }\n";

/// A program of two or three threads; often without a race, but not by much.
pub fn program(random: &mut Random) -> String {
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

/// A longer program in which most accesses are where they should be: heap memory that is handed on and freed, condition
/// variables, loops, locks that are given from thread to thread, and now and then a slip.
pub fn longer(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\nint ready, done;\nint *shared;\nstatic _Thread_local int own;\n\
         atomic_int users;\nint cells[3];\n",
    );
    let threads = 2 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;\n  int *slot = arg;");
        for _ in 0..1 + random.below(4 - threads) {
            let _ = writeln!(text, "  {}", careful(random));
        }
        let _ = writeln!(text, "  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0;\n  int *slot = &cells[2];\n  shared = malloc(2 * sizeof(int));\n");
    text.push_str(
        "  shared[0] = shared[1] = 0;\n  users = 1;\n  sem_init(&s, 0, 0);\n  pthread_barrier_init(&bar, 0, 2);\n",
    );
    for thread in 0..threads {
        let arg = any(random, &["&cells[0]", "&cells[1]", "&cells[2]"]);
        let arg = if random.below(4) > 0 { format!("&cells[{}]", thread % 2) } else { arg.to_owned() };
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, {arg});");
        if random.below(4) == 0 {
            let _ = writeln!(text, "  {}", careful(random));
        }
    }
    for thread in 0..threads {
        if random.below(4) > 0 {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
    }
    if random.below(2) == 0 {
        let _ = writeln!(text, "  {}", any(random, &["free(shared);", "r += x;", "cells[0] = 1;", "r += shared[0];"]));
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// Mostly an access under the right lock.
fn careful(random: &mut Random) -> String {
    let lock = if random.below(8) == 0 { "n" } else { "m" };
    let touch = any(random, &["x += 1;", "r += x;", "x = 3;", "shared[0] = 1;", "r += shared[1];", "cells[2] += 1;"]);
    let (take, give) = (format!("pthread_mutex_lock(&{lock});"), format!("pthread_mutex_unlock(&{lock});"));
    match random.below(18) {
        0..=2 => format!("{take} {touch} {give}"),
        3 => format!("for (int i = 0; i < 2; i++) {{ {take} {touch} {give} }}"),
        4 => format!("{take} ready = 1; {touch} pthread_cond_signal(&cond); {give}"),
        5 => format!("{take} while (!ready) pthread_cond_wait(&cond, &{lock}); {give} y += 1;"),
        6 => format!("y += 1; {take} ready = 1; pthread_cond_broadcast(&cond); {give}"),
        7 => "*slot += 1;".to_owned(),
        8 => "own += 1; r += own;".to_owned(),
        9 => {
            let order = any(random, &["acq_rel", "acq_rel", "seq_cst", "release", "relaxed"]);
            format!("atomic_fetch_add_explicit(&users, 1, memory_order_{order});")
        }
        10 => {
            let order = any(random, &["acq_rel", "acq_rel", "release", "relaxed"]);
            let fence = any(random, &["", "atomic_thread_fence(memory_order_acquire);"]);
            let drop = format!("atomic_fetch_sub_explicit(&users, 1, memory_order_{order}) == 1");
            format!("if ({drop}) {{ {fence} shared[0] = 4; free(shared); }}")
        }
        11 => {
            let order = any(random, &["release", "release", "relaxed"]);
            format!("{{ int *o = malloc(4); *o = 1; atomic_store_explicit(&q, o, memory_order_{order}); }}")
        }
        12 => {
            let order = any(random, &["acquire", "acquire", "relaxed"]);
            let end = any(random, &["r += *o;", "free(o);", "*o = 2;"]);
            format!("{{ int *o = atomic_exchange_explicit(&q, 0, memory_order_{order}); if (o) {{ {end} }} }}")
        }
        13 => format!("pthread_rwlock_rdlock(&rw); r += y; pthread_rwlock_unlock(&rw); {take} {touch} {give}"),
        14 => "pthread_rwlock_wrlock(&rw); y = 1; pthread_rwlock_unlock(&rw);".to_owned(),
        15 => format!("{touch} sem_post(&s);"),
        16 => format!("sem_wait(&s); {touch}"),
        _ => statement(random),
    }
}
