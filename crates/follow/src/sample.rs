//! One random execution of the machine, followed while it runs.
//!
//! With any schedule: threads and commits are chosen at random, with a liking for the thread that ran last and for or against
//! commits that is another one for each seed. In rounds: slot by slot, in each of which one thread runs and commits for as long as
//! chance has it; what the rounds are is in the machine's `enumerate/rounds.rs`.

use crate::end::{Ending, Followed};
use crate::follower::{Follower, Heard};
use crate::inputs::{Sampling, constants};
use crate::told::{Listener, Told, What};
use norn_ir::instr::InstrKind;
use norn_ir::program::Program;
use norn_machine::hash::Random;
use norn_machine::state::Status;
use norn_machine::{Choice, Machine, State, Stop};
use norn_symex::{Symbolic, ThreadId};
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::schedule::{Schedule, Step, StepNumber, fingerprint};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::Why;

/// What is executed, and the list that says what it may do. The list should be made of this program with these checks.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub program: &'a Program,
    pub symbolic: &'a Symbolic,
    pub model: Model,
    pub checks: Checks,
}

/// Which schedules.
#[derive(Clone, Copy)]
pub enum Form<'a> {
    /// Any in which, of each of these pairs, the first thread takes its first step before the second does.
    Free { ordered: &'a [(ThreadId, ThreadId)] },
    /// The entry thread alone, and then so many rounds with the threads in this order.
    Rounds { order: &'a [ThreadId], rounds: u32 },
}

/// An execution, unless it went to where the list cannot say what it is.
pub type Sampled = Option<Box<Followed>>;

/// The machine does what the event list does not foresee.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    pub reason: String,
    pub schedule: Schedule,
}

/// Makes executions of one program.
pub struct Sampler<'a> {
    setting: Setting<'a>,
    machine: Machine<'a>,
    constants: Vec<u64>,
    fingerprint: u64,
    /// After so many steps an execution is left as it is.
    most: usize,
}

/// Instructions without a visible step.
const PATIENCE: u64 = 200_000;

impl<'a> Sampler<'a> {
    pub fn new(setting: Setting<'a>) -> Sampler<'a> {
        let mut machine = Machine::new(setting.program, setting.model, setting.checks);
        machine.patience.instructions = PATIENCE;
        let most = 200 + 4 * (setting.symbolic.events.len() + setting.symbolic.sections.len());
        let constants = constants(setting.program);
        Sampler { setting, machine, constants, fingerprint: fingerprint(setting.program), most }
    }

    /// The execution of a seed.
    pub fn execution(&self, form: Form<'_>, seed: u64) -> Result<Sampled, Mismatch> {
        let mut random = Random::new(seed);
        let inputs = Sampling::new(random.number(), &self.constants);
        let follower = Follower::new(self.setting.program, self.setting.symbolic);
        let mut run = Run { sampler: self, random, inputs, follower, steps: Vec::new(), end: None };
        let ran = match form {
            Form::Free { ordered } => run.free(ordered),
            Form::Rounds { order, rounds } => run.rounds(order, rounds),
        };
        match ran {
            Err(Trouble::Useless) => Ok(None),
            Err(Trouble::Mismatch(reason)) => Err(run.mismatch(reason)),
            Ok(over) => run.finish(over),
        }
    }
}

enum Trouble {
    Useless,
    Mismatch(String),
}

/// How an execution ended.
struct Over {
    state: Option<State>,
    is_complete: bool,
}

struct Run<'s> {
    sampler: &'s Sampler<'s>,
    random: Random,
    inputs: Sampling<'s>,
    follower: Follower<'s>,
    steps: Vec<Step>,
    end: Option<Stop>,
}

/// What came of an attempt.
enum Attempt {
    Taken(State),
    /// It cannot happen, or leads behind a bound.
    Not,
    /// The execution is over.
    Last,
}

impl Run<'_> {
    fn free(&mut self, ordered: &[(ThreadId, ThreadId)]) -> Result<Over, Trouble> {
        let machine = &self.sampler.machine;
        let commits = [5, 50, 90][self.random.below(3)];
        let stays = [0, 50, 90][self.random.below(3)];
        let mut listener = Listener::default();
        let first = machine.initial(&mut listener, &mut self.inputs);
        let mut state = match self.heard(&listener.told, None, first)? {
            Attempt::Taken(state) => state,
            _ => return Ok(Over { state: None, is_complete: false }),
        };
        let mut last = ThreadIndex::MAIN;
        for _ in 0..self.sampler.most {
            let mut choices = machine.candidates(&state);
            choices.retain(|&choice| self.is_allowed(&state, choice, ordered));
            let mut next = None;
            while next.is_none() && !choices.is_empty() {
                let choice = choices.swap_remove(self.pick(&choices, last, commits, stays));
                match self.attempt(&state, choice, false)? {
                    Attempt::Taken(after) => next = Some((after, choice.thread())),
                    Attempt::Not => {}
                    Attempt::Last => return Ok(Over { state: None, is_complete: false }),
                }
            }
            let Some((after, thread)) = next else {
                let is_complete = state.exited.is_none();
                return Ok(Over { state: Some(state), is_complete });
            };
            (state, last) = (after, thread);
        }
        Ok(Over { state: Some(state), is_complete: false })
    }

    fn is_allowed(&self, state: &State, choice: Choice, ordered: &[(ThreadId, ThreadId)]) -> bool {
        let Choice::Run(thread) = choice else { return true };
        let own = self.follower.threads[thread.index()];
        let has_run = |wanted: ThreadId| {
            let number = self.follower.threads.iter().position(|&thread| thread == wanted);
            number.is_some_and(|number| state.threads[number].steps > StepNumber::NONE)
        };
        !self.follower.is_beyond[own.0 as usize]
            && (state.threads[thread.index()].steps > StepNumber::NONE
                || ordered.iter().all(|&(first, then)| then != own || has_run(first)))
    }

    /// The index of a choice.
    fn pick(&mut self, choices: &[Choice], last: ThreadIndex, commits: usize, stays: usize) -> usize {
        let wants_commit = self.random.below(100) < commits;
        let stays = self.random.below(100) < stays;
        let is_wanted = |choice: &Choice, stays: bool| {
            matches!(choice, Choice::Commit { .. }) == wants_commit && (!stays || choice.thread() == last)
        };
        for stays in [stays, false] {
            let wanted: Vec<usize> = (0..choices.len()).filter(|&index| is_wanted(&choices[index], stays)).collect();
            if !wanted.is_empty() {
                return wanted[self.random.below(wanted.len())];
            }
        }
        self.random.below(choices.len())
    }

    fn rounds(&mut self, order: &[ThreadId], rounds: u32) -> Result<Over, Trouble> {
        let machine = &self.sampler.machine;
        let leaves = [5, 20, 50][self.random.below(3)];
        let mut state = match machine.unsettled() {
            Ok(state) => state,
            Err(_) => return Err(Trouble::Useless),
        };
        for round in 1..=rounds + 1 {
            self.follower.now = round;
            for &thread in order {
                let number = self.follower.threads.iter().position(|&other| other == thread).map(ThreadIndex::new);
                let Some(number) = number else { continue };
                if round == 1 && number != ThreadIndex::MAIN {
                    continue;
                }
                // What the entry thread does before the others is mostly to create them.
                let leaves = if round == 1 { leaves / 4 } else { leaves };
                match self.slot(state, number, leaves)? {
                    Some(after) => state = after,
                    None => return Ok(Over { state: None, is_complete: false }),
                }
            }
        }
        Ok(Over { state: Some(state), is_complete: false })
    }

    /// `None` if the execution is over.
    fn slot(&mut self, mut state: State, thread: ThreadIndex, leaves: usize) -> Result<Option<State>, Trouble> {
        let machine = &self.sampler.machine;
        let mut listener = Listener::default();
        let settled = machine.settle(&mut state, thread, &mut listener, &mut self.inputs).map(|()| state);
        let mut state = match self.heard(&listener.told, None, settled)? {
            Attempt::Taken(state) => state,
            _ => return Ok(None),
        };
        for _ in 0..self.sampler.most {
            if self.random.below(100) < leaves {
                break;
            }
            let mut choices = machine.candidates(&state);
            choices.retain(|&choice| choice.thread() == thread && self.is_allowed(&state, choice, &[]));
            let mut next = None;
            while next.is_none() && !choices.is_empty() {
                let choice = choices.swap_remove(self.random.below(choices.len()));
                match self.attempt(&state, choice, true)? {
                    Attempt::Taken(after) => next = Some(after),
                    Attempt::Not => {}
                    Attempt::Last => return Ok(None),
                }
            }
            let Some(after) = next else { break };
            state = after;
        }
        Ok(Some(state))
    }

    /// `alone`: nothing but its own thread goes on silently.
    fn attempt(&mut self, state: &State, choice: Choice, alone: bool) -> Result<Attempt, Trouble> {
        let mut after = state.clone();
        let mut listener = Listener::default();
        let given = self.inputs.given.clone();
        let machine = &self.sampler.machine;
        let result = match alone {
            true => machine.step_alone(&mut after, choice, &mut listener, &mut self.inputs),
            false => machine.step(&mut after, choice, &mut listener, &mut self.inputs),
        };
        // The formula never takes a section that ends the program.
        let ends = result.is_ok() && after.exited.is_some() && self.is_section(state, choice);
        if ends || matches!(result, Err(Stop::NotEnabled | Stop::Cut { .. })) {
            self.inputs.given = given;
            return Ok(Attempt::Not);
        }
        let thread = (*state.threads[choice.thread().index()].name).clone();
        self.steps.push(match choice {
            Choice::Run(index) => Step::Run { thread, step: state.threads[index.index()].steps.next() },
            Choice::Commit { step, .. } => Step::Commit { thread, step },
        });
        let attempt = self.heard(&listener.told, Some(choice), result.map(|_| after))?;
        if matches!(attempt, Attempt::Not) {
            self.steps.pop();
            self.inputs.given = given;
        }
        Ok(attempt)
    }

    /// Whether the step of a thread is a section.
    fn is_section(&self, state: &State, choice: Choice) -> bool {
        let Choice::Run(thread) = choice else { return false };
        let Some(frame) = state.threads[thread.index()].frames.last() else { return false };
        let block = self.sampler.setting.program.function(frame.function).block(frame.block);
        let next = block.instrs.get(frame.index as usize);
        next.is_some_and(|instr| matches!(instr.kind, InstrKind::SectionBegin(_)))
    }

    /// Lets the follower hear what the machine told.
    fn heard(
        &mut self,
        told: &[Told],
        choice: Option<Choice>,
        result: Result<State, Stop>,
    ) -> Result<Attempt, Trouble> {
        let mut matched = false;
        for told in told {
            let heard = self.follower.happens(told);
            let heard = heard.map_err(|error| Trouble::Mismatch(format!("{told:?}: {error}")))?;
            let is_visible = told.step.is_some() && choice.is_some_and(|choice| choice.thread() == told.thread);
            if heard == Heard::Beyond && is_visible {
                // A step that lies behind a bound is not taken; half of one cannot be.
                return if matched { Err(Trouble::Useless) } else { Ok(Attempt::Not) };
            }
            matched |= is_visible && !matches!(told.what, What::Input { .. });
        }
        match result {
            Ok(state) => Ok(Attempt::Taken(state)),
            Err(Stop::NeedInput(_)) => Err(Trouble::Useless),
            Err(Stop::Undecided(open)) if !matches!(open.why, Why::NoMeaning(_)) => Err(Trouble::Useless),
            Err(stop) => {
                self.end = Some(stop);
                Ok(Attempt::Last)
            }
        }
    }

    fn schedule(&self) -> Schedule {
        let inputs = self.inputs.given.iter().map(|(name, values)| (name.clone(), values.clone())).collect();
        let Sampler { setting, fingerprint, .. } = self.sampler;
        Schedule { model: setting.model, program: *fingerprint, steps: self.steps.clone(), inputs }
    }

    fn mismatch(&self, reason: String) -> Mismatch {
        Mismatch { reason, schedule: self.schedule() }
    }

    fn finish(mut self, over: Over) -> Result<Sampled, Mismatch> {
        let end = self.end.take();
        let ending = self.follower.finish(end.as_ref(), over.is_complete).map_err(|reason| self.mismatch(reason))?;
        let violation = match ending {
            Ending::Fine => None,
            Ending::Foreseen(what) => Some(what),
            Ending::Beyond => return Ok(None),
        };
        let mut ended = vec![false; self.sampler.setting.symbolic.threads.len()];
        for (number, thread) in over.state.iter().flat_map(|state| state.threads.iter().enumerate()) {
            let own = self.follower.threads.get(number).map(|own| own.0 as usize);
            if let Some(own) = own.filter(|&own| !self.follower.is_beyond[own]) {
                ended[own] = thread.status == Status::Ended;
            }
        }
        let schedule = self.schedule();
        Ok(Some(Box::new(self.follower.followed(ended, over.is_complete, violation, schedule))))
    }
}
