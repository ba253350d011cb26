//! Data races are found where the reference enumeration finds them, with any of the reductions, under all models.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_states::{Ended, Reductions, States, explore};
use norn_testing::programs::{handover, races, tangled};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome};

const CHECKS: Checks = Checks { data_race: true, ..Checks::DEFAULT };

/// By model: whether there is a violation, if both know.
fn check(program: &Prepared, checks: Checks, name: &str) -> Vec<Option<bool>> {
    let of_model = |model: Model| {
        // More states would need gigabytes.
        let limits = at_most(1 << 16);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &[] };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() && expected.violation.is_none() {
            return None;
        }
        let is_wrong = expected.violation.is_some();
        let all = Reductions::ALL;
        let variants = [
            ("all", all, false),
            ("none", Reductions::NONE, false),
            ("not renamed", Reductions { rename: false, ..all }, false),
            ("not collapsed", Reductions { collapse: false, ..all }, false),
            ("not merged", Reductions { merge_stores: false, ..all }, false),
            ("not persistent", Reductions { persistent: false, ..all }, false),
            ("not absorbed", Reductions { absorb: false, ..all }, false),
            ("shortest", all, true),
        ];
        for (variant, reductions, shortest) in variants {
            let what = format!("{name} {model} {variant}");
            let limits = at_most(1 << 20);
            let query = Query { program, model, checks, bounds: None, limits: &limits };
            let engine = States { reductions, shortest };
            let found = explore(engine, &query, &mut |_| {}).found;
            match found.ended {
                Ended::Violation(..) => {
                    assert!(is_wrong, "{what}: the machine sees no violation: {:?}", found.ended);
                    let verdict =
                        engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{what}: {mismatch}"));
                    assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{what}");
                }
                Ended::Everything if found.incomplete.is_none() && !found.buffer_full => {
                    assert!(!is_wrong, "{what}: missed {:?}", expected.violation);
                    let is_larger = reductions.absorb && model != Model::Sc;
                    let most = expected.states as u64;
                    assert!(is_larger || found.counts.states <= most, "{what}: more states than there are");
                }
                // Without a reduction there may be too much.
                _ => assert_ne!(variant, "all", "{what}: {found:?}"),
            }
        }
        Some(is_wrong)
    };
    Model::ALL.into_iter().map(of_model).collect()
}

/// Many programs; most should be comparable, and neither answer rare.
fn check_many(make: fn(&mut Random) -> String, count: u64) {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(count), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut racy, mut fine) = (0, 0);
    for seed in first..first + count {
        let text = make(&mut Random::new(seed));
        let name = format!("program {seed}");
        let basic = if seed % 3 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, memory_safety: basic == Basic::All, ..CHECKS };
        let found = checked(&name, &text, |text| check(&prepare(text), checks, &name));
        racy += found.iter().flatten().filter(|racy| **racy).count() as u64;
        fine += found.iter().flatten().filter(|racy| !**racy).count() as u64;
    }
    println!("{racy} with and {fine} without a violation, of {} questions", count * 3);
    assert!(count < 20 || racy * 10 > count && fine * 10 > count && racy + fine > count, "{racy} {fine}");
}

#[test]
fn random_programs() {
    check_many(races::program, 60);
}

#[test]
fn longer_programs() {
    check_many(races::longer, 30);
}

#[test]
fn memory_that_is_handed_over() {
    check_many(handover::program, 40);
}

#[test]
fn accesses_that_are_tangled() {
    check_many(tangled::program, 40);
}

fn decided(text: &str, model: Model) -> Outcome {
    let (program, limits) = (prepare(text), Limits::none());
    let query = Query { program: &program, model, checks: CHECKS, bounds: None, limits: &limits };
    States::default().run(&query, &Reference).expect("the machine should agree").outcome
}

/// Loops that never end have finitely many states although their clocks grow for ever.
#[test]
fn loops_without_bound_are_decided() {
    let text = |inside: &str, outside: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\nint x; atomic_int turn; \
             pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             void *t(void *arg) {{ for (;;) {{ pthread_mutex_lock(&m); {inside} pthread_mutex_unlock(&m); {outside} }} }}\n\
             void *u(void *arg) {{ for (;;) {{ while (atomic_load_explicit(&turn, memory_order_acquire) != 1); x++;\n\
               atomic_store_explicit(&turn, 0, memory_order_release); }} }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
               return 0; }}\n"
        )
    };
    for model in Model::ALL {
        let fine = decided(&text("x ^= 1;", ""), model);
        assert!(
            matches!(&fine, Outcome::Safe { bounds } if bounds.iter().all(|bound| bound.exhausted)),
            "{model} {fine:?}"
        );
        assert!(matches!(decided(&text("x ^= 1;", "x;"), model), Outcome::Unsafe(_)), "{model}");
    }
}

/// The identifier of a thread is stored before the thread begins, also where others can look.
#[test]
fn identifiers_are_stored_before_threads_begin() {
    let text = |before: &str, inside: &str| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\npthread_t id, *ids;\n\
             void *t(void *arg) {{ {inside} return 0; }}\n\
             int main(void) {{ ids = malloc(2 * sizeof *ids); {before} pthread_create(&id, 0, t, 0);\n\
               pthread_create(&ids[1], 0, t, 0); pthread_join(id, 0); return 0; }}\n"
        )
    };
    for model in Model::ALL {
        let own = "assert(pthread_equal(pthread_self(), id) || pthread_equal(pthread_self(), ids[1]));";
        let stored = decided(&text("id = 77;", "assert(id != 77);"), model);
        assert!(matches!(stored, Outcome::Safe { .. }), "{model} {stored:?}");
        let stored = decided(&text("ids[1] = 77;", own), model);
        assert!(matches!(stored, Outcome::Safe { .. }), "{model} {stored:?}");
        // The second identifier is stored beside the first thread.
        assert!(matches!(decided(&text("", "if (ids[1] == id) return arg;"), model), Outcome::Unsafe(_)), "{model}");
    }
}
