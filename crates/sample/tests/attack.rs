//! A wrong verdict of safe is noticed, a right one is left alone.

use norn_engine::{Prepared, Query};
use norn_ir::program::Origin;
use norn_machine::Reference;
use norn_sample::{Attack, Budget, Sample};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Checks, LoopPlace};

fn program(source: &str) -> Prepared {
    norn_testing::prepare(&format!("#include <assert.h>\n#include <pthread.h>\n{source}"))
}

fn attacked(source: &str, claimed: &[Bound]) -> &'static str {
    let limits = Limits { executions: Some(3000), ..Limits::none() };
    let (program, checks) = (&program(source), Checks::default());
    let query = Query { program, model: Model::Sc, checks, bounds: None, limits: &limits };
    let engine = Sample { seed: 0, budget: Budget { work: u64::MAX, time: None, first: 1 << 32 } };
    match engine.attack(&query, claimed, true, &Reference).expect("what is found should replay") {
        Attack::Stands(stats) => {
            assert_eq!(stats.0["executions"], 3000.0);
            "stands"
        }
        Attack::Contradicted(_) => "contradicted",
        Attack::Surpassed(_) => "surpassed",
    }
}

fn bound(kind: BoundKind, value: u64, exhausted: bool) -> Bound {
    Bound { kind, value, exhausted }
}

#[test]
fn a_wrong_proof_is_contradicted() {
    let wrong = "extern int nondet_int(void); int main(void) { int x = nondet_int(); assert(x != 123456); return 0; }";
    assert_eq!(attacked(wrong, &[]), "contradicted");
    assert_eq!(attacked("int x; int main(void) { x = 1; assert(x); return 0; }", &[]), "stands");
}

#[test]
fn a_violation_counts_within_the_bounds_on_loops_only() {
    let source = "int x;\nint main(void) {\n for (int i = 0; i < 10; i++)\n  x++;\n assert(x != 10);\n return 0; }";
    let at = |value, exhausted| {
        [bound(
            BoundKind::Unwind(LoopPlace { file: "test.c".to_owned(), line: 5, origin: Origin::User }),
            value,
            exhausted,
        )]
    };
    assert_eq!(attacked(source, &at(9, false)), "stands");
    assert_eq!(attacked(source, &at(10, false)), "contradicted");
    assert_eq!(attacked(source, &at(9, true)), "contradicted", "the loop does go beyond it");
}

#[test]
fn a_violation_counts_within_the_rounds_only() {
    // Main has to be between two turns of the thread, twice.
    let source = "int x; void *f(void *p) { int a = x; int b = x; assert(!(a == 1 && b == 2)); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; x = 2; pthread_join(t, 0); return 0; }";
    assert_eq!(attacked(source, &[bound(BoundKind::Rounds, 1, false)]), "surpassed");
    assert_eq!(attacked(source, &[bound(BoundKind::Rounds, 4, false)]), "contradicted");
    assert_eq!(attacked(source, &[bound(BoundKind::Depth, 100, false)]), "surpassed");
}
