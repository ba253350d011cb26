//! `--cross-check`: all engines are asked, and have to agree.
//!
//! Unsafe has been replayed, so a safe verdict that covers the same executions is wrong, and so is the engine that gave
//! it. Safe covers all executions if it is complete; if it is bounded by loops alone, and the user chose the bounds, it
//! covers what the others looked at, too. A result that is bounded otherwise (rounds, buffers, loops of an engine's own
//! choice) contradicts nothing.

use super::auto::{ended_by, strength};
use super::given::covers_all;
use super::{Task, verdict};
use crate::args::{Engine, Unwind};
use norn_machine::replay::ReplayMismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ENGINES: [Engine; 5] = [Engine::States, Engine::Stateless, Engine::Events, Engine::Rounds, Engine::Enumerate];

/// What all engines said, within equal shares of the time. The reasons of those that were stopped are among it. If none
/// settles the question, those that were ended by their shares are asked again with the time that the others left.
pub fn verdicts(task: &Task<'_>, model: Model) -> Result<Vec<Verdict>, ReplayMismatch> {
    let mut all: Vec<(Engine, Verdict)> = Vec::new();
    let mut turns = ENGINES.to_vec();
    while !turns.is_empty() {
        let mut again = Vec::new();
        for (asked, &engine) in turns.iter().enumerate() {
            let now = Instant::now();
            let left = turns.len() - asked;
            let deadline = task.limits.deadline.map(|end| now + end.saturating_duration_since(now) / left as u32);
            let limits = Limits { deadline, ..task.limits.clone() };
            let said = verdict(&Task { limits: &limits, ..*task }, model, engine)?;
            // The last one had all the time that there was.
            if left > 1 && ended_by(&said.outcome) == Some(Exceeded::Time) {
                again.push(engine);
            }
            match all.iter_mut().find(|(other, _)| *other == engine) {
                Some((_, before)) if strength(before) > strength(&said) => {}
                Some((_, before)) => *before = said,
                None => all.push((engine, said)),
            }
            if task.limits.exceeded() == Some(Exceeded::Interrupted) {
                again.clear();
                break;
            }
        }
        let is_settled = |verdict: &Verdict| {
            matches!(verdict.outcome, Outcome::Unsafe(_)) || covers_all(&verdict.outcome, task.unwind)
        };
        let is_over = task.limits.exceeded().is_some() || all.iter().any(|(_, verdict)| is_settled(verdict));
        turns = if is_over { Vec::new() } else { again };
    }
    Ok(all.into_iter().map(|(_, verdict)| verdict).collect())
}

/// The verdict that says most.
pub fn strongest(verdicts: Vec<Verdict>) -> Option<Verdict> {
    verdicts.into_iter().rev().max_by_key(strength)
}

/// Two verdicts that cannot both be right, the unsafe one first.
pub fn disagreement<'a>(verdicts: &'a [Verdict], given: &[Unwind]) -> Option<(&'a Verdict, &'a Verdict)> {
    let violated = verdicts.iter().find(|v| matches!(v.outcome, Outcome::Unsafe(_)))?;
    verdicts.iter().find(|v| covers_all(&v.outcome, given)).map(|safe| (violated, safe))
}

/// Writes what is needed to look into a disagreement: the program as all engines saw it, the schedule, who said what.
pub fn write_bundle(parent: &Path, task: &Task<'_>, verdicts: &[Verdict], command: &str) -> io::Result<PathBuf> {
    let violated = verdicts.iter().find_map(|v| match &v.outcome {
        Outcome::Unsafe(counterexample) => Some(counterexample),
        _ => None,
    });
    let number = norn_verdict::schedule::fingerprint(task.program);
    let folder = parent.join(format!("norn-disagreement-{number:016x}"));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("program.ir"), task.program.to_string())?;
    if let Some(counterexample) = violated {
        fs::write(folder.join("unsafe.schedule"), counterexample.schedule().to_string())?;
    }
    let mut text = format!("{command}\nversion {}\n", env!("CARGO_PKG_VERSION"));
    for verdict in verdicts {
        let said = match &verdict.outcome {
            Outcome::Unsafe(counterexample) => format!("unsafe: {}", counterexample.violation().kind.phrase()),
            Outcome::Safe { bounds } => {
                let open = bounds.iter().filter(|b| !b.exhausted).map(ToString::to_string);
                format!("safe, bounds not exhausted: [{}]", open.collect::<Vec<_>>().join(", "))
            }
            Outcome::Limited { reason, .. } | Outcome::Unknown { reason, .. } => format!("unknown: {reason}"),
        };
        text += &format!("{} ({}): {said}\n", verdict.engine, verdict.model);
    }
    fs::write(folder.join("verdicts.txt"), text)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Encoding, EventsArgs, RoundsArgs};
    use norn_ir::program::Program;
    use norn_testing::compile;
    use norn_verdict::outcome::{Bound, BoundKind, Checks, Stats};

    fn safe(bounds: &[(BoundKind, bool)]) -> Verdict {
        let bounds =
            bounds.iter().map(|(kind, exhausted)| Bound { kind: kind.clone(), value: 2, exhausted: *exhausted });
        let outcome = Outcome::Safe { bounds: bounds.collect() };
        Verdict::new(Model::Sc, "events", outcome, Stats::default())
    }

    fn with_task<R>(program: &Program, ask: impl FnOnce(&Task<'_>) -> R) -> R {
        let limits = Limits::for_seconds(60.0);
        let rounds = RoundsArgs::default();
        let events = EventsArgs { encoding: Encoding::Order, certify: false };
        let checks = Checks::default();
        let (unwind, limits, rounds) = (&[][..], &limits, &rounds);
        let (certify, sampling) = (false, true);
        ask(&Task { program, checks, unwind, shortest: false, limits, certify, events, rounds, sampling })
    }

    /// A real counterexample against a safe verdict that an engine might have given.
    #[test]
    fn a_wrong_safe_verdict_is_noticed() {
        let program = compile("#include <assert.h>\nint x; int main(void) { assert(x); }");
        with_task(&program, |task| {
            let violated = verdict(task, Model::Sc, Engine::Enumerate).expect("the replay should agree");
            let loops = || BoundKind::Unwind { place: "test.c:1".to_owned() };
            let contradicts =
                |claim: Verdict, given: &[Unwind]| disagreement(&[claim, violated.clone()], given).is_some();
            let (none, same, larger) = (&[][..], &[Unwind::Default(2)][..], &[Unwind::Default(3)][..]);
            assert!(contradicts(safe(&[]), none));
            assert!(contradicts(safe(&[(loops(), true)]), none));
            assert!(contradicts(safe(&[(loops(), false)]), same));
            assert!(!contradicts(safe(&[(loops(), false)]), larger), "a smaller bound than was given covers less");
            assert!(!contradicts(safe(&[(loops(), false)]), none));
            assert!(!contradicts(safe(&[(BoundKind::Rounds, false)]), same));

            let parent = std::env::temp_dir();
            let verdicts = [safe(&[]), violated];
            let folder =
                write_bundle(&parent, task, &verdicts, "norn check t.c").expect("the folder should be writable");
            let said = fs::read_to_string(folder.join("verdicts.txt")).expect("there should be a list");
            assert!(said.contains("events (sc): safe") && said.contains("enumerate (sc): unsafe: assertion failed"));
            let schedule = fs::read_to_string(folder.join("unsafe.schedule")).expect("there should be a schedule");
            assert!(schedule.starts_with("norn-schedule"));
            fs::remove_dir_all(folder).expect("the folder should go");
        });
    }

    #[test]
    fn engines_agree_on_a_small_program() {
        let program = compile("#include <assert.h>\nint x; int main(void) { x = 1; assert(x); }");
        with_task(&program, |task| {
            let all = verdicts(task, Model::Tso).expect("no engine should claim what does not replay");
            assert_eq!(all.len(), ENGINES.len());
            assert!(all.iter().all(|v| v.outcome.is_complete()), "{all:?}");
            assert_eq!(disagreement(&all, &[]).map(|pair| pair.1.engine), None);
        });
    }
}
