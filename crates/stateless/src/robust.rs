//! Robustness: is every trace of the program under TSO or PSO also one of SC?
//!
//! All executions are explored as for a verdict, and the trace of each that comes to its end, complete or blocked, is
//! looked at for a cycle. After the first cycle the search goes on for a while to find a shorter one.
//!
//! An assertion that fails stops its thread here, like an assumption: whether the program is correct is another question,
//! and the other threads go on, since their steps belong to this one.

use crate::cycle::CycleFinder;
use crate::engine::explore_with;
use crate::explore::{Ended, Search};
use norn_engine::Query;
use norn_engine::capabilities::STATELESS;
use norn_ir::instr::InstrKind;
use norn_ir::program::Program;
use norn_passes::analysed::Analysed;
use norn_verdict::claim::{Mismatch, Referee};
use norn_verdict::outcome::unwind_bounds;
use norn_verdict::robustness::{Robustness, RobustnessVerdict};
use norn_verdict::schedule::Schedule;
use norn_verdict::undecided::{Undecided, Why};

/// Executions that are explored after a cycle was found, in search of a shorter one.
const EXECUTIONS_FOR_SHORTER: u64 = 20_000;
/// A thread that reorders, and another with both accesses in one section.
const SHORTEST_POSSIBLE: usize = 3;

/// What a search for cycles has come to.
#[derive(Default)]
pub(crate) struct Cycles {
    finder: CycleFinder,
    pub shortest: Option<(usize, Schedule)>,
    since_first: u64,
}

impl Search<'_> {
    /// To be called at the end of an execution: whether the search is to end.
    pub(crate) fn look_for_cycle(&mut self) -> Option<Ended> {
        let mut cycles = self.cycles.take()?;
        let threads = self.executor.identities();
        if let Some(length) = cycles.finder.shortest(&self.trace, self.footprints, threads)
            && cycles.shortest.as_ref().is_none_or(|(shortest, _)| length < *shortest)
        {
            cycles.shortest = Some((length, self.schedule()));
        }
        let ends = cycles.shortest.as_ref().is_some_and(|(shortest, _)| {
            cycles.since_first += 1;
            *shortest <= SHORTEST_POSSIBLE || cycles.since_first > EXECUTIONS_FOR_SHORTER
        });
        self.cycles = Some(cycles);
        ends.then_some(Ended::Cyclic)
    }
}

/// The program with assertions that stop their thread.
pub fn without_assertions(program: &Program) -> Program {
    let mut program = program.clone();
    for function in &mut program.functions {
        for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            if let InstrKind::Assert { cond, .. } = instr.kind {
                instr.kind = InstrKind::Assume { cond };
            }
        }
    }
    program
}

/// Whether the program is robust under the model of the task. An error means that the search claimed a cycle that the
/// machine could not find.
pub fn robustness(query: &Query<'_>, referee: &dyn Referee) -> Result<RobustnessVerdict, Mismatch> {
    let program = Analysed::new(without_assertions(query.program));
    let (explored, cycle) = explore_with(query, &program, &mut |_| {}, true);
    let mut stats = explored.counts.stats();
    let outcome = match (cycle, explored.violation, explored.incomplete) {
        (Some((length, schedule)), _, _) => {
            stats.0.insert("cycle", length as f64);
            Robustness::NotRobust(Box::new(referee.rule_on_cycle(&program, query.checks, schedule)?))
        }
        (None, Some((violation, _)), _) => {
            let words = format!("{} ends the search for traces", violation.kind.phrase());
            Robustness::Unknown(Undecided::at(Why::EndedBy(words.into()), violation.span))
        }
        (None, None, Some(open)) => Robustness::Unknown(open),
        (None, None, None) if let Some(enough) = explored.enough => {
            Robustness::Unknown(Undecided::new(Why::EndedBy(enough.to_string().into())))
        }
        (None, None, None) => Robustness::Robust { bounds: unwind_bounds(&program, explored.bounds) },
    };
    Ok(RobustnessVerdict { model: query.model, engine: STATELESS.name, outcome, stats })
}
