//! The sequential programs checked by Norn itself, beside the engine `rounds` at the same bounds.
//!
//! - Under SC the two agree.
//! - A violation that `rounds` finds in K rounds is in the emitted program of K rounds, given enough timestamps and nodes.
//! - A violation of the emitted program is found by `rounds`, given enough rounds: stores reach memory in the slots of their
//!   threads there, and at any access in the emitted program.
//! - With one timestamp the lists are SC.
//! - What runs and searches its own choices (`norn_testing::sequential`) gives the same answer as what Norn checks.

use norn_c::driver::{Input, compile};
use norn_emit::{Sma, Tool, sequentialize};
use norn_engine::{Engine, Prepared, Query};
use norn_events::Events;
use norn_machine::Reference;
use norn_rounds::Rounds;
use norn_testing::sequential::{Answer, Found, MOST_TIMESTAMPS, Plan, Tally, bounds, options};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Checks, Outcome, Verdict};

/// Rounds in which `rounds` should find what an emitted program has.
const MOST_ROUNDS: u32 = 8;
const MEMORY: u64 = 6 << 30;

/// Store buffers with more stores than this together are too large for a formula; what runs decides about them.
const MOST_BUFFERED: u64 = 3;

/// How the text says what memory contains that nobody has written, and how it says that this is 0.
const ANY_CONTENT: &str = "#define content(T) nondet(T)";
const ZERO_CONTENT: &str = "#define content(T) ((T)0)";

/// Compares for one program, for which the emitted programs were run. What was left open there may be settled here.
pub fn agree(name: &str, program: &Prepared, plan: Plan, (mut tally, found): (Tally, Found)) -> Tally {
    let sc = settle(&format!("{name} sc"), program, plan, (Model::Sc, Sma::List), &found.sc, &mut tally);
    let by_rounds = rounds(program, plan, Model::Sc, plan.rounds);
    tally.equal(&format!("{name} sc: emitted and rounds"), &sc, &by_rounds);
    let one = Plan { timestamps: 1, ..plan };
    for &(model, mut used, ref list_run, ref buffer_run) in &found.weak {
        let what = format!("{name} {model}");
        let as_sc = emitted(program, one, model, Sma::List);
        if ![&as_sc, &sc].iter().any(|answer| matches!(answer, Answer::Undecided(_))) {
            let open = format!("{name}: {model} with one timestamp and sc");
            tally.undecided.retain(|undecided| !undecided.starts_with(&open));
        }
        tally.equal(&format!("{what}: one timestamp and sc"), &as_sc, &sc);
        let mut list = settle(&format!("{what} list"), program, used, (model, Sma::List), list_run, &mut tally);
        let buffer = settle(&format!("{what} buffer"), program, plan, (model, Sma::Buffer), buffer_run, &mut tally);
        if matches!(list_run, Answer::Undecided(_)) {
            let open = format!("{what}: list and buffer");
            tally.undecided.retain(|undecided| !undecided.starts_with(&open));
            // The runs stopped before the list had enough timestamps and nodes.
            (used, list) = enough(program, used, model, list, &buffer);
            tally.equal(&open, &list, &buffer);
        }
        implications(&what, program, used, model, list, &mut tally);
    }
    tally
}

/// What Norn says about an emitted program and what it does when it runs; one of the two is enough.
fn settle(
    what: &str,
    program: &Prepared,
    plan: Plan,
    (model, sma): (Model, Sma),
    run: &Answer,
    tally: &mut Tally,
) -> Answer {
    let checked = emitted(program, plan, model, sma);
    match (&checked, run) {
        (Answer::Undecided(_), Answer::Undecided(why)) => {
            tally.undecided.push(format!("{what}: {why}"));
            checked
        }
        (Answer::Undecided(_), _) => run.clone(),
        (_, Answer::Undecided(_)) => checked,
        // What runs takes memory that nobody wrote for 0; Norn looks at all that it may contain.
        (Answer::Unsafe, Answer::Safe) => {
            let with_zeros = check(program, plan, model, sma, |text| text.replace(ANY_CONTENT, ZERO_CONTENT));
            tally.equal(&format!("{what}: checked by norn and run, what nobody wrote being 0"), &with_zeros, run);
            checked
        }
        _ => {
            tally.equal(&format!("{what}: checked by norn and run"), &checked, run);
            checked
        }
    }
}

/// More timestamps and nodes for a list that lacks a violation which there is.
fn enough(program: &Prepared, mut plan: Plan, model: Model, mut list: Answer, other: &Answer) -> (Plan, Answer) {
    while list == Answer::Safe && *other == Answer::Unsafe && plan.timestamps < MOST_TIMESTAMPS {
        plan = Plan { timestamps: plan.timestamps + 1, nodes: plan.nodes + 1, ..plan };
        list = emitted(program, plan, model, Sma::List);
    }
    (plan, list)
}

fn implications(what: &str, program: &Prepared, plan: Plan, model: Model, list: Answer, tally: &mut Tally) {
    let by_rounds = rounds(program, plan, model, plan.rounds);
    let (plan, list) = enough(program, plan, model, list, &by_rounds);
    match (&list, &by_rounds) {
        (Answer::Undecided(why), _) => tally.undecided.push(format!("{what} list: {why}")),
        (Answer::Safe, Answer::Undecided(why)) => tally.undecided.push(format!("{what} rounds: {why}")),
        (Answer::Safe, Answer::Unsafe) => {
            let (stamps, nodes) = (plan.timestamps, plan.nodes);
            let message =
                format!("{what}: rounds finds a violation, the list with {stamps} timestamps and {nodes} nodes not");
            tally.wrong.push(message);
        }
        (Answer::Safe, Answer::Safe) | (Answer::Unsafe, Answer::Unsafe) => tally.compared += 1,
        (Answer::Unsafe, _) => {
            let more = (plan.rounds + 1..=MOST_ROUNDS).map(|count| rounds(program, plan, model, count));
            match more.into_iter().find(|answer| *answer != Answer::Safe) {
                Some(Answer::Undecided(why)) => tally.undecided.push(format!("{what} rounds: {why}")),
                Some(_) => tally.compared += 1,
                None => {
                    let message = format!("{what}: the list has a violation, rounds has none in {MOST_ROUNDS} rounds");
                    tally.wrong.push(message);
                }
            }
        }
    }
}

/// The emitted program, as Norn's engine `events` sees it.
pub fn emitted(program: &Prepared, plan: Plan, model: Model, sma: Sma) -> Answer {
    check(program, plan, model, sma, |text| text)
}

/// The same with a change to the text.
fn check(program: &Prepared, plan: Plan, model: Model, sma: Sma, change: impl FnOnce(String) -> String) -> Answer {
    let options = norn_emit::Options { tool: Tool::Norn, ..options(model, sma, plan) };
    let (text, unwind) = match sequentialize(program, &bounds(plan.unwind), &options) {
        Ok(sequential) => (sequential.text(), sequential.unwind),
        Err(refusal) => return Answer::Undecided(refusal.message),
    };
    if sma == Sma::Buffer && model != Model::Sc && unwind > MOST_BUFFERED.max(u64::from(plan.rounds)) {
        return Answer::Undecided("too many stores".to_owned());
    }
    let input = Input::Text { name: "sequential.c".to_owned(), text: change(text) };
    let compiled = compile(Default::default(), Some(program.target), vec![input]);
    let Some(sequential) = compiled.program else {
        return Answer::Undecided(format!("the emitted program is not C: {:?}", compiled.diagnostics.first()));
    };
    let (limits, bounds) = (limits(plan), bounds(u32::try_from(unwind).unwrap_or(u32::MAX)));
    let (program, model, checks) = (&Prepared::new(sequential), Model::Sc, Checks::default());
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let verdict = Events::default().run(&query, &Reference);
    answer(verdict, u32::try_from(unwind).unwrap_or(u32::MAX))
}

/// The program itself, in so many rounds.
pub fn rounds(program: &Prepared, plan: Plan, model: Model, count: u32) -> Answer {
    let limits = limits(plan);
    let bounds = bounds(plan.unwind);
    let query = Query { program, model, checks: Checks::default(), bounds: Some(&bounds), limits: &limits };
    let verdict = Rounds { rounds: Some(count), ..Rounds::default() }.run(&query, &Reference);
    answer(verdict, plan.unwind)
}

/// Seconds on the clock, which a busy machine does not give; what runs counts seconds of the processor.
fn limits(plan: Plan) -> Limits {
    const LONGER: u32 = 10;
    const LONGEST: u32 = 120;
    Limits { memory: Some(MEMORY), ..Limits::for_seconds((LONGER * plan.seconds).min(LONGEST).into()) }
}

/// A verdict that holds up to this bound on loops. Engines that run out of time answer for smaller ones, which is no
/// answer here.
fn answer<E: std::fmt::Display>(verdict: Result<Verdict, E>, unwind: u32) -> Answer {
    let is_smaller = |bound: &Bound| matches!(bound.kind, BoundKind::Unwind(_)) && bound.value < u64::from(unwind);
    match verdict {
        Err(mismatch) => Answer::Undecided(format!("a counterexample did not replay: {mismatch}")),
        Ok(verdict) => match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Unsafe,
            Outcome::Safe { bounds } => match bounds.iter().find(|bound| !bound.exhausted && is_smaller(bound)) {
                None => Answer::Safe,
                Some(bound) => Answer::Undecided(format!("safe up to {bound} only")),
            },
            Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => {
                Answer::Undecided(reason.to_string())
            }
        },
    }
}
