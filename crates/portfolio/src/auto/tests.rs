use super::*;
use norn_verdict::limits::StopToken;
use norn_verdict::outcome::{Bound, BoundKind, Stats};
use norn_verdict::undecided::{Undecided, Unsought};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

const ALL: [Who; 4] = [Who::States, Who::Stateless, Who::Events, Who::Rounds];

fn runners(all: &[Who]) -> Vec<Runner> {
    all.iter().map(|&who| Runner { who, weight: 1, attempts: &[] }).collect()
}

fn verdict(who: Who, outcome: Outcome) -> Verdict {
    Verdict::new(Model::Sc, who.capabilities().name, outcome, Stats::default())
}

fn limited(who: Who, exceeded: Exceeded) -> Verdict {
    verdict(who, Outcome::Limited { bounds: Vec::new(), undecided: Undecided::limit(exceeded) })
}

fn unknown(who: Who, exceeded: Exceeded) -> Verdict {
    verdict(who, Outcome::Unknown(Undecided::limit(exceeded)))
}

fn safe(who: Who) -> Verdict {
    verdict(who, Outcome::Safe { bounds: Vec::new() })
}

fn refused(who: Who) -> Verdict {
    verdict(who, Outcome::Unknown(Undecided::new(Why::NotLookedFor(Unsought::DataRaces))))
}

/// Uses processor time until the search has had so much of its own, or has to end.
fn search(limits: &Limits, needed: Duration) -> Option<Exceeded> {
    loop {
        if let Some(exceeded) = limits.exceeded() {
            return Some(exceeded);
        }
        if limits.turns.used().expect("it should take turns") >= needed {
            return None;
        }
        let until = crate::turnstile::clock() + Duration::from_micros(500);
        while crate::turnstile::clock() < until {}
    }
}

fn ask_all(
    who: &[Who],
    permits: usize,
    limits: &Limits,
    ask: impl Fn(Who, &Limits, &dyn Fn(&Verdict)) -> Result<Verdict, Mismatch> + Sync,
) -> Result<Vec<Verdict>, Mismatch> {
    take_turns(&runners(who), permits, limits, &GivenBounds::default(), crate::NOBODY_LISTENS, &ask)
}

#[test]
fn engines_keep_what_they_have_between_slices() {
    // Whoever decides has many slices on the way; if it began anew in each it would never come so far.
    let needed = Duration::from_millis(100);
    for permits in [1, 2] {
        for decides in ALL {
            let begun: Mutex<BTreeMap<Who, u32>> = Mutex::default();
            let verdicts = ask_all(&ALL, permits, &Limits::none(), |who, limits, _| {
                *begun.lock().expect("nobody should panic").entry(who).or_default() += 1;
                let ended = search(limits, if who == decides { needed } else { Duration::MAX });
                Ok(ended.map_or_else(|| safe(who), |exceeded| unknown(who, exceeded)))
            });
            let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
            assert_eq!(verdict.engine, decides.capabilities().name);
            assert!(begun.into_inner().expect("nobody should panic").values().all(|&times| times == 1));
            let used = ALL.map(|who| verdict.stats.0[seconds(who)]);
            assert!(used.iter().all(|used| *used <= 2.5 * needed.as_secs_f64()), "{used:?}");
        }
    }
}

#[test]
fn whoever_does_not_know_leaves_its_time_to_others() {
    let verdicts = ask_all(&ALL, 1, &Limits::none(), |who, limits, _| match who {
        Who::States | Who::Events | Who::Stateless => Ok(refused(who)),
        _ => Ok(search(limits, Duration::from_millis(50)).map_or_else(|| safe(who), |end| unknown(who, end))),
    });
    let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
    assert_eq!(verdict.engine, "rounds");
}

#[test]
fn the_strongest_is_said_when_nobody_decides() {
    for permits in [1, 4] {
        let verdicts = ask_all(&ALL, permits, &Limits::for_seconds(0.1), |who, limits, _| {
            let exceeded = search(limits, Duration::MAX).expect("there is a limit");
            assert_eq!(exceeded, Exceeded::Time);
            Ok(if who == Who::Rounds { limited(who, exceeded) } else { unknown(who, exceeded) })
        });
        let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
        assert_eq!((verdict.engine, ended_by(&verdict.outcome)), ("rounds", Some(Exceeded::Time)));
    }
}

#[test]
fn whoever_needed_too_much_memory_has_it_for_itself_later() {
    let asked: Mutex<Vec<(Who, bool)>> = Mutex::default();
    let limits = Limits { memory: Some(u64::MAX), ..Limits::for_seconds(1000.0) };
    let verdicts = ask_all(&ALL, 1, &limits, |who, limits, _| {
        let has_all = limits.memory.is_some() && limits.turns.used().is_none();
        asked.lock().expect("nobody should panic").push((who, has_all));
        Ok(match who {
            Who::States | Who::Events if !has_all => unknown(who, Exceeded::Memory),
            Who::Events => safe(who),
            Who::States => unknown(who, Exceeded::Time),
            _ => refused(who),
        })
    });
    let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
    assert_eq!(verdict.engine, "events");
    let mut asked = asked.into_inner().expect("nobody should panic");
    assert_eq!(asked.split_off(4), [(Who::States, true), (Who::Events, true)]);
    assert!(asked.iter().all(|(_, has_all)| !has_all), "{asked:?}");
}

#[test]
fn what_is_known_is_heard_before_all_have_ended() {
    let heard = Mutex::new(Vec::new());
    let listener = |best: &Verdict| heard.lock().expect("nobody should panic").push(best.engine);
    let ask = |who: Who, limits: &Limits, so_far: &dyn Fn(&Verdict)| {
        if who == Who::Events {
            so_far(&limited(who, Exceeded::Time));
            return Ok(unknown(who, Exceeded::Time));
        }
        // That time ran out is no news.
        so_far(&unknown(who, Exceeded::Time));
        while heard.lock().expect("nobody should panic").is_empty() {
            assert_eq!(limits.exceeded(), None, "the others have not ended");
            std::thread::yield_now();
        }
        Ok(unknown(who, Exceeded::Time))
    };
    let all = runners(&[Who::States, Who::Events]);
    let verdicts = take_turns(&all, 2, &Limits::for_seconds(60.0), &GivenBounds::default(), &listener, &ask);
    assert_eq!(verdicts.map(|verdicts| verdicts.len()), Ok(1));
    assert_eq!(*heard.lock().expect("nobody should panic"), ["events"]);
}

#[test]
fn an_interruption_is_named() {
    for permits in [1, 2] {
        let limits = Limits { stop: StopToken::default(), ..Limits::for_seconds(1000.0) };
        let verdicts = ask_all(&[Who::Events, Who::States], permits, &limits, |who, own, _| {
            if who == Who::States {
                limits.stop.stop();
            }
            let exceeded = search(own, Duration::MAX).expect("there is a limit");
            Ok(limited(who, exceeded))
        });
        let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
        assert_eq!(ended_by(&verdict.outcome), Some(Exceeded::Interrupted));
    }
}

/// What is heard may be printed at any time, and every safe is to be attacked before.
#[test]
fn nobody_hears_of_safe() {
    let bound = |kind| Bound { kind, value: 2, exhausted: false };
    for bounds in [Vec::new(), vec![bound(BoundKind::Rounds)]] {
        for who in [&[Who::Rounds][..], &[Who::Rounds, Who::Events]] {
            let listener = |best: &Verdict| panic!("{best:?} is heard");
            let ask =
                |who, _: &Limits, _: &dyn Fn(&Verdict)| Ok(verdict(who, Outcome::Safe { bounds: bounds.clone() }));
            let none = GivenBounds::default();
            let verdicts = take_turns(&runners(who), 1, &Limits::none(), &none, &listener, &ask);
            assert!(verdicts.is_ok_and(|verdicts| matches!(verdicts[0].outcome, Outcome::Safe { .. })));
        }
    }
}

#[test]
fn a_mismatch_ends_everybody() {
    let wrong = || Mismatch::Refused("a test".to_owned());
    let said = ask_all(&ALL, 2, &Limits::none(), |who, limits, _| match who {
        Who::Events => Err(wrong()),
        _ => Ok(unknown(who, search(limits, Duration::MAX).expect("it is ended"))),
    });
    assert_eq!(said.err().map(|mismatch| mismatch.to_string()), Some(wrong().to_string()));
}

#[test]
fn a_panic_ends_everybody_and_goes_on_with_the_caller() {
    let asked = std::panic::catch_unwind(|| {
        ask_all(&ALL, 2, &Limits::none(), |who, limits, _| match who {
            Who::Events => std::panic::resume_unwind(Box::new("a test")),
            _ => Ok(unknown(who, search(limits, Duration::MAX).expect("it is ended"))),
        })
    });
    assert_eq!(asked.expect_err("it should panic").downcast_ref(), Some(&"a test"));
}

#[test]
fn attempts_have_time_of_their_own() {
    const ATTEMPTS: &[Duration] = &[Duration::from_millis(20), Duration::from_millis(60)];
    let runners = [
        Runner { who: Who::Events, weight: 1, attempts: ATTEMPTS },
        Runner { who: Who::States, weight: 1, attempts: &[] },
    ];
    let attempts = Mutex::new(0);
    let ask = |who: Who, limits: &Limits, _: &dyn Fn(&Verdict)| {
        if who == Who::Events {
            *attempts.lock().expect("nobody should panic") += 1;
            // It needs 150 ms from when it begins, of its own time.
            let begun = limits.turns.used().expect("it takes turns");
            let needed = begun + Duration::from_millis(150);
            return Ok(search(limits, needed).map_or_else(|| safe(who), |exceeded| limited(who, exceeded)));
        }
        Ok(unknown(who, search(limits, Duration::MAX).expect("it is ended")))
    };
    let none = GivenBounds::default();
    let verdicts = take_turns(&runners, 1, &Limits::none(), &none, crate::NOBODY_LISTENS, &ask);
    let [verdict] = &verdicts.expect("nobody contradicts")[..] else { panic!("one verdict") };
    assert!(verdict.outcome.is_complete(), "{verdict:?}");
    assert_eq!(*attempts.lock().expect("nobody should panic"), 3);
    let used = verdict.stats.0[seconds(Who::Events)];
    assert!((0.22..0.5).contains(&used), "{used} s of its own");
}

/// A real counterexample beside a safe verdict that an engine might have given at the same time.
#[test]
fn two_answers_that_contradict_one_another_are_both_said() {
    let program = norn_testing::prepare("#include <assert.h>\nint x; int main(void) { assert(x); }");
    let (limits, options, given) = (Limits::none(), crate::Options::default(), GivenBounds::default());
    let checks = norn_verdict::outcome::Checks::default();
    let heard = crate::NOBODY_LISTENS;
    let task = Task { program: &program, checks, given: &given, limits: &limits, options: &options, heard };
    let violated = task.ask(Who::Enumerate, Model::Sc).expect("the replay should agree");
    let both = std::sync::Barrier::new(2);
    let verdicts = ask_all(&[Who::States, Who::Events], 2, &Limits::none(), |who, _, _| {
        both.wait();
        Ok(if who == Who::States { violated.clone() } else { safe(who) })
    });
    let verdicts = verdicts.expect("each of them is fine");
    assert_eq!(verdicts.iter().map(|verdict| verdict.engine).collect::<Vec<_>>(), ["enumerate", "events"]);
}
