//! What the options of the engine mean: the order of threads, the width of integers, few context switches.

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_rounds::Rounds;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{BoundKind, Checks, Outcome, Verdict};

fn compile(text: &str) -> Prepared {
    norn_testing::prepare(&format!("#include <assert.h>\n#include <pthread.h>\n{text}"))
}

/// The verdict under SC, with no more than these options.
fn check(program: &Prepared, rounds: Option<u32>, thread_order: &[u32], bits: Option<u32>) -> Verdict {
    let (bounds, limits) = (Bounds::default(), Limits::none());
    let (model, checks) = (Model::Sc, Checks::default());
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let engine = Rounds { rounds, thread_order: thread_order.to_vec(), bits, certify: false };
    engine.run(&query, &Reference).expect("what is found should replay")
}

/// The fewest rounds in which the program fails.
fn fewest_rounds(program: &Prepared, thread_order: &[u32]) -> u32 {
    let fails = |&rounds: &u32| matches!(check(program, Some(rounds), thread_order, None).outcome, Outcome::Unsafe(_));
    (1..=4).find(fails).expect("a few rounds should be enough")
}

#[test]
fn the_order_of_threads() {
    // What the second thread does is seen by the first.
    let program = compile(
        "int x;\nvoid *sees(void *arg) { assert(!x); return 0; }\nvoid *does(void *arg) { x = 1; return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, sees, 0); pthread_create(&b, 0, does, 0); }",
    );
    assert_eq!(fewest_rounds(&program, &[]), 2);
    assert_eq!(fewest_rounds(&program, &[2, 1]), 1);
    assert_eq!(fewest_rounds(&program, &[2]), 1, "those that are not named follow");
    assert_eq!(fewest_rounds(&program, &[1, 0, 2]), 2);
    assert_eq!(fewest_rounds(&program, &[7, 2, 2]), 1, "there is no thread 7");
}

#[test]
fn main_begins_alone_and_comes_last() {
    let program = compile(
        "int x;\nvoid *counts(void *arg) { x++; return 0; }\n\
         int main(void) { pthread_t a; x = 1; pthread_create(&a, 0, counts, 0); pthread_join(a, 0); assert(x != 2); }",
    );
    assert_eq!(fewest_rounds(&program, &[]), 1);
    assert_eq!(fewest_rounds(&program, &[0, 1]), 2);
}

#[test]
fn widths_begin_small_and_end_full() {
    let program = |limit: &str| {
        compile(&format!(
            "int x, y;\nvoid *adds(void *arg) {{ x = 100; y = x * 1000; return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, adds, 0); assert(y < {limit}); }}"
        ))
    };
    for bits in [None, Some(1), Some(2), Some(8), Some(17), Some(64)] {
        // No value of few bits is large enough for this: only the full width finds it.
        assert!(matches!(check(&program("100000"), None, &[], bits).outcome, Outcome::Unsafe(_)), "{bits:?}");
        // Few bits hide what is wrong, and all the same it is safe for another reason: the full width was asked.
        assert!(check(&program("100001"), None, &[], bits).outcome.is_complete(), "{bits:?}");
    }
}

#[test]
fn small_values_are_found_at_small_widths() {
    // Products of wide numbers are hard, those of narrow ones are not.
    let program = compile(
        "extern unsigned __VERIFIER_nondet_uint(void);\nunsigned x, y;\n\
         void *t(void *arg) { x = __VERIFIER_nondet_uint(); return 0; }\n\
         void *u(void *arg) { y = __VERIFIER_nondet_uint(); return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0);\n\
         unsigned p = x, q = y; assert(p * q * q * p + p != 444 || p != 3); }",
    );
    let found = check(&program, None, &[], Some(4));
    let small = found.stats.0["variables"];
    assert!(matches!(found.outcome, Outcome::Unsafe(_)));
    let found = check(&program, None, &[], Some(64));
    let full = found.stats.0["variables"];
    assert!(small * 4.0 < full, "{small} and {full} variables");
}

#[test]
fn rounds_that_are_not_enough_are_a_bound() {
    let program = compile(
        "int x;\nvoid *sees(void *arg) { assert(!x); return 0; }\nvoid *does(void *arg) { x = 1; return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, sees, 0); pthread_create(&b, 0, does, 0); }",
    );
    let Outcome::Safe { bounds } = check(&program, Some(1), &[], None).outcome else { panic!("one is not enough") };
    assert!(bounds.iter().any(|bound| bound.kind == BoundKind::Rounds && bound.value == 1 && !bound.exhausted));
}

#[test]
fn counterexamples_have_few_context_switches() {
    let text = |others: usize| {
        let creations = "pthread_create(&id, 0, idles, 0); ".repeat(others);
        format!(
            "int x, y;\nvoid *adds(void *arg) {{ x++; return 0; }}\n\
             void *idles(void *arg) {{ for (int i = 0; i < 3; i++) y++; return 0; }}\n\
             int main(void) {{ pthread_t a, b, id; {creations}pthread_create(&a, 0, adds, 0);\n\
             pthread_create(&b, 0, adds, 0); pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); }}"
        )
    };
    // Main creates, one thread reads, the other one adds, the first one writes, main looks: whatever others could do.
    for others in [0, 1, 2] {
        let found = check(&compile(&text(others)), None, &[], None);
        assert!(matches!(found.outcome, Outcome::Unsafe(_)));
        assert_eq!(found.stats.0["switches"], 4.0, "beside {others} others");
    }
}

#[test]
fn one_round_less_than_enough_is_not_all() {
    // Two rounds are enough, and needed: what main does comes between two steps of the other thread.
    let program = compile(
        "int x;\nvoid *sees(void *arg) { int r = x; assert(x == r); return 0; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, sees, 0); x = 1; }",
    );
    let Outcome::Safe { bounds } = check(&program, Some(1), &[], None).outcome else { panic!("one is not enough") };
    assert!(bounds.iter().any(|bound| bound.kind == BoundKind::Rounds && bound.value == 1 && !bound.exhausted));
    assert!(matches!(check(&program, Some(2), &[], None).outcome, Outcome::Unsafe(_)));
}
