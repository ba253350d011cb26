//! The locations that accesses are compared by.
//!
//! Bytes that are always accessed together make one cell. Where an access cuts through a cell, the cell falls apart into
//! bytes for good, and the search begins anew: events that were compared by the old cells would not fit.
//!
//! A byte of a global object is known by its place in the executor's memory. Any other byte is known by the thread
//! that owns it and by its address, because its place differs between executions. The life of an object that can end
//! is a cell too: every access reads it, the end writes it, and so does the beginning of another object in the same
//! memory.
//!
//! The free memory is one cell: allocations write it, frees and commits read it, since the order of frees and commits
//! among one another does not matter.

use norn_exec::memory::Kind;
use norn_exec::{Executor, ThreadIdentity};
use norn_ir::number::narrow;
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeMap;

norn_ir::ids! {
    /// A cell, by its first byte; bytes are numbered as [`Cells`] does.
    CellId = "cell";
}

#[derive(Default)]
pub struct Cells {
    /// By byte: 0 not accessed yet, `INSIDE` within a cell, else the size of the cell that begins here.
    shapes: Vec<u8>,
    dynamic: BTreeMap<(ThreadIdentity, u64), CellId>,
    lives: BTreeMap<(ThreadIdentity, u64), CellId>,
    /// What the allocator knows to be free, if memory is reused.
    allocator: Option<CellId>,
    /// A cell fell apart.
    pub changed: bool,
}

const INSIDE: u8 = 255;

/// In place of an owner: the globals.
const GLOBALS: ThreadIdentity = ThreadIdentity(u32::MAX);

impl Cells {
    fn fresh(&mut self) -> CellId {
        self.shapes.push(0);
        CellId::new(self.shapes.len() - 1)
    }

    /// The name of an object and an offset in it: the owner and the address in the owner's arena.
    fn name(executor: &Executor<'_>, object: u32, offset: u32) -> (ThreadIdentity, u64) {
        let info = &executor.memory().objects[object as usize];
        let address = info.base + u64::from(offset);
        let shift = executor.memory().target().arena_bits();
        let arena = (address >> shift).saturating_sub(1);
        let owner = arena.checked_sub(1).map_or(GLOBALS, |number| executor.identity(ThreadIndex(narrow(number))));
        (owner, address & ((1 << shift) - 1))
    }

    fn byte(&mut self, executor: &Executor<'_>, object: u32, at: u32) -> CellId {
        let info = &executor.memory().objects[object as usize];
        let key = Self::name(executor, object, at - info.start);
        match self.dynamic.get(&key) {
            Some(&cell) => cell,
            None => {
                let cell = self.fresh();
                self.dynamic.insert(key, cell);
                cell
            }
        }
    }

    /// The life of an object, if it can end.
    pub fn life(&mut self, executor: &Executor<'_>, object: u32) -> Option<CellId> {
        let info = &executor.memory().objects[object as usize];
        if matches!(info.kind, Kind::Global | Kind::Constant) {
            return None;
        }
        let key = Self::name(executor, object, 0);
        let known = self.lives.get(&key).copied();
        Some(known.unwrap_or_else(|| {
            let cell = self.fresh();
            self.lives.insert(key, cell);
            cell
        }))
    }

    pub fn allocator(&mut self) -> CellId {
        let known = self.allocator;
        known.unwrap_or_else(|| {
            let cell = self.fresh();
            self.allocator = Some(cell);
            cell
        })
    }

    /// Whether the end of the object's life makes memory free that may be given out again.
    pub fn is_given_back(executor: &Executor<'_>, object: u32) -> bool {
        executor.reuses_memory() && executor.memory().objects[object as usize].kind == Kind::Heap
    }

    /// The cells of an access.
    pub fn of(&mut self, executor: &Executor<'_>, object: u32, at: u32, size: u8, mut each: impl FnMut(CellId)) {
        let global = executor.memory().objects[object as usize].kind == Kind::Global;
        if global && self.shapes.get(at as usize) == Some(&size) {
            return each(CellId(at));
        }
        let mut bytes = [CellId(0); 8];
        for i in 0..u32::from(size) {
            bytes[i as usize] = if global { CellId(at + i) } else { self.byte(executor, object, at + i) };
        }
        let bytes = &bytes[..usize::from(size)];
        let highest = bytes.iter().max().map_or(0, |byte| byte.index() + 1);
        if self.shapes.len() < highest {
            self.shapes.resize(highest, 0);
        }
        if bytes.iter().all(|&byte| self.shapes[byte.index()] == 0) {
            self.shapes[bytes[0].index()] = size;
            bytes[1..].iter().for_each(|&byte| self.shapes[byte.index()] = INSIDE);
            return each(bytes[0]);
        }
        if self.shapes[bytes[0].index()] == size {
            return each(bytes[0]);
        }
        // Every cell that it touches has to lie inside of it.
        let mut inside = 0;
        let mut whole = true;
        for &byte in bytes {
            match self.shapes[byte.index()] {
                0 => whole = false,
                INSIDE if inside > 0 => inside -= 1,
                INSIDE => whole = false,
                shape => {
                    whole &= inside == 0;
                    inside = shape - 1;
                }
            }
        }
        if !whole || inside > 0 {
            self.split(executor, object, at, size, global);
        }
        for &byte in bytes {
            if self.shapes[byte.index()] != INSIDE {
                each(byte);
            }
        }
    }

    /// The cells that the access touches fall apart into bytes, and so does the access.
    fn split(&mut self, executor: &Executor<'_>, object: u32, at: u32, size: u8, global: bool) {
        self.changed = true;
        let info = executor.memory().objects[object as usize];
        let end = info.start + info.size;
        let byte = |this: &mut Self, place: u32| {
            let byte = if global { CellId(place) } else { this.byte(executor, object, place) }.index();
            if this.shapes.len() <= byte {
                this.shapes.resize(byte + 1, 0);
            }
            byte
        };
        let mut first = at;
        while first > info.start && {
            let index = byte(self, first);
            self.shapes[index] == INSIDE
        } {
            first -= 1;
        }
        let mut place = first;
        while place < end {
            let index = byte(self, place);
            // Past the access only the rest of a cell that began within it.
            if place >= at + u32::from(size) && self.shapes[index] != INSIDE {
                break;
            }
            self.shapes[index] = 1;
            place += 1;
        }
    }

    /// Leaves room for the bytes of the global objects, whose places are their cells.
    pub fn reserve_globals(&mut self, executor: &Executor<'_>) {
        let globals = executor.memory().objects.iter().take_while(|o| matches!(o.kind, Kind::Global | Kind::Constant));
        let end = globals.map(|o| (o.start + o.size) as usize).max().unwrap_or(0);
        if self.shapes.len() < end {
            self.shapes.resize(end, 0);
        }
    }
}
