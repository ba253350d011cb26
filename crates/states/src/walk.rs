//! Walking through the states: the executor, the vector that follows it, and the choices that lead from state to state.
//!
//! A choice is a thread's visible step or the commit of a buffered store. A step that asks for nondeterministic values is
//! taken once for each combination of them, in order: the values chosen last change first.

use crate::absorb::Absorber;
use crate::encode::Encoder;
use crate::fair::{MOST_THREADS, Store};
use crate::future::Futures;
use crate::vector::{Problem, TrailMark, Vector};
use norn_engine::Prepared;
use norn_exec::op::{Code, Op};
use norn_exec::{Effect, Executor, Mark, Request, Status, Stop, ThreadIdentity};
use norn_ir::instr::{NondetSource, Order};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Treatment, ViolationKind};
use norn_verdict::schedule::{Schedule, Step, StepNumber};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeSet;

/// What is searched, and how states are stored.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub program: &'a Prepared,
    pub code: &'a Code,
    pub model: Model,
    pub checks: Checks,
    pub reductions: Reductions,
    /// What threads may still do; `None` if the program is too large to look at.
    pub futures: Option<&'a Futures>,
    /// Room for this many threads.
    pub max_threads: usize,
    /// A thread that would be one more than there is room for is not created, which is noted.
    pub hold_creations: bool,
    /// A thread may have this many stores waiting.
    pub buffer: usize,
}

impl Setting<'_> {
    /// Whether it matters when a store goes to its buffer. A store to memory that was freed is assumed not to happen, but may be
    /// possible later if the memory is reused.
    pub fn stores_may_fail(&self) -> bool {
        self.program.reuses_memory && self.checks.treatment(ViolationKind::UseAfterFree) != Treatment::Violation
    }
}

/// What is done to have fewer states, or smaller ones. Each can be turned off, to see what it is worth and that it changes
/// nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Dead registers do not tell states apart.
    pub live_only: bool,
    /// Local and allocated objects are renamed, and what nothing points to is left out.
    pub rename: bool,
    /// States are stored as trees of shared parts.
    pub collapse: bool,
    /// Stores go to their buffers along with the step before them.
    pub merge_stores: bool,
    /// Where one step is independent of all that other threads may do, only that one is taken.
    pub persistent: bool,
    /// Accesses in which nobody else has a part yet are taken along with the step before them.
    pub absorb: bool,
}

impl Reductions {
    pub const ALL: Reductions = Reductions {
        live_only: true,
        rename: true,
        collapse: true,
        merge_stores: true,
        persistent: true,
        absorb: true,
    };
    pub const NONE: Reductions = Reductions {
        live_only: false,
        rename: false,
        collapse: false,
        merge_stores: false,
        persistent: false,
        absorb: false,
    };
}

/// One thing that may happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The program starts.
    Start,
    /// The visible step of the thread of this number.
    Run(ThreadIndex),
    /// The store at this place of the thread's buffer reaches memory.
    Commit(ThreadIndex, u32),
}

/// A step that was taken, as a schedule names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    pub thread: ThreadIdentity,
    pub step: StepNumber,
    pub commit: bool,
    /// It created a thread.
    pub creates: bool,
    /// Another thread had waited for it, and went on.
    pub lets_go: bool,
}

/// A nondeterministic value that was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    thread: ThreadIdentity,
    position: usize,
    /// What is still to be tried, last first.
    rest: Vec<u64>,
    value: u64,
    /// It is a truth value that does not come for ever, if it is this one.
    spurious_if: Option<u64>,
}

impl Chosen {
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Whether the value does not come for ever.
    pub fn is_spurious(&self) -> bool {
        self.spurious_if == Some(self.value)
    }
}

/// Whether a thread can take its next step, as far as that can be told without choosing inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ability {
    Can,
    Cannot,
    /// It depends on truth values that the step asks for.
    Depends,
}

/// Why there is no next state.
#[derive(Clone, PartialEq, Debug)]
pub enum Halt {
    /// The executor's reason; inputs have been answered.
    Stop(Stop),
    /// No more can be stored, or it has to be stored otherwise.
    Problem(Problem),
    /// A nondeterministic value has too many possibilities.
    Wide { name: String, span: Option<Span> },
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Halt {
        Halt::Problem(problem)
    }
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub executor: Mark,
    trail: TrailMark,
    taken: usize,
    absorbed: usize,
}

pub struct Walk<'a> {
    pub setting: Setting<'a>,
    pub executor: Executor<'a>,
    pub vector: Vector<'a>,
    pub absorber: Option<Absorber<'a>>,
    /// The steps from the beginning to the current state.
    pub taken: Vec<Taken>,
    /// Whether the last step was a spurious wake-up and nothing else.
    pub was_spurious: bool,
    /// Some step asked for an input.
    pub(crate) has_inputs: bool,
    /// A store was not executed because its buffer was full.
    pub buffer_full: bool,
    /// A thread was not created because there were enough.
    pub threads_full: bool,
}

/// One step asks for at most this many values.
const MOST_VALUES: usize = 1 << 10;

impl<'a> Walk<'a> {
    /// Before the program starts: the only choice is to start it.
    pub fn new(setting: Setting<'a>) -> Result<Walk<'a>, Halt> {
        let Setting { program, code, model, checks, reductions, futures, .. } = setting;
        let mut executor = Executor::new(program.code(), code, model, checks).map_err(Halt::Stop)?;
        executor.leave_values_open();
        let encoder = Encoder::new(code, model, reductions.live_only, reductions.rename);
        let room = (setting.max_threads, model != Model::Sc);
        let deadlock = checks.deadlock || checks.termination || !reductions.live_only;
        let vector = Vector::new(&executor, encoder, reductions.collapse, deadlock, room)?;
        let of_model = (model, setting.buffer);
        let absorber = futures.filter(|_| reductions.absorb).map(|f| Absorber::new(program, code, f, of_model));
        Ok(Walk {
            setting,
            executor,
            vector,
            absorber,
            taken: Vec::new(),
            was_spurious: false,
            has_inputs: false,
            buffer_full: false,
            threads_full: false,
        })
    }

    pub fn point(&self) -> Point {
        let absorbed = self.absorber.as_ref().map_or(0, Absorber::mark);
        Point { executor: self.executor.mark(), trail: self.vector.mark(), taken: self.taken.len(), absorbed }
    }

    pub fn back_to(&mut self, point: Point) {
        self.executor.undo_to(point.executor);
        self.vector.undo_to(point.trail);
        self.taken.truncate(point.taken);
        if let Some(absorber) = &mut self.absorber {
            absorber.undo_to(point.absorbed);
        }
    }

    /// The number of the current state and whether it is new.
    pub fn state(&mut self) -> Result<(u32, bool), Problem> {
        self.vector.state(&self.executor, self.absorber.as_ref())
    }

    /// The thread that stands before a store to its buffer.
    pub fn is_buffered_store(&self, thread: ThreadIdentity) -> bool {
        let owner = self.executor.thread(thread);
        self.setting.model != Model::Sc
            && owner.status == Status::Ready
            && matches!(self.setting.code.ops[owner.pc as usize], Op::Store { order, .. } if order != Order::SeqCst)
    }

    /// Whether a store has to wait because the bound on buffers is reached.
    pub fn is_full(&self, thread: ThreadIdentity) -> bool {
        self.executor.thread(thread).buffer.len() >= self.setting.buffer && self.is_buffered_store(thread)
    }

    /// Whether the thread's next step is a creation for which there is no room.
    fn is_held(&self, thread: ThreadIdentity) -> bool {
        let owner = self.executor.thread(thread);
        self.setting.hold_creations
            && owner.status == Status::Ready
            && self.executor.thread_count() >= self.setting.max_threads
            && matches!(self.setting.code.ops[owner.pc as usize], Op::Spawn(_))
    }

    /// Whether a bound keeps the thread's next step from being taken.
    pub fn is_bounded(&self, thread: ThreadIdentity) -> bool {
        self.is_full(thread) || self.is_held(thread)
    }

    /// Whether it is a deadlock, if deadlocks are looked for, that nothing can happen here. A thread that the bound on
    /// threads holds up waits for nothing else.
    pub fn is_deadlock(&self) -> bool {
        self.setting.checks.deadlock
            && self.executor.could_deadlock()
            && !self.executor.threads().any(|thread| self.is_held(thread))
    }

    /// Takes a step, with the values `chosen` for its inputs; more of them are chosen where it asks for more. `enough`: nothing
    /// else is tried in this state. When there is no next state, the executor may be anywhere: the caller goes back.
    pub fn step(&mut self, choice: Choice, enough: bool, chosen: &mut Vec<Chosen>) -> Result<(), Halt> {
        let point = self.point();
        loop {
            if self.has_inputs {
                self.executor.forget_inputs();
                for Chosen { thread, position, value, .. } in &*chosen {
                    self.executor.give_input(*thread, *position, *value);
                }
            }
            match self.execute(choice, enough) {
                Ok(()) => break,
                Err(Stop::NeedInput(request)) => {
                    self.has_inputs = true;
                    if chosen.len() >= MOST_VALUES {
                        let why = Why::too_large("one step asks for too many nondeterministic values");
                        let open = Undecided::at(why, self.executor.place(request.thread).span);
                        return Err(Halt::Stop(Stop::Undecided(Box::new(open))));
                    }
                    chosen.push(choose(&self.setting, request)?);
                    self.back_to(point);
                }
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        self.look_ahead(point.executor);
        self.vector.update(&self.executor, point.executor, self.absorber.as_ref())?;
        Ok(())
    }

    /// Takes a step with the values that it had asked for before, also if it was reached in another way then.
    pub fn repeat(&mut self, choice: Choice, values: &[u64]) -> Result<(), Halt> {
        let point = self.point();
        let mut chosen: Vec<Chosen> = Vec::new();
        loop {
            self.executor.forget_inputs();
            for Chosen { thread, position, value, .. } in &chosen {
                self.executor.give_input(*thread, *position, *value);
            }
            match self.execute(choice, false) {
                Ok(()) => break,
                Err(Stop::NeedInput(request)) => {
                    self.has_inputs = true;
                    let value = values.get(chosen.len()).copied().unwrap_or_default();
                    let Request { thread, position, .. } = request;
                    chosen.push(Chosen { thread, position, rest: Vec::new(), value, spurious_if: None });
                    self.back_to(point);
                }
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        self.vector.update(&self.executor, point.executor, self.absorber.as_ref())?;
        Ok(())
    }

    /// Whether the thread can take a step that is no spurious one. A bound that keeps it from doing so is none of the
    /// program's.
    pub fn ability(&mut self, thread: ThreadIdentity) -> Ability {
        if self.executor.exited().is_some() || self.executor.status(thread) != Status::Ready {
            return Ability::Cannot;
        }
        if self.is_bounded(thread) {
            return Ability::Can;
        }
        if self.has_inputs {
            self.executor.forget_inputs();
        }
        match self.executor.attempt_step(thread) {
            Ok(()) if self.executor.was_spurious() => Ability::Cannot,
            Err(Stop::NotEnabled) => Ability::Cannot,
            Err(Stop::NeedInput(Request { ty: Ty::Bool, .. })) => Ability::Depends,
            _ => Ability::Can,
        }
    }

    /// The threads that took a step since the point, as bits.
    pub fn moved_since(&self, point: Point) -> u64 {
        let steps = self.taken[point.taken..].iter().filter(|taken| !taken.commit);
        let numbers = steps.map(|taken| self.executor.thread(taken.thread).number.index());
        numbers.filter(|&number| number < MOST_THREADS).fold(0, |moved, number| moved | 1 << number)
    }

    /// The store that a choice commits.
    pub fn store_of(&self, choice: Choice) -> Option<Store> {
        let Choice::Commit(number, index) = choice else { return None };
        let entry = &self.executor.thread(self.executor.identity(number)).buffer[index as usize];
        Some((number.0, entry.at, entry.size))
    }

    /// The stores in all buffers.
    pub fn pending(&self) -> BTreeSet<Store> {
        let of_thread = |number: ThreadIndex| {
            let entries = self.executor.thread(self.executor.identity(number)).buffer.iter();
            entries.map(move |entry| (number.0, entry.at, entry.size))
        };
        self.executor.numbers().flat_map(of_thread).collect()
    }

    /// Whether nothing will happen any more here, though the program has not ended, if that is looked for.
    pub fn is_stuck(&self) -> bool {
        let has_stores = |thread| !self.executor.thread(thread).buffer.is_empty();
        self.setting.checks.termination
            && self.executor.may_go_on()
            && !self.executor.threads().any(|thread| self.is_bounded(thread) || has_stores(thread))
    }

    fn execute(&mut self, choice: Choice, enough: bool) -> Result<(), Stop> {
        self.was_spurious = false;
        match choice {
            Choice::Start => {
                self.executor.start()?;
                if let Some(absorber) = &mut self.absorber {
                    absorber.look_ahead(&self.executor);
                }
            }
            Choice::Run(number) => self.run_with_waiting(number, enough)?,
            Choice::Commit(number, index) => {
                self.commit(number, index as usize)?;
                if let Some(absorber) = &mut self.absorber
                    && !absorber.follow(&self.executor, number, None, (false, enough))
                {
                    return Err(Stop::NotEnabled);
                }
            }
        }
        self.merge_stores()?;
        self.take_commits_along()
    }

    pub(crate) fn commit(&mut self, number: ThreadIndex, index: usize) -> Result<(), Stop> {
        let thread = self.executor.identity(number);
        let step = self.executor.thread(thread).buffer[index].step;
        self.taken.push(Taken { thread, step, commit: true, creates: false, lets_go: false });
        let result = self.executor.commit(thread, step);
        self.note_who_went_on(thread);
        result
    }

    pub(crate) fn run(&mut self, thread: ThreadIdentity) -> Result<(), Stop> {
        let owner = self.executor.thread(thread);
        let step = owner.counts.steps.next();
        let creates = matches!(self.setting.code.ops[owner.pc as usize], Op::Spawn(_));
        self.taken.push(Taken { thread, step, commit: false, creates, lets_go: false });
        let result = self.executor.step(thread);
        self.note_who_went_on(thread);
        result
    }

    /// Whether the last step of `thread` let another one pass a join.
    fn note_who_went_on(&mut self, thread: ThreadIdentity) {
        let joins = |effect: &Effect| matches!(*effect, Effect::Join { thread: joining, .. } if joining != thread);
        let lets_go = self.executor.effects().iter().any(joins);
        if let Some(last) = self.taken.last_mut() {
            last.lets_go = lets_go;
        }
    }

    /// Stores go to their buffers at once: nobody else notices, and the own commits go on as before, so the order does
    /// not matter. It ends, because buffers are bounded.
    pub(crate) fn merge_stores(&mut self) -> Result<(), Stop> {
        let merges = self.setting.reductions.merge_stores && !self.setting.stores_may_fail();
        if !merges || self.setting.model == Model::Sc {
            return Ok(());
        }
        let mut number = ThreadIndex::MAIN;
        while number.index() < self.executor.thread_count() && self.executor.exited().is_none() {
            let thread = self.executor.identity(number);
            if self.is_buffered_store(thread) && !self.is_full(thread) {
                self.run(thread)?;
                // What it did silently may have brought others before a store.
                number = ThreadIndex::MAIN;
            } else {
                number.0 += 1;
            }
        }
        Ok(())
    }

    /// What may happen next, in a fixed order; some of it may turn out not to be enabled. `None` after the last.
    pub fn next_candidate(&mut self, last: Option<Choice>) -> Option<Choice> {
        let (mut number, mut place) = match last {
            None | Some(Choice::Start) => (ThreadIndex::MAIN, None),
            Some(Choice::Run(thread)) => (thread, Some(0)),
            Some(Choice::Commit(thread, index)) => (thread, Some(index + 1)),
        };
        if self.executor.exited().is_some() {
            return None;
        }
        while number.index() < self.executor.thread_count() {
            let thread = self.executor.identity(number);
            let owner = self.executor.thread(thread);
            match place {
                None => {
                    if owner.status == Status::Ready {
                        let (full, held) = (self.is_full(thread), self.is_held(thread));
                        if !full && !held {
                            return Some(Choice::Run(number));
                        }
                        self.buffer_full |= full;
                        self.threads_full |= held;
                    }
                    place = Some(0);
                }
                Some(index) if (index as usize) < owner.buffer.len() => {
                    if self.executor.can_commit(thread, owner.buffer[index as usize].step) {
                        return Some(Choice::Commit(number, index));
                    }
                    place = Some(index + 1);
                }
                Some(_) => {
                    number.0 += 1;
                    place = None;
                }
            }
        }
        None
    }

    /// The steps taken so far, creations as early as they can be, which makes fewer switches between threads to look at:
    /// right behind the thread's own step before, unless it waited for another thread to end.
    fn steps(&self) -> Vec<Taken> {
        let mut creators = self.taken.iter().filter(|taken| taken.creates).map(|taken| taken.thread);
        let first = creators.next();
        // Where several threads create, the order of their creations tells who gets which number.
        if creators.any(|creator| Some(creator) != first) {
            return self.taken.clone();
        }
        let mut steps: Vec<Taken> = Vec::with_capacity(self.taken.len());
        for &taken in &self.taken {
            let own = |step: &Taken| step.thread == taken.thread || step.lets_go;
            let at = match taken.creates {
                true => steps.iter().rposition(own).map_or(0, |before| before + 1),
                false => steps.len(),
            };
            steps.insert(at, taken);
        }
        steps
    }

    /// The steps taken so far, and the inputs given.
    pub fn schedule(&self) -> Schedule {
        let steps = self.steps();
        let steps = steps.iter().map(|taken| {
            let thread = self.executor.thread(taken.thread).name.clone();
            match taken.commit {
                true => Step::Commit { thread, step: taken.step },
                false => Step::Run { thread, step: taken.step },
            }
        });
        let steps = steps.collect();
        let inputs = self.executor.threads().map(|thread| {
            let values: Vec<u64> = self.executor.inputs_taken(thread).iter().map(|taken| taken.1).collect();
            (self.executor.thread(thread).name.clone(), values)
        });
        let mut inputs: Vec<_> = inputs.filter(|(_, values)| !values.is_empty()).collect();
        inputs.sort();
        Schedule { model: self.setting.model, program: self.setting.program.fingerprint(), steps, inputs }
    }
}

/// The first value of an input whose domain is small.
fn choose(setting: &Setting<'_>, request: Request) -> Result<Chosen, Halt> {
    let Request { thread, position, ty, source, site, span } = request;
    let few = match (ty, site) {
        (Ty::Bool, _) => Some(vec![0, 1]),
        (_, Some(site)) => setting.program.domains().get(&site).cloned(),
        (_, None) => None,
    };
    let spurious_if = [0, 1].into_iter().find(|&value| source.is_spurious(value));
    let mut rest = few.unwrap_or_default();
    rest.reverse();
    let Some(value) = rest.pop() else {
        let (NondetSource::Input(name) | NondetSource::Uninitialised(name)) = source;
        return Err(Halt::Wide { name, span: (span != Span::NONE).then_some(span) });
    };
    Ok(Chosen { thread, position, rest, value, spurious_if })
}

/// Goes on to the next combination of values; `false` if there is none.
pub fn next_values(chosen: &mut Vec<Chosen>) -> bool {
    while let Some(last) = chosen.last_mut() {
        match last.rest.pop() {
            Some(value) => {
                last.value = value;
                return true;
            }
            None => {
                chosen.pop();
            }
        }
    }
    false
}
