//! Verdicts of every kind are written down and read back; a counterexample comes back as a claim.

use crate::replay::Reference;
use crate::testing::{NONE, threads, violation};
use norn_ir::ids::FileId;
use norn_ir::program::Origin;
use norn_ir::span::Span;
use norn_verdict::claim::{Claim, Referee, Ruling};
use norn_verdict::limits::Exceeded;
use norn_verdict::model::Model;
use norn_verdict::outcome::{
    Assumption, Bound, BoundKind, LoopPlace, Outcome, Reached, Stats, Unreached, Verdict, ViolationKind,
};
use norn_verdict::record::{Record, Recorded};
use norn_verdict::undecided::{OwnBound, Undecided, Unsought, Why, Work};

const SPAN: Span = Span { file: FileId(1), line: 7, column: 3 };

/// The record that a verdict's text gives.
fn read_back(verdict: &Verdict) -> Record {
    let text = serde_json::to_string(verdict).expect("a verdict should be written");
    let record: Record = serde_json::from_str(&text).expect("its text should be read");
    assert_eq!(record, Record::from(verdict), "{text}");
    record
}

fn verdict(outcome: Outcome) -> Verdict {
    let stats = Stats([("executions", 12.0), ("seconds", 0.25)].into());
    Verdict::new(Model::Pso, "states", outcome, stats)
}

fn bounds() -> Vec<Bound> {
    let place = LoopPlace { file: "a\u{1b}\"b.c".to_owned(), line: 3, origin: Origin::Library };
    let kinds = [
        BoundKind::Unwind(place),
        BoundKind::Rounds,
        BoundKind::Buffer,
        BoundKind::Depth,
        BoundKind::Executions,
        BoundKind::ObjectSize,
    ];
    let bound = |(value, kind): (u64, BoundKind)| Bound { kind, value: u64::MAX - value, exhausted: value % 2 == 0 };
    (0..).zip(kinds).map(bound).collect()
}

#[test]
fn a_counterexample_comes_back_as_a_claim() {
    let tests = [
        "store i32 g0, 1\nr0 = load g1\nstore i32 g2, r0",
        "store i32 g1, 1\nr0 = load g0\n\
        r1 = load g2\nr0 = or r0, r1\nr4 = ne i32 r0, 0\nassert r4 assertion \"not both\"",
    ];
    let program = threads("x y seen", &tests);
    let found = violation(&program, Model::Tso, NONE).expect("TSO should show it");
    let claim = Claim { schedule: found.schedule, expected: vec![(&found.violation).into()] };
    let rule = |claim: Claim| match Reference.rule(&program, NONE, claim) {
        Ruling::Holds(counterexample) => verdict(Outcome::Unsafe(counterexample)),
        other => panic!("{other:?}"),
    };
    let record = read_back(&rule(claim));
    let Recorded::Unsafe { trace, .. } = &record.outcome else { panic!("{record:?}") };
    assert!(trace.events.len() > 4);
    // Only a replay makes it a counterexample again, the same one.
    let again = rule(record.claim().expect("there should be a claim"));
    assert_eq!(Record::from(&again), record);
    // What somebody wrote into the record is not believed.
    let mut forged = record.claim().expect("there should be a claim");
    forged.schedule.steps.truncate(1);
    assert!(matches!(Reference.rule(&program, NONE, forged), Ruling::Fails(_)));
}

#[test]
fn verdicts_without_a_counterexample_are_read_back() {
    let mut safe = verdict(Outcome::Safe { bounds: bounds() })
        .assuming([Assumption { span: SPAN, kind: ViolationKind::DoubleFree }])
        .reaching(Some(Reached { checks: [SPAN, Span::NONE].into(), threads: [SPAN].into() }));
    safe.remarks.unreached.push(Unreached { span: SPAN, what: "the assertion".to_owned() });
    safe.remarks.notes.push("a note with \"quotes\" and \u{0}".to_owned());
    assert_eq!(read_back(&safe).claim(), None);
    let reasons = [
        Why::Limit { limit: Exceeded::Memory, after: Work::States(u64::MAX) },
        Why::Limit { limit: Exceeded::Interrupted, after: Work::Unknown },
        Why::NotLookedFor(Unsought::MemoryLeaks),
        Why::no_meaning("setjmp"),
        Why::too_large("much"),
        Why::TooManyValues { source: "rand".to_owned() },
        Why::SomeValuesOnly,
        Why::OwnBound(OwnBound::Threads(9)),
        Why::Addresses("here".into()),
        Why::Sampled { executions: 3, left: Some(Box::new(Why::SomeValuesOnly)) },
        Why::NotProved("a proof".into()),
        Why::EndedBy("something".into()),
        Why::NothingTried("nothing".into()),
    ];
    for why in reasons {
        let open = Undecided::at(why, SPAN);
        assert_eq!(read_back(&verdict(Outcome::Unknown(open.clone()))).claim(), None);
        read_back(&verdict(Outcome::Limited { bounds: bounds(), undecided: open }));
    }
}

#[test]
fn a_text_that_is_no_record_is_refused() {
    let text = serde_json::to_string(&verdict(Outcome::Safe { bounds: bounds() })).expect("it should be written");
    for cut in 1..text.len() {
        if text.is_char_boundary(cut) {
            assert!(serde_json::from_str::<Record>(&text[..cut]).is_err(), "{}", &text[..cut]);
        }
    }
    assert!(serde_json::from_str::<Record>(&text.replace("Pso", "Arm")).is_err());
}
