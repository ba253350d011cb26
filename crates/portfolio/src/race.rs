//! Engines that take turns: each on a thread of its own, held by a [`Turnstile`] while it is not its turn.
//!
//! Whoever has the answer ends the others, and no thread is left when [`race`] returns. What engines say while they go on
//! ([`Referee::hear`](norn_verdict::claim::Referee::hear)) is heard on the thread of the caller.

use crate::Who;
use crate::auto::strength;
use crate::turnstile::{Seat, Turnstile};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::Verdict;
use norn_verdict::progress::{Progress, Report, Watcher};
use norn_verdict::turns::Turns;
use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::Duration;

/// Room for analyses that follow the program by recursion, with that of the main thread on most systems as the measure.
const STACK_BYTES: usize = 16 << 20;

/// One of those who take turns.
#[derive(Clone, PartialEq, Debug)]
pub struct Runner {
    pub who: Who,
    /// How long its slices are beside those of others.
    pub weight: u32,
    /// After so much time of its own it begins anew, with more. The last attempt has all the time.
    pub attempts: &'static [Duration],
}

/// What became of an engine.
#[derive(Debug)]
pub struct Told {
    pub who: Who,
    /// The strongest of its attempts. `None`: it was ended since another had the answer.
    pub said: Option<Verdict>,
    /// The time that it had.
    pub used: Duration,
}

/// What a thread tells the caller.
enum News {
    SoFar(usize, Verdict),
    Said(usize, Result<Verdict, Mismatch>),
}

/// Who asks an engine: with these limits, and with somebody who hears what it knows so far.
pub type Ask<'a> = dyn Fn(Who, &Limits, &dyn Fn(&Verdict)) -> Result<Verdict, Mismatch> + Sync + 'a;

/// What all of them said, and who of them has the answer.
pub struct Race {
    pub told: Vec<Told>,
    pub winner: Option<usize>,
}

/// Asks all of them, `permits` at a time, until one has the answer. The strongest verdict so far that is undecided is heard.
pub fn race(
    runners: &[Runner],
    permits: usize,
    all: &Limits,
    ask: &Ask<'_>,
    is_answer: &(dyn Fn(&Verdict) -> bool + Sync),
    heard: &dyn Fn(&Verdict),
) -> Result<Race, Mismatch> {
    let weights = runners.iter().map(|runner| runner.weight).collect::<Vec<_>>();
    let turnstile = Turnstile::new(&weights, permits, all);
    let (tell, news) = mpsc::channel();
    let ended = thread::scope(|scope| {
        let mut threads: Vec<ScopedJoinHandle<'_, ()>> = Vec::new();
        for (number, runner) in runners.iter().enumerate() {
            let (seat, tell) = (Seat::new(&turnstile, number), tell.clone());
            let run = move || run(number, runner, all, seat, &tell, ask, is_answer);
            let thread = Builder::new().name(runner.who.capabilities().name.to_owned()).stack_size(STACK_BYTES);
            // Where no thread is to be had its seat has been dropped.
            threads.extend(thread.spawn_scoped(scope, run));
        }
        drop(tell);
        let ended = listen(runners.len(), &turnstile, &news, heard);
        let panics = threads.into_iter().filter_map(|thread| thread.join().err());
        if let Some(panic) = panics.reduce(first) {
            std::panic::resume_unwind(panic);
        }
        ended
    })?;
    let told = |((runner, said), used): ((&Runner, Option<Verdict>), Duration)| Told { who: runner.who, said, used };
    let told = runners.iter().zip(ended).zip(turnstile.used()).map(told).collect();
    Ok(Race { told, winner: turnstile.winner() })
}

fn first(one: Box<dyn Any + Send>, _: Box<dyn Any + Send>) -> Box<dyn Any + Send> {
    one
}

/// Hears how far an engine is: whoever is soon done has longer slices.
struct Relay {
    turnstile: Arc<Turnstile>,
    number: usize,
    all: Progress,
}

impl Watcher for Relay {
    fn see(&self, report: &Report<'_>) {
        if let Some(done) = report.done {
            self.turnstile.has_done(self.number, done);
        }
        self.all.report(report);
    }
}

/// One engine, on its thread.
fn run(
    number: usize,
    runner: &Runner,
    all: &Limits,
    seat: Seat,
    tell: &Sender<News>,
    ask: &Ask<'_>,
    is_answer: &(dyn Fn(&Verdict) -> bool + Sync),
) {
    let progress = Progress::to(Arc::new(Relay { turnstile: seat.turnstile(), number, all: all.progress.clone() }));
    let limits = Limits { memory: None, turns: Turns::at(seat.gate()), progress, ..all.clone() };
    // The caller listens until all threads have ended.
    let heard = |so_far: &Verdict| drop(tell.send(News::SoFar(number, so_far.clone())));
    // Another has the answer. How far it came within a limit the engine says itself.
    if limits.exceeded() == Some(Exceeded::Interrupted) {
        return;
    }
    let mut best: Option<Verdict> = None;
    for attempt in runner.attempts.iter().map(Some).chain([None]) {
        let own = attempt.map_or_else(|| limits.clone(), |&time| limits.for_at_most(time));
        let said = match ask(runner.who, &own, &heard) {
            Ok(said) => said,
            Err(mismatch) => {
                let _ = tell.send(News::Said(number, Err(mismatch)));
                seat.leave(false);
                return;
            }
        };
        let is_cut_short = said.outcome.undecided().and_then(|open| open.exceeded()) == Some(Exceeded::Time);
        best = Some(match best {
            Some(best) if strength(&best) > strength(&said) => best,
            _ => said,
        });
        if !is_cut_short || limits.exceeded().is_some() {
            break;
        }
        best.iter().for_each(heard);
    }
    if let Some(best) = best {
        let has_answer = is_answer(&best);
        let _ = tell.send(News::Said(number, Ok(best)));
        seat.leave(has_answer);
    }
}

/// What engines say, until all have ended.
fn listen(
    count: usize,
    turnstile: &Arc<Turnstile>,
    news: &Receiver<News>,
    heard: &dyn Fn(&Verdict),
) -> Result<Vec<Option<Verdict>>, Mismatch> {
    let mut said: Vec<Option<Verdict>> = vec![None; count];
    let mut mismatch = None;
    let mut best: Option<(usize, u32)> = None;
    for news in news {
        let (number, verdict) = match news {
            News::Said(_, Err(wrong)) => {
                turnstile.cancel();
                mismatch.get_or_insert(wrong);
                continue;
            }
            News::Said(number, Ok(verdict)) => (number, said[number].insert(verdict).clone()),
            News::SoFar(number, verdict) => (number, verdict),
        };
        let strength = strength(&verdict);
        // An engine knows more each time.
        let is_better = best.is_none_or(|(who, best)| strength > best || strength == best && who == number);
        // Nobody hears of safe before it has been attacked. That a limit was reached, the listener would say without us.
        if is_better && verdict.outcome.undecided().is_some() && strength > crate::auto::LIMIT_REACHED {
            best = Some((number, strength));
            heard(&verdict);
        }
    }
    mismatch.map_or(Ok(said), Err)
}
