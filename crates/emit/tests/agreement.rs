//! Small programs whose verdicts are known, under every model: the sequential program is compiled, searched and replayed,
//! and agrees with the reference machine. (The corpus gate does the same with litmus tests and larger programs.)

use norn_ir::program::Program;
use norn_testing::compile;
use norn_testing::sequential::{Answer, Bench, Plan, Tally, options};
use std::path::Path;

const PLAN: Plan = Plan { unwind: 2, rounds: 3, timestamps: 3, nodes: 3, seconds: 60, weak: true };

fn program(text: &str) -> Program {
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";
    compile(&format!("{head}{text}"))
}

/// Two threads, and what main does after joining them.
fn two(globals: &str, first: &str, second: &str, end: &str) -> Program {
    program(&format!(
        "void __VERIFIER_assume(int);\n{globals}\nvoid *f(void *unused) {{ {first} return 0; }}\n\
         void *g(void *unused) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t t1, t2; pthread_create(&t1, 0, f, 0); pthread_create(&t2, 0, g, 0);\n\
         pthread_join(t1, 0); pthread_join(t2, 0); {end} return 0; }}\n"
    ))
}

fn bench(name: &str) -> Bench {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder should be made");
    Bench { folder }
}

/// Agreement in all respects; `unsafe_under` are the models with a violation.
fn check(name: &str, program: &Program, unsafe_under: &[norn_verdict::model::Model]) {
    use norn_verdict::model::Model;
    let bench = bench(name);
    let (Tally { wrong, undecided, compared, .. }, _) = bench.agree(name, program, PLAN);
    assert!(wrong.is_empty() && undecided.is_empty(), "{name}: wrong {wrong:#?}, undecided {undecided:#?}");
    assert!(compared >= 6, "{name}: {compared} comparisons");
    for model in Model::ALL {
        let options = options(model, norn_emit::Sma::Buffer, PLAN);
        let answer = bench.emitted(&format!("{name} {model}"), program, PLAN, &options);
        let expected = if unsafe_under.contains(&model) { Answer::Unsafe } else { Answer::Safe };
        assert_eq!(answer, Ok(expected), "{name} {model}");
    }
}

use norn_verdict::model::Model::{Pso, Sc, Tso};

#[test]
fn store_buffering() {
    let program = two("int x, y, a, b;", "x = 1; a = y;", "y = 1; b = x;", "assert(a || b);");
    check("store_buffering", &program, &[Tso, Pso]);
}

#[test]
fn message_passing_with_and_without_a_release() {
    let read = "__VERIFIER_assume(atomic_load_explicit(&f1, memory_order_acquire)); assert(x == 1);";
    let plain = two("int x; atomic_int f1;", "x = 1; atomic_store_explicit(&f1, 1, memory_order_relaxed);", read, "");
    check("message_passing", &plain, &[Pso]);
    let release = two("int x; atomic_int f1;", "x = 1; atomic_store_explicit(&f1, 1, memory_order_release);", read, "");
    check("message_passing_release", &release, &[]);
}

#[test]
fn divisions_that_processors_trap() {
    let divides = |text: &str| two("int x = -2147483647 - 1, y = 1; int z;", "y = -1;", text, "");
    for (name, text) in [("quotient", "z = x / y;"), ("remainder", "z = x % y;"), ("constant", "z = x / -1;")] {
        check(&format!("trapped_{name}"), &divides(text), &[Sc, Tso, Pso]);
    }
    check("trapped_not", &divides("z = (x + 1) / y + (x + 1) % y + x / (y - 3);"), &[]);
}

#[test]
fn a_full_fence_and_a_switch_before_it() {
    let fence = "__sync_synchronize();";
    let program =
        two("int x, y, a, b;", &format!("x = 1; {fence} a = y;"), &format!("y = 1; {fence} b = x;"), "assert(a || b);");
    check("full_fences", &program, &[]);
    // The second thread's fence comes too late: a thread can be left between its read and the fence.
    let late =
        two("int x, y, a, b;", &format!("x = 1; a = y; {fence}"), &format!("y = 1; b = x; {fence}"), "assert(a || b);");
    check("late_fences", &late, &[Tso, Pso]);
}

#[test]
fn an_exchange_beside_a_plain_store_stays_atomic() {
    // Were its read and its write two moments, the store could come between: old 0, yet the 2 is lost.
    let program = two(
        "atomic_int x; int old, seen;",
        "old = atomic_exchange(&x, 1);",
        "atomic_store_explicit(&x, 2, memory_order_relaxed); seen = atomic_load_explicit(&x, memory_order_relaxed);",
        "assert(!(old == 0 && x == 1 && seen == 2));",
    );
    // The own read comes early, from the buffer, and the exchange before the store: but then the 2 is last.
    check("exchange", &program, &[]);
}

#[test]
fn a_counter_with_and_without_atomic_increments() {
    check("counter", &two("int x;", "x++;", "x++;", "assert(x == 2);"), &[Sc, Tso, Pso]);
    let atomic = two("atomic_int x;", "x++;", "atomic_fetch_add(&x, 1);", "assert(x == 2);");
    check("atomic_counter", &atomic, &[]);
    let lock = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    check("locked_counter", &two("int x; pthread_mutex_t m;", lock, lock, "assert(x == 2);"), &[]);
}

#[test]
fn a_write_before_a_failed_assumption_counts() {
    let program = two("int x;", "x = 1; __VERIFIER_assume(0);", "assert(x == 0);", "");
    check("write_then_stop", &program, &[Sc, Tso, Pso]);
}

#[test]
fn threads_that_are_created_for_ever() {
    let endless = |globals: &str, body: &str| {
        program(&format!(
            "{globals}\nvoid *f(void *unused) {{ {body} return 0; }}\n\
             int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, f, 0); }}\n"
        ))
    };
    check("endless_counter", &endless("int x;", "int r = x; x = r + 1; assert(r < 2);"), &[Sc, Tso, Pso]);
    check("endless_atomic", &endless("atomic_int x;", "int r = x++; assert(r < 3);"), &[]);
}

#[test]
fn compare_and_exchange_takes_one_winner() {
    let take = |who: &str| format!("int no = 0; {who} = atomic_compare_exchange_strong(&lock, &no, 1);");
    let program = two("atomic_int lock; int a, b;", &take("a"), &take("b"), "assert(a + b == 1);");
    check("compare_exchange", &program, &[]);
}

#[test]
fn memory_by_pointers() {
    let globals = "struct node { struct node *next; int value; } one, two; struct node *volatile head;";
    let push = |node: &str| format!("{node}.value = 1; {node}.next = head; head = &{node};");
    let program = two(globals, &push("one"), &push("two"), "assert(head->next);");
    check("pointers", &program, &[Sc, Tso, Pso]);
    let heap = two(
        "int *volatile p; int seen;",
        "int *q = malloc(sizeof *q); *q = 7; p = q;",
        "int *q = p; if (q) seen = *q; else seen = 7;",
        "assert(seen == 7);",
    );
    check("heap", &heap, &[Pso]);
}

#[test]
fn arrays_by_computed_addresses() {
    let program = two(
        "int a[2]; volatile int i;",
        "a[i] = 1; i = 1; a[i] = 2;",
        "int k = i; __VERIFIER_assume(k == 1); assert(a[0] == 1);",
        "assert(a[1] == 2);",
    );
    check("arrays", &program, &[Pso]);
}

#[test]
fn threads_that_create_threads_and_return_values() {
    let program = program(
        "int x;\nvoid *h(void *p) { x = 1; return p; }\n\
         void *f(void *p) { pthread_t t; void *r; pthread_create(&t, 0, h, p); pthread_join(t, &r); return r; }\n\
         int main(void) { pthread_t t; void *r; int y; pthread_create(&t, 0, f, &y); pthread_join(t, &r);\n\
         assert(x == 1 && r == &y); return 0; }\n",
    );
    check("nested", &program, &[]);
}

#[test]
fn variables_with_one_writer() {
    let sums = |end: &str| two("int i = 1, j = 1;", "i += j; i += j;", "j += i; j += i;", end);
    check("one_writer", &sums("assert(i < 8 && j < 8);"), &[Sc, Tso, Pso]);
    check("one_writer_safe", &sums("assert(i < 9 && j < 9);"), &[]);
    // The own store is read while it waits; an update of what a thread alone writes takes it along.
    let own = two("int x, y, a, b;", "x = 1; if (x) a = y;", "y = 1; if (y) b = x;", "assert(a || b);");
    check("one_writer_reads_back", &own, &[Tso, Pso]);
    let update = |own: &str, seen: &str, other: &str| {
        format!(
            "atomic_store_explicit(&{own}, 1, memory_order_relaxed);
             int old = atomic_fetch_add(&{own}, 1); {seen} = {other} + old - 1;"
        )
    };
    let updated = two("atomic_int x, y; int a, b;", &update("x", "a", "y"), &update("y", "b", "x"), "assert(a || b);");
    check("one_writer_updates", &updated, &[]);
}

#[test]
fn what_main_does_alone_is_seen_by_all() {
    let alone = program(
        "int x, y, z; pthread_mutex_t m;\n\
         void *f(void *p) { y = x + *(int *)p; x = 1; z = y; return 0; }\n\
         void *g(void *p) { if (z) assert(y == 7); return 0; }\n\
         int main(void) { pthread_t t, u; int k = 3; x = 2; x = x + 2; pthread_mutex_init(&m, 0);\n\
         pthread_create(&t, 0, f, &k); pthread_create(&u, 0, g, 0); pthread_join(t, 0); assert(x == 1); return 0; }\n",
    );
    check("alone", &alone, &[Pso]);
    // The second creation is no longer alone.
    let between = program(
        "int x, y;\nvoid *f(void *p) { y = x; return 0; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); x = 1; pthread_create(&u, 0, f, 0);\n\
         pthread_join(t, 0); assert(y == 1); return 0; }\n",
    );
    check("not_alone", &between, &[Sc, Tso, Pso]);
}

#[test]
fn stores_that_are_in_memory_at_once_and_stores_that_wait() {
    let both = |store: &str| {
        let store = |x: &str| store.replace('X', x);
        two(
            "atomic_int x, y; int a, b;",
            &format!("{} a = y;", store("x")),
            &format!("{} b = x;", store("y")),
            "assert(a || b);",
        )
    };
    check("seq_cst", &both("X = 1;"), &[]);
    check("relaxed", &both("atomic_store_explicit(&X, 1, memory_order_relaxed);"), &[Tso, Pso]);
    // One store of many waits: that is enough.
    check("mixed", &both("X = 2; atomic_store_explicit(&X, 1, memory_order_relaxed); X += 0;"), &[]);
    let late = both("if (a) X = 1; else atomic_store_explicit(&X, 1, memory_order_relaxed);");
    check("either", &late, &[Tso, Pso]);
}
