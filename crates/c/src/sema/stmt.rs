//! Statements.

use super::Checker;
use super::convert::Context;
use crate::ast::{self, BlockItem, ForInit, LabelKind};
use crate::builtins;
use crate::ctype::TypeId;
use crate::intern::Symbol;
use crate::tree::{Expr, LabelId, Stmt, StmtKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn statement(&mut self, stmt: &ast::Stmt) -> Stmt {
        let loc = stmt.loc;
        let kind = match &stmt.kind {
            ast::StmtKind::Null => StmtKind::Nop,
            ast::StmtKind::Expr(e) => StmtKind::Expr(self.effect(e)),
            ast::StmtKind::Block(block) => return self.block(block),
            ast::StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition_of(condition);
                let then = Box::new(self.statement(then));
                let otherwise = otherwise.as_ref().map(|s| Box::new(self.statement(s)));
                StmtKind::If { condition, then, otherwise }
            }
            ast::StmtKind::Switch { value, body } => self.switch(value, body),
            ast::StmtKind::While { condition, body } => {
                let condition = self.condition_of(condition);
                StmtKind::While { condition, body: self.loop_body(body) }
            }
            ast::StmtKind::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                StmtKind::DoWhile { body, condition: self.condition_of(condition) }
            }
            ast::StmtKind::For(parts) => {
                let ast::For { init, condition, step, body } = &**parts;
                return self.for_loop(init, condition.as_ref(), step.as_ref(), body, loc);
            }
            ast::StmtKind::Goto(name) if self.label_owner(*name).is_some() => {
                StmtKind::Unsupported("a jump out of a nested function".to_owned())
            }
            ast::StmtKind::Goto(name) => match &mut self.function {
                Some(function) => StmtKind::Goto(function.goto_label(*name, loc)),
                None => StmtKind::Nop,
            },
            ast::StmtKind::GotoComputed(e) => {
                let target = self.rvalue(e);
                let pointer = self.pointer_to(self.void_type());
                StmtKind::GotoComputed(self.convert_to(target, pointer, Context::Assigning))
            }
            ast::StmtKind::Continue => {
                if self.function.as_ref().is_some_and(|f| f.loops == 0) {
                    self.error(loc, "'continue' outside of a loop");
                }
                StmtKind::Continue
            }
            ast::StmtKind::Break => {
                if self.function.as_ref().is_some_and(|f| f.breakable == 0) {
                    self.error(loc, "'break' outside of a loop or 'switch'");
                }
                StmtKind::Break
            }
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), loc),
            ast::StmtKind::Labeled { labels, body } => self.labeled(labels, body),
            ast::StmtKind::Asm(asm) => {
                for &(label, at) in &asm.labels {
                    if let Some(function) = &mut self.function {
                        function.goto_label(label, at);
                    }
                }
                builtins::asm(self, asm, loc)
            }
        };
        Stmt { kind, loc }
    }

    fn condition_of(&mut self, e: &ast::Expr) -> Expr {
        let e = self.expr(e);
        self.condition(e, "the condition")
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Box<Stmt> {
        self.count_loop(1);
        let body = Box::new(self.statement(body));
        self.count_loop(-1);
        body
    }

    fn count_loop(&mut self, change: i32) {
        if let Some(function) = &mut self.function {
            function.loops = function.loops.saturating_add_signed(change);
            function.breakable = function.breakable.saturating_add_signed(change);
        }
    }

    /// Returns what [`Checker::leave_block`] needs.
    fn enter_block(&mut self) -> usize {
        self.scopes.enter();
        self.function.as_mut().map_or(0, |function| {
            function.blocks.push(Vec::new());
            function.jumps.depth()
        })
    }

    fn leave_block(&mut self, depth: usize) -> Vec<VarId> {
        self.scopes.leave();
        if let Some(function) = &mut self.function {
            function.jumps.close(depth);
        }
        self.function.as_mut().and_then(|f| f.blocks.pop()).unwrap_or_default()
    }

    pub(super) fn block(&mut self, block: &ast::Block) -> Stmt {
        let depth = self.enter_block();
        let hidden = self.function.as_mut().map(|f| f.hide_labels(&block.local_labels));
        let mut stmts = Vec::with_capacity(block.items.len());
        self.block_items(&block.items, &mut stmts);
        self.show_labels(hidden);
        let vars = self.leave_block(depth);
        Stmt { kind: StmtKind::Block { vars, stmts }, loc: block.loc }
    }

    /// The block of a statement expression and the value of its last statement.
    pub(super) fn block_with_value(&mut self, block: &ast::Block) -> (Stmt, Option<Expr>) {
        let depth = self.enter_block();
        let hidden = self.function.as_mut().map(|f| f.hide_labels(&block.local_labels));
        let mut stmts = Vec::with_capacity(block.items.len());
        let value = match block.items.split_last() {
            Some((BlockItem::Statement(last), before)) if value_of(last).is_some() => {
                self.block_items(before, &mut stmts);
                let mut last = last;
                while let ast::StmtKind::Labeled { labels, body } = &last.kind {
                    self.labels(labels, &mut stmts);
                    last = body;
                }
                value_of(last).map(|value| self.rvalue(value))
            }
            _ => {
                self.block_items(&block.items, &mut stmts);
                None
            }
        };
        self.show_labels(hidden);
        let vars = self.leave_block(depth);
        (Stmt { kind: StmtKind::Block { vars, stmts }, loc: block.loc }, value)
    }

    fn show_labels(&mut self, hidden: Option<Vec<(Symbol, Option<LabelId>)>>) {
        if let (Some(function), Some(hidden)) = (&mut self.function, hidden) {
            function.show_labels(hidden);
        }
    }

    pub(super) fn block_items(&mut self, items: &[BlockItem], out: &mut Vec<Stmt>) {
        for item in items {
            if self.session.too_many_errors() {
                return;
            }
            match item {
                BlockItem::Declaration(declaration) => self.local_declaration(declaration, out),
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::Statement(stmt) => out.push(self.statement(stmt)),
                BlockItem::Function(definition) => self.nested_definition(definition),
            }
        }
    }

    /// Array lengths are computed where their declaration is reached.
    pub(super) fn flush_pending(&mut self, out: &mut Vec<Stmt>, loc: Loc) {
        out.extend(self.pending.drain(..).map(|e| Stmt { kind: StmtKind::Expr(e), loc }));
    }

    fn for_loop(
        &mut self,
        init: &ForInit,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        loc: Loc,
    ) -> Stmt {
        let depth = self.enter_block();
        let mut stmts = Vec::new();
        match init {
            ForInit::None => {}
            ForInit::Expr(e) => {
                let e = self.effect(e);
                let at = e.loc;
                stmts.push(Stmt { kind: StmtKind::Expr(e), loc: at });
            }
            ForInit::Declaration(declaration) => {
                let storage = declaration.specifiers.storage;
                if storage.is_some_and(|s| !matches!(s, ast::StorageClass::Auto | ast::StorageClass::Register)) {
                    self.error(declaration.loc, "the first part of 'for' declares automatic variables only");
                }
                let declares_more = match &declaration.specifiers.ty {
                    ast::TypeSpecifier::Record(record) => record.tag.is_some() && record.members.is_some(),
                    ast::TypeSpecifier::Enum(enumeration) => enumeration.enumerators.is_some(),
                    _ => false,
                };
                if declares_more {
                    self.error(declaration.loc, "the first part of 'for' declares variables only");
                }
                self.local_declaration(declaration, &mut stmts);
            }
        }
        let condition = condition.map(|e| self.condition_of(e));
        let step = step.map(|e| self.effect(e));
        let body = self.loop_body(body);
        stmts.push(Stmt { kind: StmtKind::For { condition, step, body }, loc });
        let vars = self.leave_block(depth);
        Stmt { kind: StmtKind::Block { vars, stmts }, loc }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, loc: Loc) -> StmtKind {
        let Some(function) = &self.function else { return StmtKind::Nop };
        let (result, name) = (function.result, function.name);
        match value {
            None => {
                if result.ty != TypeId::VOID && !self.is_error(result) {
                    let message = format!("'{}' returns without the value that it should return", self.name(name));
                    self.warn(loc, message);
                }
                StmtKind::Return(None)
            }
            Some(e) if result.ty == TypeId::VOID => {
                let value = self.effect(e);
                if value.ty.ty != TypeId::VOID && !self.is_error(value.ty) {
                    let message = format!("'{}' returns a value, but its result type is 'void'", self.name(name));
                    self.warn(loc, message);
                }
                let stmts = vec![Stmt { kind: StmtKind::Expr(value), loc }, Stmt { kind: StmtKind::Return(None), loc }];
                StmtKind::Block { vars: Vec::new(), stmts }
            }
            Some(e) => {
                let value = self.expr(e);
                StmtKind::Return(Some(self.convert_to(value, result, Context::Returning)))
            }
        }
    }

    fn labeled(&mut self, labels: &[ast::Label], body: &ast::Stmt) -> StmtKind {
        let mut stmts = Vec::with_capacity(labels.len() + 1);
        self.labels(labels, &mut stmts);
        stmts.push(self.statement(body));
        StmtKind::Block { vars: Vec::new(), stmts }
    }

    fn labels(&mut self, labels: &[ast::Label], out: &mut Vec<Stmt>) {
        for label in labels {
            let loc = label.loc;
            let stmt = match &label.kind {
                LabelKind::Name(name) => match self.function.as_mut().map(|f| f.define_label(*name, loc)) {
                    Some(Ok(id)) => Some(Stmt { kind: StmtKind::Label(id), loc }),
                    Some(Err(earlier)) => {
                        let message = format!("there are two labels named '{}'", self.name(*name));
                        self.report(Diagnostic::error(loc, message).also(earlier, "the first one"));
                        None
                    }
                    None => None,
                },
                LabelKind::Case(value) => self.case_label(value, None, loc),
                LabelKind::CaseRange(low, high) => self.case_label(low, Some(high), loc),
                LabelKind::Default => self.default_label(loc),
            };
            out.extend(stmt);
        }
    }
}

/// The expression of an expression statement, also behind labels.
fn value_of(mut stmt: &ast::Stmt) -> Option<&ast::Expr> {
    loop {
        match &stmt.kind {
            ast::StmtKind::Labeled { body, .. } => stmt = body,
            ast::StmtKind::Expr(e) => return Some(e),
            _ => return None,
        }
    }
}
