//! `__builtin_…` of GCC: arithmetic, variable arguments, hints, and libc functions under their built-in names.

use super::Call;
use crate::ast;
use crate::ctype::{FloatType, FunctionType, IntType, QualType, Type, TypeId};
use crate::tree::{BinaryOp, Builtin, CompareOp, Expr, ExprKind, VarId};
use norn_ir::instr::FenceKind;

impl Call<'_, '_, '_> {
    /// `name` comes without its prefix.
    pub(super) fn gcc(&mut self, name: &str) -> Option<Expr> {
        if let Some(result) = self.bit_operation(name) {
            return Some(result);
        }
        if let Some(result) = self.overflow_arithmetic(name) {
            return Some(result);
        }
        if let Some((least, most)) = argument_counts(name)
            && let Err(wrong) = self.at_least_args(least).and_then(|()| self.at_most_args(most))
        {
            return Some(wrong);
        }
        let int = self.checker.int_type();
        let float = |name: &str| match name.as_bytes().last() {
            Some(b'f') if name != "inf" => FloatType::Float,
            Some(b'l') if name != "huge_val" => FloatType::LongDouble,
            _ => FloatType::Double,
        };
        Some(match name {
            "expect" | "expect_with_probability" => {
                let long = QualType::unqualified(TypeId::of_int(IntType::Long));
                let (value, expected) = (self.arg_as(0, long), self.arg_as(1, long));
                match expected.kind {
                    _ if self.checker.is_error(expected.ty) => expected,
                    ExprKind::Int(_) => value,
                    _ => self.checker.comma(expected, value),
                }
            }
            "assume_aligned" => self.arg(0),
            "constant_p" => {
                let known = self.args.first().is_some_and(|arg| self.checker.constant_int(arg).is_some());
                self.checker.int_constant(i128::from(known), int, self.loc)
            }
            "unreachable" => self.unsupported("'__builtin_unreachable()' can be reached, it", self.checker.void_type()),
            "trap" | "abort" => self.make_void(Builtin::Abort),
            "assume" => {
                let condition = self.arg(0);
                self.make_void(Builtin::Assume(condition))
            }
            "prefetch" | "va_end" | "clear_cache" | "___clear_cache" => {
                let nothing = self.nothing();
                let is_variable = matches!(self.args.first().map(|arg| &arg.kind), Some(ast::ExprKind::Ident(_)));
                if name == "va_end" && is_variable { nothing } else { self.after_arguments(nothing) }
            }
            "object_size" | "dynamic_object_size" => {
                let size = self.checker.size_type();
                self.checker.int_constant(-1, size, self.loc)
            }
            "va_start" | "stdarg_start" | "c23_va_start" => match self.argument_list(0) {
                Some(list) => self.make_void(Builtin::VaStart(list)),
                None => self.checker.error_expr(self.loc),
            },
            "va_copy" => match (self.argument_list(0), self.argument_list(1)) {
                (Some(to), Some(from)) => self.make_void(Builtin::VaCopy { to, from }),
                _ => self.checker.error_expr(self.loc),
            },
            "ia32_mfence" => self.make_void(Builtin::Fence(FenceKind::Full)),
            "ia32_sfence" => self.make_void(Builtin::Fence(FenceKind::StoreStore)),
            "ia32_lfence" => self.make_void(Builtin::Fence(FenceKind::LoadLoad)),
            "ia32_pause" => self.nothing(),
            "huge_val" | "huge_valf" | "huge_vall" | "inf" | "inff" | "infl" => {
                self.float_constant(f64::INFINITY, float(name))
            }
            "nan" | "nanf" | "nanl" | "nans" => self.float_constant(f64::NAN, float(name)),
            "isnan" => {
                let value = self.arg(0);
                if let Err(wrong) = self.check_floats(&[value.ty]) {
                    return Some(wrong);
                }
                let Some((fill, var)) = self.keep(value) else { return Some(self.checker.error_expr(self.loc)) };
                let test = self.checker.comparison(CompareOp::Ne, self.kept(var), self.kept(var), self.loc);
                self.checker.comma(fill, test)
            }
            "isgreater" | "isgreaterequal" | "isless" | "islessequal" => {
                let op = match name {
                    "isgreater" => CompareOp::Gt,
                    "isgreaterequal" => CompareOp::Ge,
                    "isless" => CompareOp::Lt,
                    _ => CompareOp::Le,
                };
                let (lhs, rhs) = (self.arg(0), self.arg(1));
                if let Err(wrong) = self.check_floats(&[lhs.ty, rhs.ty]) {
                    return Some(wrong);
                }
                let (lhs, rhs) = self.checker.usual_conversions(lhs, rhs);
                self.checker.comparison(op, lhs, rhs, self.loc)
            }
            "isunordered" | "islessgreater" => {
                let (lhs, rhs) = (self.arg(0), self.arg(1));
                if let Err(wrong) = self.check_floats(&[lhs.ty, rhs.ty]) {
                    return Some(wrong);
                }
                let (lhs, rhs) = self.checker.usual_conversions(lhs, rhs);
                let (Some((fill_l, l)), Some((fill_r, r))) = (self.keep(lhs), self.keep(rhs)) else {
                    return Some(self.checker.error_expr(self.loc));
                };
                let compare = |c: &Self, op, a, b| c.checker.comparison(op, c.kept(a), c.kept(b), c.loc);
                let (first, second) = match name {
                    "isunordered" => (compare(self, CompareOp::Ne, l, l), compare(self, CompareOp::Ne, r, r)),
                    _ => (compare(self, CompareOp::Lt, l, r), compare(self, CompareOp::Gt, l, r)),
                };
                let either = self.checker.logical(true, first, second, self.loc);
                let rest = self.checker.comma(fill_r, either);
                self.checker.comma(fill_l, rest)
            }
            "isinf" | "isinff" | "isinfl" | "isfinite" | "finite" | "finitef" | "finitel" | "isnormal" | "signbit"
            | "signbitf" | "signbitl" | "isnanf" | "isnanl" => self.float_class(name),
            "classify_type" => self.type_class(),
            "frame_address" | "return_address" | "setjmp" | "longjmp" | "apply" => {
                let pointer = self.void_pointer();
                self.unsupported(format!("'{}'", self.name), pointer)
            }
            "shuffle" => {
                let mut vectors: Vec<Expr> = (0..self.args.len()).map(|i| self.arg(i)).collect();
                match vectors.pop() {
                    _ if vectors.iter().any(|v| self.checker.is_error(v.ty)) => self.checker.error_expr(self.loc),
                    Some(mask) => self.checker.shuffled(vectors, mask, self.loc),
                    None => self.checker.error_expr(self.loc),
                }
            }
            "complex" => {
                let (real, imaginary) = (self.arg(0), self.arg(1));
                if let Err(wrong) = self.check_floats(&[real.ty, imaginary.ty]) {
                    return Some(wrong);
                }
                let (real, imaginary) = self.checker.usual_conversions(real, imaginary);
                let ty = self.checker.complex_of(real.ty);
                self.checker.composed(vec![real, imaginary], ty, self.loc)
            }
            _ => return self.complex_function(name).or_else(|| self.library_function(name)),
        })
    }

    /// Questions about one floating-point number, which is kept in its own type: `f` and `l` at the end of a name only say the type.
    fn float_class(&mut self, name: &str) -> Expr {
        let value = match name.as_bytes().last() {
            Some(b'f') if name != "isinf" => self.arg_as(0, QualType::unqualified(TypeId::FLOAT)),
            Some(b'l') if name != "isnormal" => self.arg_as(0, QualType::unqualified(TypeId::LONG_DOUBLE)),
            _ => self.arg(0),
        };
        if let Err(wrong) = self.check_floats(&[value.ty]) {
            return wrong;
        }
        let int = self.checker.int_type();
        if let Some(what) = self.checker.unsupported_values(value.ty) {
            return self.unsupported(what, int);
        }
        let ty = value.ty;
        if self.checker.is_long_double(ty) && name == "isnormal" {
            return self.unsupported(format!("'{}' of a 'long double'", self.name), int);
        }
        let Some((fill, var)) = self.keep(value) else { return self.checker.error_expr(self.loc) };
        let (smallest, largest) = match ty.ty {
            TypeId::FLOAT => (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
            _ => (f64::MIN_POSITIVE, f64::MAX),
        };
        let compare = |c: &Self, op, bound: f64| {
            let bound = Expr { kind: ExprKind::Float(bound), ty, loc: c.loc };
            c.checker.comparison(op, c.kept(var), bound, c.loc)
        };
        let join = |c: &Self, is_or, a, b| c.checker.logical(is_or, a, b, c.loc);
        let answer = match name {
            "isnanf" | "isnanl" => self.checker.comparison(CompareOp::Ne, self.kept(var), self.kept(var), self.loc),
            "isinf" | "isinff" | "isinfl" => {
                let infinite = f64::INFINITY;
                let (above, below) = (compare(self, CompareOp::Eq, infinite), compare(self, CompareOp::Eq, -infinite));
                join(self, true, above, below)
            }
            "isnormal" => {
                let (a, b) = (compare(self, CompareOp::Ge, smallest), compare(self, CompareOp::Le, largest));
                let positive = join(self, false, a, b);
                let (a, b) = (compare(self, CompareOp::Le, -smallest), compare(self, CompareOp::Ge, -largest));
                let negative = join(self, false, a, b);
                join(self, true, positive, negative)
            }
            "signbit" | "signbitf" | "signbitl" => self.sign_of(var),
            _ => {
                let infinite = f64::INFINITY;
                let (a, b) = (compare(self, CompareOp::Lt, infinite), compare(self, CompareOp::Gt, -infinite));
                join(self, false, a, b)
            }
        };
        self.checker.comma(fill, answer)
    }

    /// Whether a kept floating-point number has a sign: `copysign(1.0, x) < 0`.
    fn sign_of(&mut self, var: VarId) -> Expr {
        let double = QualType::unqualified(TypeId::DOUBLE);
        let ty = FunctionType { result: double, params: vec![double, double], variadic: false, prototyped: true };
        let ty = self.checker.types.intern(Type::Function(ty));
        let name = self.checker.session.symbols.intern("copysign");
        let function = self.checker.linked_function(name, ty, self.loc);
        let one = self.float_constant(1.0, FloatType::Double);
        let sign = self.checker.call_checked(Some(function), name, vec![one, self.kept(var)], self.loc);
        let zero = self.float_constant(0.0, FloatType::Double);
        self.checker.comparison(CompareOp::Lt, sign, zero, self.loc)
    }

    /// GCC's number for the kind of a type, after the promotions.
    fn type_class(&mut self) -> Expr {
        let Some(arg) = self.args.first() else { return self.checker.error_expr(self.loc) };
        let value = self.checker.unevaluated_expr(arg);
        let value = self.checker.value_of(value);
        if self.checker.is_error(value.ty) {
            return value;
        }
        let class = match self.checker.kind(value.ty) {
            Type::Void => 0,
            Type::Pointer(_) => 5,
            Type::Float(_) | Type::Half | Type::Quad => 8,
            Type::Complex(_) => 9,
            Type::Record(id) => {
                if self.checker.types.record(*id).is_union {
                    13
                } else {
                    12
                }
            }
            Type::Vector { .. } => return self.unsupported("the class of a vector type", self.checker.int_type()),
            _ => 1,
        };
        self.checker.int_constant(class, self.checker.int_type(), self.loc)
    }

    /// `conj`, `creal` and `cimag` with their suffixes.
    pub(super) fn complex_function(&mut self, name: &str) -> Option<Expr> {
        let (stem, float) = match name.as_bytes().last()? {
            b'f' => (&name[..name.len() - 1], TypeId::FLOAT),
            b'l' if name != "creal" => (&name[..name.len() - 1], TypeId::LONG_DOUBLE),
            _ => (name, TypeId::DOUBLE),
        };
        if !matches!(stem, "conj" | "creal" | "cimag") {
            return None;
        }
        if let Err(wrong) = self.expect_args(1) {
            return Some(wrong);
        }
        let ty = self.checker.complex_of(QualType::unqualified(float));
        let value = self.arg_as(0, ty);
        if self.checker.is_error(value.ty) {
            return Some(value);
        }
        Some(match stem {
            "conj" => self.checker.complex_unary(value, [false, true], self.loc),
            _ => {
                let part = self.checker.complex_part(value, stem == "cimag", self.loc);
                self.checker.value_of(part)
            }
        })
    }

    /// A function of libc under its built-in name, also in the form that checks object sizes (`__builtin___f_chk`).
    fn library_function(&mut self, name: &str) -> Option<Expr> {
        let (name, args) = match name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")) {
            Some(name) if is_block_or_string(name) => (name, &self.args[..self.args.len().saturating_sub(1)]),
            Some(_) => return None,
            None => (name, self.args),
        };
        let result = self.result_of(name)?;
        let symbol = self.checker.session.symbols.intern(name);
        let function = self.checker.linked_function(symbol, result, self.loc);
        if let Some(known) = super::call(self.checker, symbol, args, self.loc, Some(function)) {
            return Some(known);
        }
        let args = args.iter().map(|arg| self.checker.expr(arg)).collect();
        Some(self.checker.call_checked(Some(function), symbol, args, self.loc))
    }

    /// The function type of a libc function as far as it matters to a call: its result.
    fn result_of(&mut self, name: &str) -> Option<TypeId> {
        let int = self.checker.int_type();
        let result = match name {
            "memcpy" | "memmove" | "memset" | "memchr" | "mempcpy" | "malloc" | "calloc" | "realloc" | "alloca" => {
                self.void_pointer()
            }
            "strcpy" | "strncpy" | "strcat" | "strncat" | "strchr" | "strrchr" | "strstr" | "strpbrk" | "stpcpy"
            | "strdup" | "strndup" | "index" | "rindex" => {
                let char = QualType::unqualified(TypeId::of_int(IntType::Char));
                self.checker.pointer_to(char)
            }
            "strlen" | "strspn" | "strcspn" | "strnlen" => self.checker.size_type(),
            "labs" => QualType::unqualified(TypeId::of_int(IntType::Long)),
            "llabs" => QualType::unqualified(TypeId::of_int(IntType::LongLong)),
            "fabs" | "sqrt" | "floor" | "ceil" | "copysign" | "trunc" | "fmax" | "fmin" => {
                QualType::unqualified(TypeId::DOUBLE)
            }
            "fabsf" | "copysignf" => QualType::unqualified(TypeId::FLOAT),
            "free" | "exit" | "_exit" | "_Exit" | "bzero" => self.checker.void_type(),
            "memcmp" | "bcmp" | "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "abs" | "printf" | "fprintf"
            | "sprintf" | "snprintf" | "vprintf" | "vfprintf" | "vsprintf" | "vsnprintf" | "puts" | "putchar"
            | "fputs" | "isdigit" | "isalpha" | "isspace" | "toupper" | "tolower" | "ffs" => int,
            _ => return None,
        };
        let ty = FunctionType { result, params: Vec::new(), variadic: false, prototyped: false };
        Some(self.checker.types.intern(Type::Function(ty)))
    }

    /// An argument that is a `va_list` object.
    fn argument_list(&mut self, i: usize) -> Option<Expr> {
        let list = self.checker.place(self.args.get(i)?)?;
        if self.checker.is_pointer(list.ty) {
            return Some(list);
        }
        let message = format!("argument {} of '{}' must be a 'va_list' object", i + 1, self.name);
        self.checker.error(self.loc, message);
        None
    }

    /// At least one operand of a comparison of floating-point numbers is one, and the other a number.
    fn check_floats(&mut self, types: &[QualType]) -> Result<(), Expr> {
        let checker = &*self.checker;
        if types.iter().any(|&ty| checker.is_error(ty)) {
            return Err(checker.error_expr(self.loc));
        }
        let is_float = |ty: &QualType| matches!(checker.kind(*ty), Type::Float(_));
        if types.iter().any(is_float) && types.iter().all(|&ty| checker.is_arithmetic(ty)) {
            return Ok(());
        }
        self.checker.error(self.loc, format!("'{}' is for floating-point numbers", self.name));
        Err(self.checker.error_expr(self.loc))
    }

    fn float_constant(&mut self, value: f64, ty: FloatType) -> Expr {
        if ty == FloatType::LongDouble {
            self.checker.prepare_long_double();
        }
        let ty = QualType::unqualified(self.checker.types.intern(Type::Float(ty)));
        Expr { kind: ExprKind::Float(value), ty, loc: self.loc }
    }

    /// `popcount`, `clz`, `ctz`, `ffs`, `parity` with their suffixes `l` and `ll`, and `bswap16/32/64`.
    fn bit_operation(&mut self, name: &str) -> Option<Expr> {
        if let Some(width) = name.strip_prefix("bswap") {
            let int = match width {
                "16" => IntType::UnsignedShort,
                "32" => IntType::UnsignedInt,
                "64" => IntType::UnsignedLongLong,
                _ => return None,
            };
            if let Err(wrong) = self.expect_args(1) {
                return Some(wrong);
            }
            let ty = QualType::unqualified(TypeId::of_int(int));
            let value = self.arg_as(0, ty);
            return Some(self.make(Builtin::ByteSwap(value), ty));
        }
        let stem = name.trim_end_matches('l');
        let operand = match name.len() - stem.len() {
            0 => IntType::UnsignedInt,
            1 => IntType::UnsignedLong,
            2 => IntType::UnsignedLongLong,
            _ => return None,
        };
        if !matches!(stem, "popcount" | "parity" | "clz" | "ctz" | "ffs" | "clrsb") {
            return None;
        }
        if let Err(wrong) = self.expect_args(1) {
            return Some(wrong);
        }
        let ty = QualType::unqualified(TypeId::of_int(operand));
        let int = self.checker.int_type();
        let value = self.arg_as(0, ty);
        Some(match stem {
            "popcount" => self.as_int(Builtin::PopCount(value), ty),
            "clz" => self.as_int(Builtin::LeadingZeros(value), ty),
            "ctz" => self.as_int(Builtin::TrailingZeros(value), ty),
            "clrsb" => {
                // The bits after the sign that equal it: those of x with all equal to the sign cleared, and a one behind them.
                let signed = match operand {
                    IntType::UnsignedInt => IntType::Int,
                    IntType::UnsignedLong => IntType::Long,
                    _ => IntType::LongLong,
                };
                let signed = QualType::unqualified(TypeId::of_int(signed));
                let Some((fill, var)) = self.keep(value) else { return Some(self.checker.error_expr(self.loc)) };
                let bits = self.checker.size_of(ty).unwrap_or(4) * 8;
                let width = self.checker.int_constant(i128::from(bits - 1), int, self.loc);
                let sign = self.checker.converted(self.kept(var), signed);
                let sign = self.checker.arithmetic(BinaryOp::Shr, sign, width, self.loc);
                let sign = self.checker.converted(sign, ty);
                let differing = self.checker.arithmetic(BinaryOp::Xor, self.kept(var), sign, self.loc);
                let one = self.checker.int_constant(1, int, self.loc);
                let moved = self.checker.arithmetic(BinaryOp::Shl, differing, one, self.loc);
                let one = self.checker.int_constant(1, ty, self.loc);
                let marked = self.checker.arithmetic(BinaryOp::Or, moved, one, self.loc);
                let count = self.as_int(Builtin::LeadingZeros(marked), ty);
                self.checker.comma(fill, count)
            }
            "parity" => {
                let count = self.as_int(Builtin::PopCount(value), ty);
                let one = self.checker.int_constant(1, int, self.loc);
                self.checker.arithmetic(BinaryOp::And, count, one, self.loc)
            }
            _ => {
                // ffs(x) is x ? ctz(x) + 1 : 0
                let Some((fill, var)) = self.keep(value) else { return Some(self.checker.error_expr(self.loc)) };
                let zeros = self.as_int(Builtin::TrailingZeros(self.kept(var)), ty);
                let one = self.checker.int_constant(1, int, self.loc);
                let position = self.checker.arithmetic(BinaryOp::Add, zeros, one, self.loc);
                let zero = self.checker.int_constant(0, int, self.loc);
                let kind = ExprKind::Conditional {
                    condition: Box::new(self.kept(var)),
                    then: Box::new(position),
                    otherwise: Box::new(zero),
                };
                self.checker.comma(fill, Expr { kind, ty: int, loc: self.loc })
            }
        })
    }

    /// A bit count is computed in its operand's type and denotes an `int`.
    fn as_int(&mut self, builtin: Builtin, ty: QualType) -> Expr {
        let value = self.make(builtin, ty);
        let int = self.checker.int_type();
        self.checker.converted(value, int)
    }

    /// `add_overflow(a, b, &r)` and the forms that name their type, such as `sadd_overflow`. The generic form is
    /// supported where all three types agree.
    fn overflow_arithmetic(&mut self, name: &str) -> Option<Expr> {
        if let Some(stem) = name.strip_suffix("_overflow_p") {
            let op = arithmetic_op(stem)?;
            return Some(self.would_overflow(op));
        }
        let stem = name.strip_suffix("_overflow")?;
        let (ty, op) = match arithmetic_op(stem) {
            Some(op) => (None, op),
            None => {
                // One letter for the sign, the operation, and `l` or `ll` for the width.
                let (sign, rest) = stem.split_at_checked(1)?;
                let (op, width) = rest.split_at_checked(3)?;
                let ty = match (sign, width) {
                    ("s", "") => IntType::Int,
                    ("u", "") => IntType::UnsignedInt,
                    ("s", "l") => IntType::Long,
                    ("u", "l") => IntType::UnsignedLong,
                    ("s", "ll") => IntType::LongLong,
                    ("u", "ll") => IntType::UnsignedLongLong,
                    _ => return None,
                };
                (Some(QualType::unqualified(TypeId::of_int(ty))), arithmetic_op(op)?)
            }
        };
        if let Err(wrong) = self.expect_args(3) {
            return Some(wrong);
        }
        let bool_type = QualType::unqualified(TypeId::BOOL);
        let (mut lhs, mut rhs, result) = (self.arg(0), self.arg(1), self.arg(2));
        if let Err(wrong) = self.check_overflow_operands(&lhs, &rhs, &result) {
            return Some(wrong);
        }
        let pointee = self.checker.pointee(result.ty).map(|p| QualType::unqualified(p.ty));
        if let Some(ty) = ty {
            lhs = self.checker.converted(lhs, ty);
            rhs = self.checker.converted(rhs, ty);
        }
        // An operand that is a constant takes the type of the result if it fits there.
        if let Some(ty) = pointee {
            lhs = self.fitted(lhs, ty);
            rhs = self.fitted(rhs, ty);
        }
        Some(self.make(Builtin::OverflowArithmetic { op, lhs, rhs, result }, bool_type))
    }

    /// `add_overflow_p(a, b, c)`: whether the exact result does not fit into the type of `c`.
    fn would_overflow(&mut self, op: BinaryOp) -> Expr {
        if let Err(wrong) = self.expect_args(3) {
            return wrong;
        }
        let bool_type = QualType::unqualified(TypeId::BOOL);
        let (lhs, rhs) = (self.arg(0), self.arg(1));
        let like = self.checker.expr(&self.args[2]);
        if matches!(like.kind, ExprKind::Member { bits: Some(_), .. }) {
            return self.unsupported(format!("'{}' for a bit-field", self.name), bool_type);
        }
        let like = self.checker.value_of(like);
        let to = QualType::unqualified(like.ty.ty);
        let numbers = [&lhs, &rhs, &like].map(|e| self.checker.evaluate_int(e).ok());
        let is_narrow = |e: &Expr| self.checker.size_of(e.ty).is_some_and(|size| size <= 8);
        if let [Some(a), Some(b), Some(_)] = numbers
            && [&lhs, &rhs, &like].into_iter().all(|e| self.checker.is_integer(e.ty) && is_narrow(e))
        {
            let exact = match op {
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                _ => a.checked_add(b),
            };
            let fits = exact.is_some_and(|exact| {
                let cut = self.checker.int_constant(exact, to, self.loc);
                matches!(cut.kind, ExprKind::Int(bits) if self.checker.number_of(bits, to) == exact)
            });
            return self.checker.int_constant(i128::from(!fits), bool_type, self.loc);
        }
        // The result goes to a variable that nobody reads.
        let Some((fill, var)) = self.keep(like) else { return self.checker.error_expr(self.loc) };
        let pointer = self.checker.pointer_to(to);
        let place = self.checker.var(var, self.loc);
        let result = self.checker.address(place, pointer, self.loc);
        if let Err(wrong) = self.check_overflow_operands(&lhs, &rhs, &result) {
            return wrong;
        }
        let (lhs, rhs) = (self.fitted(lhs, to), self.fitted(rhs, to));
        let overflows = self.make(Builtin::OverflowArithmetic { op, lhs, rhs, result }, bool_type);
        self.checker.comma(fill, overflows)
    }

    /// Two integers, and a pointer to an integer that is no `_Bool`, no enumeration and not `const`.
    fn check_overflow_operands(&mut self, lhs: &Expr, rhs: &Expr, result: &Expr) -> Result<(), Expr> {
        let checker = &*self.checker;
        if [lhs, rhs, result].iter().any(|e| checker.is_error(e.ty)) {
            return Err(checker.error_expr(self.loc));
        }
        let takes_result = |ty: QualType| {
            let is_number = checker.is_integer(ty) && !matches!(checker.kind(ty), Type::Bool | Type::Enum(_));
            is_number && !ty.qualifiers.is_const
        };
        let wrong = if [lhs, rhs].iter().any(|e| !checker.is_integer(e.ty)) {
            "the operands of '{}' must be integers"
        } else if !checker.pointee(result.ty).is_some_and(takes_result) {
            "the result of '{}' must be given by a pointer to an integer that can be changed"
        } else {
            return Ok(());
        };
        self.checker.error(self.loc, wrong.replace("{}", self.name));
        Err(self.checker.error_expr(self.loc))
    }

    fn fitted(&mut self, e: Expr, ty: QualType) -> Expr {
        match e.kind {
            ExprKind::Int(bits) => {
                let number = self.checker.number_of(bits, e.ty);
                let cut = self.checker.int_constant(number, ty, e.loc);
                match cut.kind {
                    ExprKind::Int(bits) if self.checker.number_of(bits, ty) == number => cut,
                    _ => e,
                }
            }
            _ => e,
        }
    }
}

/// How many arguments the built-in functions of GCC's own take, at least and at most.
fn argument_counts(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "unreachable" | "trap" | "abort" | "huge_val" | "huge_valf" | "huge_vall" | "inf" | "inff" | "infl"
        | "ia32_mfence" | "ia32_sfence" | "ia32_lfence" | "ia32_pause" => (0, 0),
        "constant_p" | "va_end" | "nan" | "nanf" | "nanl" | "nans" | "isnan" | "isnanf" | "isnanl" | "isinf"
        | "isinff" | "isinfl" | "isfinite" | "finite" | "finitef" | "finitel" | "isnormal" | "signbit" | "signbitf"
        | "signbitl" | "frame_address" | "return_address" | "assume" | "classify_type" => (1, 1),
        "expect"
        | "object_size"
        | "dynamic_object_size"
        | "va_copy"
        | "isgreater"
        | "isgreaterequal"
        | "isunordered"
        | "islessgreater"
        | "isless"
        | "islessequal" => (2, 2),
        "complex" => (2, 2),
        "shuffle" => (2, 3),
        "va_start" | "stdarg_start" | "c23_va_start" => (1, usize::MAX),
        "prefetch" => (1, 3),
        "assume_aligned" => (2, 3),
        "expect_with_probability" => (3, 3),
        _ => return None,
    })
}

fn arithmetic_op(name: &str) -> Option<BinaryOp> {
    match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    }
}

fn is_block_or_string(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "memset" | "mempcpy" | "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy")
}
