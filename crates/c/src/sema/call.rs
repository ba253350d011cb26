//! Calls.

use super::Checker;
use super::convert::Context;
use super::display::declaration_text;
use super::scope::Entity;
use crate::ast;
use crate::builtins;
use crate::ctype::{FunctionType, QualType, Type, TypeId};
use crate::intern::Symbol;
use crate::tree::{Callee, Expr, ExprKind, FunctionId};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], loc: Loc) -> Expr {
        let function = match &callee.kind {
            ast::ExprKind::Ident(name) => match self.scopes.name(*name).map(|b| b.entity) {
                Some(Entity::Function(id)) if self.nested.contains_key(&id) => self.function_designator(id, callee.loc),
                Some(Entity::Function(id)) => {
                    let linked = self.unit.functions[id.0 as usize].name;
                    if let Some(handled) = builtins::call(self, linked, args, loc, Some(id)) {
                        return handled;
                    }
                    self.function_designator(id, callee.loc)
                }
                None => {
                    if let Some(handled) = builtins::call(self, *name, args, loc, None) {
                        return handled;
                    }
                    let id = self.implicit_function(*name, callee.loc);
                    self.function_designator(id, callee.loc)
                }
                Some(_) => self.expr(callee),
            },
            _ => self.expr(callee),
        };
        let args = args.iter().map(|arg| self.expr(arg)).collect();
        self.call_value(function, callee, args, loc)
    }

    /// Calls a function that is declared, or by a name that nothing has declared, with arguments that are checked.
    pub(crate) fn call_checked(
        &mut self,
        declared: Option<FunctionId>,
        name: Symbol,
        args: Vec<Expr>,
        loc: Loc,
    ) -> Expr {
        let id = declared.unwrap_or_else(|| self.implicit_function(name, loc));
        let function = self.function_designator(id, loc);
        let callee = ast::Expr { kind: ast::ExprKind::Ident(name), loc };
        self.call_value(function, &callee, args, loc)
    }

    /// Calls what a pointer points to, with arguments that are checked but not yet converted.
    fn call_value(&mut self, function: Expr, callee: &ast::Expr, args: Vec<Expr>, loc: Loc) -> Expr {
        let nested = match function.kind {
            ExprKind::Function(id) if self.nested.contains_key(&id) => Some(id),
            _ => None,
        };
        let pointer = match nested {
            Some(_) => Expr { ty: self.pointer_to(function.ty), ..function },
            None => self.value_of(function),
        };
        if self.is_error(pointer.ty) {
            return self.error_expr(loc);
        }
        let function = self.pointee(pointer.ty).and_then(|ty| match self.kind(ty) {
            Type::Function(function) => Some(function.clone()),
            _ => None,
        });
        let Some(function) = function else {
            let text = self.text(pointer.ty);
            let message = match &callee.kind {
                ast::ExprKind::Ident(name) => {
                    format!("'{}' is called, but it is no function: it has type {text}", self.name(*name))
                }
                _ => format!("something of type {text} is called, which is no function"),
            };
            self.error(callee.loc, message);
            return self.error_expr(loc);
        };
        let Some(args) = self.arguments(&function, args, callee, &pointer, loc) else { return self.error_expr(loc) };
        let args = match nested {
            Some(id) => std::iter::once(self.chain_for(id, loc)).chain(args).collect(),
            None => args,
        };
        let result = function.result;
        if result.ty != TypeId::VOID && self.size_of(result).is_none() {
            let text = self.text(result);
            self.error(loc, format!("the function returns the incomplete type {text}"));
            return self.error_expr(loc);
        }
        let callee = match pointer.kind {
            ExprKind::Function(id) => Callee::Direct(id),
            _ => Callee::Pointer(Box::new(pointer)),
        };
        Expr { kind: ExprKind::Call { callee, args }, ty: QualType::unqualified(result.ty), loc }
    }

    fn arguments(
        &mut self,
        function: &FunctionType,
        args: Vec<Expr>,
        callee: &ast::Expr,
        pointer: &Expr,
        loc: Loc,
    ) -> Option<Vec<Expr>> {
        let params = &function.params;
        let count_fits = if !function.prototyped {
            params.is_empty() || args.len() == params.len()
        } else if function.variadic {
            args.len() >= params.len()
        } else {
            args.len() == params.len()
        };
        if !count_fits {
            self.wrong_count(function, args.len(), callee, pointer, loc);
            if function.prototyped {
                return None;
            }
        }
        let mut checked = Vec::with_capacity(args.len());
        let mut fine = true;
        for (i, e) in args.into_iter().enumerate() {
            let e = match params.get(i) {
                Some(&param) => self.convert_to(e, param, Context::Passing(i + 1)),
                None => {
                    let e = self.value_of(e);
                    if e.ty.ty == TypeId::VOID {
                        self.error(e.loc, format!("argument {} has type 'void'", i + 1));
                        fine = false;
                    }
                    self.default_promoted(e)
                }
            };
            fine &= !self.is_error(e.ty);
            checked.push(e);
        }
        fine.then_some(checked)
    }

    fn wrong_count(&mut self, function: &FunctionType, given: usize, callee: &ast::Expr, pointer: &Expr, loc: Loc) {
        let wanted = function.params.len();
        let at_least = if function.variadic { "at least " } else { "" };
        let plural = if wanted == 1 { "" } else { "s" };
        let name = match &callee.kind {
            ast::ExprKind::Ident(name) => self.name(*name).to_owned(),
            _ => "the function".to_owned(),
        };
        let message = format!("'{name}' takes {at_least}{wanted} argument{plural}, but is called with {given}");
        let mut diagnostic =
            if function.prototyped { Diagnostic::error(loc, message) } else { Diagnostic::warning(loc, message) };
        if let ExprKind::Function(id) = pointer.kind {
            let declared = &self.unit.functions[id.0 as usize];
            let ty = QualType::unqualified(declared.ty);
            let text =
                declaration_text(self.types, &self.session.symbols, ty, self.session.symbols.name(declared.name));
            diagnostic = diagnostic.also(declared.loc, "declared here").help(format!("its declaration is '{text}'"));
        }
        self.report(diagnostic);
    }
}
