//! One random execution.

use crate::hash::Random;
use crate::machine::{Choice, Inputs, Machine, Patience, Request, Stop};
use crate::observe::{Observer, Unobserved};
use crate::replay::{End, end_of};
use crate::trace::{Printed, TraceBuilder};
use norn_ir::number::low_8;
use norn_ir::program::Program;
use norn_ir::types::Ty;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Violation, ViolationKind};
use norn_verdict::schedule::{Schedule, Step, ThreadName, fingerprint};
use norn_verdict::trace::Trace;
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone, PartialEq, Debug)]
pub struct Ran {
    pub end: RunEnd,
    /// The schedule of the execution: its replay is the same execution.
    pub schedule: Schedule,
    pub trace: Trace,
    pub output: Vec<Printed>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    Done(End),
    /// It was cut off, or met what the machine does not know.
    Unknown(Undecided),
}

/// Runs until nothing can happen, a limit is reached, or `max_steps` steps were taken. There is only this one
/// execution, so a thread may run without a visible step for as long as the limits allow.
pub fn run(program: &Program, model: Model, checks: Checks, seed: u64, max_steps: u64, limits: &Limits) -> Ran {
    let mut machine = Machine::new(program, model, checks);
    machine.patience = Patience { instructions: u64::MAX, limits: limits.clone() };
    let mut trace = TraceBuilder::new(&machine);
    let mut random = Random::new(seed);
    let mut inputs = RandomInputs { random: Random::new(seed ^ 1), taken: BTreeMap::new() };
    let mut steps = Vec::new();
    let end = execute(&machine, &mut trace, &mut random, &mut inputs, &mut steps, max_steps, limits);
    let inputs = inputs.taken.into_iter().collect();
    let schedule = Schedule { model, program: fingerprint(program), steps, inputs };
    Ran { end, schedule, trace: trace.trace, output: trace.output }
}

/// The first violation of `kind` among random executions, one for each of `seeds`, each run as by [`run`]. Executions
/// that do not fit into the limits are not looked at.
pub fn first_violation(
    program: &Program,
    model: Model,
    checks: Checks,
    kind: ViolationKind,
    seeds: Range<u64>,
    max_steps: u64,
    limits: &Limits,
) -> Option<Violation> {
    // For a large program each of these takes its time.
    let is_over = || limits.exceeded().is_some();
    if is_over() {
        return None;
    }
    let mut machine = Machine::new(program, model, checks);
    machine.patience = Patience { instructions: u64::MAX, limits: limits.clone() };
    for seed in seeds {
        if is_over() {
            return None;
        }
        let mut random = Random::new(seed);
        let mut inputs = RandomInputs { random: Random::new(seed ^ 1), taken: BTreeMap::new() };
        let mut steps = Vec::new();
        let end = execute(&machine, &mut Unobserved, &mut random, &mut inputs, &mut steps, max_steps, limits);
        match end {
            RunEnd::Done(End::Violation(violation)) if violation.kind == kind => return Some(violation),
            _ => {}
        }
    }
    None
}

fn execute(
    machine: &Machine<'_>,
    observer: &mut dyn Observer,
    random: &mut Random,
    inputs: &mut RandomInputs,
    steps: &mut Vec<Step>,
    max_steps: u64,
    limits: &Limits,
) -> RunEnd {
    let cut_off = |why| RunEnd::Unknown(Undecided::new(why));
    let mut state = match machine.initial(observer, inputs) {
        Ok(state) => state,
        Err(stop) => return stopped(stop),
    };
    for count in 0..max_steps {
        // With many threads a step is a long one.
        if count % 16 == 0
            && let Some(exceeded) = limits.exceeded()
        {
            return cut_off(exceeded.into());
        }
        let enabled: Vec<Choice> =
            machine.candidates(&state).into_iter().filter(|&choice| is_enabled(machine, &state, choice)).collect();
        if enabled.is_empty() {
            return RunEnd::Done(end_of(machine, &state));
        }
        let choice = enabled[random.below(enabled.len())];
        let thread = (*state.threads[choice.thread().index()].name).clone();
        steps.push(match choice {
            Choice::Run(index) => Step::Run { thread, step: state.threads[index.index()].steps.next() },
            Choice::Commit { step, .. } => Step::Commit { thread, step },
        });
        if let Err(stop) = machine.step(&mut state, choice, observer, inputs) {
            return stopped(stop);
        }
    }
    cut_off(Why::too_large("the limit on steps was reached"))
}

/// Whether a choice is enabled, tried with 0 for every input.
fn is_enabled(machine: &Machine<'_>, state: &crate::state::State, choice: Choice) -> bool {
    !matches!(machine.could_act(state, choice), Some(Stop::NotEnabled | Stop::Cut { .. }))
}

fn stopped(stop: Stop) -> RunEnd {
    match stop {
        Stop::Violation(violation) => RunEnd::Done(End::Violation(violation)),
        Stop::Undecided(undecided) => RunEnd::Unknown(undecided),
        // The step was enabled with zeros for inputs, but is not with these.
        Stop::NotEnabled | Stop::Cut { .. } => {
            let words = "whether a step is enabled depends on its nondeterministic values";
            RunEnd::Unknown(Undecided::new(Why::no_meaning(words)))
        }
        Stop::NeedInput(_) | Stop::Ends(_) => unreachable!("random inputs should never run out"),
    }
}

struct RandomInputs {
    random: Random,
    taken: BTreeMap<ThreadName, Vec<u64>>,
}

impl Inputs for RandomInputs {
    /// Mostly small numbers: they are what programs make decisions on.
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let raw = self.random.number();
        let value = match (request.ty, raw % 8) {
            (Ty::Bool, _) => raw >> 8 & 1,
            (Ty::F32, _) => u64::from((low_8(raw >> 8) as f32).to_bits()),
            (Ty::F64, _) => f64::from(low_8(raw >> 8)).to_bits(),
            (_, 0) => raw >> 3,
            (_, 1) => low_8(raw >> 8) as i8 as u64,
            _ => raw >> 8 & 7,
        };
        // The schedule has to say what the machine takes.
        let width = match request.ty {
            Ty::Bool => 1,
            Ty::I8 => 8,
            Ty::I16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 | Ty::Ptr => 64,
        };
        let value = if width == 64 { value } else { value & ((1 << width) - 1) };
        self.taken.entry(name.clone()).or_default().push(value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::replay;
    use crate::testing::{function, text};
    use norn_ir::instr::Stream;
    use std::collections::BTreeSet;

    fn program() -> Program {
        text(&format!(
            "type t5 = array 8 * t3\nglobal g0 \"x\": t0\nglobal g1 \"format\": t5 constant {{\n0: bytes \"x=%d\\n\"\n}}\n{}{}",
            function(
                0,
                "main",
                "r7 = spawn f1()\nr0 = load g0\nprint stdout g1, i32 r0\njoin r7\nr1 = nondet input \"rand\"\n\
                 r4 = ne i32 r1, 3\nassert r4 assertion \"\""
            ),
            function(1, "t", "store i32 g0, 1\nstore i32 g0, 2")
        ))
    }

    #[test]
    fn a_seed_determines_the_execution_and_its_schedule_replays() {
        let program = program();
        let mut outputs = BTreeSet::new();
        for seed in 0..50 {
            let once = run(&program, Model::Pso, Checks::default(), seed, 1000, &Limits::none());
            assert_eq!(run(&program, Model::Pso, Checks::default(), seed, 1000, &Limits::none()), once);
            let replayed = replay(&program, Checks::default(), &once.schedule).expect("it should run");
            assert_eq!(RunEnd::Done(replayed.end), once.end);
            assert_eq!((replayed.trace, &replayed.output), (once.trace, &once.output));
            assert_eq!(once.output.len(), 1);
            assert_eq!(once.output[0].stream, Stream::Stdout);
            outputs.insert(once.output[0].text.clone());
        }
        assert_eq!(outputs.into_iter().collect::<Vec<_>>(), ["x=0\n", "x=1\n", "x=2\n"]);
    }

    #[test]
    fn a_run_is_cut_off() {
        let spin = "b0:\ngoto b1\nb1:\nr0 = load g0\ngoto b1";
        let program = text(&format!("global g0 \"x\": t0\n{}", function(0, "main", spin)));
        let ran = run(&program, Model::Sc, Checks::default(), 1, 100, &Limits::none());
        assert_eq!(ran.end, RunEnd::Unknown(Undecided::new(Why::too_large("the limit on steps was reached"))));
        assert_eq!(ran.schedule.steps.len(), 100);
    }

    #[test]
    fn a_run_without_visible_steps_is_long_but_ends_in_time() {
        let count = |to: u64| {
            let body = format!(
                "b0:\nr7 = copy 0\ngoto b1\nb1:\nr7 = add r7, 1\nr4 = lt.u i64 r7, {to}\nbranch r4, b1, b2\nb2:\nreturn"
            );
            text(&function(0, "main", &body))
        };
        let ran = |to: u64, limits: &Limits| run(&count(to), Model::Sc, Checks::default(), 1, 100, limits).end;
        // More than a search would bear.
        assert_eq!(ran(4_000_000, &Limits::none()), RunEnd::Done(End::Ended { status: Some(0) }));
        let RunEnd::Unknown(open) = ran(u64::MAX, &Limits::for_seconds(0.0)) else { panic!("it never ends") };
        assert_eq!(open.exceeded(), Some(norn_verdict::limits::Exceeded::Time));
    }

    #[test]
    fn no_time_means_no_executions() {
        let program = text(&format!(
            "global g0 \"x\": t0\n{}",
            function(0, "main", "store i32 g0, 1\nassert false assertion \"\"")
        ));
        let first = |limits: &Limits| {
            first_violation(&program, Model::Sc, Checks::default(), ViolationKind::Assertion, 0..4, 100, limits)
        };
        assert!(first(&Limits::none()).is_some());
        assert!(first(&Limits::for_seconds(0.0)).is_none());
    }
}
