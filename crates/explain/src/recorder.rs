//! What the steps of an execution did to one another: enough to reorder them.

use crate::player::Action;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::FenceKind;
use norn_machine::memory::ObjectRef;
use norn_machine::observe::{Happening, Observer, Scene, Spot};
use norn_machine::state::Thread;
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Counts the switches that a table shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rows {
    pub last: Option<ThreadIndex>,
    pub switches: u32,
}

impl Rows {
    fn row(&mut self, thread: ThreadIndex) {
        if self.last.is_some_and(|last| last != thread) {
            self.switches += 1;
        }
        self.last = Some(thread);
    }
}

impl Observer for Rows {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        if is_turn(what) {
            self.row(scene.thread);
        }
    }
}

/// Whether it is a turn of its thread in a table: `norn_verdict::trace::EventKind::is_turn` for what the machine tells.
fn is_turn(what: &Happening<'_>) -> bool {
    match what {
        Happening::Call { .. }
        | Happening::Fence(FenceKind::Call | FenceKind::Compiler)
        | Happening::Commit { .. }
        | Happening::ObjectEnds { by_free: false, .. }
        | Happening::Assumed(_)
        | Happening::Checks { .. }
        | Happening::Print { .. } => false,
        Happening::Read { .. }
        | Happening::Write { .. }
        | Happening::Update { .. }
        | Happening::Fence(_)
        | Happening::Create { .. }
        | Happening::Join { .. }
        | Happening::WakesUp
        | Happening::ObjectEnds { .. }
        | Happening::Input { .. }
        | Happening::ThreadEnds { .. }
        | Happening::Exit { .. } => true,
    }
}

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub object: ObjectRef,
    pub from: u64,
    pub to: u64,
    pub writes: bool,
}

impl Access {
    pub fn conflicts(&self, other: &Access) -> bool {
        self.object == other.object && (self.writes || other.writes) && self.from < other.to && other.from < self.to
    }
}

/// A step that was taken, and what it has to do with others.
#[derive(Clone, Debug)]
pub struct Done {
    pub action: Action,
    pub thread: ThreadIndex,
    /// Of memory, as other threads see it: a buffered store is none, its commit is.
    pub accesses: Vec<Access>,
    /// Reads of the own buffer: they conflict with stores of others that come later.
    pub forwarded: Vec<Access>,
    /// Objects that it uses, and those whose lives it ends.
    pub uses: Vec<ObjectRef>,
    pub ends: Vec<ObjectRef>,
    /// It made a store that went into the buffer, by this instruction.
    pub buffers: Option<(FuncId, BlockId, u32)>,
    /// The own buffer has to be empty.
    pub needs_empty: bool,
    pub created: Vec<ThreadIndex>,
    /// Who waited for whom, and went on in this step.
    pub joined: Vec<(ThreadIndex, ThreadIndex)>,
    /// Other threads that did something in this step, silently.
    pub others: Vec<ThreadIndex>,
    /// Where its thread stands after it.
    pub stands: Point,
}

/// Writes down what every step does.
#[derive(Default)]
pub struct Recorder {
    pub rows: Rows,
    before: Rows,
    pub done: Vec<Done>,
    current: Option<Done>,
    /// By thread: it passed a fence since its last step.
    fenced: Vec<bool>,
    fenced_before: Vec<bool>,
}

impl Recorder {
    pub fn begin(&mut self, action: Action, thread: ThreadIndex) {
        self.before = self.rows;
        self.fenced_before.clone_from(&self.fenced);
        let passed_fence = !action.is_commit && self.fenced.get_mut(thread.index()).is_some_and(std::mem::take);
        self.current = Some(Done {
            action,
            thread,
            accesses: Vec::new(),
            forwarded: Vec::new(),
            uses: Vec::new(),
            ends: Vec::new(),
            buffers: None,
            needs_empty: passed_fence,
            created: Vec::new(),
            joined: Vec::new(),
            others: Vec::new(),
            stands: Point::default(),
        });
    }

    pub fn end(&mut self, stands: Point) {
        self.done.extend(self.current.take().map(|done| Done { stands, ..done }));
    }

    /// The step was not possible after all.
    pub fn forget(&mut self) {
        self.current = None;
        self.rows = self.before;
        self.fenced.clone_from(&self.fenced_before);
    }
}

impl Observer for Recorder {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        self.rows.happened(scene, what);
        let thread = scene.thread;
        if let Happening::Fence(FenceKind::Full | FenceKind::Call) = what {
            if self.fenced.len() <= thread.index() {
                self.fenced.resize(thread.index() + 1, false);
            }
            self.fenced[thread.index()] = true;
        }
        let Some(done) = &mut self.current else { return };
        if thread != done.thread && !done.others.contains(&thread) {
            done.others.push(thread);
        }
        match *what {
            Happening::Read { spot, forwarded, .. } => {
                done.uses.push(spot.object);
                let into = if forwarded.is_some() { &mut done.forwarded } else { &mut done.accesses };
                into.push(access(spot, false));
            }
            Happening::Write { spot, buffered, .. } => {
                done.uses.push(spot.object);
                if buffered {
                    let frame = scene.state.threads[thread.index()].frame();
                    done.buffers = Some((frame.function, frame.block, frame.index));
                } else {
                    done.accesses.push(access(spot, true));
                    done.needs_empty = true;
                }
            }
            Happening::Update { spot, new, .. } => {
                done.uses.push(spot.object);
                done.accesses.push(access(spot, new.is_some()));
                done.needs_empty = true;
            }
            Happening::Commit { spot, .. } => {
                done.uses.push(spot.object);
                done.accesses.push(access(spot, true));
            }
            Happening::Create { thread } => {
                done.created.push(thread);
                done.needs_empty = true;
            }
            Happening::Join { thread: other } => done.joined.push((thread, other)),
            Happening::ObjectEnds { object, .. } => done.ends.push(object),
            Happening::Fence(_)
            | Happening::WakesUp
            | Happening::Call { .. }
            | Happening::Input { .. }
            | Happening::ThreadEnds { .. }
            | Happening::Checks { .. }
            | Happening::Assumed(_)
            | Happening::Exit { .. }
            | Happening::Print { .. } => {}
        }
    }
}

fn access(spot: Spot, writes: bool) -> Access {
    Access { object: spot.object, from: spot.offset, to: spot.offset + spot.size, writes }
}

/// The stores that wait in a buffer while something else happens, before or unless they reach memory.
pub fn delayed(done: &[Done]) -> usize {
    let is_commit_of = |other: &Done, thread: ThreadIndex, step: StepNumber| {
        other.action.is_commit && other.thread == thread && other.action.step == step
    };
    let is_delayed = |at: usize| {
        let Done { thread, ref action, .. } = done[at];
        let rest = &done[at + 1..];
        // Commits of other stores that the step may have needed first do not count.
        let next = rest.iter().find(|other| {
            !(other.action.is_commit && other.thread == thread) || is_commit_of(other, thread, action.step)
        });
        next.is_some_and(|next| !is_commit_of(next, thread, action.step))
    };
    (0..done.len()).filter(|&at| done[at].buffers.is_some() && is_delayed(at)).count()
}

/// A point in the code with its calls, the innermost last. It has no calls if the thread has ended.
pub type Point = Vec<(FuncId, BlockId, u32)>;

/// Where a thread stands.
pub fn point(thread: &Thread) -> Point {
    thread.frames.iter().map(|frame| (frame.function, frame.block, frame.index)).collect()
}

/// Which threads stand where when others have their turns.
pub fn switch_points(done: &[Done]) -> BTreeSet<(Rc<ThreadName>, Point)> {
    let runs = done.iter().filter(|done| !done.action.is_commit).collect::<Vec<_>>();
    let ends = runs.windows(2).filter(|pair| pair[0].thread != pair[1].thread).map(|pair| pair[0]);
    ends.map(|done| (done.action.thread.clone(), done.stands.clone())).collect()
}
