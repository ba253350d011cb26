//! What a user gets: verdicts of programs with loops, bounds on buffers, deadlocks, shortest counterexamples.

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_states::{Reductions, States};
use norn_testing::{at_most, prepare};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use norn_verdict::undecided::{OwnBound, Why, Work};

/// The verdict in a few words: `safe`, `safe up to …`, `unsafe: …` or `unknown: …`.
fn answer(program: &Prepared, model: Model, checks: Checks, shortest: bool) -> String {
    let limits = Limits::none();
    let reductions = Reductions::ALL;
    let query = Query { program, model, checks, bounds: None, limits: &limits };
    let engine = States { reductions, shortest };
    match engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{mismatch}")).outcome {
        Outcome::Safe { bounds } | Outcome::Limited { bounds, .. } => {
            let open: Vec<String> = bounds.iter().filter(|b| !b.exhausted).map(ToString::to_string).collect();
            if open.is_empty() { "safe".to_owned() } else { format!("safe up to {}", open.join(", ")) }
        }
        Outcome::Unsafe(found) => format!("unsafe: {}", found.violation().kind.name()),
        Outcome::Unknown(reason) => format!("unknown: {reason}"),
    }
}

fn check(text: &str, model: Model, expected: &str) {
    let program = prepare(&format!("#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n{text}"));
    for shortest in [false, true] {
        assert_eq!(answer(&program, model, Checks::default(), shortest), expected, "{model} {text}");
    }
}

const START: &str = "int main(void) { pthread_t id; pthread_create(&id, 0, t, 0);";

#[test]
fn loops_for_ever_are_decided() {
    let turns = format!(
        "volatile int turn; void *t(void *a) {{ for (;;) {{ while (turn != 1); turn = 0; }} }}\n\
         {START} for (;;) {{ while (turn != 0); turn = 1; assert(turn <= 1); }} }}"
    );
    for model in Model::ALL {
        check(&turns, model, "safe");
        check(&turns.replace("turn <= 1", "turn == 1"), model, "unsafe: assertion");
    }
}

#[test]
fn a_buffer_that_grows_for_ever_bounds_the_verdict() {
    let writer = format!(
        "volatile int x, y; void *t(void *a) {{ for (;;) x = 1; }}\n\
         {START} for (;;) {{ int r = x; assert(r == 0 || r == 1); y = r; }} }}"
    );
    check(&writer, Model::Sc, "safe");
    for model in [Model::Tso, Model::Pso] {
        let program = prepare(&format!("#include <pthread.h>\n#include <assert.h>\n{writer}"));
        let found = answer(&program, model, Checks::default(), false);
        assert!(found.starts_with("safe up to buffer "), "{model}: {found}");
    }
}

#[test]
fn a_long_buffer_that_ends_is_followed_to_its_end() {
    let stores = "x = 1; ".repeat(20);
    let writer = format!(
        "volatile int x; void *t(void *a) {{ {stores} return 0; }}\n{START} int r = x; assert(r <= 1); return 0; }}"
    );
    for model in [Model::Tso, Model::Pso] {
        check(&writer, model, "safe");
    }
}

#[test]
fn a_loop_that_allocates_has_finitely_many_states() {
    let program = format!(
        "int *volatile p; void *t(void *a) {{ for (;;) {{ int *q = p; if (q) assert(*q == 7); }} }}\n\
         {START} for (;;) {{ int *q = malloc(sizeof *q); if (!q) abort(); *q = 7; __sync_synchronize(); p = q; \
         __sync_synchronize(); }} }}"
    );
    for model in Model::ALL {
        check(&program, model, "safe");
    }
    // With an address that is looked at nothing is renamed, and the loop has to end.
    let looks =
        program.replace("malloc(sizeof *q); if (!q) abort();", "malloc(8); if ((unsigned long)q == 8) abort();");
    let looks = looks.replace("for (;;) { int *q = malloc", "for (int i = 0; i < 3; i++) { int *q = malloc");
    assert_ne!(looks, program);
    check(&looks, Model::Tso, "safe");
}

#[test]
fn deadlocks_are_decided() {
    let text = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        void *t(void *arg) { for (;;) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);\n\
          pthread_mutex_unlock(&n); } }\n\
        int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); for (;;) { pthread_mutex_lock(&FIRST);\n\
          pthread_mutex_lock(&SECOND); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); } }";
    let checks = Checks { deadlock: true, ..Checks::default() };
    for model in Model::ALL {
        for (first, second, expected) in [("m", "n", "unsafe: deadlock"), ("n", "m", "safe")] {
            let program = prepare(&text.replace("FIRST", first).replace("SECOND", second));
            assert_eq!(answer(&program, model, checks, false), expected, "{model}");
            assert_eq!(answer(&program, model, checks, true), expected, "{model}");
        }
    }
}

#[test]
fn a_limit_says_how_much_was_stored() {
    let counter = format!("volatile unsigned x; void *t(void *a) {{ for (;;) x++; }} {START} for (;;) x++; }}");
    let program = prepare(&format!("#include <pthread.h>\n{counter}"));
    for (shortest, memory) in [(false, true), (true, true), (false, false), (true, false)] {
        let limits = match memory {
            true => Limits { memory: Some(1), ..Limits::none() },
            false => Limits::for_seconds(0.0),
        };
        let (model, checks, reductions) = (Model::Sc, Checks::default(), Reductions::ALL);
        let query = Query { program: &program, model, checks, bounds: None, limits: &limits };
        let engine = States { reductions, shortest };
        let Outcome::Unknown(open) = engine.run(&query, &Reference).expect("nothing to replay").outcome else {
            panic!("it has too many states")
        };
        let Why::Limit { limit, after: Work::States(states) } = open.why else { panic!("{open}") };
        assert_eq!(limit, if memory { Exceeded::Memory } else { Exceeded::Time });
        assert!(states > 100, "{open}");
    }
}

#[test]
fn wide_inputs_are_named() {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void); volatile int x; void *t(void *a) {{ x = 1; return 0; }}\n\
        {START} int n = __VERIFIER_nondet_int(); x = n; assert(x == n * n); return 0; }}"
    );
    check(
        &text,
        Model::Tso,
        "unknown: the value of '__VERIFIER_nondet_int' is nondeterministic, with too many possibilities",
    );
}

/// Two threads of those that main creates for ever make the assertion fail.
#[test]
fn threads_without_end() {
    let text = |condition: &str, checks: &str| {
        format!(
            "volatile int x; void *t(void *a) {{ int r = x; x = r + 1; assert({condition}); {checks} return 0; }}\n\
             int main(void) {{ pthread_t id; while (1) pthread_create(&id, 0, t, 0); }}"
        )
    };
    for model in Model::ALL {
        check(&text("r == 0", ""), model, "unsafe: assertion");
        // Not even a creation that leads to the end of the program is put off.
        check(&text("r == 0", "if (r == 2) abort();"), model, "unsafe: assertion");
    }
    let program = prepare(&format!("#include <pthread.h>\n#include <assert.h>\n{}", text("r < 1000", "")));
    let limits = at_most(1 << 15);
    let checks = Checks { deadlock: true, ..Checks::default() };
    let reductions = Reductions::ALL;
    let query = Query { program: &program, model: Model::Sc, checks, bounds: None, limits: &limits };
    let engine = States { reductions, shortest: false };
    let Outcome::Unknown(open) = engine.run(&query, &Reference).expect("nothing to replay").outcome else {
        panic!("there is no end to it")
    };
    assert!(matches!(open.why, Why::OwnBound(OwnBound::Threads(_))), "{open}");
}

/// A thread sets one of two bytes, which one depends on whether main was quick. Before main sets `y`, too, the states differ in
/// nothing else.
#[test]
fn which_bytes_are_initialised_is_part_of_states() {
    let unknown = "unknown: what happens depends on a value that was never set";
    for object in ["char *b = malloc(2); if (!b) abort();", "char b[2];"] {
        for (read, expected) in [("b[0]", unknown), ("b[1]", unknown), ("0", "safe")] {
            let text = format!(
                "volatile int x, y; static void set(char *b) {{ b[x] = 0; }}\n\
                 void *t(void *a) {{ {object} set(b); if (y && {read}) abort(); return 0; }}\n\
                 {START} x = 1; y = 1; return 0; }}"
            );
            for model in Model::ALL {
                check(&text, model, expected);
            }
        }
    }
}

/// States of a bounded program that differ in how often a loop was repeated are different: or its bound would not be reached.
#[test]
fn bounded_loops_reach_their_bounds() {
    let text = format!(
        "#include <pthread.h>\nvolatile int x; void *t(void *a) {{ x = 1; return 0; }} {START} while (x != 2); return 0; }}"
    );
    let program = prepare(&text);
    let bounds = norn_passes::unwind::Bounds { default: 3, ..Default::default() };
    for model in Model::ALL {
        for (reductions, shortest) in [(Reductions::ALL, false), (Reductions::ALL, true), (Reductions::NONE, false)] {
            let limits = Limits::none();
            let checks = Checks::default();
            let query = Query { program: &program, model, checks, bounds: Some(&bounds), limits: &limits };
            let engine = States { reductions, shortest };
            let verdict = engine.run(&query, &Reference).expect("there is nothing to replay");
            let Outcome::Safe { bounds } = verdict.outcome else { panic!("{model}: {:?}", verdict.outcome) };
            let open: Vec<u64> = bounds.iter().filter(|bound| !bound.exhausted).map(|bound| bound.value).collect();
            assert_eq!(open, [3], "{model} {reductions:?} {shortest}");
        }
    }
}
