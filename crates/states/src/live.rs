//! Which registers of a frame may still be read. The content of a dead register must not tell states apart.
//!
//! Computed for a function when one of its frames is met first, by the usual backward iteration over its blocks.

use norn_exec::op::{Code, NONE, Op, Src, Target};
use norn_ir::number::narrow;

/// Live registers by position, as far as they have been asked for.
pub struct Live<'c> {
    code: &'c Code,
    /// Before the operation at this position.
    at: Vec<Option<Box<[u32]>>>,
    /// After the return of the call at this position.
    after: Vec<Option<Box<[u32]>>>,
    blocks: Vec<Option<Blocks>>,
}

/// The blocks of one function, with their live registers.
struct Blocks {
    /// Where blocks begin, ascending.
    starts: Vec<u32>,
    end: u32,
    /// Live at the beginning of each block, `words` words each; empty if the function is too large to look at.
    live: Vec<u64>,
    words: usize,
}

/// Beyond this many words for one function everything counts as live.
const MOST_WORDS: usize = 1 << 23;

impl<'c> Live<'c> {
    pub fn new(code: &'c Code) -> Live<'c> {
        let none = |n: usize| std::iter::repeat_with(|| None).take(n).collect();
        let operations = code.ops.len();
        Live {
            code,
            at: none(operations),
            after: none(operations),
            blocks: (0..code.functions.len()).map(|_| None).collect(),
        }
    }

    /// The registers that are live where a thread stands, ascending.
    pub fn before(&mut self, function: u32, pc: u32) -> &[u32] {
        if self.at[pc as usize].is_none() {
            self.at[pc as usize] = Some(self.compute(function, pc));
        }
        self.at[pc as usize].as_deref().unwrap_or_default()
    }

    /// The registers of the caller that are live when the call at this position returns; the result is not among them.
    pub fn during(&mut self, function: u32, call: u32) -> &[u32] {
        if self.after[call as usize].is_none() {
            let result = match self.code.ops[call as usize] {
                Op::Call(call) => self.code.calls[call as usize].dst,
                _ => NONE,
            };
            let live = self.compute(function, call + 1);
            self.after[call as usize] = Some(live.iter().copied().filter(|&register| register != result).collect());
        }
        self.after[call as usize].as_deref().unwrap_or_default()
    }

    fn compute(&mut self, function: u32, pc: u32) -> Box<[u32]> {
        let code = self.code;
        let registers = narrow(code.functions[function as usize].register_types.len());
        let blocks = self.blocks[function as usize].get_or_insert_with(|| Blocks::new(code, function));
        if blocks.live.is_empty() {
            return (0..registers).collect();
        }
        let block = blocks.starts.partition_point(|&start| start <= pc) - 1;
        let mut live = blocks.at_end(code, block);
        blocks.through(code, block, pc, &mut live);
        (0..registers).filter(|&register| live[register as usize / 64] >> (register % 64) & 1 != 0).collect()
    }
}

impl Blocks {
    fn new(code: &Code, function: u32) -> Blocks {
        let first = code.functions[function as usize].start;
        let end = code.functions.get(function as usize + 1).map_or(narrow(code.ops.len()), |next| next.start);
        let mut starts = vec![first];
        for at in first..end {
            let op = code.ops[at as usize];
            targets(code, op, |to| starts.push(to));
            if !falls_through(op) {
                starts.push(at + 1);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|&start| start < end);
        let words = code.functions[function as usize].register_types.len().div_ceil(64).max(1);
        let mut blocks = Blocks { starts, end, live: Vec::new(), words };
        if blocks.starts.len() * words > MOST_WORDS {
            return blocks;
        }
        blocks.live = vec![0; blocks.starts.len() * words];
        blocks.iterate(code);
        blocks
    }

    fn iterate(&mut self, code: &Code) {
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..self.starts.len()).rev() {
                let mut live = self.at_end(code, block);
                self.through(code, block, self.starts[block], &mut live);
                let known = &mut self.live[block * self.words..(block + 1) * self.words];
                if known != &live[..] {
                    known.copy_from_slice(&live);
                    changed = true;
                }
            }
        }
    }

    fn end_of(&self, block: usize) -> u32 {
        self.starts.get(block + 1).copied().unwrap_or(self.end)
    }

    /// Live after the last operation of a block.
    fn at_end(&self, code: &Code, block: usize) -> Vec<u64> {
        let mut live = vec![0; self.words];
        let mut join = |to: u32| {
            if let Ok(next) = self.starts.binary_search(&to) {
                let next = &self.live[next * self.words..(next + 1) * self.words];
                live.iter_mut().zip(next).for_each(|(word, more)| *word |= more);
            }
        };
        let last = code.ops[self.end_of(block) as usize - 1];
        targets(code, last, &mut join);
        if falls_through(last) {
            join(self.end_of(block));
        }
        live
    }

    /// From the end of the block back to just before the operation at `pc`.
    fn through(&self, code: &Code, block: usize, pc: u32, live: &mut [u64]) {
        for at in (pc..self.end_of(block)).rev() {
            let op = code.ops[at as usize];
            defines(code, op, |register| live[register as usize / 64] &= !(1 << (register % 64)));
            uses(code, op, |register| live[register as usize / 64] |= 1 << (register % 64));
        }
    }
}

fn has_targets(op: Op) -> bool {
    matches!(op, Op::Jump(_) | Op::JumpBack(_) | Op::Branch { .. } | Op::Switch { .. })
}

fn targets(code: &Code, op: Op, mut each: impl FnMut(u32)) {
    match op {
        Op::Jump(to) | Op::JumpBack(to) => each(to),
        Op::Branch { then, otherwise, .. } => {
            each(then);
            each(otherwise);
        }
        Op::Switch { table, .. } => {
            let switch = &code.switches[table as usize];
            switch.cases.iter().for_each(|case| each(case.1));
            each(switch.default);
        }
        _ => {}
    }
}

fn falls_through(op: Op) -> bool {
    !has_targets(op)
        && !matches!(op, Op::Return(_) | Op::ThreadExit(_) | Op::Exit(_) | Op::Abort | Op::Stop | Op::Unsupported(_))
}

fn defines(code: &Code, op: Op, mut each: impl FnMut(u32)) {
    let mut define = |register: u32| {
        if register != NONE {
            each(register);
        }
    };
    match op {
        Op::Copy { dst, .. }
        | Op::Binary { dst, .. }
        | Op::Compare { dst, .. }
        | Op::Unary { dst, .. }
        | Op::Cast { dst, .. }
        | Op::Select { dst, .. }
        | Op::PtrAdd { dst, .. }
        | Op::PtrDiff { dst, .. }
        | Op::Load { dst, .. }
        | Op::Rmw { dst, .. }
        | Op::Nondet { dst, .. }
        | Op::Join { dst, .. }
        | Op::ThreadSelf { dst }
        | Op::Alloc { dst, .. }
        | Op::ObjectSize { dst, .. } => define(dst),
        Op::CompareExchange { dst, more, .. } => {
            define(dst);
            define(code.exchanges[more as usize].0);
        }
        Op::Call(call) | Op::Spawn(call) => define(code.calls[call as usize].dst),
        Op::Store { .. }
        | Op::Fence(_)
        | Op::SectionBegin { .. }
        | Op::SectionEnd
        | Op::Await { .. }
        | Op::Assume { .. }
        | Op::Assert { .. }
        | Op::LocalEnter(_)
        | Op::LocalExit(_)
        | Op::Free { .. }
        | Op::Sync { .. }
        | Op::Nothing
        | Op::Jump(_)
        | Op::JumpBack(_)
        | Op::Branch { .. }
        | Op::Switch { .. }
        | Op::Return(_)
        | Op::ThreadExit(_)
        | Op::Exit(_)
        | Op::Abort
        | Op::Stop
        | Op::Unsupported(_)
        | Op::LoopEnters(_)
        | Op::LoopRepeats { .. } => {}
    }
}

fn uses(code: &Code, op: Op, mut each: impl FnMut(u32)) {
    let mut read = |src: Src| {
        if let Src::Reg(register) = src {
            each(register);
        }
    };
    match op {
        Op::Copy { src, .. } | Op::Unary { src, .. } | Op::Cast { src, .. } => read(src),
        Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } | Op::PtrDiff { lhs, rhs, .. } => {
            read(lhs);
            read(rhs);
        }
        Op::Select { cond, then, otherwise, .. } => {
            read(cond);
            read(then);
            read(code.selects[otherwise as usize]);
        }
        Op::PtrAdd { base, index, .. } => {
            read(base);
            read(index);
        }
        Op::Load { addr, .. } | Op::Free { addr, .. } | Op::ObjectSize { addr, .. } | Op::Sync { addr, .. } => {
            read(addr)
        }
        Op::Store { addr, value, .. } | Op::Rmw { addr, value, .. } => {
            read(addr);
            read(value);
        }
        Op::CompareExchange { addr, expected, more, .. } => {
            read(addr);
            read(expected);
            read(code.exchanges[more as usize].1);
        }
        Op::Await { cond, .. } | Op::Assume { cond } | Op::Assert { cond, .. } | Op::Branch { cond, .. } => read(cond),
        Op::Call(call) | Op::Spawn(call) => {
            let call = &code.calls[call as usize];
            if let Target::Indirect(callee) = call.callee {
                read(callee);
            }
            call.args.iter().for_each(|&(arg, _)| read(arg));
        }
        Op::Join { thread, .. } => read(thread),
        Op::Alloc { size, align, .. } => {
            read(size);
            read(align);
        }
        Op::Switch { value, .. } => read(value),
        Op::Return(value) => {
            if let Some(value) = value {
                read(value);
            }
        }
        Op::ThreadExit(value) | Op::Exit(value) => read(value),
        Op::Fence(_)
        | Op::SectionBegin { .. }
        | Op::SectionEnd
        | Op::Nondet { .. }
        | Op::ThreadSelf { .. }
        | Op::LocalEnter(_)
        | Op::LocalExit(_)
        | Op::Nothing
        | Op::Jump(_)
        | Op::JumpBack(_)
        | Op::Abort
        | Op::Stop
        | Op::Unsupported(_)
        | Op::LoopEnters(_)
        | Op::LoopRepeats { .. } => {}
    }
}
