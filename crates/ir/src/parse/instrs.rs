//! Blocks, instructions, terminators and operands.

use super::lexer::Token;
use super::{ParseError, Parser, parse_u64};
use crate::ids::{Reg, TypeId};
use crate::instr::{
    Access, AllocKind, BinaryOp, Callee, CastOp, CompareOp, Const, FenceKind, Instr, InstrKind, NondetSource, Operand,
    Order, PrintArgs, Property, RmwOp, SectionKind, Stream, SyncKind, Terminator, TerminatorKind, UnaryOp,
};
use crate::program::{Block, Function};
use crate::types::Ty;

/// What a line of a block holds.
enum Line {
    Instr(InstrKind),
    Terminator(TerminatorKind),
}

impl Parser<'_> {
    /// A block with its label. `function` is complete but for its blocks.
    pub(super) fn block(&mut self, function: &Function) -> Result<Block, ParseError> {
        self.declared('b', "block", function.blocks.len())?;
        self.punct(':')?;
        self.line_end()?;
        let mut instrs = Vec::new();
        loop {
            self.skip_empty_lines()?;
            let line = self.line(function)?;
            let span = self.place()?;
            self.line_end()?;
            match line {
                Line::Instr(kind) => instrs.push(Instr { kind, span }),
                Line::Terminator(kind) => return Ok(Block { instrs, terminator: Terminator { kind, span } }),
            }
        }
    }

    fn line(&mut self, function: &Function) -> Result<Line, ParseError> {
        if self.peek_id('r').is_some() {
            let dst = self.reg()?;
            let success = if self.eat_punct(',')? { Some(self.reg()?) } else { None };
            self.punct('=')?;
            return match success {
                Some(success) => self.compare_exchange(function, dst, success),
                None => self.with_result(function, dst),
            }
            .map(Line::Instr);
        }
        let Some(word) = self.peek_word() else { return self.expected("an instruction") };
        match self.terminator(function, word)? {
            Some(kind) => Ok(Line::Terminator(kind)),
            None => self.without_result(word).map(Line::Instr),
        }
    }

    fn with_result(&mut self, function: &Function, dst: Reg) -> Result<InstrKind, ParseError> {
        let Some(word) = self.peek_word() else { return self.expected("an instruction") };
        let dst_ty = function.registers.get(dst.index()).map(|r| r.ty);
        let pointer_int = Some(self.target.pointer_int());
        let start = self.start;
        self.advance()?;
        if let Some(op) = BinaryOp::from_mnemonic(word) {
            let (lhs, rhs) = self.pair(dst_ty, dst_ty)?;
            return Ok(InstrKind::Binary { dst, op, lhs, rhs });
        }
        if let Some(op) = CompareOp::from_mnemonic(word) {
            let ty = self.scalar()?;
            let (lhs, rhs) = self.pair(Some(ty), Some(ty))?;
            return Ok(InstrKind::Compare { dst, op, ty, lhs, rhs });
        }
        if let Some(op) = UnaryOp::from_mnemonic(word) {
            return Ok(InstrKind::Unary { dst, op, src: self.operand(dst_ty)? });
        }
        if let Some(op) = CastOp::from_mnemonic(word) {
            let from = self.scalar()?;
            return Ok(InstrKind::Cast { dst, op, from, src: self.operand(Some(from))? });
        }
        Ok(match word {
            "copy" => InstrKind::Copy { dst, src: self.operand(dst_ty)? },
            "select" => {
                let cond = self.operand(Some(Ty::Bool))?;
                self.punct(',')?;
                let (then, otherwise) = self.pair(dst_ty, dst_ty)?;
                InstrKind::Select { dst, cond, then, otherwise }
            }
            "ptr_add" => {
                let (base, index) = self.pair(Some(Ty::Ptr), pointer_int)?;
                self.punct('*')?;
                InstrKind::PtrAdd { dst, base, index, scale: self.i64("a number of bytes")? }
            }
            "ptr_diff" => {
                let (lhs, rhs) = self.pair(Some(Ty::Ptr), Some(Ty::Ptr))?;
                InstrKind::PtrDiff { dst, lhs, rhs }
            }
            "load" => InstrKind::Load { dst, addr: self.operand(Some(Ty::Ptr))?, access: self.access()? },
            "rmw" => {
                let op = self.choice("the operation of a read-modify-write", RmwOp::from_mnemonic)?;
                let (addr, value) = self.pair(Some(Ty::Ptr), dst_ty)?;
                InstrKind::Rmw { dst, op, addr, value, order: self.order()? }
            }
            "nondet" => {
                let uninitialised = self.eat_word("uninitialised")?;
                if !uninitialised {
                    self.keyword("input")?;
                }
                let name = self.string()?;
                let source = if uninitialised { NondetSource::Uninitialised(name) } else { NondetSource::Input(name) };
                InstrKind::Nondet { dst, source }
            }
            "call" => self.call(Some(dst))?,
            "spawn" => InstrKind::Spawn { dst, start: self.operand(Some(Ty::Ptr))?, args: self.arguments()? },
            "join" => InstrKind::Join { dst: Some(dst), thread: self.operand(pointer_int)? },
            "self" => InstrKind::ThreadSelf { dst },
            "alloc" => {
                let kind = self.choice("'heap' or 'stack'", AllocKind::from_mnemonic)?;
                let size = self.operand(pointer_int)?;
                let align = if self.eat_word("align")? {
                    self.operand(pointer_int)?
                } else {
                    Operand::Const(Const::usual_alignment(self.target))
                };
                let ty = if self.peek_id('t').is_some() { Some(self.type_id()?) } else { None::<TypeId> };
                let zeroed = self.eat_word("zeroed")?;
                InstrKind::Alloc { dst, size, align, zeroed, kind, ty, private: self.eat_word("private")? }
            }
            "object_size" => InstrKind::ObjectSize { dst, addr: self.operand(Some(Ty::Ptr))? },
            _ => return Err(self.lexer.error(start, format!("'{word}' is no instruction with a result"))),
        })
    }

    fn compare_exchange(&mut self, function: &Function, dst: Reg, success: Reg) -> Result<InstrKind, ParseError> {
        let ty = function.registers.get(dst.index()).map(|r| r.ty);
        self.keyword("compare_exchange")?;
        let addr = self.operand(Some(Ty::Ptr))?;
        self.punct(',')?;
        let (expected, desired) = self.pair(ty, ty)?;
        let order = self.order()?;
        let failure = self.order()?;
        Ok(InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure })
    }

    fn without_result(&mut self, word: &str) -> Result<InstrKind, ParseError> {
        let start = self.start;
        self.advance()?;
        Ok(match word {
            "store" => {
                let ty = self.scalar()?;
                let (addr, value) = self.pair(Some(Ty::Ptr), Some(ty))?;
                InstrKind::Store { ty, addr, value, access: self.access()? }
            }
            "fence" => InstrKind::Fence(self.choice("the kind of a fence", FenceKind::from_mnemonic)?),
            "begin" => {
                InstrKind::SectionBegin(self.choice("'atomic', 'library' or 'read'", SectionKind::from_mnemonic)?)
            }
            "end" => InstrKind::SectionEnd,
            "await" => InstrKind::Await { cond: self.operand(Some(Ty::Bool))?, spurious: self.eat_word("spurious")? },
            "assume" => InstrKind::Assume { cond: self.operand(Some(Ty::Bool))? },
            "assert" => {
                let cond = self.operand(Some(Ty::Bool))?;
                let property = self.choice("the property that is asserted", Property::from_mnemonic)?;
                InstrKind::Assert { cond, property, message: self.string()? }
            }
            "call" => self.call(None)?,
            "join" => InstrKind::Join { dst: None, thread: self.operand(Some(self.target.pointer_int()))? },
            "enter" => InstrKind::LocalEnter(self.local_id()?),
            "leave" => InstrKind::LocalExit(self.local_id()?),
            "free" => {
                let kind = self.choice("'heap' or 'stack'", AllocKind::from_mnemonic)?;
                InstrKind::Free { addr: self.operand(Some(Ty::Ptr))?, kind }
            }
            "sync" => {
                let kind = self.choice("'acquire' or 'release'", SyncKind::from_mnemonic)?;
                InstrKind::Sync { kind, addr: self.operand(Some(Ty::Ptr))? }
            }
            "print" => {
                let stream = self.choice("'stdout' or 'stderr'", Stream::from_mnemonic)?;
                let format = self.operand(Some(Ty::Ptr))?;
                InstrKind::Print { stream, format, args: self.print_args()? }
            }
            _ => return Err(self.lexer.error(start, format!("'{word}' is no instruction"))),
        })
    }

    /// The arguments of an output: values with their types, or `list` and an address.
    fn print_args(&mut self) -> Result<PrintArgs, ParseError> {
        let mut values = Vec::new();
        while self.eat_punct(',')? {
            if values.is_empty() && self.eat_word("list")? {
                return Ok(PrintArgs::List(self.operand(Some(Ty::Ptr))?));
            }
            let ty = self.scalar()?;
            values.push((ty, self.operand(Some(ty))?));
        }
        Ok(PrintArgs::Values(values))
    }

    /// The rest of a call after its first word.
    fn call(&mut self, dst: Option<Reg>) -> Result<InstrKind, ParseError> {
        let callee = if self.eat_punct('*')? {
            Callee::Indirect(self.operand(Some(Ty::Ptr))?)
        } else {
            Callee::Direct(self.func_id()?)
        };
        Ok(InstrKind::Call { dst, callee, args: self.arguments()? })
    }

    /// `None`, with nothing taken, if the word begins something else.
    fn terminator(&mut self, function: &Function, word: &str) -> Result<Option<TerminatorKind>, ParseError> {
        Ok(Some(match word {
            "goto" => {
                self.advance()?;
                TerminatorKind::Goto(self.block_id()?)
            }
            "branch" => {
                self.advance()?;
                let cond = self.operand(Some(Ty::Bool))?;
                self.punct(',')?;
                let then = self.block_id()?;
                self.punct(',')?;
                TerminatorKind::Branch { cond, then, otherwise: self.block_id()? }
            }
            "switch" => {
                self.advance()?;
                self.switch()?
            }
            "return" => {
                self.advance()?;
                let has_value = !matches!(self.token, Token::LineEnd | Token::End | Token::Punct('!'));
                TerminatorKind::Return(if has_value { Some(self.operand(function.result)?) } else { None })
            }
            "thread_exit" => {
                self.advance()?;
                TerminatorKind::ThreadExit(self.operand(Some(Ty::Ptr))?)
            }
            "exit" => {
                self.advance()?;
                TerminatorKind::Exit(self.operand(Some(Ty::I32))?)
            }
            "abort" => {
                self.advance()?;
                TerminatorKind::Abort
            }
            "stop" => {
                self.advance()?;
                TerminatorKind::Stop
            }
            "unreachable" => {
                self.advance()?;
                TerminatorKind::Unreachable
            }
            "unsupported" => {
                self.advance()?;
                TerminatorKind::Unsupported(self.string()?)
            }
            _ => return Ok(None),
        }))
    }

    fn switch(&mut self) -> Result<TerminatorKind, ParseError> {
        let ty = self.scalar()?;
        let value = self.operand(Some(ty))?;
        let mut cases = Vec::new();
        loop {
            self.punct(',')?;
            if self.eat_word("else")? {
                return Ok(TerminatorKind::Switch { ty, value, cases, default: self.block_id()? });
            }
            let bits = self.number(ty)?;
            self.punct(':')?;
            cases.push((bits, self.block_id()?));
        }
    }

    fn order(&mut self) -> Result<Order, ParseError> {
        self.choice("a memory order", Order::from_mnemonic)
    }

    fn access(&mut self) -> Result<Access, ParseError> {
        let volatile = self.eat_word("volatile")?;
        let order = if self.peek_word().is_some() { self.order()? } else { Order::Plain };
        Ok(Access { order, volatile })
    }

    fn pair(&mut self, first: Option<Ty>, second: Option<Ty>) -> Result<(Operand, Operand), ParseError> {
        let first = self.operand(first)?;
        self.punct(',')?;
        Ok((first, self.operand(second)?))
    }

    fn arguments(&mut self) -> Result<Vec<Operand>, ParseError> {
        let mut args = Vec::new();
        self.punct('(')?;
        while self.token != Token::Punct(')') {
            if !args.is_empty() {
                self.punct(',')?;
            }
            args.push(self.operand(None)?);
        }
        self.punct(')')?;
        Ok(args)
    }

    /// `settled` is the type of a constant that is written without one.
    pub(super) fn operand(&mut self, settled: Option<Ty>) -> Result<Operand, ParseError> {
        if self.peek_id('r').is_some() {
            return Ok(Operand::Reg(self.reg()?));
        }
        if self.peek_id('g').is_some() {
            return Ok(Operand::Global(self.global_id()?, self.offset()?));
        }
        if self.peek_id('l').is_some() {
            return Ok(Operand::Local(self.local_id()?, self.offset()?));
        }
        if self.peek_id('f').is_some() {
            // 'f32' and 'f64' are functions as well as types; only after a type stands a number.
            let ty = self.peek_word().and_then(Ty::from_mnemonic);
            let function = self.func_id()?;
            return match ty {
                Some(ty) if self.at_number() => Ok(Operand::Const(Const { ty, bits: self.number(ty)? })),
                _ => Ok(Operand::Func(function)),
            };
        }
        let constant = match self.peek_word() {
            Some("true") => Const::TRUE,
            Some("false") => Const::FALSE,
            Some("null") => Const::NULL,
            Some(word) if Ty::from_mnemonic(word).is_some() => {
                let ty = self.scalar()?;
                return Ok(Operand::Const(Const { ty, bits: self.number(ty)? }));
            }
            _ if self.at_number() => {
                let Some(ty) = settled else {
                    return self.error("the type of the constant has to be given here, as in 'i32 1'");
                };
                return Ok(Operand::Const(Const { ty, bits: self.number(ty)? }));
            }
            _ => return self.expected("an operand"),
        };
        self.advance()?;
        Ok(Operand::Const(constant))
    }

    fn at_number(&self) -> bool {
        matches!(self.token, Token::Number(_) | Token::Punct('-'))
    }

    /// The offset after an object, if there is one.
    fn offset(&mut self) -> Result<i64, ParseError> {
        if self.eat_punct('+')? {
            self.signed(false, "an offset")
        } else if self.eat_punct('-')? {
            self.signed(true, "an offset")
        } else {
            Ok(0)
        }
    }

    /// The bits of a number of the given type. One that does not fit is kept as it is.
    fn number(&mut self, ty: Ty) -> Result<u64, ParseError> {
        let start = self.start;
        let negative = self.eat_punct('-')?;
        let Token::Number(text) = self.token else { return self.expected("a number") };
        let bits = if ty.is_float() && !text.starts_with("0x") {
            let sign = if negative { "-" } else { "" };
            let digits = format!("{sign}{text}");
            match ty {
                Ty::F32 => digits.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
                _ => digits.parse::<f64>().ok().map(f64::to_bits),
            }
        } else if negative {
            let value = parse_u64(text).and_then(|magnitude| 0i64.checked_sub_unsigned(magnitude));
            value.map(|value| ty.truncate(value as u64, self.target))
        } else {
            parse_u64(text)
        };
        match bits {
            Some(bits) => {
                self.advance()?;
                Ok(bits)
            }
            None if ty.is_float() => {
                Err(self.lexer.error(start, format!("'{text}' is no number of type {}", ty.name())))
            }
            None => Err(self.lexer.error(start, format!("'{text}' is no whole number of at most 64 bits"))),
        }
    }
}
