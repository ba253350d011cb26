//! The vector of a state: the numbers of its parts, folded into a tree of pairs whose root is the state.
//!
//! The vector always describes the state that the executor is in. A step changes few parts; only these are encoded anew,
//! and the nodes above them looked up. What was there before is kept on a trail, so that going back is cheap.
//!
//! The parts: for each thread its position and registers, its own objects and its buffer; for each global object one per
//! 64 bytes; the allocated objects in order of first reach; and a header with the number of threads and with the names
//! of the allocated objects that the other parts refer to.

use crate::absorb::Absorber;
use crate::encode::{Encoder, Part};
use crate::store::{Full, Leaves, NOTHING, Pairs};
use norn_exec::memory::{Kind, Memory};
use norn_exec::open::Carrier;
use norn_exec::{Change, Executor, Mark, ThreadIdentity};
use norn_ir::number::narrow;
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeMap;

/// Bytes of a global object that make one part.
const CHUNK: u32 = 64;

/// In debug builds the vector is compared with the state now and then.
const UPDATES_PER_LOOK: u64 = 7;

/// Why a state has no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The tables are full.
    Full,
    /// There are more threads than the vector has room for.
    Threads,
    /// An address was observed while objects are renamed.
    Observed,
    /// What was absorbed depends on something.
    Conflict,
    /// So little is absorbed that it costs more than it saves.
    NotWorthIt,
}

impl From<Full> for Problem {
    fn from(_: Full) -> Problem {
        Problem::Full
    }
}

pub struct Vector<'c> {
    encoder: Encoder<'c>,
    leaves: Leaves,
    pairs: Pairs,
    /// Whole states by the two nodes below their root; without collapsing, whole states as bytes.
    states: Pairs,
    whole: Leaves,
    collapse: bool,
    /// It matters whether main has returned.
    deadlock: bool,
    /// The tree: node 1 is the root, the children of n are 2n and 2n+1. The first half is pairs, the second leaves.
    nodes: Vec<u32>,
    width: usize,
    trail: Vec<(u32, u32)>,
    max_threads: usize,
    per_thread: usize,
    /// The parts of global objects: where they begin in the flat memory, ascending, with object and offsets.
    globals: Vec<Global>,
    /// The first leaf of a global object, of the header.
    first_global: usize,
    empty: u32,
    /// By leaf: whether it refers to allocated objects.
    refers: Vec<bool>,
    dirty: Vec<u32>,
    above: Vec<u32>,
    part: Part,
    heap: Heap,
    updates: u64,
}

struct Global {
    start: u32,
    object: u32,
    range: (u32, u32),
    /// Constant objects never change.
    constant: bool,
}

/// Allocated objects of the current state, in order of first reach.
#[derive(Default)]
struct Heap {
    names: BTreeMap<u32, u32>,
    order: Vec<u32>,
    header: Part,
}

const CONTROL: usize = 0;
const OBJECTS: usize = 1;
const BUFFER: usize = 2;

/// How far back a trail goes.
pub type TrailMark = usize;

impl<'c> Vector<'c> {
    /// For the state that the executor is in at its beginning.
    pub fn new(
        executor: &Executor<'_>,
        encoder: Encoder<'c>,
        collapse: bool,
        deadlock: bool,
        (max_threads, buffers): (usize, bool),
    ) -> Result<Vector<'c>, Problem> {
        let mut globals = Vec::new();
        let memory = executor.memory();
        for &object in &memory.arenas[0].objects {
            let info = &memory.objects[object as usize];
            let constant = info.kind == Kind::Constant;
            let chunk = if constant { info.size.max(1) } else { CHUNK };
            for from in (0..info.size).step_by(chunk as usize) {
                let range = (from, (from + chunk).min(info.size));
                globals.push(Global { start: info.start + from, object, range, constant });
            }
        }
        let per_thread = if buffers { 4 } else { 2 };
        let first_global = max_threads * per_thread;
        // The header and the allocated objects come after the globals.
        let width = (first_global + globals.len() + 2).next_power_of_two();
        let mut leaves = Leaves::default();
        let empty = leaves.add(&[0])?.0;
        let mut vector = Vector {
            encoder,
            leaves,
            pairs: Pairs::default(),
            states: Pairs::default(),
            whole: Leaves::default(),
            collapse,
            deadlock,
            nodes: vec![NOTHING; 2 * width],
            width,
            trail: Vec::new(),
            max_threads,
            per_thread,
            globals,
            first_global,
            empty,
            refers: vec![false],
            dirty: Vec::new(),
            above: Vec::new(),
            part: Part::default(),
            heap: Heap::default(),
            updates: 0,
        };
        vector.fill(executor)?;
        Ok(vector)
    }

    /// Everything anew.
    fn fill(&mut self, executor: &Executor<'_>) -> Result<(), Problem> {
        if !self.collapse {
            return Ok(());
        }
        for thread in 0..self.max_threads {
            for part in [OBJECTS, BUFFER] {
                if part < self.per_thread {
                    self.nodes[self.width + thread * self.per_thread + part] = self.empty;
                }
            }
        }
        for number in executor.numbers() {
            if number.index() >= self.max_threads {
                return Err(Problem::Threads);
            }
            for part in [CONTROL, OBJECTS, BUFFER] {
                self.thread_part(executor, number, part)?;
            }
        }
        for global in 0..self.globals.len() {
            if !self.globals[global].constant {
                self.global_part(executor, global)?;
            }
        }
        for node in (1..self.width).rev() {
            if node > 1 {
                let pair = (self.nodes[2 * node], self.nodes[2 * node + 1]);
                self.nodes[node] = self.pairs.add(pair)?.0;
            }
        }
        self.dirty.clear();
        self.header(executor, None)?;
        self.lift()?;
        self.trail.clear();
        Ok(())
    }

    /// The number of the current state and whether it is new; the vector should be up to date.
    pub fn state(&mut self, executor: &Executor<'_>, absorber: Option<&Absorber<'_>>) -> Result<(u32, bool), Problem> {
        if !self.collapse {
            return self.whole_state(executor, absorber);
        }
        Ok(self.states.add((self.nodes[2], self.nodes[3]))?)
    }

    pub fn states(&self) -> usize {
        self.states.len() + self.whole.len()
    }

    /// The memory that the stored states take.
    pub fn size(&self) -> usize {
        self.leaves.size() + self.pairs.size() + self.states.size() + self.whole.size() + self.refers.capacity()
    }

    pub fn mark(&self) -> TrailMark {
        self.trail.len()
    }

    pub fn undo_to(&mut self, mark: TrailMark) {
        while self.trail.len() > mark {
            if let Some((node, old)) = self.trail.pop() {
                self.nodes[node as usize] = old;
            }
        }
    }

    /// Brings the vector up to date with what the executor has done since the mark.
    pub fn update(
        &mut self,
        executor: &Executor<'_>,
        since: Mark,
        absorber: Option<&Absorber<'_>>,
    ) -> Result<(), Problem> {
        if self.encoder.rename && executor.address_observed() {
            return Err(Problem::Observed);
        }
        if !self.collapse {
            return Ok(());
        }
        if executor.thread_count() > self.max_threads {
            return Err(Problem::Threads);
        }
        let memory = executor.memory();
        let mut changed = std::mem::take(&mut self.above);
        changed.clear();
        let mut last = Change::Exit;
        for change in executor.changes_since(since) {
            if change == last {
                continue;
            }
            last = change;
            match change {
                Change::Thread(thread) => {
                    let number = executor.thread(thread).number;
                    let leaf = narrow(self.width + number.index() * self.per_thread);
                    changed.push(leaf + narrow(CONTROL));
                    let no_objects =
                        self.nodes[leaf as usize + OBJECTS] == self.empty && self.has_no_objects(executor, thread);
                    if !no_objects {
                        changed.push(leaf + narrow(OBJECTS));
                    }
                    // Fences that the thread passed may separate what is in its buffer from what comes.
                    if self.per_thread > BUFFER && !executor.thread(thread).buffer.is_empty() {
                        changed.push(leaf + narrow(BUFFER));
                    }
                }
                Change::Buffer(thread) => {
                    let number = executor.thread(thread).number;
                    changed.push(narrow(self.width + number.index() * self.per_thread + BUFFER));
                }
                Change::Bytes(at) => changed.extend(self.leaf_of_byte(memory, at)),
                Change::Object(object) => changed.extend(self.leaf_of_object(memory, object)),
                Change::Pointers => {
                    let threads = executor.thread_count() * self.per_thread;
                    changed.extend((0..threads).map(|part| narrow(self.width + part)));
                    let globals = self.globals.iter().enumerate().filter(|(_, global)| !global.constant);
                    changed.extend(globals.map(|(part, _)| narrow(self.width + self.first_global + part)));
                }
                Change::Exit => {}
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for &leaf in &changed {
            let at = leaf as usize - self.width;
            if at < self.first_global {
                self.thread_part(executor, ThreadIndex::new(at / self.per_thread), at % self.per_thread)?;
            } else {
                self.global_part(executor, at - self.first_global)?;
            }
        }
        self.above = changed;
        self.header(executor, absorber)?;
        self.lift()?;
        self.updates += 1;
        if cfg!(debug_assertions) && self.updates.is_multiple_of(UPDATES_PER_LOOK) {
            self.look_for_stale_parts(executor);
        }
        Ok(())
    }

    /// A part that was not encoded anew although it changed would make different states one.
    fn look_for_stale_parts(&mut self, executor: &Executor<'_>) {
        for number in executor.numbers() {
            for part in (CONTROL..=BUFFER).take(self.per_thread) {
                self.encode_thread_part(executor, number, part);
                let known = self.nodes[self.width + number.index() * self.per_thread + part];
                assert_eq!(self.leaf(), Ok(known), "part {part} of thread {number} should be up to date");
            }
        }
        for global in (0..self.globals.len()).filter(|&global| !self.globals[global].constant).collect::<Vec<_>>() {
            self.encode_global_part(executor, global);
            let known = self.nodes[self.width + self.first_global + global];
            assert_eq!(self.leaf(), Ok(known), "part {global} of the global objects should be up to date");
        }
        for node in 2..self.width {
            let pair = (self.nodes[2 * node], self.nodes[2 * node + 1]);
            let number = self.pairs.add(pair).map(|(number, _)| number);
            assert_eq!(number, Ok(self.nodes[node]), "node {node} should be up to date");
        }
    }

    /// Whether there is nothing to encode.
    fn has_no_objects(&self, executor: &Executor<'_>, thread: ThreadIdentity) -> bool {
        let owner = executor.thread(thread);
        let arena = &executor.memory().arenas[owner.number.index() + 1];
        arena.objects.is_empty() && owner.locals.is_empty()
    }

    fn leaf_of_byte(&self, memory: &Memory, at: u32) -> Option<u32> {
        let part = self.globals.partition_point(|global| global.start <= at).checked_sub(1);
        if let Some(part) = part
            && at < self.globals[part].start + (self.globals[part].range.1 - self.globals[part].range.0)
        {
            return Some(narrow(self.width + self.first_global + part));
        }
        let object = memory.objects.partition_point(|object| object.start <= at).checked_sub(1)?;
        self.leaf_of_object(memory, narrow(object))
    }

    /// The leaf of an object that a thread made; allocated objects are looked at anyway.
    fn leaf_of_object(&self, memory: &Memory, object: u32) -> Option<u32> {
        let info = &memory.objects[object as usize];
        if self.encoder.rename && matches!(info.kind, Kind::Heap | Kind::Stack) {
            return None;
        }
        let thread = memory.arena_of(info.base)?.checked_sub(1)? as usize;
        Some(narrow(self.width + thread * self.per_thread + OBJECTS))
    }

    fn set(&mut self, node: usize, value: u32) {
        if self.nodes[node] != value {
            self.trail.push((narrow(node), self.nodes[node]));
            self.nodes[node] = value;
            self.dirty.push(narrow(node));
        }
    }

    /// The number of the part that was just encoded.
    fn leaf(&mut self) -> Result<u32, Full> {
        // The same bytes may mean different things in different parts; this must not be one of them.
        self.part.bytes.push(u8::from(!self.part.references.is_empty()));
        let (number, new) = self.leaves.add(&self.part.bytes)?;
        if new {
            self.refers.push(!self.part.references.is_empty());
        }
        Ok(number)
    }

    fn encode_thread_part(&mut self, executor: &Executor<'_>, number: ThreadIndex, part: usize) {
        self.part.clear();
        let thread = executor.identity(number);
        let owner = executor.thread(thread);
        match part {
            CONTROL => self.encoder.control(executor, thread, &mut self.part),
            OBJECTS => self.encoder.own_objects(executor.memory(), owner, &mut self.part),
            _ => self.encoder.buffer(executor.memory(), owner, &mut self.part),
        }
    }

    fn thread_part(&mut self, executor: &Executor<'_>, number: ThreadIndex, part: usize) -> Result<(), Problem> {
        if part >= self.per_thread {
            return Ok(());
        }
        self.encode_thread_part(executor, number, part);
        let leaf = self.leaf()?;
        self.set(self.width + number.index() * self.per_thread + part, leaf);
        Ok(())
    }

    fn encode_global_part(&mut self, executor: &Executor<'_>, global: usize) {
        self.part.clear();
        let Global { object, range, .. } = self.globals[global];
        self.encoder.content(executor.memory(), object, range, &mut self.part);
    }

    fn global_part(&mut self, executor: &Executor<'_>, global: usize) -> Result<(), Problem> {
        self.encode_global_part(executor, global);
        let leaf = self.leaf()?;
        self.set(self.width + self.first_global + global, leaf);
        Ok(())
    }

    /// Looks up the nodes above those that changed.
    fn lift(&mut self) -> Result<(), Problem> {
        let mut level = std::mem::take(&mut self.dirty);
        let mut above = std::mem::take(&mut self.above);
        level.sort_unstable();
        // All are leaves, and so on the same level.
        while level.first().is_some_and(|&node| node > 3) {
            above.clear();
            for &node in &level {
                if above.last() != Some(&(node / 2)) {
                    above.push(node / 2);
                }
            }
            level.clear();
            for &node in &above {
                let node = node as usize;
                let number = self.pairs.add((self.nodes[2 * node], self.nodes[2 * node + 1]))?.0;
                if self.nodes[node] != number {
                    self.trail.push((narrow(node), self.nodes[node]));
                    self.nodes[node] = number;
                    level.push(narrow(node));
                }
            }
        }
        level.clear();
        self.dirty = level;
        self.above = above;
        Ok(())
    }

    fn encode_header(&mut self, executor: &Executor<'_>) {
        self.part.clear();
        match executor.exited() {
            None => self.part.bytes.push(if self.deadlock && executor.main_returned() { 3 } else { 0 }),
            Some(exited) => {
                self.part.bytes.push(if exited.status.is_some() { 1 } else { 2 });
                self.part.number(u64::from(exited.status.unwrap_or(0) as u32));
            }
        }
        self.part.number(executor.thread_count() as u64);
    }

    /// The header, and the allocated objects.
    fn header(&mut self, executor: &Executor<'_>, absorber: Option<&Absorber<'_>>) -> Result<(), Problem> {
        self.encode_header(executor);
        let memory = executor.memory();
        let allocated =
            self.encoder.rename && memory.objects.iter().any(|o| matches!(o.kind, Kind::Heap | Kind::Stack));
        let mut heap = self.empty;
        if allocated {
            std::mem::swap(&mut self.heap.header, &mut self.part);
            heap = self.reach(executor)?;
            std::mem::swap(&mut self.heap.header, &mut self.part);
        }
        self.encode_absorbed(executor, absorber);
        self.encode_races(executor);
        let header = self.leaf()?;
        let at = self.width + self.first_global + self.globals.len();
        self.set(at, header);
        self.set(at + 1, heap);
        Ok(())
    }

    /// Which absorbed accesses are kept. What is not reached by name is reached by nobody.
    fn encode_absorbed(&mut self, executor: &Executor<'_>, absorber: Option<&Absorber<'_>>) {
        let Some(absorber) = absorber else { return };
        let memory = executor.memory();
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for (thread, access) in absorber.kept() {
            let info = &memory.objects[access.object as usize];
            let mut line = Part::default();
            line.number(thread as u64);
            line.bytes.push(u8::from(access.writes) << 1 | u8::from(access.is_loose));
            line.number(access.known);
            line.number(u64::from(access.size));
            if self.encoder.rename && matches!(info.kind, Kind::Heap | Kind::Stack) {
                let Some(&name) = self.heap.names.get(&access.object) else { continue };
                line.bytes.push(0);
                line.number(u64::from(name));
                line.number(u64::from(access.at - info.start));
            } else {
                line.bytes.push(1);
                let offset = i64::from(access.at - info.start);
                self.encoder.pointer(memory, memory.pointer(access.object, offset), &mut line);
            }
            lines.push(line.bytes);
        }
        lines.sort_unstable();
        lines.dedup();
        self.part.number(lines.len() as u64);
        lines.iter().for_each(|line| self.part.bytes.extend_from_slice(line));
    }

    /// Which accesses so far may be part of a data race, and who knows of them; nothing if there are none.
    fn encode_races(&mut self, executor: &Executor<'_>) {
        let Some(races) = executor.races() else { return };
        let memory = executor.memory();
        let (names, rename) = (&self.heap.names, self.encoder.rename);
        let is_named = |object: u32| rename && matches!(memory.objects[object as usize].kind, Kind::Heap | Kind::Stack);
        let open = races.open(executor, |object| !is_named(object) || names.contains_key(&object));
        let mut lines: Vec<Vec<u8>> = Vec::with_capacity(open.accesses.len() + open.known.len());
        let place = |line: &mut Part, object: u32, offset: u32| match names.get(&object) {
            Some(&name) if is_named(object) => {
                line.bytes.push(0);
                line.number(u64::from(name));
                line.number(u64::from(offset));
            }
            _ => {
                line.bytes.push(1);
                self.encoder.pointer(memory, memory.pointer(object, i64::from(offset)), line);
            }
        };
        for access in &open.accesses {
            let mut line = Part::default();
            line.bytes.extend([0, access.kind, access.size]);
            line.number(u64::from(access.thread.0));
            line.number(u64::from(access.class));
            place(&mut line, access.object, access.offset);
            lines.push(line.bytes);
        }
        for known in &open.known {
            let mut line = Part::default();
            let (tag, thread) = match known.carrier {
                Carrier::Thread(thread) => (1, Some(thread)),
                Carrier::Unacquired(thread) => (2, Some(thread)),
                Carrier::Fenced(thread) => (3, Some(thread)),
                Carrier::Buffered(thread, _, false) => (4, Some(thread)),
                Carrier::Buffered(thread, _, true) => (5, Some(thread)),
                Carrier::Lock(..) => (6, None),
                Carrier::Message(thread, _) => (7, Some(thread)),
            };
            line.bytes.push(tag);
            line.number(thread.map_or(0, |thread| u64::from(thread.0)));
            known.classes.iter().for_each(|&class| line.number(u64::from(class)));
            match known.carrier {
                Carrier::Thread(_) | Carrier::Unacquired(_) | Carrier::Fenced(_) => {}
                Carrier::Buffered(_, index, _) => line.number(u64::from(index)),
                Carrier::Lock(object, offset) => place(&mut line, object, offset),
                Carrier::Message(_, (object, offset, size)) => {
                    line.bytes.push(size);
                    place(&mut line, object, offset);
                }
            }
            lines.push(line.bytes);
        }
        if !lines.is_empty() {
            // In the order of nothing that could differ.
            lines.sort_unstable();
            self.part.number(lines.len() as u64);
            lines.iter().for_each(|line| self.part.bytes.extend_from_slice(line));
        }
    }

    /// Names the allocated objects in order of first reach: their parts folded into one number, the references in the
    /// header.
    fn reach(&mut self, executor: &Executor<'_>) -> Result<u32, Problem> {
        self.heap.names.clear();
        self.heap.order.clear();
        for number in executor.numbers() {
            for part in [CONTROL, OBJECTS, BUFFER] {
                let node = self.width + number.index() * self.per_thread + part;
                if part < self.per_thread && self.refers[self.nodes[node] as usize] {
                    self.encode_thread_part(executor, number, part);
                    self.name_references();
                }
            }
        }
        for global in 0..self.globals.len() {
            let leaf = self.nodes[self.width + self.first_global + global];
            if !self.globals[global].constant && self.refers[leaf as usize] {
                self.encode_global_part(executor, global);
                self.name_references();
            }
        }
        let mut folded = self.empty;
        let mut next = 0;
        while let Some(&object) = self.heap.order.get(next) {
            next += 1;
            self.part.clear();
            self.encoder.allocated(executor.memory(), object, &mut self.part);
            self.name_references();
            let leaf = self.leaf()?;
            folded = self.pairs.add((folded, leaf))?.0;
        }
        self.heap.header.number(next as u64);
        Ok(folded)
    }

    fn name_references(&mut self) {
        for &object in &self.part.references {
            let next = narrow(self.heap.order.len());
            let name = *self.heap.names.entry(object).or_insert(next);
            if name == next {
                self.heap.order.push(object);
            }
            self.heap.header.number(u64::from(name));
        }
    }

    /// The whole state as one string of bytes.
    fn whole_state(
        &mut self,
        executor: &Executor<'_>,
        absorber: Option<&Absorber<'_>>,
    ) -> Result<(u32, bool), Problem> {
        let mut bytes = Vec::new();
        self.heap.names.clear();
        self.heap.order.clear();
        self.heap.header.clear();
        let add = |this: &mut Self, bytes: &mut Vec<u8>| {
            let mut length = Part::default();
            length.number(this.part.bytes.len() as u64);
            bytes.extend_from_slice(&length.bytes);
            bytes.extend_from_slice(&this.part.bytes);
            this.name_references();
        };
        self.encode_header(executor);
        add(self, &mut bytes);
        for number in executor.numbers() {
            for part in [CONTROL, OBJECTS, BUFFER] {
                self.encode_thread_part(executor, number, part);
                add(self, &mut bytes);
            }
        }
        for global in 0..self.globals.len() {
            if !self.globals[global].constant {
                self.encode_global_part(executor, global);
                add(self, &mut bytes);
            }
        }
        let mut next = 0;
        while let Some(&object) = self.heap.order.get(next) {
            next += 1;
            self.part.clear();
            self.encoder.allocated(executor.memory(), object, &mut self.part);
            add(self, &mut bytes);
        }
        bytes.extend_from_slice(&self.heap.header.bytes);
        self.part.clear();
        self.encode_absorbed(executor, absorber);
        self.encode_races(executor);
        bytes.extend_from_slice(&self.part.bytes);
        Ok(self.whole.add(&bytes)?)
    }
}
