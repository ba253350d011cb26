//! Which machine registers and locations hold numbers and which addresses.
//!
//! Assembly does not say; the IR wants to know, and an address that is known at every access makes a program that
//! is cheap to check. So the steps of all threads are run on abstract values: constants, numbers, addresses of known
//! locations. The state of registers is kept per block, the contents of locations once for the whole test (other
//! threads may write at any time), and everything is repeated until nothing changes.

use norn_ir::instr::{BinaryOp, CompareOp};
use norn_ir::number::low_32;
use norn_ir::types::{Target, Ty};

use crate::state::{Location, LocationId, Value};
use crate::step::{Code, LabelId, Place, Step, Val};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Never,
    /// Sign-extended from the width of the registers.
    Constant(i64),
    Any,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Targets {
    Never,
    /// This many bytes into the location.
    Exact(LocationId, i64),
    /// Somewhere in one of these locations, which are in order of their numbers.
    Among(Vec<LocationId>),
    Anywhere,
}

/// What a value may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Abstract {
    pub number: Number,
    pub targets: Targets,
}

/// More locations than this are not told apart.
const MAX_TARGETS: usize = 8;
/// The most rounds of the analysis; after them every location may hold anything.
const MAX_ROUNDS: usize = 32;

impl Abstract {
    const NOTHING: Abstract = Abstract { number: Number::Never, targets: Targets::Never };
    pub const NUMBER: Abstract = Abstract { number: Number::Any, targets: Targets::Never };
    const ANYTHING: Abstract = Abstract { number: Number::Any, targets: Targets::Anywhere };

    pub fn constant(value: i64) -> Abstract {
        Abstract { number: Number::Constant(value), targets: Targets::Never }
    }

    pub fn is_address(&self) -> bool {
        self.targets != Targets::Never
    }

    /// May be both, so that it is kept as an address.
    pub fn is_mixed(&self) -> bool {
        self.is_address() && self.number != Number::Never
    }

    pub fn as_constant(&self) -> Option<i64> {
        match (self.number, &self.targets) {
            (Number::Constant(n), Targets::Never) => Some(n),
            _ => None,
        }
    }

    pub fn as_exact(&self) -> Option<(LocationId, i64)> {
        match (self.number, &self.targets) {
            (Number::Never, Targets::Exact(id, offset)) => Some((*id, *offset)),
            _ => None,
        }
    }

    fn join(&mut self, other: &Abstract) -> bool {
        let number = match (self.number, other.number) {
            (a, b) if a == b => a,
            (Number::Never, b) => b,
            (a, Number::Never) => a,
            _ => Number::Any,
        };
        let targets = join_targets(&self.targets, &other.targets);
        let joined = Abstract { number, targets };
        let changed = *self != joined;
        *self = joined;
        changed
    }

    /// As read from memory: what was written there is not followed further than to its kind.
    fn as_read_back(&self) -> Abstract {
        let number = if self.number == Number::Never { Number::Never } else { Number::Any };
        let targets = match &self.targets {
            Targets::Exact(id, _) => Targets::Among(vec![*id]),
            other => other.clone(),
        };
        Abstract { number, targets }
    }
}

fn join_targets(a: &Targets, b: &Targets) -> Targets {
    fn list(targets: &Targets) -> &[LocationId] {
        match targets {
            Targets::Exact(id, _) => std::slice::from_ref(id),
            Targets::Among(list) => list,
            Targets::Never | Targets::Anywhere => &[],
        }
    }
    match (a, b) {
        _ if a == b => a.clone(),
        (Targets::Never, other) | (other, Targets::Never) => other.clone(),
        (Targets::Anywhere, _) | (_, Targets::Anywhere) => Targets::Anywhere,
        _ => {
            let mut all: Vec<LocationId> = list(a).iter().chain(list(b)).copied().collect();
            all.sort_unstable();
            all.dedup();
            if all.len() > MAX_TARGETS { Targets::Anywhere } else { Targets::Among(all) }
        }
    }
}

/// The steps of a thread cut at labels and jumps.
#[derive(Debug)]
pub(crate) struct Block {
    pub steps: std::ops::Range<usize>,
    /// What the registers hold at its start, if it can be reached.
    pub entry: Option<Vec<Abstract>>,
}

/// The analysed code of a thread. The last block is empty: the end of the thread.
pub(crate) struct Flow {
    pub blocks: Vec<Block>,
    /// By label.
    targets: Vec<usize>,
    /// Registers that hold a number on one way to a block and an address on another: a number is then kept in both
    /// forms.
    pub joined: Vec<bool>,
}

impl Flow {
    pub fn block_of(&self, label: LabelId) -> usize {
        self.targets[label.0 as usize]
    }
}

/// What the analysis found out about the test.
pub(crate) struct Kinds {
    pub flows: Vec<Flow>,
    pub contents: Vec<Abstract>,
    target: Target,
}

pub(crate) fn analyse(threads: &[Code<'_>], locations: &[Location], target: Target, bytes: ElementSize<'_>) -> Kinds {
    let flows = threads.iter().map(|code| flow(code, target, bytes)).collect();
    let mut contents = vec![Abstract::NOTHING; locations.len()];
    for (location, content) in locations.iter().zip(&mut contents) {
        let complete = location.init.len() as u64 == location.length.unwrap_or(1);
        if !complete {
            content.join(&Abstract::constant(0));
        }
        for &value in &location.init {
            content.join(&initial(value, target, bytes));
        }
    }
    let mut kinds = Kinds { flows, contents, target };
    for round in 0.. {
        if round == MAX_ROUNDS {
            kinds.contents.fill(Abstract::ANYTHING);
        }
        let mut changed = false;
        for (thread, code) in threads.iter().enumerate() {
            changed |= kinds.run(thread, code);
        }
        // Once every location may hold anything, one more round settles the registers.
        if !changed || round > MAX_ROUNDS {
            break;
        }
    }
    kinds
}

/// The size in bytes of a location's elements, for addresses of elements in initial values.
pub(crate) type ElementSize<'a> = &'a dyn Fn(LocationId) -> i64;

fn initial(value: Value, target: Target, bytes: ElementSize<'_>) -> Abstract {
    match value {
        Value::Number(n) => Abstract::constant(to_width(n, target)),
        Value::Address(id, index) => {
            let offset = (index as i64).wrapping_mul(bytes(id));
            Abstract { number: Number::Never, targets: Targets::Exact(id, offset) }
        }
    }
}

/// Sign-extended from the width of the registers.
fn to_width(n: i64, target: Target) -> i64 {
    match target {
        Target::Ilp32 => i64::from(low_32(n as u64) as i32),
        Target::Lp64 => n,
    }
}

fn flow(code: &Code<'_>, target: Target, bytes: ElementSize<'_>) -> Flow {
    let mut blocks = Vec::new();
    let mut targets = vec![0; code.label_count()];
    let mut start = 0;
    let mut close = |start: &mut usize, end: usize| {
        blocks.push(Block { steps: *start..end, entry: None });
        *start = end;
    };
    // Nothing jumps to the first block, even if the thread begins with a label.
    let mut count = 0;
    for (index, (step, _)) in code.steps.iter().enumerate() {
        match step {
            Step::Label(label) => {
                close(&mut start, index);
                count += 1;
                targets[label.0 as usize] = count;
            }
            Step::Jump(_) | Step::Branch { .. } => {
                close(&mut start, index + 1);
                count += 1;
            }
            _ => {}
        }
    }
    close(&mut start, code.steps.len());
    close(&mut start, code.steps.len());
    blocks[0].entry = Some(code.registers.iter().map(|r| initial(r.init, target, bytes)).collect());
    Flow { blocks, targets, joined: vec![false; code.registers.len()] }
}

impl Kinds {
    /// One pass over a thread until its registers are settled; whether a location's content changed.
    fn run(&mut self, thread: usize, code: &Code<'_>) -> bool {
        let mut changed = false;
        let mut pending = vec![0];
        let mut queued = vec![false; self.flows[thread].blocks.len()];
        let mut visited = vec![false; self.flows[thread].blocks.len()];
        queued[0] = true;
        while let Some(index) = pending.pop() {
            queued[index] = false;
            visited[index] = true;
            let block = &self.flows[thread].blocks[index];
            let Some(mut registers) = block.entry.clone() else { continue };
            let steps = block.steps.clone();
            for (step, _) in &code.steps[steps.clone()] {
                changed |= self.write_memory(step, &registers);
                self.step(step, &mut registers);
            }
            let last = code.steps[steps].last().map(|(step, _)| step);
            for successor in self.successors(thread, index, last, &registers) {
                let grew = self.enter(thread, successor, &registers);
                if (grew || !visited[successor]) && !queued[successor] {
                    queued[successor] = true;
                    pending.push(successor);
                }
            }
        }
        changed
    }

    fn enter(&mut self, thread: usize, block: usize, registers: &[Abstract]) -> bool {
        let flow = &mut self.flows[thread];
        let grew = match &mut flow.blocks[block].entry {
            entry @ None => {
                *entry = Some(registers.to_vec());
                true
            }
            Some(known) => known.iter_mut().zip(registers).fold(false, |grew, (known, new)| known.join(new) || grew),
        };
        if let Some(known) = &flow.blocks[block].entry {
            for (joined, value) in flow.joined.iter_mut().zip(known) {
                *joined |= value.is_mixed();
            }
        }
        grew
    }

    /// Where control can go after a block whose last step is `last`: the taken branch first.
    pub fn successors(&self, thread: usize, block: usize, last: Option<&Step>, registers: &[Abstract]) -> Vec<usize> {
        let flow = &self.flows[thread];
        let next = block + 1;
        match last {
            _ if next == flow.blocks.len() => Vec::new(),
            Some(Step::Jump(label)) => vec![flow.block_of(*label)],
            Some(Step::Branch { op, lhs, rhs, target }) => {
                let sides = (self.value(*lhs, registers).as_constant(), self.value(*rhs, registers).as_constant());
                match sides {
                    (Some(lhs), Some(rhs)) if holds(*op, lhs, rhs) => vec![flow.block_of(*target)],
                    (Some(_), Some(_)) => vec![next],
                    _ => vec![flow.block_of(*target), next],
                }
            }
            _ => vec![next],
        }
    }

    pub fn value(&self, value: Val, registers: &[Abstract]) -> Abstract {
        match value {
            Val::Reg(reg) => registers[reg.index()].clone(),
            Val::Number(n) => Abstract::constant(to_width(n, self.target)),
            Val::Address(id) => Abstract { number: Number::Never, targets: Targets::Exact(id, 0) },
        }
    }

    pub fn place(&self, place: Place, registers: &[Abstract]) -> Abstract {
        let (base, index) = (self.value(place.base, registers), self.value(place.index, registers));
        self.compute(BinaryOp::Add, self.target.pointer_int(), &base, &index)
    }

    /// The locations that an address may point into.
    pub fn locations(&self, address: &Abstract) -> Vec<LocationId> {
        match &address.targets {
            Targets::Never => Vec::new(),
            Targets::Exact(id, _) => vec![*id],
            Targets::Among(list) => list.clone(),
            Targets::Anywhere => LocationId::all(self.contents.len()).collect(),
        }
    }

    /// What an access to the address may find there.
    pub fn content(&self, address: &Abstract) -> Abstract {
        let mut found = Abstract::NOTHING;
        for id in self.locations(address) {
            found.join(&self.contents[id.index()]);
        }
        found
    }

    /// An access that may hit several locations makes them alike: it has one type, so they must have the same.
    fn write_memory(&mut self, step: &Step, registers: &[Abstract]) -> bool {
        let (place, written) = match step {
            Step::Load { place, .. } => (*place, None),
            Step::Store { place, value, .. } => (*place, Some(self.value(*value, registers))),
            Step::Rmw { place, value, op, .. } => {
                let value = self.value(*value, registers);
                let exchanged = *op == norn_ir::instr::RmwOp::Exchange;
                (*place, Some(if exchanged { value } else { Abstract::NUMBER }))
            }
            Step::CompareExchange { place, desired, .. } => (*place, Some(self.value(*desired, registers))),
            _ => return false,
        };
        let address = self.place(place, registers);
        let hit = self.locations(&address);
        if written.is_none() && hit.len() < 2 {
            return false;
        }
        let mut content = written.unwrap_or(Abstract::NOTHING);
        if hit.len() > 1 {
            content.join(&self.content(&address));
        }
        let mut changed = false;
        for id in hit {
            changed |= self.contents[id.index()].join(&content);
        }
        changed
    }

    /// The registers after a step.
    pub fn step(&self, step: &Step, registers: &mut [Abstract]) {
        let Some(dst) = step.dst() else { return };
        let result = match step {
            Step::Set { src, .. } => self.value(*src, registers),
            Step::Zero { .. } => Abstract::constant(0),
            Step::Compute { op, ty, lhs, rhs, .. } => {
                self.compute(*op, *ty, &self.value(*lhs, registers), &self.value(*rhs, registers))
            }
            Step::Extend { src, from, signed, .. } => {
                let value = self.value(*src, registers);
                match value.as_constant() {
                    Some(n) => Abstract::constant(extend(n, *from, *signed)),
                    // The machine may move addresses with instructions for words; the value is what it was.
                    None if value.is_address() && !*signed => value,
                    None => Abstract::NUMBER,
                }
            }
            Step::Load { place, .. } | Step::Rmw { place, .. } | Step::CompareExchange { place, .. } => {
                let found = self.content(&self.place(*place, registers));
                if found == Abstract::NOTHING { Abstract::NUMBER } else { found.as_read_back() }
            }
            _ => Abstract::NUMBER,
        };
        registers[dst.index()] = result;
    }

    pub fn compute(&self, op: BinaryOp, ty: Ty, lhs: &Abstract, rhs: &Abstract) -> Abstract {
        if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
            return match fold(op, a, b) {
                Some(n) if ty == self.target.pointer_int() => Abstract::constant(to_width(n, self.target)),
                Some(n) => Abstract::constant(extend(n, ty, false)),
                None => Abstract::NUMBER,
            };
        }
        let (address, offset, sign) = match (op, lhs.is_address(), rhs.is_address()) {
            (BinaryOp::Add, true, false) => (lhs, rhs, 1),
            (BinaryOp::Add, false, true) => (rhs, lhs, 1),
            (BinaryOp::Sub, true, false) => (lhs, rhs, -1),
            _ => return Abstract::NUMBER,
        };
        let targets = match (&address.targets, offset.as_constant()) {
            (other, Some(0)) => other.clone(),
            (Targets::Exact(id, start), Some(n)) => Targets::Exact(*id, start.wrapping_add(n.wrapping_mul(sign))),
            (Targets::Exact(id, _), None) => Targets::Among(vec![*id]),
            (other, _) => other.clone(),
        };
        let number = if address.number == Number::Never { Number::Never } else { Number::Any };
        Abstract { number, targets }
    }
}

/// The lower bits of a number, extended again.
pub(crate) fn extend(n: i64, from: Ty, signed: bool) -> i64 {
    let unused = 64 - from.bits(Target::Lp64).min(64);
    if signed { (n << unused) >> unused } else { (((n as u64) << unused) >> unused) as i64 }
}

fn fold(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return None,
    })
}

fn holds(op: CompareOp, a: i64, b: i64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::LtSigned => a < b,
        CompareOp::LeSigned => a <= b,
        CompareOp::LtUnsigned => (a as u64) < b as u64,
        // The only other one that steps use is the unsigned `<=`.
        _ => a as u64 <= b as u64,
    }
}
