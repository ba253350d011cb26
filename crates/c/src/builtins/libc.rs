//! Functions of libc that are best understood at the call: allocation (the type of the content), output, and block
//! copies of whole objects (member by member, as an assignment would do it). What does not fit these patterns is an
//! ordinary call of the model.

use super::Call;
use crate::ast;
use crate::ctype::{ArrayLength, IntType, QualType, Type, TypeId};
use crate::tree::{BinaryOp, Builtin, Expr, VarId};
use norn_ir::instr::Stream;

pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "malloc" | "calloc" | "free" | "alloca" | "abort" | "printf" | "fprintf" | "memcpy" | "memmove" | "memset"
    )
}

impl Call<'_, '_, '_> {
    pub(super) fn libc(&mut self, name: &str) -> Option<Expr> {
        let size = self.checker.size_type();
        let pointer = self.void_pointer();
        let count = match name {
            "malloc" | "free" | "alloca" => 1,
            "calloc" => 2,
            "memcpy" | "memmove" | "memset" => 3,
            "abort" => 0,
            "printf" => self.args.len().max(1),
            "fprintf" => self.args.len().max(2),
            "__printf_chk" | "__fprintf_chk" => return self.checked_print(),
            _ => return None,
        };
        if let Err(wrong) = self.expect_args(count) {
            return Some(wrong);
        }
        Some(match name {
            "malloc" => {
                let size = self.arg_as(0, size);
                self.make(Builtin::Alloc { size, zeroed: false, element: None }, pointer)
            }
            "calloc" => {
                let (count, each) = (self.arg_as(0, size), self.arg_as(1, size));
                let total = self.checker.arithmetic(BinaryOp::Mul, count, each, self.loc);
                self.make(Builtin::Alloc { size: total, zeroed: true, element: None }, pointer)
            }
            "free" => {
                let object = self.arg_as(0, pointer);
                self.make_void(Builtin::Free(object))
            }
            "alloca" => {
                let size = self.arg_as(0, size);
                self.make(Builtin::StackAlloc(size), pointer)
            }
            "abort" => self.make_void(Builtin::Abort),
            "printf" => self.print(Stream::Stdout, 0),
            "fprintf" => {
                let stream = self.standard_stream(0)?;
                self.print(stream, 1)
            }
            "memset" => return self.zero_objects(),
            _ => return self.copy_object(name == "memmove"),
        })
    }

    /// Output with the format at argument `first`; the rest are its arguments, promoted. Denotes an `int`.
    pub(super) fn print(&mut self, stream: Stream, first: usize) -> Expr {
        let char_type = QualType::unqualified(TypeId::of_int(IntType::Char));
        let text = self.checker.pointer_to(char_type);
        let format = self.arg_as(first, text);
        let mut args = Vec::new();
        for i in first + 1..self.args.len() {
            let arg = self.arg(i);
            args.push(self.checker.default_promoted(arg));
        }
        let int = self.checker.int_type();
        self.make(Builtin::Print { stream, format, args }, int)
    }

    /// `__printf_chk(flag, format, …)` and `__fprintf_chk(stream, flag, format, …)` of fortified glibc headers.
    fn checked_print(&mut self) -> Option<Expr> {
        let first = if self.name == "__printf_chk" { 1 } else { 2 };
        if let Err(wrong) = self.at_least_args(first + 1) {
            return Some(wrong);
        }
        let stream = if first == 1 { Stream::Stdout } else { self.standard_stream(0)? };
        Some(self.print(stream, first))
    }

    /// The stream that an argument names, if it is one of the two by name.
    fn standard_stream(&self, i: usize) -> Option<Stream> {
        let ast::ExprKind::Ident(name) = self.args.get(i)?.kind else { return None };
        match self.checker.name(name) {
            "stdout" => Some(Stream::Stdout),
            "stderr" => Some(Stream::Stderr),
            _ => None,
        }
    }

    /// `memcpy` and `memmove` of exactly one object, or `memcpy` of several, between pointers to the same type.
    fn copy_object(&mut self, may_overlap: bool) -> Option<Expr> {
        let bytes = self.constant_size(2)?;
        let (to_type, from_type) = (self.pointee_of_arg(0)?, self.pointee_of_arg(1)?);
        if to_type.ty != from_type.ty {
            return None;
        }
        let (ty, count) = self.whole_objects(to_type, bytes)?;
        if may_overlap && count != 1 {
            return None;
        }
        let ty = if count == 1 { ty } else { self.array_of(ty, count) };
        let to = self.arg(0);
        let from = self.arg(1);
        let (fill, to) = self.keep(to)?;
        let copy = self.make_void(Builtin::CopyObject { to: self.kept(to), from, ty });
        Some(self.block_result(fill, copy, to))
    }

    /// `memset(pointer, 0, …)` of whole objects.
    fn zero_objects(&mut self) -> Option<Expr> {
        if self.checker.constant_int(&self.args[1]) != Some(0) {
            return None;
        }
        let bytes = self.constant_size(2)?;
        let pointee = self.pointee_of_arg(0)?;
        let (ty, count) = self.whole_objects(pointee, bytes)?;
        let to = self.arg(0);
        let (fill, to) = self.keep(to)?;
        let zero = self.make_void(Builtin::ZeroObject { pointer: self.kept(to), ty, count });
        Some(self.block_result(fill, zero, to))
    }

    /// `(to = …, effect, (void *)to)`
    fn block_result(&mut self, fill: Expr, effect: Expr, to: VarId) -> Expr {
        let pointer = self.void_pointer();
        let result = self.checker.converted(self.kept(to), pointer);
        let rest = self.checker.comma(effect, result);
        self.checker.comma(fill, rest)
    }

    fn constant_size(&mut self, i: usize) -> Option<u64> {
        self.checker.constant_int(&self.args[i]).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0)
    }

    /// What an argument points to before it is converted to `void *`, if that is a complete object type.
    fn pointee_of_arg(&mut self, i: usize) -> Option<QualType> {
        let ty = self.checker.type_of(&self.args[i]);
        let pointee = match *self.checker.kind(ty) {
            Type::Array { element, .. } => element,
            Type::Pointer(pointee) => pointee,
            _ => return None,
        };
        self.checker.size_of(pointee).filter(|&size| size > 0).map(|_| pointee)
    }

    /// `bytes` as a number of objects of the type. A struct may also be copied up to the end of its first array
    /// element and the like; such calls are left to the model.
    fn whole_objects(&self, ty: QualType, bytes: u64) -> Option<(QualType, u64)> {
        let size = self.checker.size_of(ty)?;
        bytes.is_multiple_of(size).then(|| (QualType::unqualified(ty.ty), bytes / size))
    }

    fn array_of(&mut self, element: QualType, count: u64) -> QualType {
        let array = Type::Array { element, length: ArrayLength::Known(count) };
        QualType::unqualified(self.checker.types.intern(array))
    }
}
