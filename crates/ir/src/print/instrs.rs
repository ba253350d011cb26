//! Instructions, terminators and operands.

use crate::number::low_32;
use std::fmt::{self, Write};

use super::{Printer, comma};
use crate::instr::{Access, Callee, Const, InstrKind, NondetSource, Operand, Order, PrintArgs, TerminatorKind};
use crate::program::Function;
use crate::types::Ty;

impl Printer<'_> {
    pub(super) fn instr(&mut self, function: &Function, kind: &InstrKind) -> fmt::Result {
        let mut defs = kind.defs().peekable();
        let dst_ty = defs.peek().and_then(|reg| function.registers.get(reg.index())).map(|r| r.ty);
        let mut any = false;
        for (i, reg) in defs.enumerate() {
            write!(self.out, "{}{reg}", comma(i))?;
            any = true;
        }
        if any {
            self.out.push_str(" = ");
        }
        let pointer_int = Some(self.program.target.pointer_int());
        match kind {
            InstrKind::Copy { src, .. } => self.operands("copy ", &[(*src, dst_ty)]),
            InstrKind::Binary { op, lhs, rhs, .. } => {
                write!(self.out, "{} ", op.mnemonic())?;
                self.operands("", &[(*lhs, dst_ty), (*rhs, dst_ty)])
            }
            InstrKind::Compare { op, ty, lhs, rhs, .. } => {
                write!(self.out, "{} {} ", op.mnemonic(), ty.mnemonic())?;
                self.operands("", &[(*lhs, Some(*ty)), (*rhs, Some(*ty))])
            }
            InstrKind::Unary { op, src, .. } => {
                write!(self.out, "{} ", op.mnemonic())?;
                self.operands("", &[(*src, dst_ty)])
            }
            InstrKind::Cast { op, from, src, .. } => {
                write!(self.out, "{} {} ", op.mnemonic(), from.mnemonic())?;
                self.operands("", &[(*src, Some(*from))])
            }
            InstrKind::Select { cond, then, otherwise, .. } => {
                self.operands("select ", &[(*cond, Some(Ty::Bool)), (*then, dst_ty), (*otherwise, dst_ty)])
            }
            InstrKind::PtrAdd { base, index, scale, .. } => {
                self.operands("ptr_add ", &[(*base, Some(Ty::Ptr)), (*index, pointer_int)])?;
                write!(self.out, " * {scale}")
            }
            InstrKind::PtrDiff { lhs, rhs, .. } => {
                self.operands("ptr_diff ", &[(*lhs, Some(Ty::Ptr)), (*rhs, Some(Ty::Ptr))])
            }
            InstrKind::Load { addr, access, .. } => {
                self.operands("load ", &[(*addr, Some(Ty::Ptr))])?;
                self.access(*access);
                Ok(())
            }
            InstrKind::Store { ty, addr, value, access } => {
                write!(self.out, "store {} ", ty.mnemonic())?;
                self.operands("", &[(*addr, Some(Ty::Ptr)), (*value, Some(*ty))])?;
                self.access(*access);
                Ok(())
            }
            InstrKind::Rmw { op, addr, value, order, .. } => {
                write!(self.out, "rmw {} ", op.mnemonic())?;
                self.operands("", &[(*addr, Some(Ty::Ptr)), (*value, dst_ty)])?;
                write!(self.out, " {}", order.mnemonic())
            }
            InstrKind::CompareExchange { addr, expected, desired, order, failure, .. } => {
                let operands = [(*addr, Some(Ty::Ptr)), (*expected, dst_ty), (*desired, dst_ty)];
                self.operands("compare_exchange ", &operands)?;
                write!(self.out, " {} {}", order.mnemonic(), failure.mnemonic())
            }
            InstrKind::Fence(kind) => write!(self.out, "fence {}", kind.mnemonic()),
            InstrKind::SectionBegin(kind) => write!(self.out, "begin {}", kind.mnemonic()),
            InstrKind::SectionEnd => self.out.write_str("end"),
            InstrKind::Await { cond, spurious } => {
                self.operands("await ", &[(*cond, Some(Ty::Bool))])?;
                self.flag(" spurious", *spurious);
                Ok(())
            }
            InstrKind::Assume { cond } => self.operands("assume ", &[(*cond, Some(Ty::Bool))]),
            InstrKind::Assert { cond, property, message } => {
                self.operands("assert ", &[(*cond, Some(Ty::Bool))])?;
                write!(self.out, " {} ", property.mnemonic())?;
                self.string(message);
                Ok(())
            }
            InstrKind::Nondet { source, .. } => {
                let (word, name) = match source {
                    NondetSource::Input(name) => ("input", name),
                    NondetSource::Uninitialised(name) => ("uninitialised", name),
                };
                write!(self.out, "nondet {word} ")?;
                self.string(name);
                Ok(())
            }
            InstrKind::Call { callee, args, .. } => {
                match callee {
                    Callee::Direct(id) => write!(self.out, "call {id}")?,
                    Callee::Indirect(target) => self.operands("call *", &[(*target, Some(Ty::Ptr))])?,
                }
                self.arguments(args)
            }
            InstrKind::Spawn { start, args, .. } => {
                self.operands("spawn ", &[(*start, Some(Ty::Ptr))])?;
                self.arguments(args)
            }
            InstrKind::Join { thread, .. } => self.operands("join ", &[(*thread, pointer_int)]),
            InstrKind::ThreadSelf { .. } => self.out.write_str("self"),
            InstrKind::LocalEnter(id) => write!(self.out, "enter {id}"),
            InstrKind::LocalExit(id) => write!(self.out, "leave {id}"),
            InstrKind::Alloc { size, align, zeroed, kind, ty, private, .. } => {
                write!(self.out, "alloc {} ", kind.mnemonic())?;
                self.operands("", &[(*size, pointer_int)])?;
                if *align != Operand::Const(Const::usual_alignment(self.program.target)) {
                    self.operands(" align ", &[(*align, pointer_int)])?;
                }
                if let Some(ty) = ty {
                    write!(self.out, " {ty}")?;
                }
                self.flag(" zeroed", *zeroed);
                self.flag(" private", *private);
                Ok(())
            }
            InstrKind::Free { addr, kind } => {
                write!(self.out, "free {} ", kind.mnemonic())?;
                self.operands("", &[(*addr, Some(Ty::Ptr))])
            }
            InstrKind::ObjectSize { addr, .. } => self.operands("object_size ", &[(*addr, Some(Ty::Ptr))]),
            InstrKind::Sync { kind, addr } => {
                write!(self.out, "sync {} ", kind.mnemonic())?;
                self.operands("", &[(*addr, Some(Ty::Ptr))])
            }
            InstrKind::Print { stream, format, args } => {
                write!(self.out, "print {} ", stream.mnemonic())?;
                self.operands("", &[(*format, Some(Ty::Ptr))])?;
                match args {
                    PrintArgs::Values(values) => {
                        for (ty, value) in values {
                            write!(self.out, ", {} ", ty.mnemonic())?;
                            self.operand(*value, Some(*ty))?;
                        }
                        Ok(())
                    }
                    PrintArgs::List(list) => {
                        self.out.write_str(", list ")?;
                        self.operand(*list, Some(Ty::Ptr))
                    }
                }
            }
        }
    }

    pub(super) fn terminator(&mut self, function: &Function, kind: &TerminatorKind) -> fmt::Result {
        match kind {
            TerminatorKind::Goto(target) => write!(self.out, "goto {target}"),
            TerminatorKind::Branch { cond, then, otherwise } => {
                self.operands("branch ", &[(*cond, Some(Ty::Bool))])?;
                write!(self.out, ", {then}, {otherwise}")
            }
            TerminatorKind::Switch { ty, value, cases, default } => {
                write!(self.out, "switch {} ", ty.mnemonic())?;
                self.operand(*value, Some(*ty))?;
                for (bits, target) in cases {
                    self.out.push_str(", ");
                    self.number(Const { ty: *ty, bits: *bits })?;
                    write!(self.out, ": {target}")?;
                }
                write!(self.out, ", else {default}")
            }
            TerminatorKind::Return(None) => self.out.write_str("return"),
            TerminatorKind::Return(Some(value)) => self.operands("return ", &[(*value, function.result)]),
            TerminatorKind::ThreadExit(value) => self.operands("thread_exit ", &[(*value, Some(Ty::Ptr))]),
            TerminatorKind::Exit(status) => self.operands("exit ", &[(*status, Some(Ty::I32))]),
            TerminatorKind::Abort => self.out.write_str("abort"),
            TerminatorKind::Stop => self.out.write_str("stop"),
            TerminatorKind::Unreachable => self.out.write_str("unreachable"),
            TerminatorKind::Unsupported(reason) => {
                self.out.push_str("unsupported ");
                self.string(reason);
                Ok(())
            }
        }
    }

    fn operands(&mut self, word: &str, operands: &[(Operand, Option<Ty>)]) -> fmt::Result {
        self.out.push_str(word);
        for (i, &(operand, settled)) in operands.iter().enumerate() {
            self.out.push_str(comma(i));
            self.operand(operand, settled)?;
        }
        Ok(())
    }

    fn arguments(&mut self, args: &[Operand]) -> fmt::Result {
        self.out.push('(');
        for (i, &arg) in args.iter().enumerate() {
            self.out.push_str(comma(i));
            self.operand(arg, None)?;
        }
        self.out.push(')');
        Ok(())
    }

    /// `settled` is the type that a constant has if it is written without one.
    pub(super) fn operand(&mut self, operand: Operand, settled: Option<Ty>) -> fmt::Result {
        match operand {
            Operand::Reg(reg) => write!(self.out, "{reg}"),
            Operand::Const(constant) => self.constant(constant, settled),
            Operand::Global(id, 0) => write!(self.out, "{id}"),
            Operand::Global(id, offset) => write!(self.out, "{id}{offset:+}"),
            Operand::Local(id, 0) => write!(self.out, "{id}"),
            Operand::Local(id, offset) => write!(self.out, "{id}{offset:+}"),
            Operand::Func(id) => write!(self.out, "{id}"),
        }
    }

    pub(super) fn constant(&mut self, constant: Const, settled: Option<Ty>) -> fmt::Result {
        match constant {
            Const::TRUE => self.out.write_str("true"),
            Const::FALSE => self.out.write_str("false"),
            Const::NULL => self.out.write_str("null"),
            _ => {
                if settled != Some(constant.ty) {
                    write!(self.out, "{} ", constant.ty.mnemonic())?;
                }
                self.number(constant)
            }
        }
    }

    /// The value alone. What does not fit its type (such a program is not valid) is written as it is.
    fn number(&mut self, Const { ty, bits }: Const) -> fmt::Result {
        let target = self.program.target;
        let fits = ty.truncate(bits, target) == bits;
        let width = ty.bits(target);
        match ty {
            Ty::F32 if fits && f32::from_bits(low_32(bits)).is_finite() => {
                write!(self.out, "{:?}", f32::from_bits(low_32(bits)))
            }
            Ty::F64 if f64::from_bits(bits).is_finite() => write!(self.out, "{:?}", f64::from_bits(bits)),
            Ty::F32 | Ty::F64 => write!(self.out, "{bits:#x}"),
            Ty::Bool => write!(self.out, "{bits}"),
            _ if fits && bits >> (width - 1) == 1 => {
                let unused = 64 - width;
                write!(self.out, "{}", ((bits << unused) as i64) >> unused)
            }
            _ => write!(self.out, "{bits}"),
        }
    }

    fn access(&mut self, access: Access) {
        self.flag(" volatile", access.volatile);
        if access.order != Order::Plain {
            self.out.push(' ');
            self.out.push_str(access.order.mnemonic());
        }
    }

    fn flag(&mut self, word: &str, set: bool) {
        if set {
            self.out.push_str(word);
        }
    }
}
