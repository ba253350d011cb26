//! Only executions are confirmed: a claim with anything changed is refused.

mod support;

use norn_axioms::answer::Outcome;
use norn_axioms::confirm::{Claim, confirm};
use norn_axioms::event::{Answer, Source};
use norn_axioms::memory::Base;
use norn_cat::Model;
use norn_engine::Prepared;
use norn_ir::source::SourceMap;
use norn_verdict::outcome::{Checks, ViolationKind};
use support::{HEAD, answer, model, threads};

fn message_passing() -> String {
    let bodies =
        ["st(x, 1, relaxed); st(x, 2, relaxed); st(y, 1, relaxed);", "r0 = ld(y, relaxed); r1 = ld(x, relaxed);"];
    threads("var x, y; int r0, r1;", &bodies, "!(r0 == 1 && r1 == 0)")
}

fn claimed() -> (Prepared, Claim) {
    let source = message_passing();
    let Outcome::Unsafe(found) = answer(&model("armv8"), &source, None).outcome else { panic!("it should be unsafe") };
    (norn_testing::prepare(&format!("{HEAD}{source}")), found.claim().clone())
}

/// Why a claim is refused; nothing if it is confirmed.
fn refusal(model: &Model, change: impl FnOnce(&mut Claim)) -> Option<String> {
    let (program, mut claim) = claimed();
    change(&mut claim);
    let base = Base::new(&program).expect("it should be small");
    confirm(&base, model, Checks::usual(), claim).err().map(|mismatch| mismatch.0)
}

#[track_caller]
fn is_refused(part: &str, change: impl FnOnce(&mut Claim)) {
    let reason = refusal(&model("armv8"), change).expect("it should be refused");
    assert!(reason.contains(part), "{reason}");
}

#[test]
fn the_model_decides() {
    assert_eq!(refusal(&model("armv8"), |_| {}), None);
    // The same words for accesses, and all in one order.
    let text = "acyclic po | rf | co | fr as all\nempty A & L as nothing\n".to_owned();
    let mut folder = |_: &str| Err("there is none".to_owned());
    let strict = norn_graph::model::load(&mut SourceMap::default(), "strict.cat", text, &mut folder);
    let reason = refusal(&strict.expect("it should be a model"), |_| {});
    assert_eq!(reason.as_deref(), Some("the model forbids the execution by its check 'all'"));
}

#[test]
fn a_changed_claim_is_refused() {
    let first = |claim: &mut Claim, from: Source, to: Option<Source>| {
        let found = claim.told.answers.iter_mut().flatten().find(|answer| **answer == Answer::Source(Some(from)));
        *found.expect("some read should read from there") = Answer::Source(to);
    };
    // The write that the first thread reads from is left out.
    is_refused("", |claim| first(claim, Source::Initial, None));
    is_refused("", |claim| claim.told.events[1] = 1);
    is_refused("order", |claim| claim.coherence.clear());
    is_refused("forbids", |claim| claim.coherence.values_mut().for_each(|order| order.reverse()));
    is_refused("order", |claim| {
        let order = claim.coherence.values_mut().find(|order| order.len() > 1).expect("x is written twice");
        order[0] = order[1];
    });
    is_refused("violation", |claim| claim.violation.kind = ViolationKind::ErrorCall);
    is_refused("violation", |claim| claim.violation.span.line += 1);
    is_refused("creator", |claim| claim.told.parents[2] = claim.told.parents[1]);
    is_refused("not about threads", |claim| claim.told.parents.clear());
    is_refused("not there", |claim| {
        let source = norn_axioms::event::EventId { thread: 7, index: 0 };
        first(claim, Source::Initial, Some(Source::Event(source)));
    });
}
