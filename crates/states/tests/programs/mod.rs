//! Random small C programs by seed, most of them with loops that need not end but have finitely many states.

use norn_testing::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y, z;\nvolatile char c;\nunion { volatile int i; volatile char b[4]; } u;\natomic_int a;\nint seen[4];\n\
    struct node { int value; struct node *next; };\nstruct node *volatile p;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n";

/// A program of two or three threads; the seed decides about everything else.
pub fn program(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let threads = 2 + random.below(4) / 3;
    let library = random.below(3) == 0;
    let loops = random.below(4) > 0;
    let mut text = HEAD.to_owned();
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        let count = 1 + random.below(if threads == 2 { 3 } else { 2 });
        for _ in 0..count {
            let line = match loops && random.below(3) == 0 {
                true => repeated(random, library),
                false => statement(random, library),
            };
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n");
    if random.below(4) == 0 {
        text.push_str("  z = 1;\n");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
    }
    if random.below(3) > 0 {
        for thread in 0..threads {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
        match random.below(4) {
            0 => text.push_str("  assert(x != 2 || y != 1);\n"),
            1 => text.push_str("  assert(seen[0] + seen[1] != 1);\n"),
            _ => {}
        }
    } else if random.below(2) == 0 {
        let line = statement(random, library);
        let _ = writeln!(text, "  int r = 0;\n  {line}\n  seen[3] = r;");
    }
    text.push_str("  return 0;\n}\n");
    text
}

fn place<'t>(random: &mut Random) -> &'t str {
    let places = ["x", "y", "x", "y", "z", "c", "u.i", "u.b[1]"];
    let most = if random.below(3) == 0 { 8 } else { 4 };
    places[random.index(most)]
}

fn statement(random: &mut Random, library: bool) -> String {
    let value = 1 + random.below(2);
    let place = place(random);
    let other = random.pick(&["x", "y"]);
    match random.below(if library { 24 } else { 17 }) {
        0..=2 => format!("{place} = {value};"),
        3..=5 => format!("r += {place};"),
        6 => format!("atomic_store_explicit(&a, {value}, memory_order_release);"),
        7 => format!("atomic_store(&a, {value});"),
        8 => "r += atomic_load(&a);".to_owned(),
        9 => format!("r += atomic_exchange(&a, {value});"),
        10 => format!("{{ int e = {}; r += atomic_compare_exchange_strong(&a, &e, {value}); }}", random.below(3)),
        11 => format!("atomic_thread_fence(memory_order_{});", random.pick(&["seq_cst", "release", "acquire"])),
        12 => format!("if ({place} == {value}) {other} = {}; else r = {other};", value % 2 + 1),
        13 => format!("__VERIFIER_atomic_begin(); r += {place}; {other} = r; __VERIFIER_atomic_end();"),
        14 => match random.below(5) {
            0 => "if (__VERIFIER_nondet_bool()) y = 2; else r += x;".to_owned(),
            1 => format!("__VERIFIER_assume({place} != {value});"),
            2 => "if (x == 2) exit(1);".to_owned(),
            3 => format!("assert({place} != {});", value + 1),
            _ => "if (y == 2) abort();".to_owned(),
        },
        15 => format!("{place} = {place} + 1;"),
        16 => format!("{other} = {value}; __sync_synchronize(); r += {place};"),
        17 => format!("pthread_mutex_lock(&m); {place} = {value}; pthread_mutex_unlock(&m);"),
        18 => format!(
            "pthread_mutex_lock(&n); pthread_mutex_lock(&m); r += {place}; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);"
        ),
        19 => "if (pthread_mutex_trylock(&m) == 0) { y = 1; pthread_mutex_unlock(&m); }".to_owned(),
        20 => "pthread_mutex_lock(&m); if (x == 0) pthread_cond_wait(&cond, &m); pthread_mutex_unlock(&m);".to_owned(),
        21 => "x = 1; pthread_cond_signal(&cond);".to_owned(),
        22 => format!("{{ struct node *q = malloc(sizeof *q); q->value = {value}; q->next = p; p = q; }}"),
        _ => "{ struct node *q = p; if (q) r += q->value; }".to_owned(),
    }
}

/// A loop that may run for ever.
fn repeated(random: &mut Random, library: bool) -> String {
    let value = 1 + random.below(2);
    let place = place(random);
    let other = random.pick(&["x", "y"]);
    match random.below(if library { 11 } else { 9 }) {
        0 => format!("while ({place} != {value}) {{ }}"),
        1 => format!("while ({place} != {value}) r = {other};"),
        2 => format!("while (atomic_exchange(&a, 1) == 1) {{ }} {other} = {value}; atomic_store(&a, 0);"),
        3 => format!("for (;;) {{ {other} = ({place} + 1) % 3; __sync_synchronize(); }}"),
        4 => format!("do {{ {other} = {value}; atomic_thread_fence(memory_order_seq_cst); }} while ({place} == 0);"),
        5 => format!("for (int i = 0; i < {}; i++) {{ {other} = i; r += {place}; }}", 1 + value),
        6 => format!("while (atomic_load(&a) == 0) {{ if ({place} == {value}) break; }}"),
        7 => "{ int e = atomic_load(&a); while (!atomic_compare_exchange_strong(&a, &e, (e + 1) % 3)) { } }".to_owned(),
        8 => {
            format!("for (;;) {{ if (__VERIFIER_nondet_bool()) break; r = {place}; __VERIFIER_assume({other} != 2); }}")
        }
        9 => format!("for (;;) {{ pthread_mutex_lock(&m); {other} = (x + 1) % 3; pthread_mutex_unlock(&m); }}"),
        _ => "for (;;) { struct node *q = malloc(sizeof *q); q->value = 1; q->next = 0; p = q; r = p->value; \
              __sync_synchronize(); if (x) break; }"
            .to_owned(),
    }
}
