//! All threads of an execution, each run alone, until what they hand to one another is settled.
//!
//! What a read finds is known when the value of the write that it reads from is. So the threads run again and again until
//! nothing changes; in an execution in which no value comes out of thin air, all values are known then.

use norn_ir::types::Ty;
use norn_verdict::outcome::Checks;

use crate::event::{Answer, Cell, End, Kind, Source, Trace};
use crate::memory::{Base, Content};
use crate::run::{Script, Watch, run};
use crate::tables::Table;
use crate::value::{ObjectId, ObjectInfo, ObjectKind, Value};

/// Who created a thread, as the how-manieth of his.
pub type Parent = Option<(usize, usize)>;

/// What all threads are told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    pub parents: Vec<Parent>,
    /// Per thread the answers to its questions, in order.
    pub answers: Vec<Vec<Answer>>,
    /// Per thread the number of its events, at most.
    pub events: Vec<usize>,
}

impl Told {
    /// Nothing but that there is a first thread.
    pub fn nothing() -> Told {
        let mut told = Told::default();
        told.add(None);
        told
    }

    fn add(&mut self, parent: Parent) {
        self.parents.push(parent);
        self.answers.push(Vec::new());
        self.events.push(usize::MAX);
    }
}

#[derive(Clone)]
pub struct World<'b> {
    pub base: &'b Base<'b>,
    pub table: Table,
    parents: Vec<Parent>,
    pub traces: Vec<Trace>,
}

/// Threads that one execution may have.
const MAX_THREADS: usize = 32;
/// Runs of all threads until nothing changes. Each settles the values of one more step, at least.
const MAX_ROUNDS: usize = 4096;

/// Why threads do not come to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsettled {
    /// A thread is told what cannot be. More knowledge does not change that: values that are known stay.
    Dead,
    /// There are too many threads, or too many rounds.
    TooMuch,
}

impl<'b> World<'b> {
    /// The world in which nothing has happened yet.
    pub fn new(base: &'b Base<'b>, table: Table, told: &Told) -> World<'b> {
        let mut world = World { base, table, parents: told.parents.clone(), traces: Vec::new() };
        world.traces.resize_with(told.parents.len(), Trace::nothing);
        world
    }

    /// Runs the threads that are `stale`, and whoever finds something else after that. Threads that are created and have no
    /// number yet get one if `grows`.
    pub fn settle(
        mut self,
        checks: Checks,
        told: &mut Told,
        mut stale: Vec<bool>,
        grows: bool,
        watch: &mut dyn FnMut() -> Box<dyn Watch + 'b>,
    ) -> Result<World<'b>, Unsettled> {
        let world = &mut self;
        for _ in 0..MAX_ROUNDS {
            let Some(thread) = stale.iter().position(|&stale| stale) else { return Ok(self) };
            stale[thread] = false;
            let script = Script { answers: &told.answers[thread], events: told.events[thread] };
            let trace = run(world, checks, thread, script, &mut *watch());
            if matches!(trace.end, End::Disabled | End::Idle) {
                return Err(Unsettled::Dead);
            }
            if trace == world.traces[thread] {
                continue;
            }
            world.traces[thread] = trace;
            if grows {
                for nth in 0..world.traces[thread].spawns.len() {
                    if world.child(thread, nth).is_none() {
                        if told.parents.len() >= MAX_THREADS {
                            return Err(Unsettled::TooMuch);
                        }
                        told.add(Some((thread, nth)));
                        world.parents.push(Some((thread, nth)));
                        world.traces.push(Trace::nothing());
                        stale.push(true);
                        stale[thread] = true;
                    }
                }
            }
            for (other, stale) in stale.iter_mut().enumerate().filter(|(other, _)| *other != thread) {
                *stale |= world.looks_at(other, thread, &told.answers[other]);
            }
        }
        Err(Unsettled::TooMuch)
    }

    /// Whether a thread's run may depend on another one: it was created by that, joins it or reads from it, or its memory may be
    /// pointed to.
    fn looks_at(&self, thread: usize, other: usize, answers: &[Answer]) -> bool {
        let reads = |answer: &Answer| matches!(answer, Answer::Source(Some(Source::Event(id))) if id.thread == other);
        let Trace { events, end, .. } = &self.traces[thread];
        let is_told = events.iter().any(|event| event.forced.is_some_and(|id| id.thread == other));
        // Who has not begun, or waits, may wait for any.
        end.is_open() || matches!(end, End::Doubt(_)) || is_told || answers.iter().any(reads)
    }

    pub fn parent(&self, thread: usize) -> Parent {
        self.parents[thread]
    }

    /// The number of a thread, by who created it.
    pub fn child(&self, parent: usize, nth: usize) -> Option<usize> {
        self.parents.iter().position(|other| *other == Some((parent, nth)))
    }

    /// The objects of the program or of a thread.
    pub fn objects(&self, owner: u32) -> Option<&[ObjectInfo]> {
        match owner {
            0 => Some(&self.base.objects),
            _ => self.traces.get(owner as usize - 1).map(|trace| &trace.objects[..]),
        }
    }

    pub fn info(&self, object: ObjectId) -> Option<&ObjectInfo> {
        self.objects(object.owner)?.get(object.index as usize)
    }

    /// What a cell of an object holds at first. `None`: it is not initialised.
    pub fn initial(&self, info: Option<&ObjectInfo>, cell: Cell, ty: Ty) -> Option<Value> {
        let Cell::Memory { object, offset, .. } = cell else { return Some(Value::int(0)) };
        let info = info?;
        let target = self.base.program.target;
        let found = match info.kind {
            ObjectKind::Global(global) => self.base.content(global).read(offset, ty, target),
            ObjectKind::ThreadLocal(global) => {
                let instance = |id: norn_ir::ids::GlobalId| {
                    let own = self.objects(object.owner).unwrap_or_default();
                    let index = own.iter().position(|info| info.kind == ObjectKind::ThreadLocal(id));
                    let index = index.and_then(|index| u32::try_from(index).ok());
                    index.map_or(ObjectId { owner: 0, index: id.0 }, |index| ObjectId { owner: object.owner, index })
                };
                self.base.initial(global, &instance).read(offset, ty, target)
            }
            ObjectKind::Local { .. } | ObjectKind::Heap { .. } | ObjectKind::Stack { .. } => {
                Content::new(info).read(offset, ty, target)
            }
        };
        found.ok()
    }

    /// The value of an initial write, for people: 0 if it has none.
    pub fn initial_value(&self, cell: Cell, ty: Ty) -> Value {
        let info = match cell {
            Cell::Memory { object, .. } => self.info(object),
            Cell::Start(_) | Cell::End(_) => None,
        };
        self.initial(info, cell, ty).unwrap_or(Value::int(0))
    }

    /// Whether all writes of a place are of the same bytes.
    pub fn mixed_sizes(&self) -> Option<norn_ir::span::Span> {
        let mut cells: Vec<(ObjectId, u64, u64, norn_ir::span::Span)> = Vec::new();
        for event in self.traces.iter().flat_map(|trace| &trace.events).filter(|event| event.kind != Kind::Fence) {
            let Some(Cell::Memory { object, offset, size }) = event.cell else { continue };
            let clash = cells.iter().any(|&(other, at, length, _)| {
                other == object && (at, length) != (offset, size) && at < offset + size && offset < at + length
            });
            if clash {
                return Some(event.span);
            }
            cells.push((object, offset, size, event.span));
        }
        None
    }
}
