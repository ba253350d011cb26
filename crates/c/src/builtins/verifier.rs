//! The functions of SV-COMP, and the functions behind `assert`.

use super::Call;
use crate::ctype::{FloatType, IntType, QualType, Type};
use crate::tree::{Builtin, Expr};
use norn_ir::instr::Property;

/// Whether the name keeps its meaning even where the program gives it a body.
pub(super) fn has_fixed_meaning(name: &str) -> bool {
    matches!(name, "__VERIFIER_error" | "reach_error" | "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}

/// Names of this module that do not begin with two underscores.
pub(super) fn is_known(name: &str) -> bool {
    name == "reach_error" || name == "assume" || is_nondet(name)
}

fn is_nondet(name: &str) -> bool {
    name == "nondet" || name.starts_with("nondet_")
}

impl Call<'_, '_, '_> {
    pub(super) fn verifier(&mut self) -> Option<Expr> {
        let name = self.name;
        Some(match name {
            "__VERIFIER_error" | "reach_error" => self.violation(Property::ErrorCall, name.to_owned()),
            "__VERIFIER_atomic_begin" => self.make_void(Builtin::SectionBegin),
            "__VERIFIER_atomic_end" => self.make_void(Builtin::SectionEnd),
            "__VERIFIER_assume" | "__CPROVER_assume" | "assume" => {
                if let Err(wrong) = self.expect_args(1) {
                    return Some(wrong);
                }
                let condition = self.arg(0);
                self.make_void(Builtin::Assume(condition))
            }
            "__VERIFIER_assert" | "__CPROVER_assert" => {
                if let Err(wrong) = self.at_least_args(1) {
                    return Some(wrong);
                }
                let condition = self.arg(0);
                let message = self.string_arg(1).unwrap_or_default();
                self.make_void(Builtin::Assert { condition, property: Property::Assertion, message })
            }
            // glibc and musl; the kernel's and BSD's order of arguments; macOS.
            "__assert_fail" | "__assert" => {
                let message = self.string_arg(0).unwrap_or_default();
                self.violation(Property::Assertion, message)
            }
            "__assert_perror_fail" => self.violation(Property::Assertion, "unexpected error".to_owned()),
            "__assert_rtn" | "__assert_func" => {
                let message = self.string_arg(3).unwrap_or_default();
                self.violation(Property::Assertion, message)
            }
            _ => {
                let kind = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"));
                if kind.is_none() && !is_nondet(name) {
                    return None;
                }
                self.nondet(kind.unwrap_or("int"))
            }
        })
    }

    /// The property is violated here; nothing comes after.
    fn violation(&mut self, property: Property, message: String) -> Expr {
        let condition = self.checker.int_constant(0, self.checker.int_type(), self.loc);
        let assert = self.make_void(Builtin::Assert { condition, property, message });
        let end = self.make_void(Builtin::Unreachable);
        self.checker.comma(assert, end)
    }

    /// A nondeterministic value of the declared type or, where nothing is declared, of the type in the name.
    fn nondet(&mut self, kind: &str) -> Expr {
        let ty = self.declared_result().unwrap_or_else(|| self.type_named(kind));
        match self.checker.kind(ty) {
            Type::Void => self.nothing(),
            _ if self.checker.is_scalar(ty) => self.make(Builtin::Nondet(self.name.to_owned()), ty),
            _ => self.unsupported(format!("'{}' returning a struct or union", self.name), ty),
        }
    }

    /// The type that SV-COMP's naming scheme means.
    fn type_named(&mut self, kind: &str) -> QualType {
        let ty = match kind {
            "bool" | "_Bool" => Type::Bool,
            "char" => Type::Int(IntType::Char),
            "uchar" | "u8" | "unsigned_char" => Type::Int(IntType::UnsignedChar),
            "short" => Type::Int(IntType::Short),
            "ushort" | "u16" | "unsigned_short" => Type::Int(IntType::UnsignedShort),
            "uint" | "unsigned" | "u32" | "unsigned_int" => Type::Int(IntType::UnsignedInt),
            "long" | "loff_t" => Type::Int(IntType::Long),
            "ulong" | "unsigned_long" | "size_t" => Type::Int(IntType::UnsignedLong),
            "longlong" => Type::Int(IntType::LongLong),
            "ulonglong" => Type::Int(IntType::UnsignedLongLong),
            "float" => Type::Float(FloatType::Float),
            "double" => Type::Float(FloatType::Double),
            "pointer" | "pchar" | "ptr" => return self.void_pointer(),
            _ => Type::Int(IntType::Int),
        };
        QualType::unqualified(self.checker.types.intern(ty))
    }
}
