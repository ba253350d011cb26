//! Invariants 1 and 6 to 11: what an instruction alone shows.

use std::collections::HashSet;

use super::objects::check_span;
use super::{AnyId, Expected, Findings, Place, Reason, Site};
use crate::ids::{BlockId, FuncId, Reg, TypeId};
use crate::instr::{
    BinaryOp, Callee, CastOp, CompareOp, Const, InstrKind, Operand, Order, PrintArgs, RmwOp, TerminatorKind, UnaryOp,
};
use crate::program::{Function, Program};
use crate::types::Ty;

pub(super) fn check(program: &Program, id: FuncId, findings: &mut Findings) {
    let function = program.function(id);
    let site = Site { program, id, function };
    let mut checker = Checker { site, place: Place::Function(id), findings };
    checker.frame();
    for block_id in function.block_ids() {
        let block = function.block(block_id);
        for (index, instr) in block.instrs.iter().enumerate() {
            checker.place = site.instr(block_id, index);
            check_span(program, instr.span, checker.place, checker.findings);
            checker.instr(&instr.kind);
        }
        checker.place = site.terminator(block_id);
        check_span(program, block.terminator.span, checker.place, checker.findings);
        checker.terminator(&block.terminator.kind);
    }
}

struct Checker<'a> {
    site: Site<'a>,
    place: Place,
    findings: &'a mut Findings,
}

/// Types are `None` where the id behind them names nothing, which is reported once.
impl Checker<'_> {
    fn add(&mut self, reason: Reason) {
        self.findings.add(self.place, reason);
    }

    fn frame(&mut self) {
        let Function { params, locals, blocks, span, .. } = self.site.function;
        check_span(self.site.program, *span, self.place, self.findings);
        if blocks.is_empty() {
            self.add(Reason::NoBlocks);
        }
        let mut seen = HashSet::new();
        for &param in params {
            self.dst(param);
            if !seen.insert(param) {
                self.add(Reason::DuplicateParameter(param));
            }
        }
        for local in locals {
            self.type_id(local.ty);
            check_span(self.site.program, local.span, self.place, self.findings);
        }
    }

    fn type_id(&mut self, id: TypeId) {
        if id.index() >= self.site.program.types.len() {
            self.add(Reason::NoSuchId(id.into()));
        }
    }

    fn func(&mut self, id: FuncId) -> Option<&'_ Function> {
        let function = self.site.program.functions.get(id.index());
        if function.is_none() {
            self.add(Reason::NoSuchId(id.into()));
        }
        function
    }

    fn dst(&mut self, reg: Reg) -> Option<Ty> {
        let register = self.site.function.registers.get(reg.index());
        if register.is_none() {
            self.add(Reason::NoSuchId(reg.into()));
        }
        register.map(|r| r.ty)
    }

    fn dst_is(&mut self, reg: Reg, expected: Expected) -> Option<Ty> {
        let ty = self.dst(reg);
        self.admit(ty, expected)
    }

    fn operand(&mut self, operand: Operand) -> Option<Ty> {
        let (id, known): (AnyId, bool) = match operand {
            Operand::Reg(reg) => return self.dst(reg),
            Operand::Const(constant) => {
                self.constant(constant);
                return Some(constant.ty);
            }
            Operand::Global(id, _) => (id.into(), id.index() < self.site.program.globals.len()),
            Operand::Local(id, _) => (id.into(), id.index() < self.site.function.locals.len()),
            Operand::Func(id) => (id.into(), id.index() < self.site.program.functions.len()),
        };
        if !known {
            self.add(Reason::NoSuchId(id));
        }
        Some(Ty::Ptr)
    }

    fn operand_is(&mut self, operand: Operand, expected: Expected) -> Option<Ty> {
        let ty = self.operand(operand);
        self.admit(ty, expected)
    }

    /// An operand of the type that another one has.
    fn operand_like(&mut self, operand: Operand, ty: Option<Ty>) {
        match ty {
            Some(ty) => self.operand_is(operand, Expected::Exactly(ty)),
            None => self.operand(operand),
        };
    }

    fn admit(&mut self, ty: Option<Ty>, expected: Expected) -> Option<Ty> {
        if let Some(found) = ty
            && !expected.admits(found)
        {
            self.add(match expected {
                Expected::InMemory => Reason::BoolInMemory,
                _ => Reason::WrongType { expected, found },
            });
        }
        ty
    }

    fn constant(&mut self, Const { ty, bits }: Const) {
        if ty.truncate(bits, self.site.program.target) != bits {
            self.add(Reason::ConstantTooWide { ty, bits });
        }
    }

    fn address(&mut self, operand: Operand) {
        self.operand_is(operand, Expected::Exactly(Ty::Ptr));
    }

    fn condition(&mut self, operand: Operand) {
        self.operand_is(operand, Expected::Exactly(Ty::Bool));
    }

    fn pointer_int(&self) -> Expected {
        Expected::Exactly(self.site.program.target.pointer_int())
    }

    fn order(&mut self, order: Order, allowed: &[Order]) {
        if !allowed.contains(&order) {
            self.add(Reason::WrongOrder(order));
        }
    }

    fn instr(&mut self, kind: &InstrKind) {
        use Order::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
        let pointer_int = self.pointer_int();
        match kind {
            InstrKind::Copy { dst, src } => {
                let ty = self.dst(*dst);
                self.operand_like(*src, ty);
            }
            InstrKind::Binary { dst, op, lhs, rhs } => {
                let ty = self.dst_is(*dst, binary_type(*op));
                self.operand_like(*lhs, ty);
                self.operand_like(*rhs, ty);
            }
            InstrKind::Compare { dst, op, ty, lhs, rhs } => {
                self.dst_is(*dst, Expected::Exactly(Ty::Bool));
                self.admit(Some(*ty), compare_type(*op));
                self.operand_like(*lhs, Some(*ty));
                self.operand_like(*rhs, Some(*ty));
            }
            InstrKind::Unary { dst, op, src } => {
                let expected = if *op == UnaryOp::FNeg { Expected::Float } else { Expected::Integer };
                let ty = self.dst_is(*dst, expected);
                self.operand_like(*src, ty);
            }
            InstrKind::Cast { dst, op, from, src } => {
                let to = self.dst(*dst);
                self.operand_like(*src, Some(*from));
                if let Some(to) = to
                    && !self.cast_is_legal(*op, *from, to)
                {
                    self.add(Reason::IllegalCast { op: *op, from: *from, to });
                }
            }
            InstrKind::Select { dst, cond, then, otherwise } => {
                let ty = self.dst(*dst);
                self.condition(*cond);
                self.operand_like(*then, ty);
                self.operand_like(*otherwise, ty);
            }
            InstrKind::PtrAdd { dst, base, index, .. } => {
                self.dst_is(*dst, Expected::Exactly(Ty::Ptr));
                self.address(*base);
                self.operand_is(*index, pointer_int);
            }
            InstrKind::PtrDiff { dst, lhs, rhs } => {
                self.dst_is(*dst, pointer_int);
                self.address(*lhs);
                self.address(*rhs);
            }
            InstrKind::Load { dst, addr, access } => {
                self.dst_is(*dst, Expected::InMemory);
                self.address(*addr);
                self.order(access.order, &[Plain, Relaxed, Acquire, SeqCst]);
            }
            InstrKind::Store { ty, addr, value, access } => {
                self.admit(Some(*ty), Expected::InMemory);
                self.address(*addr);
                self.operand_like(*value, Some(*ty));
                self.order(access.order, &[Plain, Relaxed, Release, SeqCst]);
            }
            InstrKind::Rmw { dst, op, addr, value, order } => {
                let exchange = *op == RmwOp::Exchange;
                let ty = self.dst_is(*dst, if exchange { Expected::InMemory } else { Expected::Integer });
                self.address(*addr);
                self.operand_like(*value, ty);
                self.order(*order, &[Relaxed, Acquire, Release, AcqRel, SeqCst]);
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure } => {
                let ty = self.dst_is(*dst, Expected::InMemory);
                self.dst_is(*success, Expected::Exactly(Ty::Bool));
                self.address(*addr);
                self.operand_like(*expected, ty);
                self.operand_like(*desired, ty);
                self.order(*order, &[Relaxed, Acquire, Release, AcqRel, SeqCst]);
                self.order(*failure, &[Relaxed, Acquire, SeqCst]);
            }
            InstrKind::Fence(_) | InstrKind::SectionBegin(_) | InstrKind::SectionEnd => {}
            InstrKind::Await { cond, .. } | InstrKind::Assume { cond } | InstrKind::Assert { cond, .. } => {
                self.condition(*cond);
            }
            InstrKind::Nondet { dst, .. } => {
                self.dst(*dst);
            }
            InstrKind::Call { dst, callee, args } => self.call(*dst, *callee, args),
            InstrKind::Spawn { dst, start, args } => {
                self.dst_is(*dst, pointer_int);
                self.address(*start);
                for &arg in args {
                    self.operand(arg);
                }
            }
            InstrKind::Join { dst, thread } => {
                if let Some(dst) = dst {
                    self.dst_is(*dst, Expected::Exactly(Ty::Ptr));
                }
                self.operand_is(*thread, pointer_int);
            }
            InstrKind::ThreadSelf { dst } => {
                self.dst_is(*dst, pointer_int);
            }
            InstrKind::LocalEnter(id) | InstrKind::LocalExit(id) => {
                self.operand(Operand::Local(*id, 0));
            }
            InstrKind::Alloc { dst, size, align, ty, .. } => {
                self.dst_is(*dst, Expected::Exactly(Ty::Ptr));
                self.operand_is(*size, pointer_int);
                self.operand_is(*align, pointer_int);
                ty.iter().for_each(|&ty| self.type_id(ty));
            }
            InstrKind::Free { addr, .. } | InstrKind::Sync { addr, .. } => self.address(*addr),
            InstrKind::ObjectSize { dst, addr } => {
                self.dst_is(*dst, pointer_int);
                self.address(*addr);
            }
            InstrKind::Print { format, args, .. } => {
                self.address(*format);
                match args {
                    PrintArgs::Values(values) => {
                        values.iter().for_each(|&(ty, value)| self.operand_like(value, Some(ty)));
                    }
                    PrintArgs::List(list) => self.address(*list),
                }
            }
        }
    }

    fn call(&mut self, dst: Option<Reg>, callee: Callee, args: &[Operand]) {
        let dst_ty = dst.and_then(|reg| self.dst(reg));
        let arg_types: Vec<Option<Ty>> = args.iter().map(|&arg| self.operand(arg)).collect();
        let id = match callee {
            Callee::Direct(id) => id,
            Callee::Indirect(target) => return self.address(target),
        };
        let program = self.site.program;
        if self.func(id).is_none() {
            return;
        }
        let callee = program.function(id);
        if args.len() != callee.params.len() {
            self.add(Reason::WrongArgumentCount { expected: callee.params.len(), found: args.len() });
        }
        for (index, (param, found)) in callee.params.iter().zip(arg_types).enumerate() {
            if let (Some(param), Some(found)) = (callee.registers.get(param.index()), found)
                && param.ty != found
            {
                self.add(Reason::WrongArgument { index, expected: param.ty, found });
            }
        }
        if dst_ty.is_some() && dst_ty != callee.result {
            self.add(Reason::WrongResult { expected: callee.result, found: dst_ty });
        }
    }

    fn cast_is_legal(&self, op: CastOp, from: Ty, to: Ty) -> bool {
        let target = self.site.program.target;
        let wider = from.bits(target) < to.bits(target);
        match op {
            CastOp::ZeroExtend => (from.is_int() || from == Ty::Bool) && to.is_int() && wider,
            CastOp::SignExtend => from.is_int() && to.is_int() && wider,
            CastOp::Truncate => from.is_int() && to.is_int() && from.bits(target) > to.bits(target),
            CastOp::PtrToInt => from == Ty::Ptr && to == target.pointer_int(),
            CastOp::IntToPtr => from == target.pointer_int() && to == Ty::Ptr,
            CastOp::SignedToFloat | CastOp::UnsignedToFloat => from.is_int() && to.is_float(),
            CastOp::FloatToSigned | CastOp::FloatToUnsigned => from.is_float() && to.is_int(),
            CastOp::FloatToFloat => from.is_float() && to.is_float() && from != to,
        }
    }

    fn terminator(&mut self, kind: &TerminatorKind) {
        for successor in kind.successors() {
            self.successor(successor);
        }
        match kind {
            TerminatorKind::Branch { cond, .. } => self.condition(*cond),
            TerminatorKind::Switch { ty, value, cases, .. } => {
                self.admit(Some(*ty), Expected::Integer);
                self.operand_like(*value, Some(*ty));
                let mut seen = HashSet::new();
                for &(bits, _) in cases {
                    self.constant(Const { ty: *ty, bits });
                    if !seen.insert(bits) {
                        self.add(Reason::DuplicateCase(bits));
                    }
                }
            }
            TerminatorKind::Return(value) => {
                let expected = self.site.function.result;
                let found = value.and_then(|value| self.operand(value));
                let unknown = value.is_some() && found.is_none();
                if found != expected && !unknown {
                    self.add(Reason::WrongResult { expected, found });
                }
            }
            TerminatorKind::ThreadExit(value) => self.address(*value),
            TerminatorKind::Exit(status) => {
                self.operand_is(*status, Expected::Exactly(Ty::I32));
            }
            TerminatorKind::Goto(_)
            | TerminatorKind::Abort
            | TerminatorKind::Stop
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported(_) => {}
        }
    }

    fn successor(&mut self, id: BlockId) {
        if id.index() >= self.site.function.blocks.len() {
            self.add(Reason::NoSuchId(id.into()));
        } else if id == Function::ENTRY {
            self.add(Reason::JumpToEntry);
        }
    }
}

fn binary_type(op: BinaryOp) -> Expected {
    match op {
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => Expected::Float,
        // Truth values are combined without a detour over integers.
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Expected::IntegerOrBool,
        _ => Expected::Integer,
    }
}

fn compare_type(op: CompareOp) -> Expected {
    match op {
        CompareOp::Eq | CompareOp::Ne => Expected::Comparable,
        CompareOp::LtSigned | CompareOp::LeSigned => Expected::Integer,
        CompareOp::LtUnsigned | CompareOp::LeUnsigned => Expected::IntegerOrPointer,
        CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe => Expected::Float,
    }
}
