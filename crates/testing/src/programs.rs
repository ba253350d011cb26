//! Random small C programs, by seed. A line of a function's body is a statement, so that the shrinker can leave it out.

pub mod blocking;
pub mod endless;
pub mod handover;
pub mod pointers;
pub mod races;
pub mod reuse;
pub mod sections;
pub mod tangled;

use crate::Random;
use norn_ir::number::to_usize;
use std::fmt::Write;

/// What the programs are made of.
#[derive(Clone, Copy)]
pub struct Shape {
    pub threads: (u64, u64),
    pub statements: (u64, u64),
    /// Locks, condition variables, joins by other threads, allocation, inputs.
    pub library: bool,
    /// `exit` and assumptions.
    pub ends: bool,
    pub inputs: bool,
}

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y;\nunion { volatile int i; volatile char c[4]; } u;\natomic_int a;\nint seen[8];\n\
    int *volatile p;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n";

pub fn program(random: &mut Random, shape: Shape) -> String {
    let mut text = HEAD.to_owned();
    let between = |random: &mut Random, (low, high): (u64, u64)| low + random.below(high - low + 1);
    let threads = between(random, shape.threads);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        for _ in 0..between(random, shape.statements) {
            let line = statement(random, shape, thread);
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n");
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
    }
    if random.below(3) > 0 {
        for thread in 0..threads {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
        if random.below(4) == 0 {
            text.push_str("  assert(x != 3 || y != 2);\n");
        }
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// The program with all threads joined, and then `claim`. What main does before it creates threads stays.
pub fn joined(text: &str, claim: &str) -> String {
    let (threads, main) = text.split_once("int main(void) {\n").expect("the generator should write a main function");
    let numbers = (0..8).filter(|number| threads.contains(&format!("void *t{number}(")));
    let (before, _) = main.split_once("  pthread_t id0;").unwrap_or_default();
    let mut text = format!("{threads}int main(void) {{\n{before}");
    for thread in numbers.clone() {
        text += &format!("  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);\n");
    }
    for thread in numbers {
        text += &format!("  pthread_join(id{thread}, 0);\n");
    }
    text + &format!("  {claim}\n  return 0;\n}}\n")
}

fn statement(random: &mut Random, shape: Shape, thread: u64) -> String {
    let value = 1 + random.below(3);
    let places = if random.below(3) == 0 { 5 } else { 2 };
    let place = ["x", "y", "u.i", "u.c[1]", "u.c[2]"][to_usize(random.below(places))];
    let kinds = 13 + if shape.library { 7 } else { 0 };
    match random.below(kinds) {
        0..=2 => format!("{place} = {value};"),
        3..=5 => format!("r += {place};"),
        6 => format!("atomic_store_explicit(&a, {value}, memory_order_release);"),
        7 => format!("atomic_store(&a, {value});"),
        8 => "r += atomic_load(&a);".to_owned(),
        9 => format!("r += atomic_fetch_add(&a, {value});"),
        10 => format!("{{ int e = {}; r += atomic_compare_exchange_strong(&a, &e, {value}); }}", random.below(3)),
        11 => {
            let order = ["seq_cst", "release", "acquire"][to_usize(random.below(3))];
            format!("atomic_thread_fence(memory_order_{order});")
        }
        12 => match random.below(5) {
            0 => format!("if ({place} == {value}) x = {};", value + 1),
            1 => format!("__VERIFIER_atomic_begin(); r += {place}; x = r; __VERIFIER_atomic_end();"),
            2 if shape.inputs => "if (__VERIFIER_nondet_bool()) y = 3; else r += x;".to_owned(),
            3 if shape.ends => format!("__VERIFIER_assume({place} != {value});"),
            4 if shape.ends => "if (x == 2) exit(1);".to_owned(),
            _ => format!("{place} += 1;"),
        },
        13..=14 => format!("pthread_mutex_lock(&m); {place} = {value}; pthread_mutex_unlock(&m);"),
        15 => "if (pthread_mutex_trylock(&m) == 0) { y = 1; pthread_mutex_unlock(&m); }".to_owned(),
        16 => "pthread_mutex_lock(&m); if (x == 0) pthread_cond_wait(&cond, &m); pthread_mutex_unlock(&m);".to_owned(),
        17 => "x = 1; pthread_cond_signal(&cond);".to_owned(),
        18 => format!("{{ int *q = malloc(sizeof *q); *q = {value}; p = q; r += *q; }}"),
        _ if thread == 0 => "{ int *q = malloc(4); *q = 1; p = q; x = 2; free(q); }".to_owned(),
        _ if value == 2 => "{ int *q = p; if (q) *q = 4; }".to_owned(),
        _ if value == 3 && place == "x" => {
            "__VERIFIER_atomic_begin(); x = 3; r += *p; x = 1; __VERIFIER_atomic_end();".to_owned()
        }
        _ => "{ int *q = p; if (q) r += *q; }".to_owned(),
    }
}

fn any<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.index(list.len())]
}
