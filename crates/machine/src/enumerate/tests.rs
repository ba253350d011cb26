//! Counts and verdicts that can be worked out by hand.

use super::{Question, rounds, states, traces};
use crate::replay::{End, replay};
use crate::testing::{function, text, threads, threads_and};
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, ViolationKind};

fn question<'a>(program: &'a Program, model: Model, limits: &'a Limits) -> Question<'a> {
    Question { program, model, checks: Checks::default(), limits, domain: None, observed: &[] }
}

/// Complete and blocked executions under SC, TSO and PSO.
fn check_traces(program: &Program, complete: [usize; 3], blocked: usize) {
    for (model, complete) in Model::ALL.into_iter().zip(complete) {
        let counted = traces::count(&question(program, model, &Limits::none()));
        assert_eq!((counted.complete, counted.blocked), (complete, blocked), "{model}");
        assert_eq!((counted.violation, counted.incomplete), (None, None), "{model}");
    }
}

#[test]
fn traces_of_litmus_tests() {
    let sb = threads("x y", &["store i32 g0, 1\nr0 = load g1", "store i32 g1, 1\nr0 = load g0"]);
    check_traces(&sb, [3, 4, 4], 0);
    let mp = threads("x y", &["store i32 g0, 1\nstore i32 g1, 1", "r0 = load g1\nr1 = load g0"]);
    check_traces(&mp, [3, 3, 4], 0);
    let writes = threads("x y", &["store i32 g0, 1\nstore i32 g1, 2", "store i32 g1, 1\nstore i32 g0, 2"]);
    check_traces(&writes, [3, 3, 4], 0);
    let iriw = threads(
        "x y",
        &["store i32 g0, 1", "store i32 g1, 1", "r0 = load g0\nr1 = load g1", "r0 = load g1\nr1 = load g0"],
    );
    check_traces(&iriw, [15; 3], 0);
}

#[test]
fn a_trace_is_who_read_from_whom_and_the_order_of_writes() {
    check_traces(&threads("x", &["store i32 g0, 1"; 3]), [6; 3], 0);
    check_traces(&threads("x", &["r0 = rmw add g0, 1 relaxed"; 3]), [6; 3], 0);
    check_traces(&threads("x", &["r0 = load g0"; 3]), [1; 3], 0);
    check_traces(&threads("x y", &["store i32 g0, 1", "store i32 g1, 1"]), [1; 3], 0);
    // Whether the own store was forwarded or had reached memory makes no difference.
    check_traces(&threads("x", &["store i32 g0, 1\nr0 = load g0"]), [1; 3], 0);
    // A failed compare-and-exchange only reads.
    check_traces(&threads("x", &["r0, r4 = compare_exchange g0, 5, 6 seq_cst seq_cst"; 2]), [1; 3], 0);
    let section = "begin atomic\nr0 = load g0\nr1 = add r0, 1\nstore i32 g0, r1\nend";
    check_traces(&threads("x", &[section; 3]), [6; 3], 0);
}

#[test]
fn blocked_executions_are_counted_apart() {
    let assumes = "r0 = load g0\nr4 = eq i32 r0, 1\nassume r4";
    check_traces(&threads("x", &["store i32 g0, 1", assumes]), [1; 3], 1);
    let awaits = "begin atomic\nr0 = load g0\nr4 = eq i32 r0, 1\nawait r4\nend";
    check_traces(&threads("x", &["store i32 g0, 1", awaits]), [1; 3], 0);
    check_traces(&threads("x", &[awaits]), [0; 3], 1);
}

#[test]
fn nondeterministic_values_make_different_executions() {
    let program = threads("x", &["r4 = nondet input \"flip\"\nr0 = extend.u bool r4\nstore i32 g0, r0"]);
    check_traces(&program, [2; 3], 0);
}

/// The fewest rounds that show a violation, under SC, TSO and PSO; none up to one less.
fn check_rounds(program: &Program, fewest: [u32; 3]) {
    for (model, fewest) in Model::ALL.into_iter().zip(fewest) {
        for count in 0..=fewest {
            let found = rounds::explore(&question(program, model, &Limits::none()), count);
            assert_eq!(found.violation.is_some(), count == fewest, "{model}, {count} rounds");
            assert_eq!(found.incomplete, None);
            if let Some(finding) = found.violation {
                let replayed = replay(program, Checks::default(), &finding.schedule).expect("it should run");
                assert_eq!(replayed.end, End::Violation(finding.violation), "{model}");
            }
        }
    }
}

const FAIL: &str = "assert false assertion \"\"";

#[test]
fn rounds_that_are_needed() {
    // The first thread has to see what the second does after it has seen the first: first, second, first.
    let asks = "b0:\nstore i32 g0, 1\nfence full\nr0 = load g1\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\n\
                b1:\nassert false assertion \"\"\nreturn\nb2:\nreturn";
    let answers = "b0:\nr0 = load g0\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\nb1:\nstore i32 g1, 1\nreturn\nb2:\nreturn";
    check_rounds(&threads("x y", &[asks, answers]), [2; 3]);
    // The other way round it is second, first, second.
    check_rounds(&threads("x y", &[answers, asks]), [2; 3]);
    // A join is passed in the own slot only, which is the last one of the first round.
    check_rounds(&threads_and("x", &["store i32 g0, 1"], FAIL), [1; 3]);
    // Three threads that are created one by the other have their slots in one round.
    let chain = text(&format!(
        "{}{}{}",
        function(0, "main", "r7 = spawn f1()"),
        function(1, "a", "r7 = spawn f2()"),
        function(2, "b", FAIL)
    ));
    check_rounds(&chain, [1; 3]);
}

#[test]
fn store_buffering_in_rounds() {
    // Both stores stay in their buffers until the rounds are over.
    let body = |mine: u32, other: u32, result: u32| {
        format!("store i32 g{mine}, 1\nr0 = load g{other}\nstore i32 g{result}, r0")
    };
    let program = text(&format!(
        "global g0 \"x\": t0\nglobal g1 \"y\": t0\nglobal g2 \"a\": t0\nglobal g3 \"b\": t0\n{}{}{}",
        function(0, "main", "r7 = spawn f1()\nr8 = spawn f2()"),
        function(1, "t", &body(0, 1, 2)),
        function(2, "u", &body(1, 0, 3))
    ));
    let limits = Limits::none();
    let observed = [GlobalId(2), GlobalId(3)];
    let finals = |model: Model, count: u32| {
        let question = Question { observed: &observed, ..question(&program, model, &limits) };
        let found = rounds::explore(&question, count).finals;
        found.into_iter().map(|values| (values[0][0], values[1][0])).collect::<Vec<_>>()
    };
    assert_eq!(finals(Model::Sc, 1), [(0, 1)]);
    assert_eq!(finals(Model::Tso, 1), [(0, 0), (0, 1)]);
    assert_eq!(finals(Model::Sc, 2), [(0, 1), (1, 0), (1, 1)]);
    assert_eq!(finals(Model::Pso, 2), [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

#[test]
fn inputs_that_a_replay_asks_for_early_are_completed() {
    let program = text(&format!(
        "global g0 \"x\": t0\n{}{}",
        function(0, "main", &format!("r7 = spawn f1()\nr0 = load g0\n{FAIL}")),
        function(1, "t", "r4 = nondet input \"flip\"\nr0 = load g0")
    ));
    check_rounds(&program, [1; 3]);
}

#[test]
fn verdicts() {
    let limits = Limits::none();
    let verdict = |program: &Program| {
        states::verdict(&question(program, Model::Tso, &limits)).expect("a violation should replay").outcome
    };
    assert!(matches!(verdict(&threads("x", &["store i32 g0, 1"])), Outcome::Safe { bounds } if bounds.is_empty()));
    match verdict(&threads("x", &[FAIL])) {
        Outcome::Unsafe(found) => assert_eq!(found.violation().kind, ViolationKind::Assertion),
        other => panic!("{other:?}"),
    }
    match verdict(&threads("x", &["r0 = nondet input \"rand\"\nstore i32 g0, r0"])) {
        Outcome::Unknown(open) => assert!(open.to_string().contains("'rand'"), "{open}"),
        other => panic!("{other:?}"),
    }
    match verdict(&threads("x", &["b0:\nstore i32 g0, 1\nunsupported \"setjmp\""])) {
        Outcome::Unknown(open) => assert_eq!(open.why, norn_verdict::undecided::Why::no_meaning("setjmp")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_from_a_domain_are_not_all() {
    let limits = Limits::none();
    let verdict = |body: &str| {
        let program = threads("x", &[body]);
        let question = Question { domain: Some(&[0, 1]), ..question(&program, Model::Sc, &limits) };
        states::verdict(&question).expect("a violation should replay").outcome
    };
    let asks = "r0 = nondet input \"rand\"\nstore i32 g0, r0";
    assert!(matches!(verdict(asks), Outcome::Unknown(_)));
    let one = "r0 = nondet input \"rand\"\nr4 = ne i32 r0, 1\nassert r4 assertion \"\"";
    assert!(matches!(verdict(one), Outcome::Unsafe(_)));
    assert!(matches!(verdict("r4 = nondet input \"flip\""), Outcome::Safe { .. }));
    assert!(matches!(verdict("store i32 g0, 1"), Outcome::Safe { .. }));
}

#[test]
fn a_loop_that_asks_for_ever_is_given_up() {
    let body = "b0:\nr0 = copy 0\ngoto b1\nb1:\nr0 = add r0, 1\nr4 = nondet input \"flip\"\nr5 = nondet input \"flip\"\n\
                branch r4, b1, b2\nb2:\nreturn";
    let program = threads("x", &[body]);
    // Stopped after the first look at the limits, so by one from inside of the loop.
    let found = states::explore(&question(&program, Model::Sc, &norn_testing::at_most(0)));
    assert_eq!(found.incomplete.expect("it is endless").to_string(), "interrupted");
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let stop = StopToken::default();
    stop.stop();
    let limits = Limits { stop, ..Limits::none() };
    let program = threads("x", &["store i32 g0, 1"]);
    let question = question(&program, Model::Sc, &limits);
    assert_eq!(states::explore(&question).incomplete.expect("it was stopped").to_string(), "interrupted");
    assert_eq!(traces::count(&question).incomplete.expect("it was stopped").to_string(), "interrupted");
    assert_eq!(rounds::explore(&question, 2).incomplete.expect("it was stopped").to_string(), "interrupted");
}

#[test]
fn the_first_violation_has_a_shortest_schedule() {
    let long = format!("r0 = load g0\nr0 = load g0\nr0 = load g0\n{FAIL}");
    let short = "r0 = load g0\nassert false error_call \"\"";
    let found = states::explore(&question(&threads("x", &[&long, short]), Model::Sc, &Limits::none()));
    let finding = found.violation.expect("both fail");
    assert_eq!(finding.violation.kind, ViolationKind::ErrorCall);
    // Two creations and the load.
    assert_eq!(finding.schedule.steps.len(), 3);
}
