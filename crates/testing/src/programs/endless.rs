//! Random small programs with loops that wait, undo each other's work or go on for ever, and with calls that block. About
//! half of them have executions that never end.

use super::any;
use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y;\natomic_int a, b;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\nsem_t s;\npthread_barrier_t bar;\n";

/// A program of one to three threads beside main, which mostly waits for them.
pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    let threads = 1 + random.below(8).div_ceil(4);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        for _ in 0..1 + random.below(if threads > 2 { 2 } else { 3 }) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        let _ = writeln!(text, "  return 0;\n}}");
    }
    let _ = writeln!(text, "int main(void) {{\n  int r = 0;\n  sem_init(&s, 0, {});", random.below(2));
    let _ = writeln!(text, "  pthread_barrier_init(&bar, 0, 2);");
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
    }
    for _ in 0..random.below(3).saturating_sub(threads / 2) {
        let _ = writeln!(text, "  {}", statement(random));
    }
    for thread in 0..threads {
        if !random.one_in(12) {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
    }
    text + "  return 0;\n}\n"
}

fn place(random: &mut Random) -> &'static str {
    any(random, &["x", "x", "y", "a", "b"])
}

fn load(random: &mut Random) -> String {
    match random.below(3) {
        0 => any(random, &["x", "y"]).to_owned(),
        1 => any(random, &["a", "b"]).to_owned(),
        _ => {
            let order = any(random, &["relaxed", "acquire", "seq_cst"]);
            format!("atomic_load_explicit(&{}, memory_order_{order})", any(random, &["a", "b"]))
        }
    }
}

fn condition(random: &mut Random) -> String {
    let value = random.below(3);
    let compared = any(random, &["==", "!=", "!="]);
    match random.below(5) {
        0 => load(random),
        1 => format!("!{}", load(random)),
        2 => format!("{} {compared} {}", load(random), load(random)),
        _ => format!("{} {compared} {value}", load(random)),
    }
}

/// What does not wait.
fn action(random: &mut Random) -> String {
    let (value, atomic) = (random.below(3), any(random, &["a", "b"]));
    match random.below(9) {
        0..=2 => format!("{} = {value};", place(random)),
        3 => {
            let order = any(random, &["relaxed", "release", "seq_cst"]);
            format!("atomic_store_explicit(&{atomic}, {value}, memory_order_{order});")
        }
        4 => format!("{} ^= 1;", any(random, &["x", "y"])),
        5 => format!("atomic_fetch_xor(&{atomic}, 1);"),
        6 => format!("atomic_exchange(&{atomic}, {value});"),
        7 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
        _ => format!("{} = 1 - {};", place(random), any(random, &["x", "y"])),
    }
}

fn statement(random: &mut Random) -> String {
    let (one, other, when) = (action(random), action(random), condition(random));
    let lock = any(random, &["m", "m", "n"]);
    let (take, give) = (format!("pthread_mutex_lock(&{lock});"), format!("pthread_mutex_unlock(&{lock});"));
    let atomic = any(random, &["a", "b"]);
    match random.below(30) {
        0..=3 => one,
        4..=6 => format!("while ({when});"),
        7 => format!("while ({when}) sched_yield();"),
        8 => format!("r = {}; while (r) ;", load(random)),
        9 => format!("while ({when} && {});", condition(random)),
        10 => format!("while ({when}) {{ {one} }}"),
        11 => format!("do {{ {one} }} while ({when});"),
        12 => format!("for (;;) {{ if ({when}) break; {one} }}"),
        13 => format!("while (atomic_exchange(&{atomic}, 1)); {one} {atomic} = 0;"),
        14 => format!("{{ int e = 0; while (!atomic_compare_exchange_weak(&{atomic}, &e, 1)) e = 0; }} {one}"),
        15 => format!(
            "{{ int e = 0; while (!atomic_compare_exchange_strong(&{atomic}, &e, 1)) e = 0; }} {one} {atomic} = 0;"
        ),
        16 => format!("while (atomic_fetch_xor(&{atomic}, 1)) {{ {one} }}"),
        17 => format!("{take} {one} {give}"),
        18 => format!("while (pthread_mutex_trylock(&{lock})) {{ {one} }} {give}"),
        19 => format!("{take} while ({when}) pthread_cond_wait(&cond, &{lock}); {give}"),
        20 => format!("{take} {one} pthread_cond_signal(&cond); {give}"),
        21 => format!("while ({when}) {{ {take} {one} {give} }}"),
        22 => format!("sem_wait(&s); {one}"),
        23 => format!("{one} sem_post(&s);"),
        24 => format!("{one} pthread_barrier_wait(&bar);"),
        25 => match random.below(4) {
            0 => format!("if ({when}) exit(0);"),
            1 => format!("if ({when}) for (;;);"),
            2 => format!("__VERIFIER_assume({when});"),
            _ => format!("while (__VERIFIER_nondet_bool()) {{ {one} }}"),
        },
        26 => {
            let (begin, end) = ("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();");
            format!("{begin} __VERIFIER_assume({when}); {one} {end}")
        }
        27 => format!("if ({when}) {{ {one} {other} }}"),
        28 => format!("if ({when}) return 0;"),
        _ => format!("{take} {one} {give} pthread_mutex_lock(&n); {other} pthread_mutex_unlock(&n);"),
    }
}
