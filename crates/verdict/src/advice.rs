//! What to do about an unknown verdict, made from its reason: the fewest steps that may help, the most promising first.

use crate::limits::Exceeded;
use crate::outcome::{Bound, BoundKind, Outcome};
use crate::undecided::{OwnBound, Unsought, Why};
use norn_ir::program::Origin;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advice {
    RaiseTimeout,
    RaiseMemory,
    /// These options make the verdict safe within bounds, if nothing else comes up.
    AcceptBounds(Vec<String>),
    /// Other engines decide it, or may.
    OtherEngines(&'static [&'static str]),
    /// What stands at the place has no meaning for Norn.
    Replace,
    /// Fewer values of what this function or variable gives.
    Restrict(String),
    SmallerHarness,
    FewerThreads,
    ShorterData,
    NoAddresses,
}

/// What may help.
pub fn advice(outcome: &Outcome) -> Vec<Advice> {
    match outcome {
        Outcome::Limited { bounds, undecided } => for_reason(&undecided.why, bounds),
        Outcome::Unknown(undecided) => for_reason(&undecided.why, &[]),
        Outcome::Safe { .. } | Outcome::Unsafe(_) => Vec::new(),
    }
}

fn for_reason(why: &Why, bounds: &[Bound]) -> Vec<Advice> {
    let bounded_or = |other: Advice| accepted(bounds).unwrap_or(other);
    match why {
        Why::Limit { limit: Exceeded::Time, .. } => {
            vec![Advice::RaiseTimeout, bounded_or(Advice::SmallerHarness)]
        }
        Why::Limit { limit: Exceeded::Memory, .. } => {
            vec![Advice::RaiseMemory, bounded_or(Advice::SmallerHarness)]
        }
        Why::Limit { limit: Exceeded::Interrupted, .. } => Vec::new(),
        Why::NotLookedFor(Unsought::DataRaces) => {
            vec![Advice::OtherEngines(&["auto", "states", "stateless", "events", "enumerate"])]
        }
        Why::NotLookedFor(Unsought::Deadlocks) => {
            vec![Advice::OtherEngines(&["auto", "states", "stateless", "events", "enumerate"])]
        }
        Why::NotLookedFor(Unsought::Termination) => {
            vec![Advice::OtherEngines(&["auto", "states", "events", "enumerate"])]
        }
        Why::NotLookedFor(Unsought::DeadlocksAfterWrites | Unsought::ReusedMemory | Unsought::MemoryLeaks) => {
            vec![Advice::OtherEngines(&["auto", "states", "stateless", "enumerate"])]
        }
        Why::NoMeaning(_) => vec![Advice::Replace],
        Why::TooLarge(_) => vec![Advice::SmallerHarness],
        Why::TooManyValues { source } => {
            vec![Advice::OtherEngines(&["events", "rounds"]), Advice::Restrict(source.clone())]
        }
        Why::SomeValuesOnly => vec![Advice::OtherEngines(&["events", "rounds"])],
        Why::OwnBound(OwnBound::LibraryLoops) => vec![Advice::ShorterData],
        Why::OwnBound(OwnBound::Threads(_)) => vec![Advice::FewerThreads],
        Why::OwnBound(_) => vec![bounded_or(Advice::SmallerHarness)],
        Why::Addresses(_) => vec![Advice::NoAddresses],
        Why::Sampled { left: Some(left), .. } if matches!(**left, Why::NoMeaning(_)) => vec![Advice::Replace],
        Why::Sampled { .. } => vec![Advice::OtherEngines(&["auto"])],
        Why::NotProved(_) | Why::EndedBy(_) | Why::NothingTried(_) => Vec::new(),
    }
}

/// The bounds on loops of the user's that a verdict came to, as options.
fn accepted(bounds: &[Bound]) -> Option<Advice> {
    let options = bounds.iter().filter(|bound| !bound.exhausted).filter_map(|bound| match &bound.kind {
        BoundKind::Unwind(place) if place.line > 0 && place.origin == Origin::User => {
            Some(format!("--unwind {}:{}={}", place.file, place.line, bound.value))
        }
        _ => None,
    });
    let options = options.collect::<Vec<_>>();
    (!options.is_empty()).then_some(Advice::AcceptBounds(options))
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Advice::RaiseTimeout => f.write_str("raise --timeout"),
            Advice::RaiseMemory => f.write_str("raise --memory"),
            Advice::AcceptBounds(options) => {
                write!(f, "if these bounds are enough, give them: {}", options.join(" "))
            }
            Advice::OtherEngines(engines) => {
                let engines = engines.iter().map(|engine| format!("-e {engine}")).collect::<Vec<_>>();
                write!(f, "ask {}", engines.join(" or "))
            }
            Advice::Replace => f.write_str(
                "keep the harness from it, or give what is called there a body (--undefined-as-nondet: any result)",
            ),
            Advice::Restrict(source) => write!(f, "restrict the value of '{source}' by __VERIFIER_assume"),
            Advice::SmallerHarness => {
                f.write_str("make the harness smaller: fewer threads, fewer operations, smaller constants in its loops")
            }
            Advice::FewerThreads => f.write_str("let the harness create fewer threads"),
            Advice::ShorterData => f.write_str("let the harness use shorter buffers and strings"),
            Advice::NoAddresses => f.write_str("do not compute with addresses as numbers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::LoopPlace;
    use crate::undecided::{Undecided, Work};

    fn check(why: Why, bounds: Option<Vec<Bound>>, expected: &[&str]) {
        let undecided = Undecided::new(why);
        let outcome = match bounds {
            Some(bounds) => Outcome::Limited { bounds, undecided },
            None => Outcome::Unknown(undecided),
        };
        let said = advice(&outcome).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(said, expected);
    }

    fn unwind(file: &str, line: u32, exhausted: bool) -> Bound {
        let origin = if file.starts_with('<') { Origin::Library } else { Origin::User };
        let place = LoopPlace { file: file.to_owned(), line, origin };
        Bound { kind: BoundKind::Unwind(place), value: 2, exhausted }
    }

    #[test]
    fn bounds_that_were_reached_are_options() {
        let time = Why::Limit { limit: Exceeded::Time, after: Work::Unknown };
        // Of the user's loops only, and of those that were cut.
        let bounds = vec![unwind("a.c", 5, false), unwind("<norn>/memory.c", 9, false), unwind("a.c", 7, true)];
        let given = "if these bounds are enough, give them: --unwind a.c:5=2";
        check(time.clone(), Some(bounds.clone()), &["raise --timeout", given]);
        check(Why::OwnBound(OwnBound::Loops), Some(bounds), &[given]);
        let smaller = "make the harness smaller: fewer threads, fewer operations, smaller constants in its loops";
        check(time, Some(vec![unwind("a.c", 7, true)]), &["raise --timeout", smaller]);
    }

    #[test]
    fn every_reason_has_its_own_advice() {
        check(
            Why::NotLookedFor(Unsought::DataRaces),
            None,
            &["ask -e auto or -e states or -e stateless or -e events or -e enumerate"],
        );
        let source = "argc".to_owned();
        let expected = ["ask -e events or -e rounds", "restrict the value of 'argc' by __VERIFIER_assume"];
        check(Why::TooManyValues { source }, None, &expected);
        check(Exceeded::Interrupted.into(), None, &[]);
        let left = Some(Box::new(Why::no_meaning("x")));
        assert_eq!(for_reason(&Why::Sampled { executions: 1, left }, &[]), [Advice::Replace]);
    }
}
