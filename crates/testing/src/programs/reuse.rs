//! Random small C programs that allocate, free and go on with stale pointers, by seed: for memory that is given out again.

use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y;\nint seen[4];\nint *volatile p;\n";

pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    let threads = 1 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0, *q = arg, *s = 0;");
        for _ in 0..2 + random.below(4 - threads) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0, *q = calloc(1, 4), *s = 0;\n  pthread_t id[2];\n  p = q;\n");
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, t{thread}, q);");
    }
    for _ in 0..1 + random.below(3) {
        let _ = writeln!(text, "  {}", statement(random));
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_join(id[{thread}], 0);");
    }
    let _ = writeln!(text, "  seen[2] = r;\n  assert(r != 5);\n  return 0;\n}}");
    text
}

/// All threads know the memory that `q` points to at first; `r` keeps what the thread saw, in order.
fn statement(random: &mut Random) -> String {
    let value = 1 + random.below(3);
    match random.below(20) {
        0..=2 => "s = calloc(1, 4); r = r * 4 + (s == q);".to_owned(),
        3 => format!("s = malloc(4); *s = {value}; r = r * 4 + (s == q);"),
        4..=6 => "free(q);".to_owned(),
        7 => "{ int *n = p; p = 0; free(n); }".to_owned(),
        8 => format!("x = {value}; free(q); r = r * 4 + y;"),
        9 => format!("y = {value}; s = calloc(1, 4); r = r * 4 + (s == q) + 2 * (x != 0);"),
        10 => "r = r * 4 + *q;".to_owned(),
        11 => format!("*q = {value};"),
        12 => "q = p;".to_owned(),
        13 => "r = r * 4 + __sync_bool_compare_and_swap(&p, q, s);".to_owned(),
        14 => "s = calloc(1, 8); p = s;".to_owned(),
        15 => "__VERIFIER_atomic_begin(); s = calloc(1, 4); r += s == q; free(s); __VERIFIER_atomic_end();".to_owned(),
        16 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
        17 => format!("x = {value};"),
        18 => "s = calloc(1, 4); p = s; r = r * 4 + (s == q);".to_owned(),
        _ => "r = r * 4 + x;".to_owned(),
    }
}
