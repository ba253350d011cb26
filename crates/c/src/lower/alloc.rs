//! Memory that is allocated, and when that fails: if the size does not fit, and if the user wants to know what happens
//! when memory runs out.

use super::function::FunctionBuilder;
use crate::ctype::QualType;
use crate::tree::Expr;
use norn_ir::instr::{AllocKind, BinaryOp, Callee, CompareOp, Const, InstrKind, NondetSource, Operand};
use norn_ir::types::Ty;

/// Where `errno` is.
const ERRNO: &str = "__errno_location";
const ENOMEM: u64 = 12;

impl<'a> FunctionBuilder<'_, 'a> {
    /// `count` objects of `size` bytes, or one; at a multiple of `align`, if that is more than usual.
    pub fn heap(
        &mut self,
        e: &'a Expr,
        (size, count, align): (&'a Expr, Option<&'a Expr>, Option<&'a Expr>),
        zeroed: bool,
        element: Option<QualType>,
    ) -> Operand {
        let word = self.p.target.pointer_int();
        let mut fails = None;
        let align = align.map(|align| self.as_pointer_int(align)).map(|align| self.hold(align));
        let count = count.map(|count| self.as_pointer_int(count)).map(|count| self.hold(count));
        let mut total = self.as_pointer_int(size);
        self.set_loc(e.loc);
        if let Some(count) = count {
            let (count, each) = (self.release(count), total);
            total = self.binary(BinaryOp::Mul, word, count, each);
            fails = Some(self.does_not_fit(word, count, each));
        }
        let usual = Operand::Const(Const::usual_alignment(self.p.target));
        let layout = (total, align.map_or(usual, |align| self.release(align)));
        if self.p.session.options.malloc_may_fail {
            let dst = self.register(Ty::Bool);
            self.emit(InstrKind::Nondet { dst, source: NondetSource::Input("no_memory".to_owned()) });
            let runs_out = Operand::Reg(dst);
            fails = Some(match fails {
                Some(fails) => self.binary(BinaryOp::Or, Ty::Bool, fails, runs_out),
                None => runs_out,
            });
        }
        let ty = element.map(|ty| self.p.ir_type(ty));
        match fails {
            Some(Operand::Const(Const { bits: 0, .. })) | None => self.alloc(e, layout, zeroed, AllocKind::Heap, ty),
            Some(fails) => {
                let result = self.register(Ty::Ptr);
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.branch_on(fails, yes, no);
                self.start(yes);
                self.set_no_memory();
                self.assign(result, Operand::Const(Const::NULL));
                self.goto(end);
                self.start(no);
                let memory = self.alloc(e, layout, zeroed, AllocKind::Heap, ty);
                self.assign(result, memory);
                self.start(end);
                Operand::Reg(result)
            }
        }
    }

    fn does_not_fit(&mut self, word: Ty, count: Operand, each: Operand) -> Operand {
        let (zero, one) = (self.constant(word, 0), self.constant(word, 1));
        // Division by a constant costs nothing.
        let (count, each) = if matches!(count, Operand::Const(_)) { (each, count) } else { (count, each) };
        let nothing = self.compare(CompareOp::Eq, word, each, zero);
        let divisor = self.select(word, nothing, one, each);
        let most = self.constant(word, u64::MAX);
        let limit = self.binary(BinaryOp::DivUnsigned, word, most, divisor);
        self.compare(CompareOp::LtUnsigned, word, limit, count)
    }

    /// Sets `errno`, if the program has one.
    fn set_no_memory(&mut self) {
        let found = self.p.session.symbols.get(ERRNO).filter(|_| self.p.linked.is_linked(ERRNO));
        let Some(id) = found.and_then(|symbol| self.p.linked.function_named(symbol, ERRNO)) else { return };
        let dst = self.register(Ty::Ptr);
        let callee = Callee::Direct(self.p.function(id));
        self.emit(InstrKind::Call { dst: Some(dst), callee, args: Vec::new() });
        let number = self.constant(Ty::I32, ENOMEM);
        self.store(Ty::I32, Operand::Reg(dst), number);
    }
}
