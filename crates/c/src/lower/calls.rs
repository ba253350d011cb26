//! Calls: passing arguments, getting the result, and what to do when caller and function disagree.
//!
//! Structs and unions are passed as the address of a copy; a struct is returned into an object whose address is the
//! first argument. Variable arguments stand in an array of 8-byte slots whose address is the last argument.

use super::function::{FunctionBuilder, Held, Signature};
use super::ir_types::{Passing, Scalar};
use super::program::ProgramBuilder;
use crate::ctype::{self, Type};
use crate::link::LinkedFunctionId;
use crate::tree::{self, Expr};
use norn_ir::diag::Diagnostic;
use norn_ir::ids::LocalId;
use norn_ir::instr::{Callee, CastOp, Const, InstrKind, NondetSource, Operand};
use norn_ir::types::Ty;

/// Bytes of a slot for variable arguments.
pub const SLOT: u64 = 8;

impl ProgramBuilder<'_> {
    /// How a function is called: as its definition says, if there is one.
    pub fn signature(&self, id: LinkedFunctionId) -> Signature {
        let declaration = self.linked.declaration(id);
        match (&declaration.body, self.types().get(declaration.ty)) {
            (Some(body), Type::Function(f)) => Signature {
                result: Some(f.result.ty),
                params: body.params.iter().map(|var| body.vars[var.0 as usize].ty.ty).collect(),
                variadic: f.variadic,
                prototyped: true,
            },
            _ => self.signature_of_type(declaration.ty),
        }
    }

    pub fn signature_of_type(&self, ty: ctype::TypeId) -> Signature {
        match self.types().get(ty) {
            Type::Function(f) => Signature {
                result: Some(f.result.ty),
                params: f.params.iter().map(|p| p.ty).collect(),
                variadic: f.variadic,
                prototyped: f.prototyped,
            },
            _ => Signature { result: None, params: Vec::new(), variadic: false, prototyped: false },
        }
    }
}

/// Arguments while they are evaluated.
#[derive(Default)]
struct Arguments {
    operands: Vec<Held>,
    /// Copies of structs, which end after the call.
    temporaries: Vec<LocalId>,
}

impl<'a> FunctionBuilder<'_, 'a> {
    /// The value of a call.
    pub fn call(&mut self, e: &'a Expr, callee: &'a tree::Callee, args: &'a [Expr]) -> Operand {
        if self.p.layouts.passing(e.ty.ty) == Passing::Memory {
            return self.aggregate(e);
        }
        self.call_into(e, callee, args, None)
    }

    /// Calls a function; a struct is returned into the object at `result`.
    pub fn call_into(
        &mut self,
        e: &'a Expr,
        callee: &'a tree::Callee,
        args: &'a [Expr],
        result: Option<Operand>,
    ) -> Operand {
        match callee {
            tree::Callee::Direct(id) => {
                let id = self.p.linked.resolve_function(self.unit, *id);
                let signature = self.p.signature(id);
                self.check_arguments(e, id, &signature, args.len());
                let arguments = self.arguments(&signature, args, result);
                self.set_loc(e.loc);
                if !self.p.linked.function(id).defined {
                    return self.undefined_call(e, id, arguments);
                }
                let callee = Callee::Direct(self.p.function(id));
                let value = self.finish_call(e, callee, &signature, arguments);
                if self.p.linked.function(id).noreturn {
                    self.unreachable();
                }
                value
            }
            tree::Callee::Pointer(pointer) => {
                let target = self.value(pointer);
                let target = self.hold(target);
                let signature = match self.p.types().get(pointer.ty.ty) {
                    Type::Pointer(to) => self.p.signature_of_type(to.ty),
                    _ => self.p.signature_of_type(pointer.ty.ty),
                };
                let arguments = self.arguments(&signature, args, result);
                let target = self.release(target);
                self.set_loc(e.loc);
                self.finish_call(e, Callee::Indirect(target), &signature, arguments)
            }
        }
    }

    fn check_arguments(&mut self, e: &Expr, id: LinkedFunctionId, signature: &Signature, given: usize) {
        let wanted = signature.params.len();
        if !signature.prototyped || given == wanted || (signature.variadic && given > wanted) {
            return;
        }
        let name = self.p.function_name(id);
        let message =
            format!("'{name}' takes {wanted} argument{} but gets {given} here", if wanted == 1 { "" } else { "s" });
        let loc = self.p.linked.declaration(id).loc;
        let help = if given < wanted { "missing arguments can have any value" } else { "the others are ignored" };
        self.p.report(Diagnostic::warning(e.loc, message).also(loc, "the function").help(help));
    }

    /// Evaluates the arguments from left to right.
    fn arguments(&mut self, signature: &Signature, args: &'a [Expr], result: Option<Operand>) -> Arguments {
        let mut arguments = Arguments::default();
        if signature.result.is_some_and(|ty| self.p.layouts.passing(ty) == Passing::Memory) {
            let result = result.unwrap_or(Operand::Const(Const::NULL));
            arguments.operands.push(self.hold(result));
        }
        let fixed = if signature.prototyped { signature.params.len().min(args.len()) } else { args.len() };
        for (i, arg) in args[..fixed].iter().enumerate() {
            let param = signature.params.get(i).map(|&ty| self.p.layouts.passing(ty));
            let operand = self.argument(arg, param, &mut arguments.temporaries);
            let held = self.hold(operand);
            arguments.operands.push(held);
        }
        let missing = if signature.prototyped { signature.params.get(fixed..).unwrap_or_default() } else { &[] };
        for &ty in missing {
            let ty = match self.p.layouts.passing(ty) {
                Passing::Scalar(s) => s.ty,
                _ => Ty::Ptr,
            };
            let dst = self.register(ty);
            self.emit(InstrKind::Nondet { dst, source: NondetSource::Uninitialised("missing argument".to_owned()) });
            arguments.operands.push(self.hold(Operand::Reg(dst)));
        }
        let extra = &args[fixed..];
        if signature.variadic {
            let slots = self.variable_slots(extra, &mut arguments.temporaries);
            arguments.operands.push(self.hold(slots));
        } else {
            extra.iter().for_each(|arg| self.discard(arg));
        }
        arguments
    }

    /// An argument as its parameter wants it.
    fn argument(&mut self, arg: &'a Expr, param: Option<Passing>, temporaries: &mut Vec<LocalId>) -> Operand {
        let given = self.p.layouts.passing(arg.ty.ty);
        match (given, param.unwrap_or(given)) {
            (Passing::Scalar(from), Passing::Scalar(to)) => {
                let value = self.value(arg);
                self.set_loc(arg.loc);
                if from.ty.is_float() != to.ty.is_float() && (from.ty == Ty::Ptr || to.ty == Ty::Ptr) {
                    return self.any_value(to);
                }
                self.convert(from, to, value)
            }
            (Passing::Memory, Passing::Memory) if self.is_wide(arg.ty.ty) => {
                let value = self.wide(arg);
                self.set_loc(arg.loc);
                let ty = self.p.layouts.ir_type(arg.ty.ty);
                let copy = self.temporary("argument", ty);
                self.store_wide(Operand::Local(copy, 0), value, norn_ir::instr::Access::PLAIN);
                temporaries.push(copy);
                Operand::Local(copy, 0)
            }
            (Passing::Memory, Passing::Memory) => {
                let from = self.aggregate(arg);
                self.set_loc(arg.loc);
                let ty = self.p.layouts.ir_type(arg.ty.ty);
                let copy = self.temporary("argument", ty);
                self.copy_object(ty, Operand::Local(copy, 0), from, false);
                temporaries.push(copy);
                Operand::Local(copy, 0)
            }
            (Passing::Unsupported, _) => {
                self.unsupported_type(arg);
                Operand::Const(Const::NULL)
            }
            (_, wanted) => {
                self.discard(arg);
                match wanted {
                    Passing::Scalar(to) => self.any_value(to),
                    _ => Operand::Const(Const::NULL),
                }
            }
        }
    }

    fn any_value(&mut self, scalar: Scalar) -> Operand {
        let dst = self.register(scalar.ty);
        self.emit(InstrKind::Nondet { dst, source: NondetSource::Uninitialised("mismatched argument".to_owned()) });
        Operand::Reg(dst)
    }

    /// Stores variable arguments, each in the slots that it needs, and gives their address.
    fn variable_slots(&mut self, args: &'a [Expr], temporaries: &mut Vec<LocalId>) -> Operand {
        let mut slots = Vec::with_capacity(args.len());
        let mut count = 0;
        for arg in args {
            slots.push(count);
            count += self
                .p
                .layouts
                .size_of(arg.ty.ty)
                .min(match self.p.layouts.passing(arg.ty.ty) {
                    Passing::Memory => u64::MAX,
                    _ => SLOT,
                })
                .div_ceil(SLOT);
        }
        if count == 0 {
            args.iter().for_each(|arg| self.discard(arg));
            return Operand::Const(Const::NULL);
        }
        let ty = self.p.layouts.slots(count);
        let local = self.temporary("variable arguments", ty);
        temporaries.push(local);
        for (arg, slot) in args.iter().zip(slots) {
            let to = Operand::Local(local, (slot * SLOT) as i64);
            match self.p.layouts.passing(arg.ty.ty) {
                Passing::Scalar(scalar) => {
                    let value = self.value(arg);
                    self.set_loc(arg.loc);
                    self.store(scalar.ty, to, value);
                }
                Passing::Memory => {
                    let from = self.aggregate(arg);
                    self.set_loc(arg.loc);
                    let ty = self.p.layouts.ir_type(arg.ty.ty);
                    self.copy_object(ty, to, from, false);
                }
                Passing::Nothing => self.discard(arg),
                Passing::Unsupported => self.unsupported_type(arg),
            }
        }
        Operand::Local(local, 0)
    }

    fn finish_call(&mut self, e: &'a Expr, callee: Callee, signature: &Signature, arguments: Arguments) -> Operand {
        let args = arguments.operands.into_iter().map(|held| self.release(held)).collect();
        let given = signature.result.map_or(Passing::Nothing, |ty| self.p.layouts.passing(ty));
        let dst = match given {
            Passing::Scalar(s) => Some(self.register(s.ty)),
            _ => None,
        };
        self.emit(InstrKind::Call { dst, callee, args });
        self.end_temporaries(arguments.temporaries);
        match (self.p.layouts.passing(e.ty.ty), given, dst) {
            (Passing::Scalar(to), Passing::Scalar(from), Some(dst)) => self.convert(from, to, Operand::Reg(dst)),
            (Passing::Scalar(to), _, _) => {
                let dst = self.register(to.ty);
                self.emit(InstrKind::Nondet { dst, source: NondetSource::Uninitialised("missing result".to_owned()) });
                Operand::Reg(dst)
            }
            (Passing::Unsupported, ..) => {
                self.unsupported_type(e);
                self.no_value(None)
            }
            _ => self.no_value(None),
        }
    }

    fn end_temporaries(&mut self, temporaries: Vec<LocalId>) {
        for local in temporaries.into_iter().rev() {
            self.emit(InstrKind::LocalExit(local));
        }
    }

    fn undefined_call(&mut self, e: &'a Expr, id: LinkedFunctionId, arguments: Arguments) -> Operand {
        let name = self.p.function_name(id).to_owned();
        if !self.p.session.options.undefined_functions_return_nondet {
            let reason = self.p.undefined_function(id, e.loc);
            self.unsupported(reason);
            return self.no_value(self.scalar_of(e));
        }
        self.end_temporaries(arguments.temporaries);
        let value = match self.p.layouts.passing(e.ty.ty) {
            Passing::Scalar(scalar) => self.nondet(scalar, NondetSource::Input(name)),
            _ => self.no_value(None),
        };
        if self.p.linked.function(id).noreturn {
            self.unreachable();
        }
        value
    }

    /// Any value of the type. A `_Bool` is one of two, not any byte.
    pub fn nondet(&mut self, scalar: Scalar, source: NondetSource) -> Operand {
        if scalar.is_bool {
            let dst = self.register(Ty::Bool);
            self.emit(InstrKind::Nondet { dst, source });
            return self.cast(CastOp::ZeroExtend, Ty::Bool, scalar.ty, Operand::Reg(dst));
        }
        let dst = self.register(scalar.ty);
        self.emit(InstrKind::Nondet { dst, source });
        Operand::Reg(dst)
    }
}
