//! The answer to a question about a C program under axioms: searches within growing bounds on loops.

use std::collections::BTreeSet;
use std::rc::Rc;

use norn_cat::Model;
use norn_engine::capabilities::GRAPHS;
use norn_engine::{GivenBounds, Prepared};
use norn_passes::unwind::Bounds;
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Assumption, Bound, BoundKind, Checks, unwind_bounds};
use norn_verdict::undecided::{OwnBound, Undecided, Why, Work};

use crate::confirm::{Confirmed, Mismatch, RACE};
use crate::loops::{Loops, Met, Policy};
use crate::memory::Base;
use crate::search::{Found, Search, Setting};
use crate::tables::Table;
use crate::thin_air;
use crate::updates;

/// A program, a model and what is asked.
pub struct Question<'a> {
    pub program: &'a Prepared,
    pub model: &'a Model,
    pub checks: Checks,
    pub given: &'a GivenBounds,
    pub limits: &'a Limits,
}

pub enum Outcome {
    Unsafe(Box<Confirmed>),
    /// All bounds that are not exhausted were given by the user.
    Safe {
        bounds: Vec<Bound>,
    },
    /// Nothing is violated within these bounds, and more is not known.
    Limited {
        bounds: Vec<Bound>,
        undecided: Undecided,
    },
    Unknown(Undecided),
}

pub struct Answer {
    pub outcome: Outcome,
    pub assumptions: Vec<Assumption>,
    /// Executions that were seen to their end, and steps of the search.
    pub executions: u64,
    pub steps: u64,
}

/// Bounds on loops that are tried one after the other where none are given.
const GROWING: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

impl Question<'_> {
    /// The answer; an error means that the search claims what is not confirmed.
    pub fn answer(&self) -> Result<Answer, Mismatch> {
        let unknown = |why: Why| Ok(Answer::of(Outcome::Unknown(Undecided::new(why))));
        let table = match self.table() {
            Ok(table) => table,
            Err(why) => return unknown(why),
        };
        let Ok(base) = Base::new(self.program) else {
            return unknown(Why::too_large("the objects of the program need too much memory"));
        };
        let loops = Rc::new(Loops::new(self.program.code()));
        let mut answer = Answer::of(Outcome::Unknown(Undecided::new(Why::NothingTried("nothing was tried".into()))));
        let mut assumptions = BTreeSet::new();
        let mut bounds: Vec<Bound> = Vec::new();
        let given = self.given.bounds();
        let all = match &given {
            Some(bounds) => vec![bounds.clone()],
            None => GROWING.iter().map(|&bound| GivenBounds::of_all_loops(bound).or_usual()).collect::<Vec<_>>(),
        };
        for (round, tried) in all.iter().enumerate() {
            let met = Met::default();
            let Found { witness, doubt, exceeded, assumptions: assumed, executions, steps } =
                self.search(&base, table, &loops, tried, &met)?;
            answer.executions += executions;
            answer.steps += steps;
            if let Some(witness) = witness {
                answer.outcome = Outcome::Unsafe(Box::new(witness));
                return Ok(answer);
            }
            assumptions.extend(assumed);
            let met = met.borrow();
            let now = unwind_bounds(self.program, met.iter().map(|(&(span, bound), &reached)| (span, bound, reached)));
            let stopped = exceeded.map(|limit| Undecided::new(Why::Limit { limit, after: Work::Unknown }));
            if let Some(undecided) = doubt.or(stopped) {
                answer.outcome = match round {
                    0 => Outcome::Unknown(undecided),
                    _ => Outcome::Limited { bounds, undecided },
                };
                break;
            }
            let is_whole = now.iter().all(|bound| bound.exhausted);
            let own = now.iter().find(|bound| !bound.exhausted && !self.given.is_given(bound)).map(own_bound);
            bounds = now;
            match own {
                // Larger bounds come next, if there are any.
                Some(own) => {
                    let undecided = Undecided::new(Why::OwnBound(own));
                    answer.outcome = Outcome::Limited { bounds: bounds.clone(), undecided };
                }
                None => {
                    answer.outcome = Outcome::Safe { bounds: if is_whole { Vec::new() } else { bounds.clone() } };
                    break;
                }
            }
        }
        if let Outcome::Safe { bounds } = &answer.outcome
            && !thin_air::is_forbidden(self.model)
        {
            let why = Why::NotProved("values out of thin air, which the model may allow, were not looked for".into());
            answer.outcome = Outcome::Limited { bounds: bounds.clone(), undecided: Undecided::new(why) };
        }
        answer.assumptions = assumptions.into_iter().collect();
        Ok(answer)
    }

    /// The table of the model; why the question cannot be asked.
    fn table(&self) -> Result<Table, Why> {
        let races = self.model.checks.iter().any(|check| check.flag && check.name == RACE);
        // That is what the flag is for.
        let checks = Checks { data_race: self.checks.data_race && !races, ..self.checks };
        if self.program.reuses_memory {
            return Err(Why::NotLookedFor(norn_verdict::undecided::Unsought::ReusedMemory));
        }
        if let Some(unsought) = GRAPHS.unsought(checks) {
            return Err(Why::NotLookedFor(unsought));
        }
        if !self.model.is_coherent() {
            return Err(Why::no_meaning(
                "the model does not say in one check that the accesses to a place are coherent",
            ));
        }
        if self.model.checks.iter().any(|check| check.negated && !check.flag) {
            return Err(Why::no_meaning("the model has a check that begins with '~'"));
        }
        Table::of(self.model).map_err(Why::no_meaning)
    }

    fn search(
        &self,
        base: &Base<'_>,
        table: Table,
        loops: &Rc<Loops<'_>>,
        bounds: &Bounds,
        met: &Met,
    ) -> Result<Found, Mismatch> {
        let setting = Setting {
            base,
            model: self.model,
            table,
            checks: self.checks,
            domains: self.program.domains(),
            limits: self.limits,
        };
        let policy = Policy {
            bounds,
            skips_idle: self.model.ignores_lost_reads(),
            skips_fences: self.model.ignores_lost_fences(),
            skips_updates: updates::may_be_left_out(self.model),
            races: self.model.checks.iter().any(|check| check.flag),
            met: Rc::clone(met),
        };
        Search::new(&setting, Rc::clone(loops), policy).run()
    }
}

impl Answer {
    fn of(outcome: Outcome) -> Answer {
        Answer { outcome, assumptions: Vec::new(), executions: 0, steps: 0 }
    }
}

fn own_bound(bound: &Bound) -> OwnBound {
    match &bound.kind {
        BoundKind::Unwind(place) if place.origin == norn_ir::program::Origin::Library => OwnBound::LibraryLoops,
        _ => OwnBound::Loops,
    }
}
