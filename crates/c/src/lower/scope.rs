//! Scopes: when objects on the frame begin and end, and what jumps between scopes must do about it.
//!
//! An object lives from the entry of its block to the exit, as C says, and not from its declaration. So a jump leaves the
//! scopes between its origin and the innermost scope that both ends share, and enters those between that one and its
//! target. A forward `goto` does not know its target's scope yet; every `goto` and every `case` therefore gets a block
//! of its own, which is filled when the function is complete. Where there is nothing to do, that block is empty and
//! disappears.
//!
//! A variable with the attribute `cleanup` opens a scope within its block, which has no objects: to leave it is to evaluate
//! the cleanup. A return ends the objects by itself, but not the scopes with cleanups.
//!
//! Variables in registers have no lifetime, but start with an indeterminate value each time that their scope is entered:
//! a `Nondet`, which is removed again where the value is not used (see `uninit`).

use super::function::{FunctionBuilder, Home};
use crate::tree::walk::{Node, preorder};
use crate::tree::{Body, CaseId, Expr, LabelId, StmtKind, VarId};
use norn_ir::ids::{BlockId, LocalId, Reg};
use norn_ir::instr::{Access, AllocKind, CompareOp, Const, InstrKind, NondetSource, Operand, TerminatorKind};
use norn_ir::span::Span;
use norn_ir::types::Ty;

norn_ir::ids! {
    /// A scope of the function being lowered.
    ScopeId = "scope";
}

#[derive(Default)]
pub struct Scope<'a> {
    pub parent: Option<ScopeId>,
    depth: u32,
    locals: Vec<LocalId>,
    /// Registers with the addresses of variable-length arrays; null before the declaration is reached.
    arrays: Vec<Reg>,
    variables: Vec<(Reg, String)>,
    /// Objects that nested functions reach through the frame, with their place there.
    captured: Vec<(u64, LocalId)>,
    /// What is evaluated when the scope is left.
    cleanup: Option<&'a Expr>,
}

/// A jump to a label whose scope is known only later.
pub struct Jump {
    /// The block that does what changing the scope takes.
    pub block: BlockId,
    pub from: ScopeId,
    pub to: JumpTarget,
    pub span: Span,
}

#[derive(Clone, Copy)]
pub enum JumpTarget {
    Label(LabelId),
    Case(CaseId),
}

/// Which variables some block of the body declares.
pub fn listed_variables(body: &Body) -> Vec<bool> {
    let mut listed = vec![false; body.vars.len()];
    // Parameters are not listed. Outer blocks come first, so the walk is short unless the checker has made up variables.
    let mut missing = body.vars.len() - body.params.len();
    preorder(Node::Stmt(&body.block), |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Block { vars, .. } = &stmt.kind
        {
            for var in vars {
                let was_listed = std::mem::replace(&mut listed[var.0 as usize], true);
                missing = missing.saturating_sub(usize::from(!was_listed));
            }
        }
        missing > 0
    });
    listed
}

impl<'a> FunctionBuilder<'_, 'a> {
    pub fn scope_of(&self, parent: Option<ScopeId>, vars: &[VarId]) -> Scope<'a> {
        let mut scope = Scope { parent, depth: self.depth_within(parent), ..Scope::default() };
        for &var in vars {
            match self.homes[var.0 as usize] {
                Home::Register(reg) => scope.variables.push((reg, self.var_name(var))),
                Home::Local(local) => {
                    scope.locals.push(local);
                    scope.captured.extend(self.frame_slot(var).map(|slot| (slot, local)));
                }
                Home::Address(reg) => scope.arrays.push(reg),
            }
        }
        scope
    }

    fn depth_within(&self, parent: Option<ScopeId>) -> u32 {
        parent.map_or(0, |p| self.scopes[p.0 as usize].depth + 1)
    }

    /// Opens a scope up to the end of the block, with something to evaluate when it is left.
    pub fn open_cleanup(&mut self, cleanup: &'a Expr) {
        let parent = Some(self.scope);
        let depth = self.depth_within(parent);
        self.scopes.push(Scope { parent, depth, cleanup: Some(cleanup), ..Scope::default() });
        self.scope = ScopeId::new(self.scopes.len() - 1);
    }

    /// Evaluates the cleanups of all open scopes, innermost first, as for a return.
    pub fn clean_up(&mut self) {
        let mut scope = Some(self.scope);
        while let Some(id) = scope {
            scope = self.scopes[id.0 as usize].parent;
            self.evaluate_cleanup(id);
        }
    }

    fn evaluate_cleanup(&mut self, scope: ScopeId) {
        let Scope { parent: Some(parent), cleanup: Some(cleanup), .. } = self.scopes[scope.0 as usize] else { return };
        let (current, span) = (std::mem::replace(&mut self.scope, parent), self.span);
        self.set_loc(cleanup.loc);
        self.discard(cleanup);
        (self.scope, self.span) = (current, span);
    }

    /// Opens the scope of a block. One without variables is no scope.
    pub fn enter_scope(&mut self, vars: &[VarId]) -> ScopeId {
        let outer = self.scope;
        if !vars.is_empty() {
            let scope = self.scope_of(Some(outer), vars);
            self.scopes.push(scope);
            self.scope = ScopeId::new(self.scopes.len() - 1);
            self.enter_scope_objects(self.scope);
        }
        outer
    }

    /// Closes the scopes up to `outer`, falling out of them.
    pub fn leave_scope(&mut self, outer: ScopeId) {
        self.exit_to(outer);
        self.scope = outer;
    }

    /// Ends the objects of the scopes between the current one and `outer`, as for a jump.
    pub fn exit_to(&mut self, outer: ScopeId) {
        self.exit_scopes(self.scope, outer);
    }

    pub fn enter_scope_objects(&mut self, scope: ScopeId) {
        let scope = &self.scopes[scope.0 as usize];
        let locals = scope.locals.iter().map(|&local| InstrKind::LocalEnter(local));
        let arrays = scope.arrays.iter().map(|&dst| InstrKind::Copy { dst, src: Operand::Const(Const::NULL) });
        let variables = scope
            .variables
            .iter()
            .map(|(dst, name)| InstrKind::Nondet { dst: *dst, source: NondetSource::Uninitialised(name.clone()) });
        let instrs: Vec<InstrKind> = locals.chain(arrays).chain(variables).collect();
        let captured = scope.captured.clone();
        instrs.into_iter().for_each(|kind| self.emit(kind));
        for (slot, local) in captured {
            self.fill_slot(slot, Operand::Local(local, 0));
        }
    }

    /// The place of a variable in the frame that nested functions see.
    pub fn frame_slot(&self, var: VarId) -> Option<u64> {
        let slots = &self.body?.frame.as_ref()?.slots;
        slots.iter().position(|&v| v == var).map(|slot| slot as u64 + 1)
    }

    /// Writes an address into the frame that nested functions see.
    pub fn fill_slot(&mut self, slot: u64, address: Operand) {
        let Some(frame) = self.body.and_then(|body| body.frame.as_ref()) else { return };
        let frame = self.home_address(frame.var);
        let at = self.offset(frame, slot * self.p.target.pointer_size());
        self.store(Ty::Ptr, at, address);
    }

    /// Gives up what the function has claimed for pointers to its nested functions.
    pub fn release_claims(&mut self) {
        let Some(frame) = self.body.and_then(|body| body.frame.as_ref()) else { return };
        for &claim in &frame.claims {
            let claim = self.p.linked.resolve_object(self.unit, claim);
            let claim = Operand::Global(self.p.global(claim), 0);
            let held = self.load_at(Ty::Ptr, claim, Access::PLAIN);
            let mine = self.home_address(frame.var);
            let is_mine = self.compare(CompareOp::Eq, Ty::Ptr, held, mine);
            let left = self.select(Ty::Ptr, is_mine, Operand::Const(Const::NULL), held);
            self.store(Ty::Ptr, claim, left);
        }
    }

    fn exit_scopes(&mut self, from: ScopeId, outer: ScopeId) {
        let mut scope = from;
        while scope != outer {
            self.evaluate_cleanup(scope);
            let Scope { parent, locals, arrays, .. } = &self.scopes[scope.0 as usize];
            let free =
                arrays.iter().rev().map(|&reg| InstrKind::Free { addr: Operand::Reg(reg), kind: AllocKind::Stack });
            let exits = locals.iter().rev().map(|&local| InstrKind::LocalExit(local));
            let instrs: Vec<InstrKind> = free.chain(exits).collect();
            let Some(parent) = *parent else { return };
            instrs.into_iter().for_each(|kind| self.emit(kind));
            scope = parent;
        }
    }

    /// A block that changes from the current scope to that of a label and jumps to it.
    pub fn jump_block(&mut self, to: JumpTarget) -> BlockId {
        let block = self.new_block();
        self.jumps.push(Jump { block, from: self.scope, to, span: self.span });
        block
    }

    /// Fills the blocks of all jumps, now that every label is known.
    pub fn resolve_jumps(&mut self) {
        for Jump { block, from, to, span } in std::mem::take(&mut self.jumps) {
            self.terminate(TerminatorKind::Unreachable);
            self.start(block);
            self.span = span;
            let target = match to {
                JumpTarget::Label(label) => self.labels[label.0 as usize],
                JumpTarget::Case(case) => self.cases[case.0 as usize],
            };
            let Some((target, scope)) = target else {
                self.terminate(TerminatorKind::Unreachable);
                continue;
            };
            let shared = self.common_scope(from, scope);
            self.exit_scopes(from, shared);
            let mut entered = Vec::new();
            let mut inner = scope;
            while inner != shared {
                entered.push(inner);
                inner = self.scopes[inner.0 as usize].parent.unwrap_or(shared);
            }
            entered.into_iter().rev().for_each(|scope| self.enter_scope_objects(scope));
            self.goto(target);
        }
    }

    fn common_scope(&self, mut a: ScopeId, mut b: ScopeId) -> ScopeId {
        let scope = |id: ScopeId| &self.scopes[id.0 as usize];
        while a != b {
            if scope(a).depth >= scope(b).depth {
                a = scope(a).parent.unwrap_or(b);
            } else {
                b = scope(b).parent.unwrap_or(a);
            }
        }
        a
    }
}
