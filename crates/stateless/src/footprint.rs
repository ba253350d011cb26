//! What an event accesses, and which events depend on one another.

use crate::cells::CellId;
use norn_exec::ThreadIdentity;
use norn_ir::number::narrow;
use norn_verdict::schedule::StepNumber;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A process: a thread, or the pending commit of a store that the thread made with its visible step `step`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    pub thread: ThreadIdentity,
    /// [`StepNumber::NONE`]: the thread itself.
    pub step: StepNumber,
}

impl Process {
    pub fn run(thread: ThreadIdentity) -> Process {
        Process { thread, step: StepNumber::NONE }
    }

    /// Whether it is a thread, not a commit.
    pub fn is_thread(self) -> bool {
        self.step == StepNumber::NONE
    }

    pub fn commit(thread: ThreadIdentity, step: StepNumber) -> Process {
        Process { thread, step }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub cell: CellId,
    pub writes: bool,
    /// For a read: the step of the own thread whose buffered store it sees, in the buffer or in memory.
    /// [`StepNumber::NONE`]: the read sees no such store.
    pub own: StepNumber,
    /// Whether the step makes this access here, not only in other executions: see [`crate::varying`].
    pub happened: bool,
}

impl Access {
    /// An access that does not see an own store.
    pub fn new(cell: CellId, writes: bool) -> Access {
        Access { cell, writes, own: StepNumber::NONE, happened: true }
    }
}

/// A set of accesses, by number, and whether the step may end the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Footprint(u32);

/// The bit of footprints that depend on everything that leaves a trace.
const EXITS: u32 = 1 << 31;

impl Footprint {
    /// The same accesses, by a step that may end the program if that is so.
    pub fn exiting_if(self, exits: bool) -> Footprint {
        if exits { Footprint(self.0 | EXITS) } else { self }
    }

    pub fn exits(self) -> bool {
        self.0 & EXITS != 0
    }
}

/// A cell that nobody writes: a store into a buffer reads it, because even the end of the program can tell whether it
/// has happened.
pub const STORED: CellId = CellId(u32::MAX);

/// A step of which nothing is known: it depends on everything that leaves a trace.
pub const UNKNOWN: Footprint = Footprint(u32::MAX);

#[derive(Default)]
pub struct Footprints {
    /// Footprints of one access that were asked for not long ago, by a few bits of the access.
    recent: [Option<(Access, u32)>; RECENT],
    known: HashMap<Box<[Access]>, u32, BuildHasherDefault<Mixer>>,
    ranges: Vec<(u32, u32)>,
    accesses: Vec<Access>,
}

const RECENT: usize = 32;

#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(21) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Footprints {
    pub fn number(&mut self, accesses: &[Access]) -> Footprint {
        let [access] = *accesses else { return self.look_up(accesses) };
        let place = (access.cell.index() / 2 + usize::from(access.writes) + access.own.0 as usize * 4) % RECENT;
        match self.recent[place] {
            Some((known, number)) if known == access => Footprint(number),
            _ => {
                let footprint = self.look_up(accesses);
                self.recent[place] = Some((access, footprint.0));
                footprint
            }
        }
    }

    fn look_up(&mut self, accesses: &[Access]) -> Footprint {
        if let Some(&known) = self.known.get(accesses) {
            return Footprint(known);
        }
        let start = narrow(self.accesses.len());
        self.accesses.extend_from_slice(accesses);
        let number = narrow(self.ranges.len());
        self.ranges.push((start, narrow(self.accesses.len())));
        self.known.insert(accesses.into(), number);
        Footprint(number)
    }

    pub fn accesses(&self, footprint: Footprint) -> &[Access] {
        match self.ranges.get((footprint.0 & !EXITS) as usize) {
            Some(&(start, end)) => &self.accesses[start as usize..end as usize],
            None => &[],
        }
    }

    /// Whether the event counts as something that it does in other executions only; `ended` says whether it has ended the
    /// program.
    pub fn is_elsewhere(&self, footprint: Footprint, ended: bool) -> bool {
        (footprint.exits() && !ended) || self.accesses(footprint).iter().any(|access| !access.happened)
    }

    /// Whether the event leaves no trace: a section that touches nothing shared.
    pub fn is_empty(&self, footprint: Footprint) -> bool {
        !footprint.exits() && self.accesses(footprint).is_empty()
    }

    /// Whether two events of different processes, possible one after the other, depend on the order. A read of an own
    /// store does not see what other threads wrote before that store reached memory: `reached` tells whether the store
    /// of a thread and step has.
    pub fn depend(
        &self,
        (a, a_print): (Process, Footprint),
        (b, b_print): (Process, Footprint),
        mut reached: impl FnMut(ThreadIdentity, StepNumber) -> bool,
    ) -> bool {
        if a_print.exits() || b_print.exits() {
            return !self.is_empty(a_print) && !self.is_empty(b_print);
        }
        if a.thread == b.thread {
            return false;
        }
        let sees =
            |read: &Access, thread: ThreadIdentity, reached: &mut dyn FnMut(ThreadIdentity, StepNumber) -> bool| {
                read.writes || read.own == StepNumber::NONE || reached(thread, read.own)
            };
        for x in self.accesses(a_print) {
            for y in self.accesses(b_print) {
                if x.cell == y.cell
                    && (x.writes || y.writes)
                    && sees(x, a.thread, &mut reached)
                    && sees(y, b.thread, &mut reached)
                {
                    return true;
                }
            }
        }
        false
    }
}
