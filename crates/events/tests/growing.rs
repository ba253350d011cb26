//! Bounds that grow: loops that count are followed to their end at once, the others step by step.

use norn_engine::{Engine, Query};
use norn_events::Events;
use norn_machine::Reference;
use norn_testing::prepare;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict};

fn ask(text: &str) -> Verdict {
    let head = "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\nint x, y;\n";
    let program = prepare(&format!("{head}{text}"));
    let (model, checks, limits) = (Model::Tso, Checks::default(), Limits::for_seconds(60.0));
    let query = Query { program: &program, model, checks, bounds: None, limits: &limits };
    Events::default().run(&query, &Reference).expect("the machine should agree")
}

#[test]
fn a_loop_that_creates_threads_makes_no_other_go_round() {
    let verdict = ask("void *t(void *p) { while (__VERIFIER_nondet_int()) { if (x) break; if (y) break; }\n\
        for (int i = 0; i < 2; i++) y = 1; return 0; }\n\
        int main(void) { pthread_t id[9]; y = 1; for (int i = 0; i < 9; i++) pthread_create(&id[i], 0, t, 0);\n\
        for (int i = 0; i < 9; i++) pthread_join(id[i], 0); assert(y == 1); return 0; }");
    assert!(verdict.outcome.is_complete(), "{verdict:?}");
    assert!(verdict.stats.0["unwind"] <= 3.0, "{:?}", verdict.stats);
}

#[test]
fn loops_that_do_not_count_go_further_and_further() {
    for (wanted, is_found) in [(5, true), (9, true)] {
        let verdict = ask(&format!(
            "void *t(void *p) {{ for (int i = 0; i < 3; i++) x = i; return 0; }}\n\
             int main(void) {{ pthread_t id; pthread_create(&id, 0, t, 0); int turns = 0;\n\
             while (__VERIFIER_nondet_int()) turns++; assert(turns != {wanted} || x != 2); return 0; }}"
        ));
        assert_eq!(matches!(verdict.outcome, Outcome::Unsafe(_)), is_found, "{verdict:?}");
    }
}

/// The counter starts again, so the loop goes round more often than its constants say.
#[test]
fn a_loop_that_seems_to_count_grows_beyond_that() {
    let verdict = ask("int main(void) { int turns = 0; for (int i = 0; i < 3; i++) {\n\
        turns++; if (turns < 4 && __VERIFIER_nondet_int()) i = -1; } assert(turns != 6); return 0; }");
    assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{verdict:?}");
}
