//! Output, and how much of it there is.

use super::function::FunctionBuilder;
use super::ir_types::Passing;
use crate::tree::{Callee, Expr, ExprKind, PrintedLength, PrintedNumber};
use norn_ir::instr::{Access, BinaryOp, CompareOp, InstrKind, NondetSource, Operand, PrintArgs, Stream};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Output, for its effect only. Returns the values of the arguments.
    ///
    /// No engine follows the text, but the strings have to be there: the first character of each is read.
    pub fn print(
        &mut self,
        e: &'a Expr,
        stream: Stream,
        format: &'a Expr,
        args: &'a [Expr],
        strings: &[usize],
    ) -> Vec<(Ty, Operand)> {
        let format = self.value(format);
        let mut held = vec![(Ty::Ptr, self.hold(format))];
        let mut pointers = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            match self.p.layouts.passing(arg.ty.ty) {
                Passing::Scalar(scalar) => {
                    let value = self.value(arg);
                    if scalar.ty == Ty::Ptr && strings.contains(&number) {
                        pointers.push(held.len() - 1);
                    }
                    held.push((scalar.ty, self.hold(value)));
                }
                Passing::Nothing => self.discard(arg),
                _ => {
                    self.discard(arg);
                    self.set_loc(arg.loc);
                    self.unsupported("an output of something that is neither a number nor a pointer".to_owned());
                }
            }
        }
        let mut args: Vec<(Ty, Operand)> = held.into_iter().map(|(ty, held)| (ty, self.release(held))).collect();
        let (_, format) = args.remove(0);
        self.set_loc(e.loc);
        for pointer in pointers {
            self.load_at(Ty::I8, args[pointer].1, Access::PLAIN);
        }
        self.emit(InstrKind::Print { stream, format, args: PrintArgs::Values(args.clone()) });
        args
    }

    /// Output of a list of arguments, which have been looked at.
    pub fn print_list(&mut self, e: &'a Expr, stream: Stream, format: &'a Expr, list: &'a Expr) {
        let format = self.value(format);
        let format = self.hold(format);
        let list = self.value(list);
        let format = self.release(format);
        self.set_loc(e.loc);
        self.emit(InstrKind::Print { stream, format, args: PrintArgs::List(list) });
    }

    /// A call of which nobody asks how much it has written; the format is its argument `first`.
    pub fn uncounted(&mut self, call: &'a Expr, uncounted: &'a Callee, first: usize) {
        let ExprKind::Call { args, .. } = &call.kind else { return self.discard(call) };
        if args.len() <= first {
            return self.discard(call);
        }
        args[..first].iter().for_each(|arg| self.discard(arg));
        self.call_into(call, uncounted, &args[first..], None);
    }

    /// How much was written, for programs that ask. Only the machine formats text, and no engine should have to, so it
    /// is any number that is not negative, unless the format tells it. Writing does not fail.
    pub fn printed_length(&mut self, e: &'a Expr, length: Option<&PrintedLength>, args: &[(Ty, Operand)]) -> Operand {
        if self.scalar_of(e).is_none() {
            return self.no_value(None);
        }
        self.set_loc(e.loc);
        let Some(length) = length else {
            let any = self.register(Ty::I32);
            self.emit(InstrKind::Nondet { dst: any, source: NondetSource::Input("printf".to_owned()) });
            let largest = self.constant(Ty::I32, i32::MAX as u64);
            return self.binary(BinaryOp::And, Ty::I32, Operand::Reg(any), largest);
        };
        let mut total = self.constant(Ty::I32, length.text);
        for number in &length.numbers {
            let (ty, value) = args[number.arg];
            let digits = self.digits(number, ty, value);
            total = self.binary(BinaryOp::Add, Ty::I32, total, digits);
        }
        total
    }

    /// The number of characters that a number is written with.
    fn digits(&mut self, number: &PrintedNumber, ty: Ty, value: Operand) -> Operand {
        let zero = self.constant(ty, 0);
        let mut count = self.constant(Ty::I32, 1);
        let mut rest = value;
        if number.signed {
            let is_negative = self.compare(CompareOp::LtSigned, ty, value, zero);
            let opposite = self.binary(BinaryOp::Sub, ty, zero, value);
            rest = self.select(ty, is_negative, opposite, value);
            let sign = self.bool_to(Ty::I32, is_negative);
            count = self.binary(BinaryOp::Add, Ty::I32, count, sign);
        }
        let most = ty.truncate(u64::MAX, self.p.target);
        let mut power = number.base;
        loop {
            let below = self.constant(ty, power - 1);
            let is_longer = self.compare(CompareOp::LtUnsigned, ty, below, rest);
            let one = self.bool_to(Ty::I32, is_longer);
            count = self.binary(BinaryOp::Add, Ty::I32, count, one);
            match power.checked_mul(number.base) {
                Some(next) if next <= most => power = next,
                _ => return count,
            }
        }
    }
}
