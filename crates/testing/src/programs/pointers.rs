//! Random small C programs with pointers, arrays, records, calls, recursion and inputs, by seed.

use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n\
    int __VERIFIER_nondet_int(void);\nstruct s { int a; struct s *next; char c[3]; short h; };\n\
    struct s one, two; int n[4], i; volatile int x; int *volatile p; struct s *_Atomic top; _Thread_local int mine;\n\
    int (*volatile call)(int); const int table[3] = {4, 5, 6}; double d;\n\
    static int twice(int v) { return 2 * v; }\nstatic int next(int v) { x = v; return v + 1; }\n\
    static int deep(int v) { return v <= 0 ? 0 : 1 + deep(v - 1); }\n\
    static void set(int *where, int v) { *where = v; }\n\
    struct pair { int left; int *right; };\nstatic struct pair make(int v) { struct pair q = { v, &n[v & 3] }; return q; }\n";

pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    let threads = 1 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(
            text,
            "void *t{thread}(void *arg) {{\n  int r = (int)(long)arg, k[3] = {{1, 2, 3}}; struct s l; l.a = 1;"
        );
        for _ in 0..2 + random.below(5) {
            let line = statement(random);
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  return (void *)(long)r;\n}}");
    }
    text.push_str(
        "int main(void) {\n  void *result = 0; int r = 0, k[3] = {0}; struct s l = {0};\n  pthread_t id[2];\n",
    );
    let _ = writeln!(text, "  {}", statement(random));
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, t{thread}, (void *){thread});");
    }
    let _ = writeln!(text, "  {}", statement(random));
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_join(id[{thread}], &result); x += (int)(long)result;");
    }
    text.push_str("  assert(x != 7);\n  return 0;\n}\n");
    text
}

fn statement(random: &mut Random) -> String {
    let value = random.below(4);
    match random.below(26) {
        0 => format!("n[{value}] = i; i = {value};"),
        1 => format!("n[i & 3] += {value};"),
        2 => "if (i >= 0 && i < 4) r += n[i];".to_owned(),
        3 => format!("p = &n[{value}];"),
        4 => "p = &x;".to_owned(),
        5 => format!("{{ int *q = p; if (q) *q = {value}; }}"),
        6 => "{ int *q = p; if (q) r += *q; }".to_owned(),
        7 => format!("one.a = {value}; two.next = &one;"),
        8 => "{ struct s *q = two.next; if (q) { r += q->a; q->h = 3; } }".to_owned(),
        9 => "one = two;".to_owned(),
        10 => "l = one; r += l.a;".to_owned(),
        11 => format!("k[{value} % 3] = i; r += k[(unsigned)x % 3];"),
        12 => format!("mine += {value}; r += mine;"),
        13 => format!("call = {};", if value.is_multiple_of(2) { "twice" } else { "next" }),
        14 => "{ int (*f)(int) = call; if (f) r = f(r); }".to_owned(),
        15 => format!("r += deep({value});"),
        16 => format!("set(&n[{value}], r); set(&r, {value}); set(&x, r);"),
        17 => format!("{{ struct pair q = make({value}); *q.right = q.left; }}"),
        18 => "r += table[(unsigned)i % 3];".to_owned(),
        19 => "{ struct s *q = malloc(sizeof *q); q->a = r; q->next = top; top = q; }".to_owned(),
        20 => "{ struct s *q = top; if (q) { r += q->a; top = q->next; } }".to_owned(),
        21 => format!(
            "{{ struct s *e = 0; atomic_compare_exchange_strong(&top, &e, &{}); }}",
            if value > 1 { "one" } else { "two" }
        ),
        22 => format!("for (int j = 0; j < {value}; j++) {{ int m = n[j]; if (m == 2) break; r += m; }}"),
        23 => "{ int v = __VERIFIER_nondet_int(); if (v > 0 && v < 4) n[v] = r; }".to_owned(),
        24 => "memset(one.c, 1, 2); r += one.c[1]; one.c[2] = 5;".to_owned(),
        _ => format!(
            "if (x > {value}) {{ int local = x; p = &local; r += *p; }} switch (i) {{ case 1: x = 1; break; case 2: r++; default: x++; }}"
        ),
    }
}
