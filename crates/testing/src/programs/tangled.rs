//! Random small programs in which accesses that nobody disturbs lie close to ones that somebody does: plain accesses around
//! fences and updates, loops, locks, sections that wait, stores that leave their buffers late, parts of one object, memory that
//! is freed while others look at it, objects of functions that return, and threads that create threads.

use super::any;
use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    int x, y, z;\nchar c;\nunion { int i; short s[2]; char b[4]; } u;\nint seen[8];\natomic_int a, f;\n\
    struct node { int value; int other; };\nstruct node *volatile p;\n_Atomic(struct node *) q;\nint *volatile l;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\n\
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n";

/// A program of two threads or three; the third is created by main or by the second.
pub fn program(random: &mut Random) -> String {
    let threads = 2 + random.below(4) / 3;
    let nested = threads == 3 && random.below(2) == 0;
    let most = if threads == 2 { 3 } else { 2 };
    let mut text = HEAD.to_owned();
    for thread in (0..threads).rev() {
        // Nothing is private: when the program ends early, nobody can tell what private memory held.
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;\n  if (arg) r = x + y + z + c + u.i;");
        for _ in 0..1 + random.below(most) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        if nested && thread == 1 {
            let _ = writeln!(text, "  pthread_t id2;\n  pthread_create(&id2, 0, t2, 0);\n  {}", plain(random));
            if random.below(2) == 0 {
                let _ = writeln!(text, "  pthread_join(id2, 0);\n  {}", plain(random));
            }
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0;\n");
    let some = |text: &mut String, random: &mut Random| {
        if random.below(4) == 0 {
            let _ = writeln!(text, "  {}", plain(random));
        }
    };
    some(&mut text, random);
    let created = if nested { 2 } else { threads };
    for thread in 0..created {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
        some(&mut text, random);
    }
    for thread in 0..created {
        if random.below(4) > 0 {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
            some(&mut text, random);
        }
    }
    if random.below(6) == 0 {
        let _ = writeln!(text, "  assert({} + seen[{}] != 3);", any(random, &["x", "y", "a"]), random.below(2));
    }
    text.push_str("  seen[7] = r;\n  return 0;\n}\n");
    text
}

fn place<'t>(random: &mut Random) -> &'t str {
    match random.below(5) {
        0 => any(random, &["u.i", "u.s[0]", "u.s[1]", "u.b[1]", "c"]),
        _ => any(random, &["x", "y", "x", "y", "z"]),
    }
}

/// Plain accesses.
fn plain(random: &mut Random) -> String {
    let (one, two, value) = (place(random), place(random), 1 + random.below(2));
    match random.below(7) {
        0 => format!("{one} = {value};"),
        1 => format!("r += {one};"),
        2 => format!("{one} = {value}; {two} = {};", 3 - value),
        3 => format!("{one} = {value}; r += {two};"),
        4 => format!("r = {one}; {two} = r + 1;"),
        5 => format!("r += {one} + 2 * {two};"),
        _ => format!("{one} = {value}; r += {one}; {two} = r;"),
    }
}

fn statement(random: &mut Random) -> String {
    let (one, two) = (place(random), place(random));
    let value = 1 + random.below(2);
    let order = any(random, &["relaxed", "release", "seq_cst"]);
    match random.below(37) {
        0..=5 => plain(random),
        6 => format!("{} {}", plain(random), plain(random)),
        7 => format!("{one} = {value}; atomic_store_explicit(&f, {value}, memory_order_{order}); r += {two};"),
        8 => format!("if (atomic_load_explicit(&f, memory_order_acquire)) {{ r += {one}; {two} = {value}; }}"),
        9 => format!("{one} = {value}; r += atomic_fetch_add(&f, 1); {two} = r;"),
        10 => format!("r += {one}; {{ int e = {}; atomic_compare_exchange_strong(&f, &e, 2); r += e; }}", value - 1),
        11 => format!("{one} = {value}; atomic_thread_fence(memory_order_{order}); {two} = {value};"),
        12 => format!("{one} = {value}; atomic_thread_fence(memory_order_seq_cst); r += {two};"),
        13 => format!("while (!atomic_load_explicit(&f, memory_order_relaxed)) {{ }} r += {one}; {two} = r;"),
        14 => format!(
            "while (atomic_exchange(&a, 1)) {{ }} {one} = {value}; r += {two}; atomic_store_explicit(&a, 0, memory_order_{order});"
        ),
        15 => format!("for (int i = 0; i < 2; i++) {{ {one} = i; r += {two}; }}"),
        16 => format!("do {{ {one} = {value}; r = {two}; }} while (r == 1);"),
        17 => format!("{one} = {value}; for (;;) {{ r = {two}; if (r || __VERIFIER_nondet_bool()) break; }}"),
        18 => format!(
            "{one} = {value}; __VERIFIER_atomic_begin(); if ({two}) {one} = 2; else r += {one}; __VERIFIER_atomic_end();"
        ),
        19 => format!(
            "r += {two}; __VERIFIER_atomic_begin(); __VERIFIER_assume({one} == {value}); {one} = 0; __VERIFIER_atomic_end();"
        ),
        20 => {
            format!("__VERIFIER_atomic_begin(); {one} = {value}; __VERIFIER_atomic_end(); {two} = {value}; r += {one};")
        }
        21 => format!("r = {one}; __VERIFIER_assume(r != {value}); {two} = {value};"),
        22 => {
            format!("{one} = {value}; pthread_mutex_lock(&m); r += {two}; {two} = {value}; pthread_mutex_unlock(&m);")
        }
        23 => {
            format!("r += {one}; if (pthread_mutex_trylock(&m) == 0) {{ {two} = {value}; pthread_mutex_unlock(&m); }}")
        }
        24 => format!(
            "pthread_mutex_lock(&m); {one} = {value}; if (!{two}) pthread_cond_wait(&cond, &m); r += {one}; pthread_mutex_unlock(&m);"
        ),
        25 => format!("{one} = {value}; pthread_cond_signal(&cond); r += {two};"),
        26 => format!("pthread_rwlock_rdlock(&w); {one} = {value}; pthread_rwlock_wrlock(&w); r += {two};"),
        27 => format!(
            "{one} = {value}; if (pthread_rwlock_wrlock(&w) == 0) {{ {two} = {value}; pthread_rwlock_unlock(&w); }}"
        ),
        35 => format!("pthread_rwlock_wrlock(&w); {one} = {value}; r += pthread_rwlock_rdlock(&w); r += {two};"),
        28 => {
            format!("{{ struct node *n = malloc(sizeof *n); n->value = {value}; n->other = 0; p = n; r += n->value; }}")
        }
        29 => "{ struct node *n = p; if (n) { r += n->value; n->other = 1; r += n->other; } }".to_owned(),
        30 => format!(
            "{{ struct node *n = malloc(sizeof *n); n->value = {value}; n->other = 1; struct node *o = atomic_exchange(&q, n); if (o) {{ r += o->value; free(o); }} }}"
        ),
        31 => "{ struct node *n = atomic_load(&q); if (n) { n->other = 2; r += n->value; } }".to_owned(),
        32 => format!("{{ struct node *n = p; p = 0; {one} = {value}; if (n) free(n); }}"),
        33 => format!("{{ int v = {value}; l = &v; r += {one}; v = r; l = 0; }}"),
        34 => format!("{{ int *v = l; if (v) {{ *v = {value}; r += *v; }} }}"),
        _ => match random.below(5) {
            0 => format!("if ({one} == {value}) exit(1);"),
            1 => format!("{one} = {value}; if ({two}) abort();"),
            2 => format!("assert({one} != {});", value + 1),
            3 => format!("if (__VERIFIER_nondet_bool()) {one} = {value}; else r += {two};"),
            _ => format!("{one} = {value}; pthread_exit(0);"),
        },
    }
}
