//! The default engine: several in turn, within fixed shares of the time, until one says what counts.
//!
//! Unsafe counts at once, since it has been replayed; so does safe without a bound. Safe within bounds that the user
//! gave is all that was asked for. Safe within bounds that an engine chose is kept, and the others may find a bug beyond
//! them or prove that there is none; the last word is then the strongest that was said.
//!
//! The order, and why:
//!
//! 0. `sample`, for a moment: many bugs are shallow, and random executions find those whatever the loops and the inputs. What they do
//!    not find means nothing.
//! 1. All others for a moment, in the order below: most programs are easy for one of them, and hard for one that would come
//!    first. What a moment costs is little beside the long turns.
//! 2. `states`: decides loops for good. On programs with few states it needs milliseconds; on inputs with many values it
//!    says at once that it cannot.
//! 3. `stateless`, for a moment: programs with so much memory that states and formulas are large, but few traces.
//! 4. `events`: all bounded executions at once. Inputs do not matter to it, and most programs are decided here.
//! 5. `rounds`: bugs that need long loops but few context switches.
//! 6. `stateless` and `states` again with the time that is left.
//!
//! An engine that says for another reason than a limit that it does not know is not asked again, and the last turn has all the time that is
//! left. What then still is left goes to the engines that were ended by their shares: so the time limit was reached if that is
//! the reason that is shown.
//!
//! Where memory is reused, `events` and `rounds` are not asked.
//!
//! With `--certify` only `events` and `rounds` are asked, which have proofs to check. Data races and deadlocks are decided by some
//! engines only; the others are not asked. For data races that is `enumerate`, for a moment, since it needs no bounds where
//! the states are few; then `events`; then `enumerate` with the time that is left.

use crate::attack::shallow;
use crate::given::covers_all;
use crate::{Task, Who};
use norn_engine::GivenBounds;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use norn_verdict::undecided::Why;
use std::time::{Duration, Instant};

/// One turn: who, the share of the time that is left then, and at most so long.
#[derive(Clone, Copy)]
struct Turn {
    engine: Who,
    share: f64,
    most: Duration,
}

const NO_CAP: Duration = Duration::from_secs(u64::MAX / 4);

fn turns(task: &Task<'_>) -> Vec<Turn> {
    let turn =
        |engine, share, most: Option<f64>| Turn { engine, share, most: most.map_or(NO_CAP, Duration::from_secs_f64) };
    let checks = task.checks;
    if task.options.proofs_only {
        return vec![turn(Who::Events, 0.6, None), turn(Who::Rounds, 1.0, None)];
    }
    if checks.termination {
        return vec![turn(Who::States, 1.0, None)];
    }
    if checks.deadlock {
        return vec![turn(Who::States, 0.6, None), turn(Who::Stateless, 1.0, None)];
    }
    vec![
        turn(Who::States, 0.06, Some(0.5)),
        turn(Who::Stateless, 0.06, Some(0.5)),
        turn(Who::Events, 0.15, Some(3.0)),
        turn(Who::Rounds, 0.06, Some(1.0)),
        turn(Who::States, 0.15, Some(20.0)),
        turn(Who::Stateless, 0.06, Some(5.0)),
        turn(Who::Events, 0.4, None),
        turn(Who::Rounds, 0.4, None),
        turn(Who::Stateless, 0.3, None),
        turn(Who::States, 1.0, None),
    ]
}

/// Without those who do not look for what is asked, or cannot follow memory that is reused. Where no engine with proofs can,
/// whoever is asked says so.
fn able_turns(task: &Task<'_>) -> Vec<Turn> {
    let mut turns = turns(task);
    let is_able = |turn: &Turn| turn.engine.capabilities().unsought(task.checks).is_none();
    if turns.iter().any(is_able) {
        turns.retain(is_able);
    }
    if task.program.reuses_memory && !task.options.proofs_only {
        turns.retain(|turn| turn.engine.capabilities().reuses_memory);
    }
    turns
}

pub fn verdict(task: &Task<'_>, model: Model) -> Result<Verdict, Mismatch> {
    if task.options.sampling
        && !task.options.proofs_only
        && let Some(found) = shallow(task, model)?
    {
        return Ok(found);
    }
    // What is heard is the best of all.
    let ask = |who, limits: &Limits| Task { limits, heard: crate::NOBODY_LISTENS, ..*task }.ask(who, model);
    take_turns(able_turns(task), task.limits, task.given, task.heard, ask)
}

/// The strongest verdict of those who are asked in turn.
fn take_turns<E>(
    mut turns: Vec<Turn>,
    all: &Limits,
    given: &GivenBounds,
    heard: &dyn Fn(&Verdict),
    mut ask: impl FnMut(Who, &Limits) -> Result<Verdict, E>,
) -> Result<Verdict, E> {
    let mut best: Option<Verdict> = None;
    // Those who were ended by a share that was not all.
    let mut cut_short: Vec<Who> = Vec::new();
    while !turns.is_empty() {
        let turn = turns.remove(0);
        let is_last = turns.is_empty();
        let turn = if is_last { Turn { share: 1.0, most: NO_CAP, ..turn } } else { turn };
        let said = ask(turn.engine, &limits(all, &turn))?;
        let settled = matches!(said.outcome, Outcome::Unsafe(_)) || covers_all(&said.outcome, given);
        let ended_by = ended_by(&said.outcome);
        best = Some(match best {
            Some(best) if !settled && strength(&said) <= strength(&best) => best,
            _ => {
                // Nobody hears of safe before it has been attacked. That a limit was reached, the listener would say without us.
                if said.outcome.undecided().is_some() && strength(&said) > LIMIT_REACHED {
                    heard(&said);
                }
                said
            }
        });
        if settled || all.exceeded().is_some_and(|exceeded| exceeded != Exceeded::Memory) {
            break;
        }
        cut_short.retain(|&other| other != turn.engine);
        match ended_by {
            Some(_) if !is_last => cut_short.push(turn.engine),
            Some(_) => {}
            // It would say the same again.
            None => turns.retain(|other| other.engine != turn.engine),
        }
        if turns.is_empty() {
            let count = cut_short.len();
            let again = |(at, engine)| Turn { engine, share: 1.0 / (count - at) as f64, most: NO_CAP };
            turns = cut_short.drain(..).enumerate().map(again).collect();
        }
    }
    let mut best = best.expect("there should be at least one turn");
    if all.exceeded() == Some(Exceeded::Interrupted) {
        name_interruption(&mut best.outcome);
    }
    Ok(best)
}

/// A search that was ended by its share of the time would have gone on without the interruption.
fn name_interruption(outcome: &mut Outcome) {
    if let Outcome::Unknown(open) | Outcome::Limited { undecided: open, .. } = outcome
        && let Why::Limit { limit, .. } = &mut open.why
    {
        *limit = Exceeded::Interrupted;
    }
}

/// The limit for which a search was ended, if it was.
pub fn ended_by(outcome: &Outcome) -> Option<Exceeded> {
    outcome.undecided()?.exceeded()
}

/// Half of the memory for each: what one engine gives back does not always return to the system.
fn limits(all: &Limits, turn: &Turn) -> Limits {
    let now = Instant::now();
    let deadline = all.deadline.map(|end| {
        let left = end.saturating_duration_since(now);
        now + left.mul_f64(turn.share).min(turn.most)
    });
    let memory = all.memory.map(|bytes| if turn.share < 1.0 { bytes / 2 } else { bytes });
    Limits { deadline, memory, ..all.clone() }
}

/// Which verdict says most: unsafe, a proof, a result within given bounds, one within others. Of the reasons not to know, what the program does wrong
/// says more than that time ran out, and that more than what an engine is not made for.
pub fn strength(verdict: &Verdict) -> u32 {
    match &verdict.outcome {
        Outcome::Unsafe(_) => 6,
        Outcome::Safe { .. } if verdict.outcome.is_complete() => 5,
        Outcome::Safe { .. } => 4,
        Outcome::Limited { .. } => 3,
        Outcome::Unknown(open) => open.why.weight(),
    }
}

/// The strength of a verdict that only says so.
const LIMIT_REACHED: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use norn_verdict::outcome::{Bound, BoundKind, Stats};
    use norn_verdict::undecided::{Undecided, Unsought};

    /// Who is asked, and whether with all the time and memory that is left, if each is ended by its share but those who refuse.
    fn asked(turns: &[(Who, f64)], refuse: &[Who], limit: Exceeded) -> Vec<(Who, bool)> {
        let turns = turns.iter().map(|&(engine, share)| Turn { engine, share, most: NO_CAP }).collect();
        let all = Limits { memory: Some(u64::MAX), ..Limits::for_seconds(1000.0) };
        let mut asked = Vec::new();
        let verdict = take_turns(turns, &all, &GivenBounds::default(), crate::NOBODY_LISTENS, |who, limits| {
            // The clock goes on in between.
            let left = all.deadline.expect("a deadline") - limits.deadline.expect("a deadline");
            asked.push((who, left < Duration::from_secs(1) && limits.memory == all.memory));
            let refused = Why::NotLookedFor(Unsought::DataRaces);
            let why = if refuse.contains(&who) { refused } else { limit.into() };
            let outcome = Outcome::Unknown(Undecided::new(why));
            Ok::<_, Mismatch>(Verdict::new(Model::Sc, "test", outcome, Stats::default()))
        });
        assert!(verdict.is_ok());
        asked
    }

    #[test]
    fn what_others_do_not_need_goes_to_who_was_cut_short() {
        use Who::*;
        let turns = [(States, 0.1), (Stateless, 0.1), (Events, 0.4), (Rounds, 0.4), (Stateless, 0.3), (States, 1.0)];
        for limit in [Exceeded::Time, Exceeded::Memory] {
            // Who refused is not asked again, so the turn of `rounds` is the last, with all; then `events` has a second one.
            let expected = [(States, false), (Stateless, false), (Events, false), (Rounds, true), (Events, true)];
            assert_eq!(asked(&turns, &[States, Stateless], limit), expected);
            assert_eq!(asked(&turns, &[States, Stateless, Rounds], limit), expected);
            let only_states = asked(&turns, &[Stateless, Events, Rounds], limit);
            assert_eq!(only_states.last(), Some(&(States, true)));
        }
        assert_eq!(asked(&turns, &[States, Stateless, Events, Rounds], Exceeded::Time).len(), 4);
    }

    #[test]
    fn what_is_known_is_heard_before_all_were_asked() {
        let turns = [Who::Events, Who::Rounds].map(|engine| Turn { engine, share: 0.5, most: NO_CAP }).to_vec();
        let heard = std::cell::RefCell::new(Vec::new());
        let listener = |best: &Verdict| heard.borrow_mut().push(best.engine);
        let verdict = take_turns(turns, &Limits::none(), &GivenBounds::default(), &listener, |who, _| {
            let undecided = Undecided::limit(Exceeded::Time);
            let bounds = Vec::new();
            let outcome = match who {
                Who::Events => Outcome::Limited { bounds, undecided },
                _ => {
                    assert_eq!(*heard.borrow(), ["events"], "before the next is asked");
                    Outcome::Unknown(undecided)
                }
            };
            Ok::<_, Mismatch>(Verdict::new(Model::Sc, who.capabilities().name, outcome, Stats::default()))
        });
        assert_eq!(verdict.map(|verdict| verdict.engine), Ok("events"));
        assert!(heard.borrow().iter().all(|engine| *engine == "events"), "that time ran out is no news");
    }

    #[test]
    fn an_interruption_is_not_taken_for_the_end_of_a_share() {
        let all = Limits { stop: norn_verdict::limits::StopToken::default(), ..Limits::for_seconds(1000.0) };
        let turns = [Who::Events, Who::States].map(|engine| Turn { engine, share: 0.5, most: NO_CAP }).to_vec();
        let verdict = take_turns(turns, &all, &GivenBounds::default(), crate::NOBODY_LISTENS, |who, _| {
            if who == Who::States {
                all.stop.stop();
            }
            let (bounds, undecided) = (Vec::new(), Undecided::limit(Exceeded::Time));
            Ok::<_, Mismatch>(Verdict::new(Model::Sc, "test", Outcome::Limited { bounds, undecided }, Stats::default()))
        });
        assert!(verdict.is_ok_and(|said| ended_by(&said.outcome) == Some(Exceeded::Interrupted)));
    }

    /// What is heard may be printed at any time, and every safe is to be attacked before.
    #[test]
    fn nobody_hears_of_safe() {
        let bound = |kind| Bound { kind, value: 2, exhausted: false };
        for bounds in [Vec::new(), vec![bound(BoundKind::Rounds)]] {
            let turns = vec![Turn { engine: Who::Rounds, share: 1.0, most: NO_CAP }];
            let listener = |best: &Verdict| panic!("{best:?} is heard");
            let verdict = take_turns(turns, &Limits::none(), &GivenBounds::default(), &listener, |_, _| {
                let outcome = Outcome::Safe { bounds: bounds.clone() };
                Ok::<_, Mismatch>(Verdict::new(Model::Sc, "rounds", outcome, Stats::default()))
            });
            assert!(verdict.is_ok_and(|verdict| matches!(verdict.outcome, Outcome::Safe { .. })));
        }
    }

    #[test]
    fn only_those_are_asked_who_can_decide() {
        let program = norn_testing::prepare("int main(void) { return 0; }");
        let (limits, given) = (Limits::none(), GivenBounds::default());
        for (deadlock, data_race, proofs_only) in [false, true]
            .into_iter()
            .flat_map(|a| [false, true].map(|b| (a, b)))
            .flat_map(|(a, b)| [false, true].map(|c| (a, b, c)))
        {
            let checks = norn_verdict::outcome::Checks { deadlock, data_race, ..Default::default() };
            let options = crate::Options { proofs_only, ..Default::default() };
            let task = Task {
                program: &program,
                checks,
                given: &given,
                limits: &limits,
                options: &options,
                heard: crate::NOBODY_LISTENS,
            };
            for turn in able_turns(&task) {
                let able = turn.engine.capabilities();
                // No engine with proofs looks for deadlocks: whoever is asked says so.
                assert!(able.unsought(checks).is_none() || proofs_only, "{:?} {checks:?}", turn.engine);
                assert!(able.has_proofs || !proofs_only, "{:?} {checks:?}", turn.engine);
            }
        }
    }
}
