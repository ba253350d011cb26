//! Functions that have no C body because the IR says directly what they do: the intrinsics of the models, SV-COMP's
//! functions, atomic operations, compiler built-ins, and a few of libc whose meaning depends on the types at the call.
//!
//! A function that the program defines itself is an ordinary function, whatever its name. The exceptions are the names
//! to which SV-COMP gives a meaning that no body can have: the error functions and the bounds of atomic sections
//! (benchmarks define them for other tools).

mod asm;
mod atomic;
mod formatted;
mod gcc;
mod libc;
mod norn;
mod orders;
mod printed;
mod sync;
mod syscall;
mod verifier;

pub(crate) use asm::{asm, is_asm_without_effect};

use crate::ast;
use crate::ctype::{FunctionType, QualType, Type};
use crate::intern::Symbol;
use crate::library;
use crate::sema::{Checker, Context};
use crate::session::Session;
use crate::tree::{Builtin, Expr, ExprKind, FunctionId, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// Checks a call by name if the function is a built-in one; `None` means an ordinary call.
pub(crate) fn call(
    checker: &mut Checker<'_>,
    name: Symbol,
    args: &[ast::Expr],
    loc: Loc,
    declared: Option<FunctionId>,
) -> Option<Expr> {
    let text = checker.name(name);
    if !may_be_builtin(text) {
        return None;
    }
    let text = text.to_owned();
    let defined = checker.session.defined_functions.contains(&name);
    if defined && !verifier::has_fixed_meaning(&text) {
        return None;
    }
    let mut call = Call { checker, name: &text, args, loc, declared };
    call.builtin()
}

/// Whether a function has a body only so that compilers can inline it (`extern inline` with `gnu_inline`), and the
/// library says what it does. glibc's headers have such bodies when they are read for optimisation or with checks of
/// object sizes, and they lean on built-ins that only work when inlined.
pub(crate) fn is_body_to_ignore(session: &Session, function: &ast::FunctionDefinition) -> bool {
    let name = function.declarator.name.map(|name| session.symbols.name(name));
    let is_known =
        |name: &str| libc::is_known(name) || library::model_of(name).is_some() || library::unsupported(name).is_some();
    is_for_inlining_only(session, function) && name.is_some_and(is_known)
}

/// Whether a definition is `extern inline` with the attribute `gnu_inline`: another one may follow it.
pub(crate) fn is_for_inlining_only(session: &Session, function: &ast::FunctionDefinition) -> bool {
    let (specifiers, declarator) = (&function.specifiers, &function.declarator);
    if specifiers.storage != Some(ast::StorageClass::Extern) || !specifiers.inline {
        return false;
    }
    let gnu_inline = session.symbols.get("gnu_inline");
    let mut attributes = specifiers.attributes.iter().chain(&declarator.attributes);
    attributes.any(|a| Some(a.name) == gnu_inline)
}

/// A quick look that spares ordinary calls the comparison with every name.
fn may_be_builtin(name: &str) -> bool {
    name.starts_with("__") || verifier::is_known(name) || libc::is_known(name)
}

/// A call of a function by name, with its arguments not yet checked.
struct Call<'c, 'a, 'n> {
    checker: &'c mut Checker<'a>,
    name: &'n str,
    args: &'n [ast::Expr],
    loc: Loc,
    /// The declaration in scope, if any.
    declared: Option<FunctionId>,
}

impl Call<'_, '_, '_> {
    fn builtin(&mut self) -> Option<Expr> {
        let name = self.name;
        if let Some(rest) = name.strip_prefix("__builtin_") {
            return self.gcc(rest);
        }
        if let Some(rest) = name.strip_prefix("__norn_") {
            return self.norn(rest);
        }
        if let Some(rest) = name.strip_prefix("__sync_") {
            return self.sync(rest);
        }
        if let Some(rest) = name.strip_prefix("__atomic_") {
            return self.atomic(rest, atomic::Dialect::Gnu);
        }
        if let Some(rest) = name.strip_prefix("__c11_atomic_") {
            return self.atomic(rest, atomic::Dialect::C11);
        }
        self.verifier().or_else(|| self.libc(name))
    }

    /// The value of an argument; if it is missing, an error (once) and a harmless value.
    fn arg(&mut self, i: usize) -> Expr {
        match self.args.get(i) {
            Some(arg) => self.checker.rvalue(arg),
            None => self.checker.error_expr(self.loc),
        }
    }

    fn arg_as(&mut self, i: usize, ty: QualType) -> Expr {
        match self.args.get(i) {
            Some(arg) => {
                let value = self.checker.expr(arg);
                self.checker.convert_to(value, ty, Context::Passing(i + 1))
            }
            None => self.checker.error_expr(self.loc),
        }
    }

    /// Reports a wrong number of arguments and returns the error expression to stand for the call.
    fn expect_args(&mut self, count: usize) -> Result<(), Expr> {
        if self.args.len() == count {
            return Ok(());
        }
        self.wrong_count(count)
    }

    fn wrong_count(&mut self, count: usize) -> Result<(), Expr> {
        let plural = if count == 1 { "" } else { "s" };
        let message = format!("'{}' takes {count} argument{plural}, but {} are given", self.name, self.args.len());
        self.checker.error(self.loc, message);
        Err(self.checker.error_expr(self.loc))
    }

    fn at_most_args(&mut self, count: usize) -> Result<(), Expr> {
        if self.args.len() <= count { Ok(()) } else { self.wrong_count(count) }
    }

    fn at_least_args(&mut self, count: usize) -> Result<(), Expr> {
        if self.args.len() >= count {
            return Ok(());
        }
        let message = format!("'{}' takes at least {count} arguments, but {} are given", self.name, self.args.len());
        self.checker.error(self.loc, message);
        Err(self.checker.error_expr(self.loc))
    }

    fn make(&self, builtin: Builtin, ty: QualType) -> Expr {
        self.checker.builtin(builtin, QualType::unqualified(ty.ty), self.loc)
    }

    fn make_void(&self, builtin: Builtin) -> Expr {
        self.make(builtin, self.checker.void_type())
    }

    fn void_pointer(&mut self) -> QualType {
        let void = self.checker.void_type();
        self.checker.pointer_to(void)
    }

    fn unsupported(&self, what: impl Into<String>, ty: QualType) -> Expr {
        self.checker.unsupported(what, ty, self.loc)
    }

    /// Nothing happens; a value of type `void`.
    fn nothing(&mut self) -> Expr {
        let zero = self.checker.int_constant(0, self.checker.int_type(), self.loc);
        self.checker.converted(zero, self.checker.void_type())
    }

    /// What the declaration in scope says that the function returns.
    fn declared_result(&self) -> Option<QualType> {
        let function = &self.checker.unit.functions[self.declared?.0 as usize];
        match self.checker.types.get(function.ty) {
            Type::Function(FunctionType { result, .. }) => Some(*result),
            _ => None,
        }
    }

    /// Evaluates all arguments for their effects, then yields `value`.
    fn after_arguments(&mut self, value: Expr) -> Expr {
        let mut result = value;
        for i in (0..self.args.len()).rev() {
            let arg = self.arg(i);
            if !matches!(arg.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
                result = self.checker.comma(arg, result);
            }
        }
        result
    }

    /// The text of an argument that is a string literal.
    fn string_arg(&self, i: usize) -> Option<String> {
        match &self.args.get(i)?.kind {
            ast::ExprKind::Str(literal) => Some(literal.text()),
            _ => None,
        }
    }

    /// A string literal that the meaning of the call depends on.
    fn required_string(&mut self, i: usize) -> String {
        self.string_arg(i).unwrap_or_else(|| {
            let loc = self.args.get(i).map_or(self.loc, |arg| arg.loc);
            let message = format!("argument {} of '{}' must be a string literal", i + 1, self.name);
            self.checker.report(Diagnostic::error(loc, message));
            String::new()
        })
    }

    /// Keeps a value in a temporary: the expression that fills it, and the temporary for [`Call::kept`].
    /// `None` outside of functions, which has been reported.
    fn keep(&mut self, value: Expr) -> Option<(Expr, VarId)> {
        let loc = value.loc;
        let var = self.checker.temporary(value.ty, loc)?;
        let place = self.checker.var(var, loc);
        Some((self.checker.assignment(place, value, loc), var))
    }

    /// A use of a kept value.
    fn kept(&self, var: VarId) -> Expr {
        let place = self.checker.var(var, self.loc);
        self.checker.load(place)
    }
}
