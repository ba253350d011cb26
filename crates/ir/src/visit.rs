//! What an instruction defines and reads, whether it only computes, and where control goes next: the questions that every
//! pass asks.
//!
//! Operands are visited in the order in which the text form shows them. Objects entered, left or described by type
//! (`LocalEnter`, `LocalExit`, `Alloc`'s type) and a call's direct callee are no operands.

use crate::ids::{BlockId, LocalId, Reg};
use crate::instr::{BinaryOp, Callee, Const, InstrKind, Operand, PrintArgs, TerminatorKind};
use crate::program::Function;
use crate::types::Ty;

/// The fields of an instruction that hold what it defines or reads. One list serves shared and exclusive access,
/// because patterns bind by the mode of what they are matched against.
macro_rules! each_operand {
    ($kind:expr, $visit:expr) => {
        match $kind {
            InstrKind::Copy { src, .. } | InstrKind::Unary { src, .. } | InstrKind::Cast { src, .. } => $visit(src),
            InstrKind::Binary { lhs, rhs, .. }
            | InstrKind::Compare { lhs, rhs, .. }
            | InstrKind::PtrDiff { lhs, rhs, .. } => {
                $visit(lhs);
                $visit(rhs);
            }
            InstrKind::Select { cond, then, otherwise, .. } => {
                $visit(cond);
                $visit(then);
                $visit(otherwise);
            }
            InstrKind::PtrAdd { base, index, .. } => {
                $visit(base);
                $visit(index);
            }
            InstrKind::Load { addr, .. }
            | InstrKind::Free { addr, .. }
            | InstrKind::ObjectSize { addr, .. }
            | InstrKind::Sync { addr, .. } => $visit(addr),
            InstrKind::Store { addr, value, .. } | InstrKind::Rmw { addr, value, .. } => {
                $visit(addr);
                $visit(value);
            }
            InstrKind::CompareExchange { addr, expected, desired, .. } => {
                $visit(addr);
                $visit(expected);
                $visit(desired);
            }
            InstrKind::Await { cond, .. } | InstrKind::Assume { cond } | InstrKind::Assert { cond, .. } => $visit(cond),
            InstrKind::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    $visit(target);
                }
                for arg in args {
                    $visit(arg);
                }
            }
            InstrKind::Spawn { start, args, .. } => {
                $visit(start);
                for arg in args {
                    $visit(arg);
                }
            }
            InstrKind::Join { thread, .. } => $visit(thread),
            InstrKind::Alloc { size, align, .. } => {
                $visit(size);
                $visit(align);
            }
            InstrKind::Print { format, args, .. } => {
                $visit(format);
                match args {
                    PrintArgs::Values(values) => {
                        for (_, value) in values {
                            $visit(value);
                        }
                    }
                    PrintArgs::List(list) => $visit(list),
                }
            }
            InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Nondet { .. }
            | InstrKind::ThreadSelf { .. }
            | InstrKind::LocalEnter(_)
            | InstrKind::LocalExit(_) => {}
        }
    };
}

macro_rules! each_def {
    ($kind:expr, $visit:expr) => {
        match $kind {
            InstrKind::Copy { dst, .. }
            | InstrKind::Binary { dst, .. }
            | InstrKind::Compare { dst, .. }
            | InstrKind::Unary { dst, .. }
            | InstrKind::Cast { dst, .. }
            | InstrKind::Select { dst, .. }
            | InstrKind::PtrAdd { dst, .. }
            | InstrKind::PtrDiff { dst, .. }
            | InstrKind::Load { dst, .. }
            | InstrKind::Rmw { dst, .. }
            | InstrKind::Nondet { dst, .. }
            | InstrKind::Call { dst: Some(dst), .. }
            | InstrKind::Spawn { dst, .. }
            | InstrKind::Join { dst: Some(dst), .. }
            | InstrKind::ThreadSelf { dst }
            | InstrKind::Alloc { dst, .. }
            | InstrKind::ObjectSize { dst, .. } => $visit(dst),
            InstrKind::CompareExchange { dst, success, .. } => {
                $visit(dst);
                $visit(success);
            }
            InstrKind::Store { .. }
            | InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Await { .. }
            | InstrKind::Assume { .. }
            | InstrKind::Assert { .. }
            | InstrKind::Call { dst: None, .. }
            | InstrKind::Join { dst: None, .. }
            | InstrKind::LocalEnter(_)
            | InstrKind::LocalExit(_)
            | InstrKind::Free { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => {}
        }
    };
}

macro_rules! each_terminator_operand {
    ($kind:expr, $visit:expr) => {
        match $kind {
            TerminatorKind::Branch { cond, .. } => $visit(cond),
            TerminatorKind::Switch { value, .. } => $visit(value),
            TerminatorKind::Return(Some(value)) | TerminatorKind::ThreadExit(value) | TerminatorKind::Exit(value) => {
                $visit(value)
            }
            TerminatorKind::Goto(_)
            | TerminatorKind::Return(None)
            | TerminatorKind::Abort
            | TerminatorKind::Stop
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported(_) => {}
        }
    };
}

impl Operand {
    pub fn reg(self) -> Option<Reg> {
        match self {
            Operand::Reg(reg) => Some(reg),
            _ => None,
        }
    }

    pub fn local(self) -> Option<LocalId> {
        match self {
            Operand::Local(local, _) => Some(local),
            _ => None,
        }
    }
}

impl BinaryOp {
    /// Whether a right operand of 0 is a violation.
    pub fn divides(self) -> bool {
        matches!(self, BinaryOp::DivSigned | BinaryOp::DivUnsigned | BinaryOp::RemSigned | BinaryOp::RemUnsigned)
    }

    /// Whether the smallest number as the left operand and -1 as the right one is a violation: x86 traps it, like a
    /// division by zero.
    pub fn divides_signed(self) -> bool {
        matches!(self, BinaryOp::DivSigned | BinaryOp::RemSigned)
    }

    /// Whether a division with this right operand may be a violation.
    pub fn may_trap(self, rhs: Operand) -> bool {
        let Operand::Const(Const { ty, bits }) = rhs else { return self.divides() };
        let minus_one = match ty {
            Ty::I8 => 0xff,
            Ty::I16 => 0xffff,
            Ty::I32 => 0xffff_ffff,
            _ => u64::MAX,
        };
        self.divides() && (bits == 0 || self.divides_signed() && bits == minus_one)
    }

    /// Whether some operands are a violation where overflow is checked, shifts outside of the width included.
    pub fn may_overflow(self) -> bool {
        use BinaryOp::{AddSigned, DivSigned, MulSigned, RemSigned, Shl, ShlSigned, ShrSigned, ShrUnsigned, SubSigned};
        matches!(
            self,
            AddSigned | SubSigned | MulSigned | DivSigned | RemSigned | Shl | ShlSigned | ShrSigned | ShrUnsigned
        )
    }
}

impl InstrKind {
    /// Whether it only computes: it assigns one register what follows from its operands. It touches no memory, waits for
    /// nothing and chooses nothing, and no other thread can tell that it was executed. A `Binary` may fail: by a divisor
    /// of 0 or -1 ([`BinaryOp::may_trap`]) or, where overflow is checked, by overflowing. The others cannot.
    pub fn only_computes(&self) -> bool {
        matches!(
            self,
            InstrKind::Copy { .. }
                | InstrKind::Binary { .. }
                | InstrKind::Compare { .. }
                | InstrKind::Unary { .. }
                | InstrKind::Cast { .. }
                | InstrKind::Select { .. }
                | InstrKind::PtrAdd { .. }
                | InstrKind::PtrDiff { .. }
        )
    }

    /// The registers that it assigns: at most two.
    pub fn defs(&self) -> impl Iterator<Item = Reg> + use<> {
        let mut found = [None; 2];
        let mut count = 0;
        each_def!(self, |reg: &Reg| {
            found[count] = Some(*reg);
            count += 1;
        });
        found.into_iter().flatten()
    }

    /// Replaces the registers that it assigns.
    pub fn map_defs(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        each_def!(self, |reg: &mut Reg| *reg = f(*reg));
    }

    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        each_operand!(self, |operand: &Operand| f(*operand));
    }

    pub fn map_operands(&mut self, mut f: impl FnMut(Operand) -> Operand) {
        each_operand!(self, |operand: &mut Operand| *operand = f(*operand));
    }

    /// The registers that it reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        self.for_each_operand(|operand| operand.reg().into_iter().for_each(&mut f));
    }
}

impl TerminatorKind {
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        each_terminator_operand!(self, |operand: &Operand| f(*operand));
    }

    pub fn map_operands(&mut self, mut f: impl FnMut(Operand) -> Operand) {
        each_terminator_operand!(self, |operand: &mut Operand| *operand = f(*operand));
    }

    /// The registers that it reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        self.for_each_operand(|operand| operand.reg().into_iter().for_each(&mut f));
    }

    /// The blocks that it may continue at, in the order of the text; a block comes once per edge. The default of a
    /// switch is the last.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (first, cases, last) = match self {
            TerminatorKind::Goto(target) => (Some(*target), &[][..], None),
            TerminatorKind::Branch { then, otherwise, .. } => (Some(*then), &[][..], Some(*otherwise)),
            TerminatorKind::Switch { cases, default, .. } => (None, &cases[..], Some(*default)),
            _ => (None, &[][..], None),
        };
        first.into_iter().chain(cases.iter().map(|case| case.1)).chain(last)
    }

    pub fn map_successors(&mut self, mut f: impl FnMut(BlockId) -> BlockId) {
        match self {
            TerminatorKind::Goto(target) => *target = f(*target),
            TerminatorKind::Branch { then, otherwise, .. } => {
                *then = f(*then);
                *otherwise = f(*otherwise);
            }
            TerminatorKind::Switch { cases, default, .. } => {
                for (_, target) in cases {
                    *target = f(*target);
                }
                *default = f(*default);
            }
            _ => {}
        }
    }
}

impl Function {
    /// The type of an operand in this function.
    pub fn operand_ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.ty(reg),
            Operand::Const(constant) => constant.ty,
            Operand::Global(..) | Operand::Local(..) | Operand::Func(_) => Ty::Ptr,
        }
    }

    /// For each block the blocks that may continue at it, ascending and each once.
    pub fn predecessors(&self) -> Vec<Vec<BlockId>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for id in self.block_ids() {
            for successor in self.block(id).terminator.kind.successors() {
                let list: &mut Vec<BlockId> = &mut predecessors[successor.index()];
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        predecessors
    }

    /// The blocks that control can reach, each before its successors except along back edges.
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        let mut order = Vec::with_capacity(self.blocks.len());
        if self.blocks.is_empty() {
            return order;
        }
        let mut seen = vec![false; self.blocks.len()];
        seen[Function::ENTRY.index()] = true;
        let mut stack = vec![(Function::ENTRY, self.block(Function::ENTRY).terminator.kind.successors())];
        while let Some((id, successors)) = stack.last_mut() {
            match successors.next() {
                Some(next) if !seen[next.index()] => {
                    seen[next.index()] = true;
                    stack.push((next, self.block(next).terminator.kind.successors()));
                }
                Some(_) => {}
                None => {
                    order.push(*id);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn function(body: &str) -> Function {
        let text = format!("norn-ir 1\ntarget lp64\nentry f0\nfunction f0 \"f\" () {{\n{body}\n}}\n");
        parse(&text).expect("the text should parse").functions.remove(0)
    }

    fn blocks(ids: &[u32]) -> Vec<BlockId> {
        ids.iter().copied().map(BlockId).collect()
    }

    #[test]
    fn defs_and_operands_of_an_instruction() {
        let f =
            function("r0, r1, r2: i32\nr3: bool\nb0:\n r0, r3 = compare_exchange g0, r1, r2 seq_cst relaxed\n stop");
        let mut kind = f.blocks[0].instrs[0].kind.clone();
        assert_eq!(kind.defs().collect::<Vec<_>>(), [Reg(0), Reg(3)]);
        let mut uses = Vec::new();
        kind.for_each_use(|reg| uses.push(reg));
        assert_eq!(uses, [Reg(1), Reg(2)]);
        kind.map_defs(|reg| Reg(reg.0 + 10));
        kind.map_operands(|operand| operand.reg().map_or(operand, |reg| Operand::Reg(Reg(reg.0 + 20))));
        assert_eq!(kind.defs().collect::<Vec<_>>(), [Reg(10), Reg(13)]);
        let mut operands = Vec::new();
        kind.for_each_operand(|operand| operands.push(operand));
        assert_eq!(
            operands,
            [Operand::Global(crate::ids::GlobalId(0), 0), Operand::Reg(Reg(21)), Operand::Reg(Reg(22))]
        );
    }

    #[test]
    fn order_and_predecessors_of_blocks() {
        let f = function(
            "r0: i32\nb0:\n goto b1\nb1:\n branch true, b2, b4\nb2:\n switch i32 r0, 1: b1, 2: b1, else b3\n\
             b3:\n return\nb4:\n goto b3\nb5:\n goto b3",
        );
        assert_eq!(f.reverse_postorder(), blocks(&[0, 1, 4, 2, 3]));
        assert_eq!(
            f.predecessors(),
            [blocks(&[]), blocks(&[0, 2]), blocks(&[1]), blocks(&[2, 4, 5]), blocks(&[1]), blocks(&[])]
        );
    }

    #[test]
    fn successors_can_be_replaced() {
        let mut f = function("r0: i32\nb0:\n switch i32 r0, 1: b1, 2: b2, else b3");
        let kind = &mut f.blocks[0].terminator.kind;
        kind.map_successors(|b| BlockId(b.0 * 10));
        assert_eq!(kind.successors().collect::<Vec<_>>(), blocks(&[10, 20, 30]));
    }
}
