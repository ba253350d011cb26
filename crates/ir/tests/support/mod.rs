//! Random programs of any form, valid or not: what can be written down must survive the text form.

use norn_ir::ids::{BlockId, FileId, FuncId, GlobalId, LocalId, Reg, TypeId};
use norn_ir::instr::*;
use norn_ir::number::{low_8, low_32, narrow};
use norn_ir::program::{Block, Function, Global, Init, InitValue, Local, Origin, Program, Register, Storage};
use norn_ir::span::Span;
use norn_ir::types::{BitRange, Display, Field, Record, Shape, Target, Ty, Type};
use norn_testing::Random;
use std::ops::{Deref, DerefMut};

/// Random numbers, and what programs are made of.
pub struct Generator(Random);

impl Deref for Generator {
    type Target = Random;

    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Generator {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator(Random::new(seed))
    }

    fn flip(&mut self) -> bool {
        self.one_in(2)
    }

    fn list<T>(&mut self, limit: u64, mut item: impl FnMut(&mut Generator) -> T) -> Vec<T> {
        (0..self.below(limit)).map(|_| item(self)).collect()
    }

    /// Small ids are likely to refer to something, the rest to nothing.
    fn id(&mut self) -> u32 {
        match self.below(20) {
            0 => low_32(self.number()),
            // The functions whose ids look like types.
            1 => self.pick(&[32, 64]),
            _ => narrow(self.below(5)),
        }
    }

    fn reg(&mut self) -> Reg {
        Reg(self.id())
    }

    /// Numbers with an eye for the edges.
    fn bits(&mut self) -> u64 {
        let edges =
            [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 63, u64::MAX, 0x7FF0_0000_0000_0000];
        match self.below(4) {
            0 => self.pick(&edges),
            1 => self.number(),
            2 => self.pick(&[1.5f64, -0.0, 1e300, 1e-7, f64::NAN, 0.1]).to_bits(),
            _ => u64::from(self.pick(&[1.5f32, -0.0, 1e30, 1e-7, f32::INFINITY, 0.1]).to_bits()),
        }
    }

    fn text(&mut self) -> String {
        let pieces = ["x", "main", " ", "\"", "\\", "\n", "\0", "ü", "\u{7f}", "//", "{", "\u{202e}", "0"];
        let mut text = String::new();
        for _ in 0..self.below(5) {
            text.push_str(self.pick(&pieces));
        }
        text
    }

    fn scalar(&mut self) -> Ty {
        self.pick(&Ty::ALL)
    }

    fn span(&mut self) -> Span {
        match self.below(4) {
            0 => Span::NONE,
            1 => Span { file: FileId(self.id()), line: narrow(self.below(3)), column: narrow(self.below(3)) },
            _ => Span { file: FileId(1), line: narrow(self.below(3)), column: 7 },
        }
    }

    fn constant(&mut self) -> Const {
        Const { ty: self.scalar(), bits: self.bits() }
    }

    fn operand(&mut self) -> Operand {
        match self.below(6) {
            0 | 1 => Operand::Const(self.constant()),
            2 => Operand::Global(GlobalId(self.id()), self.bits() as i64),
            3 => Operand::Local(LocalId(self.id()), self.bits() as i64),
            4 => Operand::Func(FuncId(self.id())),
            _ => Operand::Reg(self.reg()),
        }
    }

    fn order(&mut self) -> Order {
        self.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
    }

    fn access(&mut self) -> Access {
        Access { order: self.order(), volatile: self.flip() }
    }

    fn alloc_kind(&mut self) -> AllocKind {
        self.pick(&[AllocKind::Heap, AllocKind::Stack])
    }

    fn ty(&mut self) -> Type {
        let shape = match self.below(4) {
            0 => {
                use Display::*;
                Shape::Scalar { ty: self.scalar(), display: self.pick(&[Signed, Unsigned, Bool, Char, Float, Pointer]) }
            }
            1 => Shape::Array { element: TypeId(self.id()), length: self.bits() },
            2 => Shape::Bytes,
            _ => Shape::Record(Record {
                name: self.text(),
                is_union: self.flip(),
                fields: self.list(4, |r| Field {
                    name: r.text(),
                    offset: r.bits(),
                    ty: TypeId(r.id()),
                    bits: r.flip().then(|| BitRange { start: low_32(r.bits()), width: narrow(r.below(9)) }),
                }),
            }),
        };
        Type { size: self.pick(&[1, 4, 8, u64::MAX]), align: self.pick(&[0, 1, 4, 8]), shape }
    }

    fn origin(&mut self) -> Origin {
        self.pick(&[Origin::User, Origin::Library])
    }

    fn global(&mut self) -> Global {
        Global {
            name: self.text(),
            ty: TypeId(self.id()),
            storage: self.pick(&[Storage::Static, Storage::Thread, Storage::Constant]),
            init: self.list(4, |r| Init {
                offset: r.bits(),
                value: match r.below(4) {
                    0 => InitValue::Const(r.constant()),
                    1 => InitValue::Global(GlobalId(r.id()), r.bits() as i64),
                    2 => InitValue::Func(FuncId(r.id())),
                    _ => InitValue::Bytes(r.list(9, |r| low_8(r.number()))),
                },
            }),
            private: self.flip(),
            origin: self.origin(),
            span: self.span(),
        }
    }

    fn instr(&mut self) -> InstrKind {
        let dst = self.reg();
        match self.below(29) {
            0 => InstrKind::Copy { dst, src: self.operand() },
            1 => {
                use BinaryOp::*;
                let op = self.pick(&[
                    Add,
                    Sub,
                    Mul,
                    AddSigned,
                    SubSigned,
                    MulSigned,
                    DivSigned,
                    DivUnsigned,
                    RemSigned,
                    RemUnsigned,
                    And,
                    Or,
                    Xor,
                    Shl,
                    ShlSigned,
                    ShrSigned,
                    ShrUnsigned,
                    FAdd,
                    FSub,
                    FMul,
                    FDiv,
                ]);
                InstrKind::Binary { dst, op, lhs: self.operand(), rhs: self.operand() }
            }
            2 => {
                use CompareOp::*;
                let op = self.pick(&[Eq, Ne, LtSigned, LeSigned, LtUnsigned, LeUnsigned, FEq, FNe, FLt, FLe]);
                InstrKind::Compare { dst, op, ty: self.scalar(), lhs: self.operand(), rhs: self.operand() }
            }
            3 => {
                use UnaryOp::*;
                let op = self.pick(&[FNeg, PopCount, LeadingZeros, TrailingZeros, ByteSwap]);
                InstrKind::Unary { dst, op, src: self.operand() }
            }
            4 => {
                use CastOp::*;
                let op = self.pick(&[
                    ZeroExtend,
                    SignExtend,
                    Truncate,
                    PtrToInt,
                    IntToPtr,
                    SignedToFloat,
                    UnsignedToFloat,
                    FloatToSigned,
                    FloatToUnsigned,
                    FloatToFloat,
                ]);
                InstrKind::Cast { dst, op, from: self.scalar(), src: self.operand() }
            }
            5 => InstrKind::Select { dst, cond: self.operand(), then: self.operand(), otherwise: self.operand() },
            6 => InstrKind::PtrAdd { dst, base: self.operand(), index: self.operand(), scale: self.bits() as i64 },
            7 => InstrKind::PtrDiff { dst, lhs: self.operand(), rhs: self.operand() },
            8 => InstrKind::Load { dst, addr: self.operand(), access: self.access() },
            9 => InstrKind::Store {
                ty: self.scalar(),
                addr: self.operand(),
                value: self.operand(),
                access: self.access(),
            },
            10 => {
                use RmwOp::*;
                let op = self.pick(&[Exchange, Add, Sub, And, Or, Xor, Nand]);
                InstrKind::Rmw { dst, op, addr: self.operand(), value: self.operand(), order: self.order() }
            }
            11 => InstrKind::CompareExchange {
                dst,
                success: self.reg(),
                addr: self.operand(),
                expected: self.operand(),
                desired: self.operand(),
                order: self.order(),
                failure: self.order(),
            },
            12 => {
                use FenceKind::*;
                let kinds = [Full, Release, AcqRel, Acquire, StoreStore, LoadLoad, Compiler, Call];
                InstrKind::Fence(self.pick(&kinds))
            }
            13 => InstrKind::SectionBegin(self.pick(&[SectionKind::Atomic, SectionKind::Library, SectionKind::Read])),
            14 => InstrKind::SectionEnd,
            15 => InstrKind::Await { cond: self.operand(), spurious: self.flip() },
            16 => InstrKind::Assume { cond: self.operand() },
            17 => {
                use Property::*;
                let property = self.pick(&[Assertion, ErrorCall, ErrorLabel, Misuse]);
                InstrKind::Assert { cond: self.operand(), property, message: self.text() }
            }
            18 => {
                let name = self.text();
                let source = if self.flip() { NondetSource::Input(name) } else { NondetSource::Uninitialised(name) };
                InstrKind::Nondet { dst, source }
            }
            19 => {
                let callee =
                    if self.flip() { Callee::Direct(FuncId(self.id())) } else { Callee::Indirect(self.operand()) };
                InstrKind::Call { dst: self.flip().then_some(dst), callee, args: self.list(4, Generator::operand) }
            }
            20 => InstrKind::Spawn { dst, start: self.operand(), args: self.list(3, Generator::operand) },
            21 => InstrKind::Join { dst: self.flip().then_some(dst), thread: self.operand() },
            22 => InstrKind::ThreadSelf { dst },
            23 => InstrKind::LocalEnter(LocalId(self.id())),
            24 => InstrKind::LocalExit(LocalId(self.id())),
            25 => InstrKind::Alloc {
                dst,
                size: self.operand(),
                align: if self.flip() { self.operand() } else { Operand::Const(Const::usual_alignment(Target::Lp64)) },
                zeroed: self.flip(),
                kind: self.alloc_kind(),
                ty: if self.flip() { Some(TypeId(self.id())) } else { None },
                private: self.flip(),
            },
            26 => match self.below(3) {
                0 => InstrKind::Free { addr: self.operand(), kind: self.alloc_kind() },
                _ => InstrKind::ObjectSize { dst, addr: self.operand() },
            },
            27 => InstrKind::Sync { kind: self.pick(&[SyncKind::Acquire, SyncKind::Release]), addr: self.operand() },
            _ => InstrKind::Print {
                stream: self.pick(&[Stream::Stdout, Stream::Stderr]),
                format: self.operand(),
                args: match self.flip() {
                    true => PrintArgs::Values(self.list(4, |r| (r.scalar(), r.operand()))),
                    false => PrintArgs::List(self.operand()),
                },
            },
        }
    }

    fn terminator(&mut self) -> TerminatorKind {
        let target = BlockId(self.id());
        match self.below(10) {
            0 => TerminatorKind::Goto(target),
            1 => TerminatorKind::Branch { cond: self.operand(), then: target, otherwise: BlockId(self.id()) },
            2 => TerminatorKind::Switch {
                ty: self.scalar(),
                value: self.operand(),
                cases: self.list(4, |r| (r.bits(), BlockId(r.id()))),
                default: target,
            },
            3 => TerminatorKind::Return(if self.flip() { Some(self.operand()) } else { None }),
            4 => TerminatorKind::ThreadExit(self.operand()),
            5 => TerminatorKind::Exit(self.operand()),
            6 => TerminatorKind::Abort,
            7 => TerminatorKind::Stop,
            8 => TerminatorKind::Unreachable,
            _ => TerminatorKind::Unsupported(self.text()),
        }
    }

    fn function(&mut self) -> Function {
        Function {
            name: self.text(),
            params: self.list(4, Generator::reg),
            result: if self.flip() { Some(self.scalar()) } else { None },
            registers: self.list(40, |r| Register { ty: r.scalar(), name: r.text() }),
            locals: self.list(4, |r| Local { name: r.text(), ty: TypeId(r.id()), private: r.flip(), span: r.span() }),
            blocks: self.list(5, |r| Block {
                instrs: r.list(9, |r| Instr { kind: r.instr(), span: r.span() }),
                terminator: Terminator { kind: r.terminator(), span: r.span() },
            }),
            origin: self.origin(),
            span: self.span(),
        }
    }

    pub fn program(&mut self) -> Program {
        Program {
            target: self.pick(&[Target::Ilp32, Target::Lp64]),
            reuses_memory: self.pick(&[false, true]),
            files: self.list(3, Generator::text),
            types: self.list(6, Generator::ty),
            globals: self.list(5, Generator::global),
            functions: self.list(5, Generator::function),
            entry: FuncId(self.id()),
        }
    }
}
