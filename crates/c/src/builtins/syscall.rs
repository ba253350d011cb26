//! `syscall` with a constant number: a call of the model of that system call, or unsupported by its number. A number
//! that is not constant is left to the model of `syscall`. Likewise `sysconf` with a constant question.

use super::Call;
use crate::ctype::{FunctionType, IntType, QualType, Type, TypeId};
use crate::session::Target;
use crate::tree::Expr;

/// What `sysconf` is asked for, by glibc's numbers.
const PAGE_SIZE: i128 = 30;
const CLOCK_TICKS: i128 = 2;

/// What an argument of a model is.
#[derive(Clone, Copy)]
enum Param {
    Int,
    Pointer,
}

/// A system call with a model.
struct Known {
    /// On x86-64, and on i386.
    numbers: [i128; 2],
    model: &'static str,
    /// What it takes of the arguments behind the number; those that are left out are zero.
    params: &'static [(usize, Param)],
}

const KNOWN: &[Known] = &[
    Known {
        numbers: [202, 240],
        model: "__norn_futex",
        params: &[(1, Param::Pointer), (2, Param::Int), (3, Param::Int), (4, Param::Pointer), (6, Param::Int)],
    },
    Known { numbers: [324, 375], model: "__norn_membarrier", params: &[(1, Param::Int)] },
    Known { numbers: [186, 224], model: "gettid", params: &[] },
    Known { numbers: [39, 20], model: "getpid", params: &[] },
    Known { numbers: [24, 158], model: "sched_yield", params: &[] },
];

impl Call<'_, '_, '_> {
    /// `sysconf` of what is a constant of the machine.
    pub(super) fn known_limit(&mut self) -> Option<Expr> {
        let [name] = self.args else { return None };
        let value = match self.checker.constant_int(name)? {
            PAGE_SIZE => 4096,
            CLOCK_TICKS => 100,
            _ => return None,
        };
        let long = QualType::unqualified(TypeId::of_int(IntType::Long));
        Some(self.checker.int_constant(value, long, self.loc))
    }

    pub(super) fn system_call(&mut self) -> Option<Expr> {
        let number = self.checker.constant_int(self.args.first()?)?;
        let long = QualType::unqualified(TypeId::of_int(IntType::Long));
        let of_target = |known: &&Known| match self.checker.session.options.target {
            Target::Lp64 => known.numbers[0] == number,
            Target::Ilp32 => known.numbers[1] == number,
        };
        let Some(known) = KNOWN.iter().find(of_target) else {
            return Some(self.unsupported(format!("the system call with the number {number}"), long));
        };
        let mut params = Vec::new();
        let mut args = Vec::new();
        for &(i, param) in known.params {
            let ty = match param {
                Param::Int => self.checker.int_type(),
                Param::Pointer => self.void_pointer(),
            };
            params.push(ty);
            // Nothing is converted where the prototype ends: the kernel takes what it finds.
            let value = match self.args.get(i) {
                Some(_) => self.arg(i),
                None => self.checker.int_constant(0, self.checker.int_type(), self.loc),
            };
            if !self.checker.is_scalar(value.ty) {
                return Some(self.unsupported("a system call with an argument that is no number and no pointer", long));
            }
            args.push(self.checker.converted(value, ty));
        }
        let result = if known.model.starts_with("__") { long } else { self.checker.int_type() };
        let function = FunctionType { result, params, variadic: false, prototyped: true };
        let ty = self.checker.types.intern(Type::Function(function));
        let name = self.checker.session.symbols.intern(known.model);
        let id = self.checker.linked_function(name, ty, self.loc);
        let call = self.checker.call_checked(Some(id), name, args, self.loc);
        Some(self.checker.converted(call, long))
    }
}
