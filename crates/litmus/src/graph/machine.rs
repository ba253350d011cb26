//! Tests of PPC and X86: from the steps that [`crate::ppc`] and [`crate::x86`] read.
//!
//! Fences have two tags: what they order (`FullFence`, `StoreFence`), for the models that come with Norn, and their own
//! name (`SYNC`, `MFENCE`), for the models of others. Accesses of locked instructions and of reservations have the tags
//! `X` and `A`. Registers of X86 have 32 bits: what is written there is cut to that.

use norn_graph::program::{BinaryOp, Expr, Instr, Label, Reg, Tags, UnaryOp, Width};
use norn_ir::diag::Diagnostic;
use norn_ir::instr::{self, CompareOp, FenceKind, RmwOp};
use norn_ir::types::Ty;

use super::code::Code;
use crate::Arch;
use crate::state::State;
use crate::step::{self, MachineReg, Place, Step, Val};
use crate::token::{Cursor, File, Token, TokenKind};
use crate::{ppc, table, x86};

pub(crate) fn threads<'a>(
    file: &File<'a>,
    arch: Arch,
    cursor: &mut Cursor<'_, 'a>,
    state: &mut State<'a>,
) -> Result<Vec<Code<'a>>, Vec<Diagnostic>> {
    let threads = table::parse(cursor, state, &|cursor, state, code: &mut step::Code<'_>| {
        code.begin_instruction();
        match arch {
            Arch::Ppc => ppc::instruction(cursor, code),
            _ => x86::instruction(cursor, arch, state, code),
        }
    })?;
    Ok(threads.into_iter().map(|thread| converted(file, arch, thread)).collect())
}

/// The width of registers.
fn word(arch: Arch) -> Width {
    if arch == Arch::X86 { Width::W32 } else { Width::W64 }
}

fn converted<'a>(file: &File<'a>, arch: Arch, thread: step::Code<'a>) -> Code<'a> {
    let mut code = Code::default();
    for register in &thread.registers {
        let reg = if register.name.is_empty() { code.fresh() } else { code.register(&register.name) };
        code.registers[reg.index()].is_wide |= register.wide;
    }
    let mut converter = Converter { file, arch, code, in_section: false, start: 0 };
    for (index, (step, start)) in thread.steps.iter().enumerate() {
        converter.start = *start;
        let ends_section = matches!(thread.steps.get(index + 1), Some((Step::SectionEnd, _)));
        converter.step(step, ends_section);
    }
    converter.code
}

struct Converter<'c, 'a> {
    file: &'c File<'a>,
    arch: Arch,
    code: Code<'a>,
    /// Between a load with reservation and its store.
    in_section: bool,
    /// Where the instruction stands.
    start: u32,
}

impl<'a> Converter<'_, 'a> {
    fn push(&mut self, instr: Instr) {
        let token = Token { kind: TokenKind::Word, text: "", start: self.start };
        self.code.push(instr, token, self.file);
    }

    fn value(&mut self, value: Val) -> Expr {
        match value {
            Val::Reg(reg) => Expr::Reg(register(reg)),
            Val::Number(n) => Expr::Const(word(self.arch).truncate(n as u64)),
            Val::Address(location) => self.code.address(location),
        }
    }

    fn address(&mut self, place: Place) -> Expr {
        let base = self.value(place.base);
        match place.index {
            Val::Number(0) => base,
            index => {
                let index = self.value(index);
                self.cut(Expr::binary(BinaryOp::Add, base, index))
            }
        }
    }

    /// What fits into a register.
    fn cut(&self, value: Expr) -> Expr {
        if word(self.arch) == Width::W64 { value } else { Expr::truncate(word(self.arch), value) }
    }

    /// The low bits of a register, extended to a register again.
    fn extended(&self, value: Expr, from: Width, signed: bool) -> Expr {
        match (from, signed) {
            (Width::W64, _) => value,
            (_, true) => self.cut(Expr::sign_extend(from, value)),
            (_, false) => Expr::truncate(from, value),
        }
    }

    fn step(&mut self, step: &Step, ends_section: bool) {
        match step {
            Step::Label(id) => self.push(Instr::Label(Label::new(id.index()))),
            Step::Jump(id) => self.push(Instr::Jump(Label::new(id.index()))),
            Step::Set { dst, src } => {
                let value = self.value(*src);
                self.push(Instr::Assign { dst: register(*dst), value });
            }
            Step::Zero { dst, on } => {
                let on = self.value(*on);
                let value = Expr::binary(BinaryOp::Xor, on.clone(), on);
                self.push(Instr::Assign { dst: register(*dst), value });
            }
            Step::Compute { dst, op, ty, lhs, rhs } => {
                let value = self.computed(*op, width(*ty), *lhs, *rhs);
                self.push(Instr::Assign { dst: register(*dst), value });
            }
            Step::Extend { dst, src, from, signed } => {
                let value = self.value(*src);
                let value = self.extended(value, width(*from), *signed);
                self.push(Instr::Assign { dst: register(*dst), value });
            }
            Step::Load { dst, place, ty, signed } => {
                let (addr, width, exclusive) = (self.address(*place), width(*ty), self.in_section);
                let tags = if exclusive { locked() } else { Tags::none() };
                let dst = register(*dst);
                self.push(Instr::Load { dst, addr, width, tags, exclusive });
                if *signed {
                    let value = self.extended(Expr::Reg(dst), width, true);
                    self.push(Instr::Assign { dst, value });
                }
            }
            Step::Store { place, value, ty } => {
                let (addr, value, width) = (self.address(*place), self.value(*value), width(*ty));
                if !(self.in_section && ends_section) {
                    return self.push(Instr::Store { addr, value, width, tags: Tags::none() });
                }
                // Whether it succeeds was chosen before; this is the case where it does.
                let (status, status_depends) = (self.code.fresh(), false);
                self.push(Instr::StoreExclusive { status, addr, value, width, tags: locked(), status_depends });
                self.push(Instr::Assume(Expr::unary(UnaryOp::IsZero, Expr::Reg(status))));
            }
            Step::Rmw { dst, op, place, value, ty } => {
                let (old, addr, width) = (register(*dst), self.address(*place), width(*ty));
                let operand = self.value(*value);
                let op = match op {
                    RmwOp::Exchange => None,
                    RmwOp::Add => Some(BinaryOp::Add),
                    RmwOp::Sub => Some(BinaryOp::Sub),
                    RmwOp::And | RmwOp::Nand => Some(BinaryOp::And),
                    RmwOp::Or => Some(BinaryOp::Or),
                    RmwOp::Xor => Some(BinaryOp::Xor),
                };
                let value = op.map_or(operand.clone(), |op| Expr::binary(op, Expr::Reg(old), operand));
                let (read, write, otherwise) = (locked(), locked(), Tags::none());
                self.push(Instr::Rmw { old, addr, width, when: None, value, read, write, otherwise });
            }
            Step::CompareExchange { dst, place, expected, desired, ty } => {
                let (old, addr, width) = (register(*dst), self.address(*place), width(*ty));
                let (expected, value) = (self.value(*expected), self.value(*desired));
                let same = Expr::binary(BinaryOp::Equal, Expr::Reg(old), Expr::truncate(width, expected));
                let (when, read, write, otherwise) = (Some(same), locked(), locked(), locked());
                self.push(Instr::Rmw { old, addr, width, when, value, read, write, otherwise });
            }
            Step::Fence(kind) => {
                let tags = self.fence(*kind);
                self.push(Instr::Fence { addr: None, tags });
            }
            Step::Branch { op, lhs, rhs, target } => {
                let condition = self.comparison(*op, *lhs, *rhs);
                self.push(Instr::Branch { condition, target: Label::new(target.index()), until: None });
            }
            Step::Choose { dst } => self.push(Instr::Choose { dst: register(*dst) }),
            Step::SectionBegin => self.in_section = true,
            Step::SectionEnd => self.in_section = false,
        }
    }

    /// Computed in `width`, then extended with zeros.
    fn computed(&mut self, op: instr::BinaryOp, width: Width, lhs: Val, rhs: Val) -> Expr {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let amount = |rhs: Expr| match rhs {
            Expr::Const(n) => Expr::Const(n & u64::from(width.bits() - 1)),
            rhs => Expr::binary(BinaryOp::And, rhs, Expr::Const(u64::from(width.bits() - 1))),
        };
        let (op, lhs, rhs) = match op {
            instr::BinaryOp::Add => (BinaryOp::Add, lhs, rhs),
            instr::BinaryOp::Sub => (BinaryOp::Sub, lhs, rhs),
            instr::BinaryOp::Mul => (BinaryOp::Mul, lhs, rhs),
            instr::BinaryOp::And => (BinaryOp::And, lhs, rhs),
            instr::BinaryOp::Or => (BinaryOp::Or, lhs, rhs),
            instr::BinaryOp::Xor => (BinaryOp::Xor, lhs, rhs),
            instr::BinaryOp::Shl => (BinaryOp::ShiftLeft, lhs, amount(rhs)),
            instr::BinaryOp::ShrUnsigned => (BinaryOp::ShiftRight, self.extended(lhs, width, false), amount(rhs)),
            instr::BinaryOp::ShrSigned => {
                let lhs = if width == Width::W64 { lhs } else { Expr::sign_extend(width, lhs) };
                (BinaryOp::ShiftRightSigned, lhs, amount(rhs))
            }
            other => unreachable!("no instruction should compute {other:?}"),
        };
        self.extended(Expr::binary(op, lhs, rhs), width, false)
    }

    fn comparison(&mut self, op: CompareOp, lhs: Val, rhs: Val) -> Expr {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let word = word(self.arch);
        let signed = |side: Expr| if word == Width::W64 { side } else { Expr::sign_extend(word, side) };
        match op {
            CompareOp::Eq => Expr::binary(BinaryOp::Equal, lhs, rhs),
            CompareOp::Ne => Expr::binary(BinaryOp::NotEqual, lhs, rhs),
            CompareOp::LtSigned => Expr::binary(BinaryOp::LessSigned, signed(lhs), signed(rhs)),
            CompareOp::LeSigned => Expr::binary(BinaryOp::LessEqualSigned, signed(lhs), signed(rhs)),
            CompareOp::LtUnsigned => Expr::binary(BinaryOp::Less, lhs, rhs),
            CompareOp::LeUnsigned => Expr::binary(BinaryOp::LessEqual, lhs, rhs),
            other => unreachable!("no instruction should compare by {other:?}"),
        }
    }

    fn fence(&self, kind: FenceKind) -> Tags {
        let is_ppc = self.arch == Arch::Ppc;
        match kind {
            FenceKind::Full => Tags::of(&["FullFence", if is_ppc { "SYNC" } else { "MFENCE" }]),
            FenceKind::StoreStore => {
                let name = if !is_ppc {
                    "SFENCE"
                } else if self.file.text[self.start as usize..].starts_with("eieio") {
                    "EIEIO"
                } else {
                    "LWSYNC"
                };
                Tags::of(&["StoreFence", name])
            }
            _ => Tags::of(&[if is_ppc { "ISYNC" } else { "LFENCE" }]),
        }
    }
}

/// Both count registers in the same order.
fn register(reg: MachineReg) -> Reg {
    Reg::new(reg.index())
}

fn locked() -> Tags {
    Tags::of(&["X", "A"])
}

fn width(ty: Ty) -> Width {
    match ty {
        Ty::Bool | Ty::I8 => Width::W8,
        Ty::I16 => Width::W16,
        Ty::I32 | Ty::F32 => Width::W32,
        Ty::I64 | Ty::F64 | Ty::Ptr => Width::W64,
    }
}
