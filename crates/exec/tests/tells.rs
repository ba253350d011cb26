//! What the executor tells of the steps that it takes, apart from their effects.

use norn_exec::{Executor, Status};
use norn_passes::analysed::Analysed;
use norn_testing::compile;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::trace::ThreadIndex;

/// Addresses of local and allocated objects that become numbers, and pointers that are only pointers.
#[test]
fn observed_addresses() {
    let looks = [
        "x = (long)p;",
        "x = (long)(int *)&l;",
        "x = p < q;",
        "x = &l >= p;",
        "x = p - q;",
        "x = p + 9 == q;",
        "union { int *p; long n; } u; u.p = p; x = u.n;",
        "x = ((char *)&p)[1];",
    ];
    let does_not_look = [
        "*p = 1; x = *p; l = 2; x = *&l;",
        "x = p == q; x = p != &l; x = p == 0; x = !q; x = p && q;",
        "x = p + 1 == p; x = p < p + 1; x = p + 2 - p;",
        "int *r = p; p = q; q = r; x = r == q;",
        "x = (long)&x; x = (long *)&x < &y; x = &x - &y;",
        "free(p); free(q);",
    ];
    let cases = looks.map(|body| (body, true)).into_iter().chain(does_not_look.map(|body| (body, false)));
    for (body, expected) in cases {
        let text = format!(
            "#include <stdlib.h>\nlong x, y; int main(void) {{ int l = 0, *p = malloc(8), *q = malloc(8); {body} return 0; }}"
        );
        let program = Analysed::new(compile(&text));
        let code = norn_exec::compile(&program, None);
        let mut executor = Executor::new(&program, &code, Model::Sc, Checks::default()).expect("there should be room");
        executor.start().expect("it should run");
        let main = executor.identity(ThreadIndex::MAIN);
        while executor.can_step(main) {
            executor.step(main).expect("it should run");
        }
        assert_eq!(executor.status(main), Status::Ended, "{body}");
        assert_eq!(executor.address_observed(), expected, "{body}");
    }
}

/// The step of one thread is tried before and after another wrote. Where it touches something else then, this was announced;
/// loads, stores and updates touch the same, and this was announced, too.
#[test]
fn steps_whose_accesses_vary() {
    let cases = [
        ("int e = 1; atomic_compare_exchange_strong(&x, &e, 2);", true),
        ("__VERIFIER_atomic_begin(); if (x == 1) y = 2; __VERIFIER_atomic_end();", true),
        ("atomic_fetch_add(&x, 1);", false),
        ("atomic_exchange(&x, 2);", false),
        ("x = 2;", false),
        ("int r = x;", false),
    ];
    for (step, expected) in cases {
        let text = format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n\
             extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n\
             atomic_int x; volatile int y; void *t(void *arg) {{ {step} return 0; }}\n\
             int main(void) {{ y = 0; pthread_t a; pthread_create(&a, 0, t, 0); x = 1; return y; }}"
        );
        let program = Analysed::new(compile(&text));
        let code = norn_exec::compile(&program, None);
        let mut executor = Executor::new(&program, &code, Model::Sc, Checks::default()).expect("there should be room");
        executor.start().expect("it should run");
        let main = executor.identity(ThreadIndex::MAIN);
        while executor.thread_count() < 2 {
            executor.step(main).expect("it should run");
        }
        let thread = executor.identity(ThreadIndex::new(1));
        assert_eq!(executor.accesses_vary(thread), expected, "{step}");
        executor.attempt_step(thread).expect("it can be taken");
        let before = executor.effects().to_vec();
        executor.step(main).expect("it should run");
        assert_eq!(executor.accesses_vary(thread), expected, "{step}");
        executor.attempt_step(thread).expect("it can be taken");
        assert_eq!(executor.effects() != before, expected, "{step}");
    }
}
