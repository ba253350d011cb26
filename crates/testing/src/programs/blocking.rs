//! Random small C programs whose threads wait for one another, by seed: locks in several orders, condition variables,
//! semaphores, barriers, reader–writer locks, futexes, joins by others, assumptions, spin loops, and all the ways in which
//! main and other threads can end.

use crate::Random;
use std::fmt::Write;

const HEAD: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
    #include <stdlib.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n#include <linux/futex.h>\n#include <assert.h>\n\
    extern void __VERIFIER_assume(int);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y;\natomic_int f;\nint word;\npthread_t ids[4];\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;\npthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n\
    sem_t s;\npthread_barrier_t b;\n";

/// `heavy` leaves out what makes many states.
pub fn program(random: &mut Random, heavy: bool) -> String {
    let mut text = HEAD.to_owned();
    let threads = 2 + random.below(2);
    // Few kinds in one program, so that threads meet.
    let kinds: Vec<u64> = (0..2 + random.below(3)).map(|_| random.below(if heavy { 22 } else { 17 })).collect();
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        for _ in 0..1 + random.below(4 - threads) + u64::from(threads == 2) {
            let kind = kinds[random.index(kinds.len())];
            let _ = writeln!(text, "  {}", statement(random, kind, thread));
        }
        let end = ["return 0;", "return 0;", "pthread_exit(0);", "if (x) pthread_exit(0); return 0;"][random.index(4)];
        let _ = writeln!(text, "  {end}\n}}");
    }
    text.push_str("int main(void) {\n");
    let _ = writeln!(text, "  sem_init(&s, 0, {});", random.below(2));
    let _ = writeln!(text, "  pthread_barrier_init(&b, 0, {});", 2 + random.below(2));
    if random.below(4) == 0 {
        text.push_str("  pthread_mutex_lock(&m);\n");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&ids[{thread}], 0, t{thread}, 0);");
    }
    if random.below(3) == 0 {
        let kind = kinds[random.index(kinds.len())];
        let _ = writeln!(text, "  {{ int r = 0; {} }}", statement(random, kind, 9));
    }
    match random.below(5) {
        0 => text.push_str("  pthread_exit(0);\n"),
        1 => text.push_str("  return 0;\n"),
        2 => text.push_str("  pthread_join(ids[0], 0);\n  pthread_exit(0);\n"),
        _ => {
            for thread in 0..threads {
                let _ = writeln!(text, "  pthread_join(ids[{thread}], 0);");
            }
            if random.below(4) == 0 {
                text.push_str("  assert(x != 1 || y != 2);\n");
            }
            text.push_str("  return 0;\n");
        }
    }
    text + "}\n"
}

fn statement(random: &mut Random, kind: u64, thread: u64) -> String {
    let value = random.below(3);
    let (first, second) = if random.below(2) == 0 { ("m", "n") } else { ("n", "m") };
    match kind {
        0 | 1 => format!(
            "pthread_mutex_lock(&{first}); x = {value}; pthread_mutex_lock(&{second}); pthread_mutex_unlock(&{second}); \
             pthread_mutex_unlock(&{first});"
        ),
        2 => format!("pthread_mutex_lock(&{first}); y = {value}; pthread_mutex_unlock(&{first});"),
        3 => format!("pthread_mutex_lock(&{first}); if (x == {value}) pthread_mutex_unlock(&{first});"),
        4 => format!("if (pthread_mutex_trylock(&{first}) == 0) {{ x = {value}; pthread_mutex_unlock(&{first}); }}"),
        5 => "sem_wait(&s);".to_owned(),
        6 => "sem_post(&s);".to_owned(),
        7 => format!("if (x == {value}) sem_wait(&s); else sem_post(&s);"),
        8 => "pthread_barrier_wait(&b);".to_owned(),
        9 => format!("if (y == {value}) pthread_barrier_wait(&b);"),
        10 => format!(
            "pthread_rwlock_rdlock(&l); r += x; pthread_rwlock_wrlock(&l); x = {value}; pthread_rwlock_unlock(&l);"
        ),
        11 => format!("pthread_rwlock_wrlock(&l); x = {value}; pthread_rwlock_unlock(&l);"),
        12 => format!("__VERIFIER_atomic_begin(); __VERIFIER_assume(x == {value}); y = 1; __VERIFIER_atomic_end();"),
        13 => format!("__VERIFIER_assume(x != {value});"),
        14 => format!("x = {value}; y = {};", value + 1),
        15 if thread > 0 && thread < 9 => format!("pthread_join(ids[{}], 0);", thread - 1),
        15 => format!("x = {value};"),
        16 => format!("if (__VERIFIER_nondet_bool()) pthread_mutex_lock(&{first}); else x = {value};"),
        17 => "while (f == 0) ;".to_owned(),
        18 => format!("f = {value};"),
        19 => format!(
            "pthread_mutex_lock(&m); {} (x == 0) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
            if value == 0 { "while" } else { "if" }
        ),
        20 => [
            "x = 1; pthread_cond_signal(&c);",
            "pthread_mutex_lock(&m); x = 1; pthread_cond_broadcast(&c); \
            pthread_mutex_unlock(&m);",
            "pthread_cond_signal(&c);",
        ][random.index(3)]
        .to_owned(),
        _ => match value {
            0 => "syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);".to_owned(),
            1 => "syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);".to_owned(),
            _ => "__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST); syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);"
                .to_owned(),
        },
    }
}
