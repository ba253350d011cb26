//! Random small C programs in which threads hand memory over: they write it, publish it, and read what others published. Now
//! and then one forgets to wait, or to publish; then two threads have a part in the same memory at the same time.

use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    int x, y, z, c;\nint seen[4];\natomic_int f, g, a;\nstruct node { int value; struct node *next; };\n\
    _Atomic(struct node *) top;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

/// A program of two or three threads, often all of one function.
pub fn program(random: &mut Random) -> String {
    let threads = 2 + random.below(5) / 4;
    let same = random.below(3) == 0;
    let mut text = HEAD.to_owned();
    for function in 0..if same { 1 } else { threads } {
        let _ = writeln!(text, "void *t{function}(void *arg) {{\n  int r = 0, me = (int)(long)arg;");
        for _ in 0..1 + random.below(if threads == 2 { 3 } else { 2 }) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        text.push_str("  seen[me] = r;\n  return 0;\n}\n");
    }
    text.push_str("int main(void) {\n");
    if random.below(3) == 0 {
        let _ = writeln!(text, "  {} = 5;", random.pick(&["x", "y", "z"]));
    }
    for thread in 0..threads {
        let function = if same { 0 } else { thread };
        let _ = writeln!(
            text,
            "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{function}, (void *){thread}L);"
        );
        if random.below(6) == 0 {
            let _ = writeln!(text, "  {} = 6;", random.pick(&["x", "y", "z"]));
        }
    }
    for thread in 0..threads {
        if random.below(5) > 0 {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
    }
    match random.below(5) {
        0 => text.push_str("  seen[3] = x + y;\n"),
        1 => text.push_str("  assert(seen[0] + seen[1] != 2);\n"),
        2 => text.push_str("  seen[3] = z; z = 7;\n"),
        _ => {}
    }
    text.push_str("  return 0;\n}\n");
    text
}

fn statement(random: &mut Random) -> String {
    let data = random.pick(&["x", "y", "z"]);
    let other = random.pick(&["x", "y", "c"]);
    let flag = random.pick(&["f", "g"]);
    let value = 1 + random.below(2);
    let release = if random.below(4) == 0 { "relaxed" } else { "release" };
    match random.below(20) {
        0..=2 => format!("{data} = {value}; {other} = 3; atomic_store_explicit(&{flag}, 1, memory_order_{release});"),
        3..=5 => format!("if (atomic_load_explicit(&{flag}, memory_order_acquire)) r += {data} + 2 * {other};"),
        6 => format!("while (!atomic_load(&{flag})) {{ }} r += {data}; {other} = r;"),
        7..=8 => format!(
            "while (atomic_exchange(&a, 1)) {{ }} {data} += {value}; r = {data}; atomic_store_explicit(&a, 0, memory_order_{release});"
        ),
        9 => format!("if (!atomic_exchange(&a, 1)) {{ r += {data}; {data} = {value}; {other} = r; }}"),
        10 => format!("pthread_mutex_lock(&m); {data} += {value}; r += {other}; pthread_mutex_unlock(&m);"),
        11 => format!("{data} = {value};"),
        12 => format!("r += {data} + {other};"),
        13 => format!("seen[me] = {value}; r += seen[me];"),
        14..=15 => format!(
            "{{ struct node *q = malloc(sizeof *q); q->value = {value}; q->next = 0; \
             struct node *old = atomic_exchange(&top, q); if (old) r += old->value; }}"
        ),
        16 => "{ struct node *q = atomic_load(&top); if (q) { r += q->value; q->next = q; } }".to_owned(),
        17 => format!(
            "{{ int e = 0; if (atomic_compare_exchange_strong(&{flag}, &e, 2)) {{ {data} = me; r += {other}; }} }}"
        ),
        18 => match random.below(4) {
            0 => format!("if ({data} == {value}) exit(1);"),
            1 => format!("assert({data} != {});", value + 2),
            2 => "{ struct node *q = atomic_exchange(&top, 0); if (q) free(q); }".to_owned(),
            _ => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
        },
        _ => format!("atomic_fetch_add(&{flag}, 1); {data} = r; __sync_synchronize(); r += {other};"),
    }
}
