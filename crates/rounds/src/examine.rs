//! A bounded program, examined in more and more rounds.
//!
//! The width of integers is small at first: variables are taken to have values of few bits only, which leaves
//! executions out and adds none. So a violation that is found then is real, but finding none means nothing. A number
//! of rounds is settled at full width only.

use crate::encode::Encoding;
use crate::engine::Task;
use crate::plan::Plan;
use crate::shrink::{context_switches, shrink};
use crate::solve::Question;
use norn_engine::capabilities::ROUNDS;
use norn_follow::campaign::{self, Done as Compared, Effort};
use norn_follow::{Followed, Form, Setting};
use norn_ir::number::narrow;
use norn_ir::program::Program;
use norn_logic::satisfied::Clauses;
use norn_logic::{Answer, SatStats};
use norn_symex::{Finding, Symbolic, ThreadId};
use norn_verdict::claim::{Claim, Expected, Mismatch, Ruling};
use norn_verdict::limits::Exceeded;
use norn_verdict::outcome::{Assumption, Outcome, Reached, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// How far to go.
pub struct Goal {
    pub rounds: u32,
    /// The conflicts that the solver may have with each question; `None`: the last question is what matters, and those before
    /// it get few.
    pub patience: Option<u32>,
    /// Nothing else is of interest.
    pub only_violations: bool,
}

pub enum Examined {
    Unsafe(Box<Verdict>),
    /// Something without a meaning is reached, or a proof that nothing is wrong did not pass.
    Undecided(Undecided),
    /// There is no violation within this number of rounds.
    Nothing {
        rounds: u32,
        /// There are no executions with more rounds that differ.
        is_all: bool,
        /// By cut: whether some execution may be cut there.
        reached: Vec<bool>,
        assumptions: BTreeSet<Assumption>,
        /// What executions come to, if that was quickly known.
        marks: Option<Reached>,
        /// Why there are not as many rounds as were asked for.
        stopped: Option<Exceeded>,
    },
}

pub struct Examiner<'a> {
    task: &'a Task<'a>,
    /// The program that was executed symbolically.
    code: &'a Program,
    symbolic: &'a Symbolic,
    plan: Plan,
    order: Vec<ThreadId>,
    /// Of the largest formula.
    size: SatStats,
    conflicts: u64,
    /// Executions of the machine that were compared, and steps of proofs that were checked.
    compared: Compared,
    proved: u64,
}

/// What is tried before full width.
const SMALL_WIDTH: u32 = 4;
/// Below this width of variables nothing smaller is tried.
const NARROW_ENOUGH: u32 = 8;
/// Conflicts for what only might find something.
const ATTEMPT: u32 = 5_000;

impl<'a> Examiner<'a> {
    pub fn new(task: &'a Task<'a>, code: &'a Program, symbolic: &'a Symbolic) -> Examiner<'a> {
        let plan = Plan::new(symbolic, task.model);
        let order = thread_order(symbolic, task.thread_order);
        let (size, compared) = (SatStats::default(), Compared::default());
        Examiner { task, code, symbolic, plan, order, size, conflicts: 0, compared, proved: 0 }
    }

    pub fn enough_rounds(&self) -> u32 {
        self.plan.enough_rounds(&self.order)
    }

    pub fn examine(&mut self, goal: &Goal) -> Result<Examined, Mismatch> {
        let (task, symbolic) = (self.task, self.symbolic);
        let (plan, order) = (&self.plan, &self.order);
        let enough = plan.enough_rounds(order);
        let goal_rounds = goal.rounds.min(enough);
        let mut full = Encoding::new(symbolic, plan, task.model, order, None);
        let first_width = task.bits.or((full.widest() > NARROW_ENOUGH).then_some(SMALL_WIDTH));
        let mut small = first_width.map(|width| Encoding::new(symbolic, plan, task.model, order, Some(width)));
        small.take_if(|small| !small.narrow.is_limited());

        let mut done = 0;
        let mut reached = symbolic.cuts.iter().map(|cut| cut.guard != norn_logic::Term::FALSE).collect::<Vec<_>>();
        let mut undefined = None;
        let mut assumptions = BTreeSet::new();
        let mut marks = None;
        let mut stopped = None;
        if let Some(cube) = task.tile {
            full.narrow_to(cube);
            small.iter_mut().for_each(|small| small.narrow_to(cube));
        }
        let steps = match task.tile {
            Some(_) => vec![goal_rounds],
            None => ladder(goal_rounds, goal.only_violations),
        };
        for rounds in steps {
            let is_last = rounds == goal_rounds;
            let attempt = goal.patience.unwrap_or(ATTEMPT);
            if let Some(small) = &mut small
                && let Ok(mut question) = Question::new(small, rounds, false, task.limits)
            {
                let answer = question.violation(task.limits, Some(attempt));
                self.size = larger(self.size, question.stats());
                self.conflicts += question.stats().conflicts;
                if answer == Some(Answer::Sat) {
                    let stats = stats(symbolic, plan, self.size, self.conflicts);
                    return report(task, symbolic, &question, stats);
                }
            }
            // With a number of rounds to get to, fewer only might find something; without one, each number counts.
            let counts = goal.patience.is_none() && (is_last || task.rounds.is_none());
            let patience = if counts { None } else { Some(attempt) };
            let start = Instant::now();
            let certify = task.certify && !goal.only_violations;
            let mut question = match Question::new(&mut full, rounds, certify, task.limits) {
                Ok(question) => question,
                Err(exceeded) => {
                    stopped = Some(exceeded);
                    break;
                }
            };
            let answer = question.violation(task.limits, patience);
            self.size = larger(self.size, question.stats());
            match answer {
                Some(Answer::Sat) => {
                    let stats = stats(symbolic, plan, self.size, self.conflicts + question.stats().conflicts);
                    return report(task, symbolic, &question, stats);
                }
                Some(Answer::Stopped(exceeded)) => {
                    stopped = Some(exceeded);
                    break;
                }
                None => {
                    self.conflicts += question.stats().conflicts;
                    continue;
                }
                Some(Answer::Unsat) => {}
            }
            done = rounds;
            stopped = None;
            if goal.only_violations {
                self.conflicts += question.stats().conflicts;
                continue;
            }
            match question.undefined(task.limits) {
                Ok(Some(check)) => undefined = Some(check),
                Ok(None) => {}
                Err(exceeded) => {
                    stopped = Some(exceeded);
                    done = rounds - 1;
                    break;
                }
            }
            if is_last
                && undefined.is_none()
                && let Ok(found) = question.cuts(task.limits)
            {
                reached = found;
            }
            marks = None;
            if undefined.is_none() && (rounds < enough || reached.contains(&true)) {
                marks = question.marks(&task.limits.for_a_moment()).ok();
            }
            if undefined.is_none() {
                // Where time runs out all of them are named, which is always right to say.
                let all = || symbolic.checks.iter().filter_map(|check| check.what.assumption()).collect();
                assumptions = question.assumptions(task.limits).unwrap_or_else(|_| all());
            }
            self.conflicts += question.stats().conflicts;
            if let Some(damage) = question.damage {
                let why = Why::NotProved(format!("the solver's proof is wrong: {damage}").into());
                return Ok(Examined::Undecided(Undecided::new(why)));
            }
            if certify && undefined.is_none() {
                let effort = Effort::after(start.elapsed(), is_last);
                let done = compare_with_machine(task, self.code, &question, rounds, &reached, effort)?;
                self.compared.executions += done.executions;
                self.compared.useless += done.useless;
                self.compared.seconds += done.seconds;
                self.proved += question.proved;
            }
        }
        if let Some(check) = undefined {
            let check = &symbolic.checks[check];
            let Finding::Undefined(why) = &check.what else { unreachable!("this check should be undefined") };
            return Ok(Examined::Undecided(Undecided::at(why.clone(), check.span)));
        }
        Ok(Examined::Nothing { rounds: done, is_all: done >= enough, reached, assumptions, marks, stopped })
    }

    pub fn stats(&self) -> Stats {
        let mut stats = stats(self.symbolic, &self.plan, self.size, self.conflicts);
        if self.task.certify {
            stats.0.extend([
                ("proof steps", self.proved as f64),
                ("executions checked", self.compared.executions as f64),
                ("executions not usable", self.compared.useless as f64),
                ("check seconds", self.compared.seconds),
            ]);
        }
        stats
    }
}

/// Executions of the machine within this number of rounds have to be models of the formula that was refuted, and end
/// before the bounds that are not reached.
fn compare_with_machine(
    task: &Task<'_>,
    code: &Program,
    question: &Question<'_, '_>,
    rounds: u32,
    reached: &[bool],
    effort: Effort,
) -> Result<Compared, Mismatch> {
    let Some(given) = question.blaster.sink().given() else { return Ok(Compared::default()) };
    let clauses = Clauses::new(given);
    let symbolic = question.encoding.symbolic;
    let setting = Setting { program: code, symbolic, model: task.model, checks: task.checks };
    let form = Form::Rounds { order: question.encoding.order, rounds };
    let mut is_model = |followed: &Followed| {
        if let Some(cut) = followed.cuts.iter().find(|&&cut| !reached[cut]) {
            let found = &symbolic.cuts[*cut];
            return Err(format!("the bound {} of line {} is reached", found.bound, found.span.line));
        }
        question.is_model(&clauses, followed)
    };
    let done = campaign::run(setting, form, effort, task.limits, &mut is_model);
    done.map_err(|found| task.program.left_out(found.reason, found.schedule))
}

/// The numbers of rounds to try: one by one as long as they are few. Where only violations are of interest, few rounds and
/// then all of them, which are no worse at finding what fewer would.
fn ladder(most: u32, only_violations: bool) -> Vec<u32> {
    const ONE_BY_ONE: u32 = 6;
    const FEW: u32 = 2;
    if only_violations {
        return (1..=most).filter(|&rounds| rounds == FEW || rounds == most).collect();
    }
    let mut rounds = 0;
    let next = || {
        rounds = if rounds < ONE_BY_ONE { rounds + 1 } else { rounds + rounds / 3 };
        (rounds < most).then_some(rounds)
    };
    std::iter::from_fn(next).chain((most > 0).then_some(most)).collect()
}

/// The order of the slots: first the threads that were named, then the others, creators before whom they create and those
/// of one creator in the order of their creations, the entry thread at last.
pub fn thread_order(symbolic: &Symbolic, first: &[u32]) -> Vec<ThreadId> {
    let threads = narrow(symbolic.threads.len());
    let path = |thread: &u32| {
        let creator = |&thread: &ThreadId| symbolic.thread(thread).creator.map(|(creator, _)| creator);
        let line = std::iter::successors(Some(ThreadId(*thread)), creator);
        let mut path: Vec<_> = line.map(|thread| (symbolic.thread(thread).creator.map(|c| c.1), thread)).collect();
        path.reverse();
        (path.len(), path)
    };
    let mut others: Vec<u32> = (1..threads).collect();
    others.sort_by_cached_key(path);
    let mut order: Vec<ThreadId> = Vec::with_capacity(threads as usize);
    for thread in first.iter().copied().chain(others).chain([0]) {
        if thread < threads && !order.contains(&ThreadId(thread)) {
            order.push(ThreadId(thread));
        }
    }
    order
}

fn larger(a: SatStats, b: SatStats) -> SatStats {
    if b.clauses > a.clauses { b } else { a }
}

fn stats(symbolic: &Symbolic, plan: &Plan, size: SatStats, conflicts: u64) -> Stats {
    Stats(BTreeMap::from([
        ("events", symbolic.events.len() as f64),
        ("units", plan.units.len() as f64),
        ("cells", symbolic.cells.len() as f64),
        ("variables", size.variables as f64),
        ("clauses", size.clauses as f64),
        ("conflicts", conflicts as f64),
    ]))
}

/// The execution of a model, confirmed. A model may hold several violations: the one that the machine meets first counts.
/// Where the machine itself cannot go on, or the program looks at addresses, which may be others there, a replay may fail,
/// and nothing is known.
fn report(
    task: &Task<'_>,
    symbolic: &Symbolic,
    question: &Question<'_, '_>,
    mut stats: Stats,
) -> Result<Examined, Mismatch> {
    let schedule = symbolic.schedule(task.model, task.program.fingerprint(), &question.moves(), &question.value());
    let foreseen = question.violations().map(Expected::from);
    let claim = Claim { schedule, expected: foreseen.chain(Expected::invalid_loads()).collect() };
    let found = match task.referee.rule(task.program, task.checks, claim) {
        Ruling::Holds(found) => found,
        Ruling::Open(open) => return Ok(Examined::Undecided(open)),
        Ruling::Fails(mismatch) => return symbolic.may_not_replay().map(Examined::Undecided).ok_or(mismatch),
    };
    let found = shrink(task, found);
    stats.0.insert("switches", context_switches(&found.schedule().steps) as f64);
    let verdict = Verdict::new(task.model, ROUNDS.name, Outcome::Unsafe(found), stats);
    Ok(Examined::Unsafe(Box::new(verdict)))
}
