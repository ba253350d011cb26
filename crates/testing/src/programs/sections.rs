//! Random small C programs whose atomic sections access what other accesses tell them to, by seed: a search that goes by what
//! a step accessed in one execution has to mind that it accesses something else in another.

use crate::Random;
use norn_ir::number::to_usize;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    #include <assert.h>\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y, z;\nunion { volatile int i; volatile short s[2]; } u;\nint seen[8];\nint *volatile p;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nsem_t s;\n";

pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    let threads = 2 + random.below(3);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  int r = 0;");
        let most = if threads == 2 { 3 } else { 5 - threads };
        for _ in 0..1 + random.below(most) {
            let _ = writeln!(text, "  {}", statement(random));
        }
        let _ = writeln!(text, "  seen[{thread}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n");
    if random.below(4) == 0 {
        let _ = writeln!(text, "  sem_init(&s, 0, {});", random.below(2));
    }
    if random.below(4) == 0 {
        text.push_str("  pthread_mutex_init(&m, 0);\n");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_t id{thread};\n  pthread_create(&id{thread}, 0, t{thread}, 0);");
    }
    if random.below(2) == 0 {
        for thread in 0..threads {
            let _ = writeln!(text, "  pthread_join(id{thread}, 0);");
        }
        if random.below(3) == 0 {
            text.push_str("  assert(x != 2 || y != 1);\n");
        }
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// A section, or an access that sections may depend on.
fn statement(random: &mut Random) -> String {
    let section = |body: String| format!("__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();");
    let mut place = || ["x", "y", "z", "u.s[0]", "u.s[1]", "u.i"][to_usize(random.below(6).min(random.below(6)))];
    let (a, b, c) = (place(), place(), place());
    let value = random.below(3);
    match random.below(22) {
        0..=3 => format!("{a} = {};", value + 1),
        4..=6 => format!("r = r * 4 + {a};"),
        7..=8 => section(format!("if ({a} == {value}) {b} = 1;")),
        9 => section(format!("if ({a} == {value}) {b} = 1; else {c} = 2;")),
        10 => section(format!("if ({a} == {value}) r = r * 4 + {b}; else r = r * 4 + {c};")),
        11 => section(format!("if ({a} == 0) {{ if ({b} == 0) {c} = 1; else {a} = 2; }}")),
        12 => section(format!("*({a} ? &y : &z) = {};", value + 1)),
        13 => section(format!("__VERIFIER_assume({a} == {value} || {b}); {c} = 1;")),
        14 => section(format!("if ({a} == 1) exit(0); {b} = {value};")),
        15 => section(format!("for (int i = 0; i < 2 && {a} != {value}; i++) {{ {b} = i + 1; r++; }}")),
        16 => section(format!("if (!p) {{ p = malloc(4); *p = {value}; }} else if ({a} == 1) r = r * 4 + *p;")),
        17 => {
            let expected = random.below(2) << (16 * random.below(2));
            let desired = random.below(3) << (16 * random.below(2));
            format!("{{ int e = {expected}; r = r * 2 + __atomic_compare_exchange_n(&u.i, &e, {desired}, 0, 5, 5); }}")
        }
        18 => format!("if (pthread_mutex_trylock(&m) == 0) {{ {a} = 1; pthread_mutex_unlock(&m); }}"),
        19 => format!("if (pthread_rwlock_tryrdlock(&l) == 0) {{ r += {a}; pthread_rwlock_unlock(&l); }}"),
        20 => format!("if (pthread_rwlock_trywrlock(&l) == 0) {{ {a} = 2; pthread_rwlock_unlock(&l); }}"),
        _ => match value {
            0 => "sem_post(&s);".to_owned(),
            1 => "r = r * 2 + (sem_trywait(&s) == 0);".to_owned(),
            _ => section(format!("if ({a}) __VERIFIER_assume({b} == 0); {c} += 1;")),
        },
    }
}
