//! The chronological trace of the current execution: its events with their happens-before relation.
//!
//! Edges, beside the order of each thread's steps: store to its commit; between commits of a thread, as the model
//! orders them; between writes of a cell; from a write to the reads of other threads that see it; from a read to the
//! write that overwrites what it saw; from all commits of a thread to what follows a full fence; creation and join. A
//! read is not ordered with its own thread's commits, nor with writes that its own store hides: a read of an own store
//! counts as a reader of the cell once that store is in memory. But a read that an own store covers in part has to
//! wait for it: there the commit comes first. The end of an object's life is a write of the life, which all accesses
//! by others read; it is not ordered with its own thread's commits. Where memory is reused, an allocation is a write of
//! the free memory and of the life of the object whose memory it gives. Frees and commits are reads of the free memory:
//! memory that a thread has freed is free for others only after the commits of its older stores. The end of the
//! program is ordered after everything.
//!
//! Everything is a stack: the last event can be taken back.

use crate::bits::{self, Rows};
use crate::cells::{CellId, Cells};
use crate::footprint::{Access, Footprint, Footprints, Process, STORED};
use crate::varying::{Varying, VaryingStep};
use norn_exec::{Effect, Executor, Mark, ThreadIdentity};
use norn_ir::number::narrow;
use norn_verdict::model::Model;
use norn_verdict::schedule::StepNumber;

norn_ir::ids! {
    /// An event of the current execution: an index into [`Trace::events`].
    EventNumber = "event";
    /// An element of a list of readers.
    ReaderId = "reader";
}

impl EventNumber {
    /// No event has this number.
    pub const NONE: EventNumber = EventNumber(u32::MAX);

    /// The events after `self` and before `end`, in order.
    pub fn until(self, end: EventNumber) -> impl Iterator<Item = EventNumber> {
        (self.0 + 1..end.0).map(EventNumber)
    }
}

impl ReaderId {
    /// The end of a list.
    const NONE: ReaderId = ReaderId(u32::MAX);
}

#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub process: Process,
    pub footprint: Footprint,
    /// The executor's state before it.
    pub mark: Mark,
    /// The loads that read this store from the buffer.
    forwards: ReaderId,
    lengths: Lengths,
}

/// How long the logs and the table of readers were before an event.
#[derive(Clone, Copy, Default, Debug)]
struct Lengths {
    cells: u32,
    readers: u32,
    threads: u32,
    forwards: u32,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The last event that wrote the cell.
    writer: EventNumber,
    /// The events that read what the writer wrote.
    readers: ReaderId,
}

const UNTOUCHED: Cell = Cell { writer: EventNumber::NONE, readers: ReaderId::NONE };

/// An element of a list of readers.
#[derive(Clone, Copy, Debug)]
struct Reader {
    event: EventNumber,
    cell: CellId,
    next: ReaderId,
}

/// A store into the own buffer.
#[derive(Clone, Copy, Debug)]
struct Stored {
    at: u32,
    size: u8,
    step: StepNumber,
}

/// A creation or a join: the steps that the one thread has taken come before those that the other has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// How many events there were.
    pub events: usize,
    pub before: ThreadIdentity,
    pub after: ThreadIdentity,
}

/// Each thread has three rows: the events that its next step follows, its commits, and its commits of earlier epochs.
const BASE: usize = 0;
const COMMITS: usize = 1;
const EARLIER: usize = 2;
const KINDS: usize = 3;

pub struct Trace {
    model: Model,
    words: usize,
    pub events: Vec<Event>,
    /// By event: the event itself and all events that happen before it.
    pub clocks: Rows,
    threads: Rows,
    epochs: Vec<u32>,
    cells: Vec<Cell>,
    readers: Vec<Reader>,
    cell_log: Vec<(CellId, Cell)>,
    thread_log: Vec<(u32, u32)>,
    thread_rows: Rows,
    forward_log: Vec<(EventNumber, ReaderId)>,
    /// Creations and joins, in the order in which they happened.
    pub links: Vec<Link>,
    /// By thread.
    stores: Vec<Vec<Stored>>,
    /// By thread and step: the event of the step and, for a store, its commit.
    steps: Vec<Vec<(EventNumber, EventNumber)>>,
    accesses: Vec<Access>,
    /// Events of other threads that the last event directly depends on.
    conflicts: Vec<EventNumber>,
    /// The cells that the last event accesses concurrently with one of these.
    contested: Vec<CellId>,
    /// Events that end the program in other executions, so that everything depends on them.
    exiting: Vec<EventNumber>,
    past: Vec<u64>,
    row: Vec<u64>,
}

impl Trace {
    pub fn new(model: Model) -> Trace {
        let words = 1;
        Trace {
            model,
            words,
            events: Vec::new(),
            clocks: Rows::new(words),
            threads: Rows::new(words),
            epochs: Vec::new(),
            cells: Vec::new(),
            readers: Vec::new(),
            cell_log: Vec::new(),
            thread_log: Vec::new(),
            thread_rows: Rows::new(words),
            forward_log: Vec::new(),
            links: Vec::new(),
            stores: Vec::new(),
            steps: Vec::new(),
            accesses: Vec::new(),
            conflicts: Vec::new(),
            contested: Vec::new(),
            exiting: Vec::new(),
            past: vec![0; words],
            row: vec![0; words],
        }
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn event(&self, number: EventNumber) -> &Event {
        &self.events[number.index()]
    }

    /// The number that the next event will have.
    pub fn next_event(&self) -> EventNumber {
        EventNumber::new(self.events.len())
    }

    /// The number of the last event.
    pub fn last_event(&self) -> EventNumber {
        EventNumber::new(self.events.len() - 1)
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn happens_before(&self, earlier: EventNumber, later: EventNumber) -> bool {
        bits::has(self.clocks.row(later.index()), earlier.index())
    }

    /// The events that the thread's next step will follow, whatever it accesses.
    pub fn past_of(&self, thread: ThreadIdentity, row: &mut Vec<u64>) {
        row.clear();
        row.extend_from_slice(self.threads.row(thread.index() * KINDS + BASE));
        bits::join(row, self.threads.row(thread.index() * KINDS + COMMITS));
    }

    /// The events that the last event follows, whatever it accesses.
    pub fn last_past(&self) -> &[u64] {
        &self.past
    }

    /// The event that was a thread's step of this number.
    pub fn step_of(&self, thread: ThreadIdentity, step: StepNumber) -> EventNumber {
        self.steps[thread.index()][step.index()].0
    }

    /// The event that is the commit of a store, if it has happened.
    pub fn commit_of(&self, thread: ThreadIdentity, step: StepNumber) -> Option<EventNumber> {
        let (_, commit) = *self.steps.get(thread.index())?.get(step.index())?;
        (commit != EventNumber::NONE).then_some(commit)
    }

    fn make_room(&mut self, threads: usize) {
        if self.events.len() >= self.words * 64 {
            self.words *= 2;
            self.clocks.widen(self.words);
            self.threads.widen(self.words);
            self.thread_rows.widen(self.words);
            self.past.resize(self.words, 0);
            self.row.resize(self.words, 0);
        }
        if self.steps.len() < threads {
            self.threads.ensure(threads * KINDS);
            self.epochs.resize(threads, 0);
            self.steps.resize(threads, Vec::new());
            self.stores.resize(threads, Vec::new());
        }
    }

    /// Takes in the silent run of the program before its first step.
    pub fn begin(&mut self, executor: &Executor<'_>) {
        self.make_room(executor.identities());
        self.silent(executor.effects());
    }

    /// Adds the event that the executor has just carried out. `mark` is the executor's state before it. If its accesses
    /// vary, it comes with its site and the number of objects that were there before it; `ends` says that it counts as a step that
    /// may end the program.
    pub fn push(
        &mut self,
        executor: &Executor<'_>,
        (process, site, ends): (Process, Option<(VaryingStep, u32)>, bool),
        mark: Mark,
        cells: &mut Cells,
        varying: &mut Varying,
        footprints: &mut Footprints,
    ) {
        self.make_room(executor.identities());
        let lengths = Lengths {
            cells: narrow(self.cell_log.len()),
            readers: narrow(self.readers.len()),
            threads: narrow(self.thread_log.len()),
            forwards: narrow(self.forward_log.len()),
        };
        let number = self.next_event();
        let (visible, silent) = executor.split_effects();
        self.order_in_thread(process, visible);
        bits::copy(&mut self.row, &self.past);
        self.conflicts.clear();
        self.accesses.clear();
        self.contested.clear();
        let (mut exits, mut created) = (ends, None);
        let mut learnt = Vec::new();
        for effect in visible {
            let before = self.accesses.len();
            match *effect {
                Effect::Read { object, at, size, own, .. } => {
                    self.touch_life(executor, cells, object, number, process.thread, false);
                    let mut pieces = 0;
                    cells.of(executor, object, at, size, |cell| {
                        pieces += 1;
                        self.read(cell, own, number, process.thread);
                    });
                    // A store that covers a part of what is read makes it fall into pieces.
                    if own == StepNumber::NONE && pieces > 1 {
                        self.wait_for_stores(process.thread, at, size);
                    }
                }
                Effect::Write { object, at, size, .. } => {
                    self.touch_life(executor, cells, object, number, process.thread, false);
                    cells.of(executor, object, at, size, |cell| self.write(cell, number, process.thread));
                }
                // Its memory may be another object's by now.
                Effect::Commit { moot: true, .. } if executor.reuses_memory() => {
                    self.touch_allocator(cells.allocator(), false, process.thread, footprints);
                }
                Effect::Commit { object, at, size, step, .. } => {
                    if executor.reuses_memory() {
                        self.touch_allocator(cells.allocator(), false, process.thread, footprints);
                    }
                    self.touch_life(executor, cells, object, number, process.thread, false);
                    cells.of(executor, object, at, size, |cell| self.write(cell, number, process.thread));
                    self.readers_arrive(process.thread, step);
                }
                Effect::Store { object, at, size, step, .. } => {
                    self.stores[process.thread.index()].push(Stored { at, size, step });
                    self.accesses.push(Access::new(STORED, false));
                    self.touch_life(executor, cells, object, number, process.thread, false);
                }
                Effect::Ends { object, .. } => {
                    self.touch_life(executor, cells, object, number, process.thread, true);
                    if Cells::is_given_back(executor, object) {
                        self.touch_allocator(cells.allocator(), false, process.thread, footprints);
                    }
                }
                Effect::Allocates { .. } => self.touch_allocator(cells.allocator(), true, process.thread, footprints),
                Effect::Begins { object, .. } => {
                    self.touch_life(executor, cells, object, number, process.thread, true);
                }
                Effect::Exit => exits = true,
                Effect::Spawn { child, .. } => created = Some(child),
                Effect::Drained { .. } | Effect::Join { .. } => {}
            }
            if site.is_some_and(|(_, objects)| effect.object().is_none_or(|object| object < objects)) {
                learnt.extend_from_slice(&self.accesses[before..]);
            }
        }
        for cell in self.contested.drain(..) {
            varying.contest(cell);
        }
        if let Some((site, _)) = site {
            varying.learn(site, &learnt, exits);
            exits = varying.may_exit(site);
            let others = varying.others(site, &self.accesses);
            self.access_elsewhere(&others, number, process.thread);
        }
        let footprint = footprints.number(&self.accesses).exiting_if(exits);
        if exits {
            let leaves_trace = |&e: &EventNumber| !footprints.is_empty(self.event(e).footprint);
            let others = EventNumber::all(number.index()).rev().filter(|&e| !bits::has(&self.past, e.index()));
            self.conflicts = others.filter(leaves_trace).collect();
            self.exiting.push(number);
        } else if !self.accesses.is_empty() {
            let others = self.exiting.iter().filter(|&e| !bits::has(&self.past, e.index()));
            self.conflicts.extend(others);
        }
        if self.conflicts.len() > 1 {
            self.conflicts.sort_unstable_by(|a, b| b.cmp(a));
            self.conflicts.dedup();
        }
        for &conflict in &self.conflicts {
            bits::join(&mut self.row, self.clocks.row(conflict.index()));
        }
        bits::add(&mut self.row, number.index());
        let row = std::mem::take(&mut self.row);
        self.clocks.push(&row);
        self.events.push(Event { process, footprint, mark, forwards: ReaderId::NONE, lengths });
        let thread = process.thread.index();
        if process.is_thread() {
            self.steps[thread].push((number, EventNumber::NONE));
            self.save(process.thread, BASE);
            bits::join(self.threads.row_mut(thread * KINDS + BASE), &row);
        } else {
            self.steps[thread][process.step.index()].1 = number;
            self.save(process.thread, COMMITS);
            bits::join(self.threads.row_mut(thread * KINDS + COMMITS), &row);
        }
        self.row = row;
        if let Some(child) = created {
            self.link(process.thread, child);
            self.follow(child, process.thread, &[BASE]);
        }
        self.silent(silent);
    }

    /// Sets `past` to the events that an event follows, whatever it accesses.
    fn order_in_thread(&mut self, process: Process, visible: &[Effect]) {
        let thread = process.thread.index() * KINDS;
        if process.is_thread() {
            bits::copy(&mut self.past, self.threads.row(thread + BASE));
            if visible.iter().any(|effect| matches!(effect, Effect::Drained { .. })) {
                bits::join(&mut self.past, self.threads.row(thread + COMMITS));
            }
            return;
        }
        let store = self.steps[process.thread.index()][process.step.index()].0;
        bits::copy(&mut self.past, self.clocks.row(store.index()));
        if self.model == Model::Tso {
            bits::join(&mut self.past, self.threads.row(thread + COMMITS));
        } else if let Some(&Effect::Commit { epoch, .. }) = visible.first() {
            if epoch > self.epochs[process.thread.index()] {
                // The first commit of an epoch comes after all commits of the epochs before.
                self.save(process.thread, EARLIER);
                let commits = self.threads.row(thread + COMMITS).to_vec();
                bits::copy(self.threads.row_mut(thread + EARLIER), &commits);
                self.epochs[process.thread.index()] = epoch;
            }
            bits::join(&mut self.past, self.threads.row(thread + EARLIER));
        }
    }

    fn save(&mut self, thread: ThreadIdentity, kind: usize) {
        let row = thread.index() * KINDS + kind;
        self.thread_log.push((narrow(row), self.epochs[thread.index()]));
        self.thread_rows.push(self.threads.row(row));
    }

    fn silent(&mut self, effects: &[Effect]) {
        for effect in effects {
            match *effect {
                Effect::Drained { thread } => self.follow(thread, thread, &[COMMITS]),
                Effect::Join { thread, other } => {
                    self.link(other, thread);
                    self.follow(thread, other, &[BASE, COMMITS]);
                }
                _ => {}
            }
        }
    }

    fn link(&mut self, before: ThreadIdentity, after: ThreadIdentity) {
        self.links.push(Link { events: self.events.len(), before, after });
    }

    /// The next step of the thread follows the events in these rows of another thread.
    fn follow(&mut self, thread: ThreadIdentity, other: ThreadIdentity, kinds: &[usize]) {
        self.save(thread, BASE);
        for kind in kinds {
            let row = self.threads.row(other.index() * KINDS + kind).to_vec();
            bits::join(self.threads.row_mut(thread.index() * KINDS + BASE), &row);
        }
    }

    // Accesses.

    /// What the event accesses in other executions only.
    fn access_elsewhere(&mut self, others: &[(CellId, bool)], number: EventNumber, thread: ThreadIdentity) {
        let happened = self.accesses.len();
        for &(cell, writes) in others {
            match writes {
                true => self.write(cell, number, thread),
                false => self.read(cell, StepNumber::NONE, number, thread),
            }
        }
        self.accesses[happened..].iter_mut().for_each(|access| access.happened = false);
    }

    /// The event depends on an event of another thread, since both access the cell.
    fn conflict(&mut self, event: EventNumber, cell: CellId) {
        self.conflicts.push(event);
        if !bits::has(&self.past, event.index()) {
            self.contested.push(cell);
        }
    }

    fn cell(&mut self, cell: CellId) -> Cell {
        if self.cells.len() <= cell.index() {
            self.cells.resize(cell.index() + 1, UNTOUCHED);
        }
        self.cells[cell.index()]
    }

    fn set_cell(&mut self, cell: CellId, new: Cell) {
        let old = std::mem::replace(&mut self.cells[cell.index()], new);
        self.cell_log.push((cell, old));
    }

    /// A new element before the list `next`.
    fn reader(&mut self, event: EventNumber, cell: CellId, next: ReaderId) -> ReaderId {
        self.readers.push(Reader { event, cell, next });
        ReaderId::new(self.readers.len() - 1)
    }

    fn touch_life(
        &mut self,
        executor: &Executor<'_>,
        cells: &mut Cells,
        object: u32,
        number: EventNumber,
        thread: ThreadIdentity,
        ends: bool,
    ) {
        match cells.life(executor, object) {
            Some(life) if ends => self.write(life, number, thread),
            Some(life) => self.read(life, StepNumber::NONE, number, thread),
            None => {}
        }
    }

    /// The free memory is read or written. A commit is not ordered with the allocations of its own thread, so that all events
    /// of the others count, not only those since the last write.
    fn touch_allocator(&mut self, cell: CellId, writes: bool, thread: ThreadIdentity, footprints: &Footprints) {
        self.accesses.push(Access::new(cell, writes));
        for (number, event) in self.events.iter().enumerate() {
            let conflicts = |access: &Access| access.cell == cell && (writes || access.writes);
            if event.process.thread != thread && footprints.accesses(event.footprint).iter().any(conflicts) {
                self.conflicts.push(EventNumber::new(number));
            }
        }
    }

    fn read(&mut self, cell: CellId, own: StepNumber, number: EventNumber, thread: ThreadIdentity) {
        let Cell { writer, readers } = self.cell(cell);
        if own != StepNumber::NONE {
            let store = self.steps[thread.index()][own.index()].0;
            let next = self.events[store.index()].forwards;
            let reader = self.reader(number, cell, next);
            self.forward_log.push((store, next));
            self.events[store.index()].forwards = reader;
            self.accesses.push(Access { own, ..Access::new(cell, false) });
            return;
        }
        let mut own = StepNumber::NONE;
        if writer == number {
            return;
        }
        if writer != EventNumber::NONE {
            let process = self.event(writer).process;
            if process.thread == thread {
                own = process.step;
            } else {
                self.conflict(writer, cell);
            }
        }
        self.accesses.push(Access { own, ..Access::new(cell, false) });
        let readers = self.reader(number, cell, readers);
        self.set_cell(cell, Cell { writer, readers });
    }

    fn write(&mut self, cell: CellId, number: EventNumber, thread: ThreadIdentity) {
        let Cell { writer, readers } = self.cell(cell);
        self.accesses.push(Access::new(cell, true));
        if writer != EventNumber::NONE && writer != number {
            if self.event(writer).process.thread == thread {
                bits::join(&mut self.row, self.clocks.row(writer.index()));
                bits::join(&mut self.past, self.clocks.row(writer.index()));
            } else {
                self.conflict(writer, cell);
            }
        }
        let mut at = readers;
        while at != ReaderId::NONE {
            let Reader { event, next, .. } = self.readers[at.index()];
            if event != number && self.event(event).process.thread != thread {
                self.conflict(event, cell);
            }
            at = next;
        }
        self.set_cell(cell, Cell { writer: number, readers: ReaderId::NONE });
    }

    /// A read from memory: if the newest own store that it overlaps with does not cover it, all of them had to be in
    /// memory.
    fn wait_for_stores(&mut self, thread: ThreadIdentity, at: u32, size: u8) {
        let end = at + u32::from(size);
        let overlaps = |store: &Stored| store.at < end && at < store.at + u32::from(store.size);
        let newest = self.stores[thread.index()].iter().rfind(|store| overlaps(store));
        if newest.is_some_and(|store| store.at > at || store.at + u32::from(store.size) < end) {
            self.follow_commits(thread, overlaps);
        }
    }

    /// The last event follows the commits of these stores of its thread.
    fn follow_commits(&mut self, thread: ThreadIdentity, mut which: impl FnMut(&Stored) -> bool) {
        for at in 0..self.stores[thread.index()].len() {
            let store = self.stores[thread.index()][at];
            if which(&store)
                && let Some(commit) = self.commit_of(thread, store.step)
            {
                bits::join(&mut self.row, self.clocks.row(commit.index()));
                bits::join(&mut self.past, self.clocks.row(commit.index()));
            }
        }
    }

    /// A store reached memory: the loads that saw it in the buffer are readers of its cells now.
    fn readers_arrive(&mut self, thread: ThreadIdentity, step: StepNumber) {
        let store = self.steps[thread.index()][step.index()].0;
        let mut at = self.events[store.index()].forwards;
        while at != ReaderId::NONE {
            let Reader { event, cell, next } = self.readers[at.index()];
            let found = self.cell(cell);
            let readers = self.reader(event, cell, found.readers);
            self.set_cell(cell, Cell { readers, ..found });
            at = next;
        }
    }

    /// The events that race with the last one: it depends on them and on nothing in between.
    pub fn races(&self, races: &mut Vec<EventNumber>) {
        races.clear();
        for &conflict in &self.conflicts {
            let covered = |&other: &EventNumber| other != conflict && self.happens_before(conflict, other);
            if !bits::has(&self.past, conflict.index()) && !self.conflicts.iter().any(covered) {
                races.push(conflict);
            }
        }
    }

    /// Takes the last event back, as far as the trace is concerned.
    pub fn pop(&mut self) -> Option<Event> {
        while self.links.last().is_some_and(|link| link.events == self.events.len()) {
            self.links.pop();
        }
        let event = self.events.pop()?;
        if event.footprint.exits() {
            self.exiting.pop();
        }
        self.clocks.truncate(self.events.len());
        let Lengths { cells, readers, threads, forwards } = event.lengths;
        while self.cell_log.len() > cells as usize {
            let Some((cell, old)) = self.cell_log.pop() else { break };
            self.cells[cell.index()] = old;
        }
        while self.forward_log.len() > forwards as usize {
            let Some((store, old)) = self.forward_log.pop() else { break };
            self.events[store.index()].forwards = old;
        }
        self.readers.truncate(readers as usize);
        while self.thread_log.len() > threads as usize {
            let Some((row, epoch)) = self.thread_log.pop() else { break };
            let last = self.thread_log.len();
            bits::copy(self.threads.row_mut(row as usize), self.thread_rows.row(last));
            self.epochs[row as usize / KINDS] = epoch;
            self.thread_rows.truncate(last);
        }
        let steps = &mut self.steps[event.process.thread.index()];
        if event.process.is_thread() {
            let stores = &mut self.stores[event.process.thread.index()];
            if stores.last().is_some_and(|store| store.step.0 as usize == steps.len()) {
                stores.pop();
            }
            steps.pop();
        } else {
            steps[event.process.step.index()].1 = EventNumber::NONE;
        }
        Some(event)
    }
}
