//! The models are nested: every execution under SC is one under TSO, and every one under TSO is one under PSO.
//!
//! So a counterexample under the stronger model is one under the weaker, and a property of all executions under the
//! weaker model holds under the stronger. The counterexample is replayed like any other: a store that reaches memory at
//! once is committed right after the step that made it, and an order of commits that TSO allows is one that PSO allows.

use crate::replay::{confirm, with_commits_at_once};
use norn_ir::program::Program;
use norn_verdict::claim::{Claim, Ruling};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample, Outcome, Stats, Verdict};
use norn_verdict::schedule::Schedule;

/// The schedule of an execution under a weaker model that does what this one does. `None`: it could not be followed there,
/// which is an error inside of Norn.
pub fn under_weaker(program: &Program, checks: Checks, schedule: &Schedule, model: Model) -> Option<Schedule> {
    match schedule.model {
        Model::Sc if model != Model::Sc => with_commits_at_once(program, checks, schedule, model).ok(),
        stronger => (stronger <= model).then(|| Schedule { model, ..schedule.clone() }),
    }
}

/// The verdict under `model`, if the known verdicts under other models settle it.
pub fn carried_over(program: &Program, checks: Checks, known: &[Verdict], model: Model) -> Option<Verdict> {
    let violated = known.iter().filter(|verdict| verdict.model < model).find_map(|verdict| match &verdict.outcome {
        Outcome::Unsafe(found) => replayed(program, checks, found, verdict.engine, model),
        _ => None,
    });
    let proves = |verdict: &&Verdict| {
        verdict.model > model && matches!(verdict.outcome, Outcome::Safe { .. }) && verdict.outcome.is_complete()
    };
    violated.or_else(|| {
        let proof = known.iter().find(proves)?;
        Some(Verdict { model, stats: Stats::default(), ..proof.clone() })
    })
}

fn replayed(
    program: &Program,
    checks: Checks,
    found: &Counterexample,
    engine: &'static str,
    model: Model,
) -> Option<Verdict> {
    let schedule = under_weaker(program, checks, found.schedule(), model)?;
    let claim = Claim { schedule, expected: vec![found.violation().into()] };
    match confirm(program, checks, claim) {
        Ruling::Holds(found) => Some(Verdict::new(model, engine, Outcome::Unsafe(found), Stats::default())),
        Ruling::Open(_) | Ruling::Fails(_) => None,
    }
}

/// Two verdicts that contradict one another, by place: what is violated under a stronger model is safe under a weaker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    pub violated: usize,
    pub safe: usize,
}

/// Lets verdicts under different models take over what others say, where they say less. `covers` tells which of them hold
/// for all executions that were asked about, also within bounds: those must not be contradicted.
pub fn reconcile(
    program: &Program,
    checks: Checks,
    verdicts: &mut [Verdict],
    covers: impl Fn(&Outcome) -> bool,
) -> Result<(), Contradiction> {
    for at in 0..verdicts.len() {
        let verdict = &verdicts[at];
        if matches!(verdict.outcome, Outcome::Unsafe(_)) {
            continue;
        }
        let Some(carried) = carried_over(program, checks, verdicts, verdict.model) else { continue };
        let is_violated = matches!(carried.outcome, Outcome::Unsafe(_));
        if is_violated && covers(&verdict.outcome) {
            let is_stronger =
                |other: &Verdict| other.model < verdict.model && matches!(other.outcome, Outcome::Unsafe(_));
            let violated = verdicts.iter().position(is_stronger).unwrap_or(at);
            return Err(Contradiction { violated, safe: at });
        }
        if is_violated || !verdict.outcome.is_complete() {
            verdicts[at] = Verdict { stats: verdicts[at].stats.clone(), ..carried };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerate::{Question, states};
    use crate::replay::{End, replay};
    use crate::testing::{NONE, function, text, threads};
    use norn_verdict::limits::{Exceeded, Limits};
    use norn_verdict::undecided::Undecided;

    fn verdict(program: &Program, model: Model) -> Verdict {
        let limits = Limits::none();
        let question = Question { program, model, checks: NONE, limits: &limits, domain: None, observed: &[] };
        states::verdict(&question).expect("it should replay")
    }

    fn unknown(model: Model) -> Verdict {
        Verdict::new(model, "test", Outcome::Unknown(Undecided::limit(Exceeded::Time)), Stats::default())
    }

    /// Fails under SC if the second thread runs between the stores of the first, which has a fence after them.
    fn violated() -> Program {
        threads(
            "x y z",
            &[
                "store i32 g0, 1\nstore i32 g1, 1\nfence full\nstore i32 g0, 2\nr0 = load g2",
                "r0 = load g0\nr1 = load g1\nr1 = xor r1, 1\nr0 = and r0, r1\nr4 = eq i32 r0, 0\nassert r4 assertion \"\"",
            ],
        )
    }

    #[test]
    fn a_counterexample_under_a_stronger_model_is_one_under_a_weaker() {
        let program = violated();
        let found = verdict(&program, Model::Sc);
        let Outcome::Unsafe(counterexample) = &found.outcome else { panic!("it is violated") };
        for model in [Model::Tso, Model::Pso] {
            let schedule = under_weaker(&program, NONE, counterexample.schedule(), model).expect("it should run");
            assert_eq!(schedule.model, model);
            let end = replay(&program, NONE, &schedule).expect("it should run").end;
            assert_eq!(end, End::Violation(counterexample.violation().clone()));
            let carried =
                carried_over(&program, NONE, std::slice::from_ref(&found), model).expect("it should carry over");
            assert!(matches!(carried.outcome, Outcome::Unsafe(_)) && carried.model == model);
        }
        let tso = verdict(&program, Model::Tso);
        let carried =
            carried_over(&program, NONE, std::slice::from_ref(&tso), Model::Pso).expect("it should carry over");
        assert!(matches!(carried.outcome, Outcome::Unsafe(_)));
        assert!(carried_over(&program, NONE, &[tso], Model::Sc).is_none(), "it need not be one under a stronger model");
    }

    #[test]
    fn a_store_before_a_creation_is_committed_in_time() {
        let program = text(&format!(
            "global g0 \"x\": t0\n{}{}",
            function(0, "main", "store i32 g0, 1\nr7 = spawn f1()"),
            function(1, "t", "r0 = load g0\nr4 = eq i32 r0, 0\nassert r4 assertion \"\"")
        ));
        let found = verdict(&program, Model::Sc);
        let carried = carried_over(&program, NONE, &[found], Model::Tso).expect("it should carry over");
        assert!(matches!(carried.outcome, Outcome::Unsafe(_)));
    }

    #[test]
    fn a_proof_under_a_weaker_model_is_one_under_a_stronger() {
        let program = threads("x", &["store i32 g0, 1", "r0 = load g0"]);
        let proof = verdict(&program, Model::Pso);
        let mut all = [unknown(Model::Sc), unknown(Model::Tso), proof];
        assert_eq!(reconcile(&program, NONE, &mut all, |_| false), Ok(()));
        let is_safe = |v: &Verdict| matches!(v.outcome, Outcome::Safe { .. });
        assert!(all.iter().all(is_safe), "{all:?}");
        assert_eq!(all.map(|v| v.model), Model::ALL);
    }

    #[test]
    fn no_two_verdicts_contradict_one_another() {
        let program = violated();
        let found = verdict(&program, Model::Sc);
        let bounded = |model| Verdict::new(model, "test", Outcome::Safe { bounds: Vec::new() }, Stats::default());
        let mut all = [unknown(Model::Tso), found.clone()];
        assert_eq!(reconcile(&program, NONE, &mut all, |_| false), Ok(()));
        assert!(all.iter().all(|v| matches!(v.outcome, Outcome::Unsafe(_))), "what a limit left is decided by others");
        // A verdict that covers everything and says safe is wrong.
        let mut wrong = [found, bounded(Model::Tso)];
        let covers = |outcome: &Outcome| matches!(outcome, Outcome::Safe { .. });
        assert_eq!(reconcile(&program, NONE, &mut wrong, covers), Err(Contradiction { violated: 0, safe: 1 }));
    }
}
