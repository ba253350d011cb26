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
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0, *q = 0, *s = 0;");
        for _ in 0..2 + random.below(4 - threads) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0, *q = 0, *s = 0;\n  pthread_t id[2];\n");
    for _ in 0..random.below(3) {
        let _ = writeln!(text, "  {}", statement(random));
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, t{thread}, 0);");
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

fn statement(random: &mut Random) -> String {
    let value = 1 + random.below(3);
    match random.below(19) {
        0 => "q = calloc(1, 4);".to_owned(),
        1 => format!("q = malloc(4); *q = {value};"),
        2 => "s = calloc(1, 4); p = s;".to_owned(),
        3 => format!("{{ int *n = malloc(4); *n = {value}; p = n; }}"),
        4 => "q = p;".to_owned(),
        5 => "free(q);".to_owned(),
        6 => "{ int *n = p; p = 0; free(n); }".to_owned(),
        7 => "q = p; free(q);".to_owned(),
        8 => format!("x = {value}; free(q); r += y;"),
        9 => format!("y = {value}; s = calloc(1, 4); r += x;"),
        10 => "if (q) r += *q;".to_owned(),
        11 => format!("if (q) *q = {value};"),
        12 => "r += q == p;".to_owned(),
        13 => "r += __sync_bool_compare_and_swap(&p, q, s);".to_owned(),
        14 => "{ int *n = calloc(1, 8); p = n; r += n == q; }".to_owned(),
        15 => "__VERIFIER_atomic_begin(); s = calloc(1, 4); r += s == q; free(s); __VERIFIER_atomic_end();".to_owned(),
        16 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
        17 => format!("x = {value};"),
        _ => "r += x;".to_owned(),
    }
}
