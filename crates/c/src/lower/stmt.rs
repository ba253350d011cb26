//! Statements.

use super::function::{FunctionBuilder, Home};
use super::ir_types::Passing;
use super::scope::JumpTarget;
use crate::tree::walk::{Node, preorder};
use crate::tree::{Builtin, Callee, Expr, ExprKind, LabelId, Stmt, StmtKind, VarId};
use norn_ir::ids::BlockId;
use norn_ir::instr::{AllocKind, CompareOp, Const, InstrKind, Operand, Property, TerminatorKind};
use norn_ir::types::Ty;

/// Reaching a label of this name is a violation.
const ERROR_LABEL: &str = "ERROR";

impl<'a> FunctionBuilder<'_, 'a> {
    pub fn stmts(&mut self, stmts: &'a [Stmt]) {
        for (i, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Label(label) = stmt.kind {
                self.place_label(label, stmt, &stmts[i + 1..]);
            } else {
                self.stmt(stmt);
            }
        }
    }

    /// The body of a function. Its scope stays open at the end, as at a return, since it depends on the function whether
    /// the objects end there (see `exits`).
    pub fn outermost_block(&mut self, body: &'a Stmt) {
        match &body.kind {
            StmtKind::Block { vars, stmts } => {
                self.set_loc(body.loc);
                self.enter_scope(vars);
                self.stmts(stmts);
            }
            _ => self.stmt(body),
        }
    }

    pub fn stmt(&mut self, stmt: &'a Stmt) {
        self.set_loc(stmt.loc);
        match &stmt.kind {
            StmtKind::Nop => {}
            StmtKind::Block { vars, stmts } => {
                let outer = self.enter_scope(vars);
                self.stmts(stmts);
                self.leave_scope(outer);
            }
            StmtKind::Expr(e) => self.discard(e),
            StmtKind::Cleanup(e) => self.open_cleanup(e),
            StmtKind::Init(var, init) => self.initialise(*var, init),
            StmtKind::Vla { var, size } => self.variable_array(*var, size),
            StmtKind::If { .. } => self.if_chain(stmt),
            StmtKind::While { condition, body } => self.loop_at(Some(condition), None, body),
            StmtKind::For { condition, step, body } => self.loop_at(condition.as_ref(), step.as_ref(), body),
            StmtKind::DoWhile { body, condition } => self.do_while(body, condition),
            StmtKind::Switch { value, cases, default, body } => self.switch(value, cases, *default, body),
            StmtKind::Case(case) => {
                let block = self.new_block();
                self.start(block);
                self.cases[case.0 as usize] = Some((block, self.scope));
            }
            StmtKind::Label(label) => self.place_label(*label, stmt, &[]),
            StmtKind::Goto(label) => {
                let block = self.jump_block(JumpTarget::Label(*label));
                self.goto(block);
            }
            StmtKind::GotoComputed(target) => self.computed_goto(target),
            StmtKind::Break | StmtKind::Continue => {
                let target =
                    if matches!(stmt.kind, StmtKind::Break) { self.break_target } else { self.continue_target };
                if let Some((block, scope)) = target {
                    self.exit_to(scope);
                    self.goto(block);
                }
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
            StmtKind::Fence(kind) => self.emit(InstrKind::Fence(*kind)),
            StmtKind::Unsupported(what) => self.unsupported(what.clone()),
        }
    }

    /// `if … else if … else`: a chain of any length is not nested.
    fn if_chain(&mut self, mut stmt: &'a Stmt) {
        let end = self.new_block();
        while let StmtKind::If { condition, then, otherwise } = &stmt.kind {
            self.set_loc(stmt.loc);
            let known = self.constant_condition(condition);
            let (yes, no) = (self.new_block(), self.new_block());
            match known {
                Some(true) => self.goto(yes),
                Some(false) => self.goto(no),
                None => self.branch(condition, yes, no),
            }
            if known != Some(false) || has_label(then) {
                self.start_branch(yes);
                self.stmt(then);
                self.goto(end);
            }
            if known == Some(true) && !otherwise.as_ref().is_some_and(|s| has_label(s)) {
                break;
            }
            self.start_branch(no);
            match otherwise {
                Some(next) => stmt = next,
                None => break,
            }
            if !matches!(stmt.kind, StmtKind::If { .. }) {
                self.stmt(stmt);
                break;
            }
        }
        self.start(end);
    }

    fn body_of_loop(&mut self, body: &'a Stmt, break_to: BlockId, continue_to: BlockId) {
        let saved = (self.break_target, self.continue_target);
        self.break_target = Some((break_to, self.scope));
        self.continue_target = Some((continue_to, self.scope));
        self.stmt(body);
        (self.break_target, self.continue_target) = saved;
    }

    fn loop_at(&mut self, condition: Option<&'a Expr>, step: Option<&'a Expr>, body: &'a Stmt) {
        let (head, inside, after) = (self.new_loop_head(), self.new_block(), self.new_block());
        let next = if step.is_some() { self.new_block() } else { head };
        let span = self.span;
        self.start(head);
        match condition {
            Some(condition) => self.branch(condition, inside, after),
            None => self.goto(inside),
        }
        self.start_branch(inside);
        self.body_of_loop(body, after, next);
        if let Some(step) = step {
            self.start(next);
            self.set_loc(step.loc);
            self.discard(step);
        }
        self.span = span;
        self.goto(head);
        self.start_branch(after);
    }

    fn do_while(&mut self, body: &'a Stmt, condition: &'a Expr) {
        let (head, test, after) = (self.new_loop_head(), self.new_block(), self.new_block());
        self.start(head);
        self.body_of_loop(body, after, test);
        self.start(test);
        self.set_loc(condition.loc);
        self.branch(condition, head, after);
        self.start_branch(after);
    }

    fn place_label(&mut self, label: LabelId, stmt: &'a Stmt, following: &'a [Stmt]) {
        self.set_loc(stmt.loc);
        let block = self.new_loop_head();
        self.start(block);
        self.labels[label.0 as usize] = Some((block, self.scope));
        let body = self.body.expect("only functions with a body have labels");
        let name = self.p.session.symbols.name(body.labels[label.0 as usize].name);
        if name == ERROR_LABEL && !self.begins_with_error_call(following) {
            self.emit(InstrKind::Assert {
                cond: Operand::Const(Const::FALSE),
                property: Property::ErrorLabel,
                message: "error label reached".to_owned(),
            });
        }
    }

    /// Whether the first thing that statements do is to call an error function.
    fn begins_with_error_call(&self, stmts: &'a [Stmt]) -> bool {
        let mut stmts = stmts;
        loop {
            let Some(first) = stmts.iter().find(|s| !matches!(s.kind, StmtKind::Nop)) else { return false };
            let mut e = match &first.kind {
                StmtKind::Block { stmts: inner, .. } => {
                    stmts = inner;
                    continue;
                }
                StmtKind::Expr(e) => e,
                _ => return false,
            };
            while let ExprKind::Convert(inner) | ExprKind::Comma(inner, _) = &e.kind {
                e = inner;
            }
            return match &e.kind {
                ExprKind::Builtin(builtin) => {
                    matches!(**builtin, Builtin::Assert { property: Property::ErrorCall, .. })
                }
                ExprKind::Call { callee: Callee::Direct(id), .. } => {
                    let id = self.p.linked.resolve_function(self.unit, *id);
                    matches!(self.p.function_name(id), "reach_error" | "__VERIFIER_error")
                }
                _ => false,
            };
        }
    }

    /// Compares the address with that of each label.
    fn computed_goto(&mut self, target: &'a Expr) {
        let span = self.span;
        let target = self.value(target);
        self.span = span;
        let body = self.body.expect("only functions with a body have statements");
        if let Some(object) = body.label_object {
            let object = self.p.linked.resolve_object(self.unit, object);
            let object = self.p.global(object);
            for (i, &label) in body.label_addresses.iter().enumerate() {
                let is_it = self.compare(CompareOp::Eq, Ty::Ptr, target, Operand::Global(object, i as i64));
                let (jump, next) = (self.jump_block(JumpTarget::Label(label)), self.new_block());
                self.branch_on(is_it, jump, next);
                self.start_branch(next);
            }
        }
        self.unsupported("a computed goto to something that is no label of the function".to_owned());
    }

    fn variable_array(&mut self, var: VarId, size: &'a Expr) {
        let size = self.value(size);
        let Home::Address(dst) = self.homes[var.0 as usize] else {
            self.unsupported("a variable-length array".to_owned());
            return;
        };
        let body = self.body.expect("only functions with a body have variables");
        if !body.labels.is_empty() {
            // A jump back to before the declaration ends the array made before.
            self.emit(InstrKind::Free { addr: Operand::Reg(dst), kind: AllocKind::Stack });
        }
        let element = self.p.layouts.element(self.var_type(var));
        let ty = Some(self.p.layouts.ir_type(element));
        let new = self.register(Ty::Ptr);
        let align = Operand::Const(Const::usual_alignment(self.p.target));
        self.emit(InstrKind::Alloc {
            dst: new,
            size,
            align,
            zeroed: false,
            kind: AllocKind::Stack,
            ty,
            private: false,
        });
        self.assign(dst, Operand::Reg(new));
        if let Some(slot) = self.frame_slot(var) {
            self.fill_slot(slot, Operand::Reg(dst));
        }
    }

    fn return_stmt(&mut self, value: Option<&'a Expr>) {
        match (value, self.result) {
            (Some(e), Passing::Scalar(_)) if self.p.layouts.passing(e.ty.ty) != Passing::Nothing => {
                let span = self.span;
                let value = self.value(e);
                self.span = span;
                self.return_value(Some(value));
            }
            (Some(e), Passing::Memory) if self.is_wide(e.ty.ty) => {
                let value = self.wide(e);
                if let Some(to) = self.result_address {
                    self.store_wide(Operand::Reg(to), value, norn_ir::instr::Access::PLAIN);
                }
                self.return_value(None);
            }
            (Some(e), Passing::Memory) => {
                let from = self.aggregate(e);
                let ty = self.p.layouts.ir_type(e.ty.ty);
                if let Some(to) = self.result_address {
                    self.copy_object(ty, Operand::Reg(to), from, false);
                }
                self.return_value(None);
            }
            (value, Passing::Scalar(_)) => {
                if let Some(e) = value {
                    self.discard(e);
                }
                let name = format!("result of {}", self.name);
                self.return_nondet(norn_ir::instr::NondetSource::Uninitialised(name));
            }
            (value, _) => {
                if let Some(e) = value {
                    self.discard(e);
                }
                self.return_value(None);
            }
        }
    }

    pub fn unreachable(&mut self) {
        self.terminate(TerminatorKind::Unreachable);
    }
}

/// Whether a jump can lead into a statement.
fn has_label(stmt: &Stmt) -> bool {
    let mut found = false;
    preorder(Node::Stmt(stmt), |node| {
        found |= matches!(node, Node::Stmt(Stmt { kind: StmtKind::Label(_) | StmtKind::Case(_), .. }));
        !found
    });
    found
}
