//! Functions of libc that are best understood at the call: allocation (the type of the content), output, and block
//! copies of whole objects (by their scalars and padding). What does not fit these patterns is an
//! ordinary call of the model.

use super::Call;
use crate::ast;
use crate::ctype::{ArrayLength, FunctionType, IntType, QualType, Type, TypeId};
use crate::tree::{Builtin, Callee, Expr, VarId};
use norn_ir::instr::Stream;

pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "malloc"
            | "calloc"
            | "free"
            | "alloca"
            | "abort"
            | "printf"
            | "fprintf"
            | "vprintf"
            | "vfprintf"
            | "memcpy"
            | "memmove"
            | "memset"
            | "syscall"
            | "sysconf"
            | "snprintf"
            | "sprintf"
            | "conj"
            | "conjf"
            | "conjl"
            | "creal"
            | "crealf"
            | "creall"
            | "cimag"
            | "cimagf"
            | "cimagl"
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
            "snprintf" | "sprintf" => return Some(self.formatted(name)),
            "vprintf" | "vfprintf" => return self.formatted_call(name, &["__norn_write_list", "__norn_warn_list"]),
            "syscall" => return self.system_call(),
            "sysconf" => return self.known_limit(),
            _ => return self.complex_function(name),
        };
        if let Err(wrong) = self.expect_args(count) {
            return Some(wrong);
        }
        Some(match name {
            "malloc" => {
                let size = self.arg_as(0, size);
                self.make(Builtin::Alloc { size, count: None, align: None, zeroed: false, element: None }, pointer)
            }
            "calloc" => {
                let (count, size) = (Some(self.arg_as(0, size)), self.arg_as(1, size));
                self.make(Builtin::Alloc { size, count, align: None, zeroed: true, element: None }, pointer)
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
            "printf" if self.has_known_format(0) => self.print(Stream::Stdout, 0),
            "fprintf" if self.has_known_format(1) => {
                let stream = self.standard_stream(0)?;
                self.print(stream, 1)
            }
            "printf" | "fprintf" => return self.formatted_call(name, &["__norn_write", "__norn_warn"]),
            _ => self.block_operation(name),
        })
    }

    /// `memcpy`, `memmove` and `memset`: understood if they are for whole objects, calls of the model if not. Either way the arguments
    /// are checked once, since such calls may be nested deeply.
    fn block_operation(&mut self, name: &str) -> Expr {
        let args = self.args.iter().map(|arg| self.checker.expr(arg)).collect::<Vec<_>>();
        let pointees = [self.pointee_of(&args[0]), self.pointee_of(&args[1])];
        let args = args.into_iter().map(|arg| self.checker.value_of(arg)).collect::<Vec<_>>();
        let known = match name {
            "memset" => self.zero_objects(args, pointees[0]),
            _ => self.copy_object(args, pointees, name == "memmove"),
        };
        known.unwrap_or_else(|args| {
            let symbol = self.checker.session.symbols.intern(name);
            self.checker.call_checked(self.declared, symbol, args, self.loc)
        })
    }

    /// Output with the format at argument `first`; the rest are its arguments, promoted. Denotes an `int`.
    pub(super) fn print(&mut self, stream: Stream, first: usize) -> Expr {
        let strings = match self.strings(first) {
            Ok(strings) => strings,
            Err(what) => return self.unsupported(what, self.checker.int_type()),
        };
        let char_type = QualType::unqualified(TypeId::of_int(IntType::Char));
        let text = self.checker.pointer_to(char_type);
        let format = self.arg_as(first, text);
        let double = QualType::unqualified(TypeId::DOUBLE);
        let mut args = Vec::new();
        for i in first + 1..self.args.len() {
            let arg = self.arg(i);
            let arg = self.checker.default_promoted(arg);
            // An output shows no more digits than a `double` has.
            let arg = if self.checker.is_long_double(arg.ty) { self.checker.converted(arg, double) } else { arg };
            args.push(arg);
        }
        let int = self.checker.int_type();
        let length = self.printed_length(first, &args);
        self.make(Builtin::Print { stream, format, args, length, strings }, int)
    }

    /// Output to a standard stream with a format that is not known here. The `models` write to stdout and to stderr where nobody
    /// asks how much; they take the arguments from the format on.
    fn formatted_call(&mut self, name: &str, models: &[&str; 2]) -> Option<Expr> {
        let first = usize::from(name.ends_with("fprintf"));
        let stream = if first == 0 { Stream::Stdout } else { self.standard_stream(0)? };
        let args = self.args.iter().map(|arg| self.checker.expr(arg)).collect::<Vec<_>>();
        let args = args.into_iter().map(|arg| self.checker.value_of(arg)).collect::<Vec<_>>();
        let symbol = self.checker.session.symbols.intern(name);
        let call = self.checker.call_checked(self.declared, symbol, args, self.loc);
        let (pointer, int) = (self.void_pointer(), self.checker.int_type());
        let variadic = !name.starts_with('v');
        let params = if variadic { vec![pointer] } else { vec![pointer, pointer] };
        let ty =
            self.checker.types.intern(Type::Function(FunctionType { result: int, params, variadic, prototyped: true }));
        let model = self.checker.session.symbols.intern(models[usize::from(stream == Stream::Stderr)]);
        let uncounted = Callee::Direct(self.checker.linked_function(model, ty, self.loc));
        let ty = call.ty;
        Some(self.make(Builtin::FormattedCall { call, uncounted, first }, ty))
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

    /// `memcpy` and `memmove` of exactly one object, or `memcpy` of several, between pointers to the same type. Gives back the
    /// arguments if it is something else.
    fn copy_object(
        &mut self,
        args: Vec<Expr>,
        pointees: [Option<QualType>; 2],
        may_overlap: bool,
    ) -> Result<Expr, Vec<Expr>> {
        let objects = match (pointees, self.constant_size(&args[2])) {
            ([Some(to), Some(from)], Some(bytes)) if to.ty == from.ty => self.whole_objects(to, bytes),
            _ => None,
        };
        let Some((ty, count)) = objects.filter(|&(_, count)| count == 1 || !may_overlap) else { return Err(args) };
        let ty = if count == 1 { ty } else { self.array_of(ty, count) };
        let mut args = args.into_iter();
        let (Some(to), Some(from)) = (args.next(), args.next()) else { return Err(Vec::new()) };
        let Some((fill, to)) = self.keep(to) else { return Ok(self.checker.error_expr(self.loc)) };
        let copy = self.make_void(Builtin::CopyObject { to: self.kept(to), from, ty, may_overlap });
        Ok(self.block_result(fill, copy, to))
    }

    /// `memset(pointer, 0, …)` of whole objects. Gives back the arguments if it is something else.
    fn zero_objects(&mut self, args: Vec<Expr>, pointee: Option<QualType>) -> Result<Expr, Vec<Expr>> {
        let is_zero = self.checker.evaluate_int(&args[1]).is_ok_and(|n| n == 0);
        let objects = match (pointee, self.constant_size(&args[2])) {
            (Some(pointee), Some(bytes)) if is_zero => self.whole_objects(pointee, bytes),
            _ => None,
        };
        let Some((ty, count)) = objects else { return Err(args) };
        let Some(to) = args.into_iter().next() else { return Err(Vec::new()) };
        let Some((fill, to)) = self.keep(to) else { return Ok(self.checker.error_expr(self.loc)) };
        let zero = self.make_void(Builtin::ZeroObject { pointer: self.kept(to), ty, count });
        Ok(self.block_result(fill, zero, to))
    }

    /// `(to = …, effect, (void *)to)`
    fn block_result(&mut self, fill: Expr, effect: Expr, to: VarId) -> Expr {
        let pointer = self.void_pointer();
        let result = self.checker.converted(self.kept(to), pointer);
        let rest = self.checker.comma(effect, result);
        self.checker.comma(fill, rest)
    }

    fn constant_size(&self, size: &Expr) -> Option<u64> {
        self.checker.evaluate_int(size).ok().and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0)
    }

    /// What an argument points to before it is converted to `void *`, if that is a complete object type.
    fn pointee_of(&self, arg: &Expr) -> Option<QualType> {
        let pointee = match *self.checker.kind(arg.ty) {
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
